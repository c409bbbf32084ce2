"""A list of known failures: what it expects, what is news to it, and how it is written again."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from conformance.results.known import Expectations, Known, KnownError, read_known
from conformance.results.lines import Verdict, VerdictName

from .making import verdict

RULE, MESSAGE = "tags.ascending", "MetadataRequest"


def known(**fields: object) -> Known:
    given = {"rule": RULE, "verdict": "fail", **fields}
    return Known(**given)  # type: ignore[arg-type]


def news(entries: list[Known], *verdicts: Verdict) -> tuple[list[Verdict], list[str]]:
    expectations = Expectations(entries)
    fresh = [one for one in verdicts if expectations.take(one)]
    return fresh, [str(place) for place in expectations.stale(partial=False)]


@pytest.mark.parametrize(
    "entry",
    [
        known(),
        known(message=MESSAGE),
        known(version=9),
        known(message=MESSAGE, version=9),
        known(message=MESSAGE, version=[9]),
    ],
)
def test_a_listed_failure_is_no_news(entry: Known) -> None:
    assert news([entry], verdict()) == ([], [])


@pytest.mark.parametrize(
    "entry",
    [
        known(rule="tags.section-layout"),
        known(message="Other"),
        known(version=8),
        known(version=[0, 10]),
    ],
)
def test_any_other_failure_is_news(entry: Known) -> None:
    fresh, _ = news([entry], verdict())
    assert fresh == [verdict()]


def test_without_a_list_every_failure_is_news() -> None:
    verdicts = [verdict("fail"), verdict("crash"), verdict("hang")]
    assert news([], *verdicts) == (verdicts, [])


def test_what_is_no_failure_is_never_news() -> None:
    others = [verdict(name) for name in ("pass", "note", "unsupported", "not-proven", "error")]
    assert news([], *others) == ([], [])


def test_a_case_that_fails_otherwise_than_listed_is_news_twice() -> None:
    fresh, stale = news([known()], verdict("crash"))
    assert fresh == [verdict("crash")]
    assert stale == ["fail of tags.ascending on any message, any version"]


def test_a_case_that_passes_now_makes_its_entry_stale() -> None:
    _, stale = news([known(message=MESSAGE, version=9)], verdict("pass"))
    assert stale == ["fail of tags.ascending on MetadataRequest, version 9"]


def test_an_entry_that_matches_nothing_is_stale() -> None:
    _, stale = news([known(message="Other")])
    assert stale == ["fail of tags.ascending on Other, any version"]


def test_one_case_that_fails_on_each_place_keeps_an_entry() -> None:
    assert news([known()], verdict("pass", version=2), verdict(version=2)) == ([], [])


def test_an_entry_for_all_versions_is_stale_where_one_of_them_passes() -> None:
    _, stale = news([known()], verdict("pass", version=1), verdict(version=2))
    assert stale == [f"fail of {RULE} on {MESSAGE}, version 1"]


def test_each_version_of_an_entry_is_held_against_its_own_cases() -> None:
    _, stale = news([known(version=[8, 9])], verdict(version=9), verdict("pass", version=8))
    assert stale == ["fail of tags.ascending on any message, version 8"]


def test_version_0_is_a_version() -> None:
    assert news([known(version=0)], verdict(version=0)) == ([], [])
    assert news([known(version=0)], verdict(version=1))[0] == [verdict(version=1)]


def test_two_ways_to_fail_may_both_be_listed() -> None:
    entries = [known(), known(verdict="crash")]
    assert news(entries, verdict("fail"), verdict("crash")) == ([], [])


def test_a_partial_run_says_nothing_of_what_it_never_came_by() -> None:
    expectations = Expectations([known(message=MESSAGE), known(message="Other")])
    expectations.take(verdict("pass"))
    [stale] = expectations.stale(partial=True)
    assert stale.message == MESSAGE


def write(path: Path, text: str) -> list[Known]:
    path.write_text(text, "utf-8")
    return read_known(path)


def test_an_updated_list_expects_exactly_what_failed(tmp_path: Path) -> None:
    expectations = Expectations([known(message="Other")])
    for one in (verdict(), verdict(version=3), verdict("crash"), verdict("pass", version=4)):
        expectations.take(one)
    assert write(tmp_path / "known.toml", expectations.updated(partial=False)) == [
        known(message=MESSAGE, version=[9], verdict="crash"),
        known(message=MESSAGE, version=[3, 9]),
    ]


def test_an_update_keeps_reasons_and_issues(tmp_path: Path) -> None:
    entries = [
        known(message=MESSAGE, version=9, reason='says "no"\n\u2028é', issue="KAFKA-1"),
        known(rule="tags.section-layout", reason="any message"),
    ]
    expectations = Expectations(entries)
    expectations.take(verdict())
    expectations.take(verdict(version=10))
    expectations.take(verdict("pass", version=11))
    expectations.take(verdict(rule="tags.section-layout"))
    updated = write(tmp_path / "known.toml", expectations.updated(partial=False))
    reasons = {(entry.rule, entry.version[0]): entry for entry in updated if entry.version}  # type: ignore[index]
    assert reasons[RULE, 9].reason == entries[0].reason
    assert reasons[RULE, 9].issue == "KAFKA-1"
    assert reasons[RULE, 10].reason == ""
    assert reasons["tags.section-layout", 9].reason == "any message"


def test_an_update_after_a_partial_run_keeps_what_was_not_judged(tmp_path: Path) -> None:
    entries = [known(message="Other", reason="r"), known(message=MESSAGE), known(version=[1, 2])]
    expectations = Expectations(entries)
    expectations.take(verdict("pass"))
    assert write(tmp_path / "known.toml", expectations.updated(partial=True)) == [
        known(version=[1, 2]),
        known(message="Other", reason="r"),
    ]


def test_nothing_failed_makes_an_empty_list() -> None:
    expectations = Expectations([known()])
    expectations.take(verdict("pass"))
    assert expectations.updated(partial=False) == ""


def test_an_updated_list_is_the_same_however_the_verdicts_came() -> None:
    verdicts = [verdict(version=n, message=m) for n in (3, 1, 2) for m in ("B", "A")]
    texts = set()
    for order in (verdicts, verdicts[::-1]):
        expectations = Expectations([])
        for one in (*order, verdict("pass", version=4, message="A"), verdict("pass", message="B")):
            expectations.take(one)
        texts.add(expectations.updated(partial=False))
    [text] = texts
    assert [table["message"] for table in tomllib.loads(text)["known"]] == ["A", "B"]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("[[known]", "Expected"),
        ("[[knwon]]\nrule = 'x'\nverdict = 'fail'\n", "unknown field `knwon`"),
        ("[[known]]\nrule = 'x'\n", "missing required field `verdict`"),
        ("[[known]]\nrule = 'x'\nverdict = 'fails'\n", "Invalid enum value 'fails'"),
        ("[[known]]\nrule = 'tags.ascendin'\nverdict = 'fail'\n", "did you mean tags.ascending"),
        ("[[known]]\nrule = 'x'\nverdict = 'fail'\nwhy = 'y'\n", "unknown field `why`"),
        ("[[known]]\nrule = 'x'\nverdict = 'fail'\nversion = '9'\n", "got `str`"),
        ("\xff", ""),
    ],
)
def test_a_broken_list_is_one_clear_error(tmp_path: Path, text: str, what: str) -> None:
    path = tmp_path / "known.toml"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(KnownError, match=r"known\.toml: .*") as caught:
        read_known(path)
    assert what in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_list_that_is_not_there_is_one_clear_error(tmp_path: Path) -> None:
    with pytest.raises(KnownError, match="No such file or directory"):
        read_known(tmp_path / "none.toml")


def test_what_fails_everywhere_is_listed_once(tmp_path: Path) -> None:
    expectations = Expectations([])
    for one in (verdict(version=1), verdict(version=2), verdict(version=3, message="Other")):
        expectations.take(one)
    assert write(tmp_path / "known.toml", expectations.updated(partial=False)) == [known()]


def test_what_fails_in_every_version_of_a_message_is_listed_without_versions(
    tmp_path: Path,
) -> None:
    expectations = Expectations([])
    for one in (verdict(version=1), verdict(version=2), verdict("pass", message="Other")):
        expectations.take(one)
    updated = write(tmp_path / "known.toml", expectations.updated(partial=False))
    assert updated == [known(message=MESSAGE)]


def test_an_update_of_a_selection_says_nothing_of_what_was_not_selected(tmp_path: Path) -> None:
    expectations = Expectations([])
    expectations.take(verdict(version=1))
    updated = write(tmp_path / "known.toml", expectations.updated(partial=True))
    assert updated == [known(message=MESSAGE, version=[1])]


@pytest.mark.parametrize("outcome", ["fail", "pass"])
def test_what_fails_sometimes_is_no_news_either_way(outcome: VerdictName) -> None:
    assert news([known(sometimes=True)], verdict(outcome)) == ([], [])


def test_what_fails_sometimes_may_not_fail_in_another_way() -> None:
    fresh, stale = news([known(sometimes=True)], verdict("crash"))
    assert (len(fresh), stale) == (1, [])


def test_an_update_keeps_what_fails_sometimes(tmp_path: Path) -> None:
    entry = known(message=MESSAGE, sometimes=True, reason="It asks one of two.")
    expectations = Expectations([entry])
    expectations.take(verdict("pass"))
    (tmp_path / "known.toml").write_text(expectations.updated(partial=False), "utf-8")
    assert read_known(tmp_path / "known.toml") == [entry]
