"""Generated cases: made of a seed and a number, and right only for a codec that is."""

from __future__ import annotations

from collections import Counter

import pytest

pytest.importorskip("pyarrow", reason="needs the extra `pipeline`")

from conformance.campaigns.chunk import NoSuchCase, case_again
from conformance.campaigns.families import Families
from conformance.campaigns.generate import SLOTS, Generator, NothingToGenerate
from conformance.codecs.mutants import mutants
from conformance.codecs.run import run
from conformance.codecs.testee.in_process import ObjectTarget
from conformance.reference.codec import ReferenceCodec
from conformance.results.lines import BROKEN, Verdict
from conformance.rules import catalogue
from conformance.testee_protocol import Target

REFERENCE = ObjectTarget(ReferenceCodec())


def judged(target: Target, count: int, seed: int = 1, **selection) -> list[Verdict]:
    generator, asked = Generator(seed, **selection), Families(target.hello, seed)
    families = (asked.family(generator.draw(index)) for index in range(count))
    return list(run(filter(None, families), target, catalogue(), "kafka"))


def test_a_number_alone_makes_a_case():
    one, other = Generator(7), Generator(7)
    many = [one.draw(index) for index in range(40)]
    assert [other.draw(index).data for index in (39, 3, 17)] == [
        many[index].data for index in (39, 3, 17)
    ]
    assert other.draw(21).broken == many[21].broken


def test_another_seed_makes_other_cases():
    one, other = Generator(1), Generator(2)
    assert [one.draw(i).data for i in range(20)] != [other.draw(i).data for i in range(20)]


def test_a_selection_is_kept_to():
    generator = Generator(1, messages=("FetchRequest", "MetadataResponse"), versions=(9, 12))
    forms = [generator.draw(index).source.form for index in range(100)]
    found = {(form.message, form.version) for form in forms}
    assert found == {(m, v) for m in ("FetchRequest", "MetadataResponse") for v in (9, 12)}


@pytest.mark.parametrize(
    ("messages", "versions"), [(("NoSuchRequest",), ()), (("FetchRequest",), (999,))]
)
def test_nothing_to_generate_is_one_clear_line(messages, versions):
    with pytest.raises(NothingToGenerate):
        Generator(1, messages, versions).draw(0)


def test_the_reference_codec_passes_all_of_them():
    verdicts = judged(REFERENCE, 400)
    assert {each.verdict for each in verdicts} == {"pass", "note"}


def test_one_that_follows_an_older_release_is_asked_by_its_own_names():
    verdicts = judged(ObjectTarget(ReferenceCodec("3.9.2")), 300)
    assert {each.verdict for each in verdicts} == {"pass", "note"}


def test_a_family_has_six_cases_and_each_is_judged():
    verdicts = judged(REFERENCE, 50)
    numbers = Counter(int(each.case.partition("/")[2]) for each in verdicts)
    assert set(numbers.values()) == {1}
    assert {number % SLOTS for number in numbers} == set(range(SLOTS))


def test_every_operation_is_asked():
    assert {each.op for each in judged(REFERENCE, 300)} == REFERENCE.hello.ops


def test_unknown_tags_are_among_them():
    assert any(each.rule == "tags.unknown-skipped" for each in judged(REFERENCE, 100))


@pytest.mark.parametrize(
    "name",
    [
        "ArrayCountNotPlusOne",
        "EmptySectionLeftOut",
        "MissingElementsLeftOut",
        "NullStringIsEmpty",
        "SurrogatesOfThreeBytes",
        "TrueIsAllOnes",
        "UnknownTagRefused",
        "UnknownTagsDescending",
    ],
)
def test_a_codec_with_one_defect_is_caught(name):
    verdicts = judged(ObjectTarget(mutants()[name]()), 800)
    assert any(each.verdict in BROKEN for each in verdicts)


def test_a_case_again_alone_has_its_verdict():
    target = ObjectTarget(mutants()["UnknownTagRefused"]())
    verdicts = judged(target, 30)
    assert {"pass", "fail"} <= {verdict.verdict for verdict in verdicts[::4]}
    for verdict in verdicts[::4]:
        again = case_again(verdict.case, target, profile="kafka")
        assert [each.verdict for each in again] == [verdict.verdict]


@pytest.mark.parametrize("case", ["", "1", "x/1", "1/x", "-1/3"])
def test_what_is_no_case_is_refused(case):
    with pytest.raises(NoSuchCase):
        case_again(case, REFERENCE)
