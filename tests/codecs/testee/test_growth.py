"""A leak is told from a runtime that takes memory as it sees fit."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest

from conformance.codecs.testee.leaks import MANY_FILES, MIB, SAMPLE_EVERY, Growth, Sample

CASES = 100_000
KIB = 1024


def lived(
    resident: Callable[[int], int],
    files: Callable[[int], int] = lambda _: 5,
    answers: int = CASES,
    every: int = SAMPLE_EVERY,
) -> Growth:
    """A life of so many answers, with bytes and files after each as told."""
    growth = Growth(Sample(0, resident(0), files(0)))
    for number in range(every, answers + 1, every):
        growth.take(Sample(number, resident(number), files(number)))
    return growth


def steadily(answers: int) -> int:
    return 30 * MIB + answers * 2 * KIB


def test_what_rises_with_each_answer_is_told_with_its_rate() -> None:
    assert lived(steadily).notes() == {
        "memory": "it grows without end: 30 MiB at its start, 225 MiB after 99840 answers, "
        "about 2.0 KiB each; look for what outlives its call"
    }


@pytest.mark.parametrize(
    "resident",
    [
        lambda answers: 30 * MIB + min(answers, 20_000) * 20 * KIB,
        lambda answers: 430 * MIB if answers > CASES // 2 else 30 * MIB,
        lambda answers: 30 * MIB + (answers % 10_000) * 40 * KIB,
        lambda answers: 30 * MIB + answers * KIB,
        lambda answers: steadily(CASES - answers),
    ],
    ids=["a cache that fills", "one step", "collected again and again", "little", "falls"],
)
def test_what_is_no_leak_is_not_told(resident: Callable[[int], int]) -> None:
    assert lived(resident).notes() == {}


def test_steps_of_a_collector_on_the_way_up_are_a_rise() -> None:
    assert "memory" in lived(lambda n: 30 * MIB + n // 10_000 * 40 * MIB).notes()


def test_a_short_life_says_nothing_of_memory() -> None:
    assert lived(lambda n: 30 * MIB + n * 200 * KIB, answers=5_000).notes() == {}


def test_a_life_of_many_samples_is_judged_as_one_of_few() -> None:
    often, seldom = (lived(steadily, every=every) for every in (3, 5_000))
    assert often.notes().keys() == seldom.notes().keys() == {"memory"}


def test_few_samples_of_a_long_life_are_kept_at_even_distances() -> None:
    growth = lived(steadily, answers=1_000_000, every=16)
    kept = [sample.answers for sample in growth._samples]
    distances = {after - before for before, after in pairwise(kept)}
    assert 200 < len(kept) <= 512
    assert len(distances) == 1


def test_samples_in_clusters_do_not_shift_the_quarters() -> None:
    """Much is looked at where much memory runs out; that is no longer life than any other."""
    growth = Growth(Sample(0, 30 * MIB, 5))
    for number in range(1, CASES):
        if number < 2_000 or number % SAMPLE_EVERY == 0:
            growth.take(Sample(number, steadily(number), 5))
    assert "memory" in growth.notes()


def test_files_that_stay_open_are_told() -> None:
    growth = lived(lambda _: 30 * MIB, files=lambda n: 5 + n // 1000)
    assert growth.notes() == {
        "files": "it leaks file handles: 5 open at its start, 104 after 99840 answers; "
        "close what a call opens"
    }


@pytest.mark.parametrize("more", [MANY_FILES - 1, -3])
def test_some_more_files_or_fewer_are_no_leak(more: int) -> None:
    assert lived(lambda _: MIB, files=lambda n: 5 + more * (n > 0)).notes() == {}


def test_a_process_that_is_gone_is_no_sample() -> None:
    growth = lived(steadily)
    before = growth.notes()
    growth.take(Sample(CASES, 0, 0))
    assert growth.notes() == before


def test_where_nobody_can_tell_there_is_nothing_to_note() -> None:
    assert lived(lambda _: 0, files=lambda _: 0).notes() == {}


def test_the_last_look_counts_however_near_it_is_to_the_one_before() -> None:
    growth = lived(lambda _: MIB, files=lambda _: 5)
    growth.take(Sample(CASES - 100, MIB, 200))
    assert growth.more_files == 195
