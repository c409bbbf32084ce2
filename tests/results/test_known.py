"""A list of known failures: what it expects, what is news to it, and how it is written again."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from conformance.results.known import Expectations, Known, KnownError, read_known
from conformance.results.known_cases import ANY_VERSION, WIDTH, entry_lines, place_of
from conformance.results.lines import NOT_ASKED, Verdict, VerdictName
from tests.results import making

RULE, MESSAGE, WAY = "tags.ascending", "MetadataRequest", "topics.name"
CASE = f"x/decode [{WAY}]: {MESSAGE} 9"
ENTRY = f"[[known]]\nrule = '{RULE}'\nverdict = 'fail'\n"


def verdict(name: VerdictName = "fail", **changed: Any) -> Verdict:
    """One of a case that is known to differ at a field."""
    given = {"shape": "x", "first_difference": f"{WAY}: expected 'a', got 'b'"}
    return making.verdict(name, **{**given, **changed})


def known(**fields: object) -> Known:
    given = {"rule": RULE, "verdict": "fail", **fields}
    return Known(**given)  # type: ignore[arg-type]


def news(entries: list[Known], *verdicts: Verdict) -> tuple[list[Verdict], list[str]]:
    expectations = Expectations(entries)
    fresh = [one for one in verdicts if expectations.take(one)]
    return fresh, entry_lines(expectations.stale(partial=False))


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
    _, stale = news([known(cases=CASE)], verdict("pass"))
    assert stale == [f"fail of {RULE} on {CASE}"]


def test_an_entry_that_matches_nothing_is_stale() -> None:
    _, stale = news([known(message="Other")])
    assert stale == ["fail of tags.ascending on Other, any version"]


def test_one_case_that_fails_keeps_an_entry_for_all() -> None:
    assert news([known()], verdict("pass", version=2), verdict(version=2)) == ([], [])


def test_version_0_is_a_version() -> None:
    assert news([known(version=0)], verdict(version=0)) == ([], [])
    assert news([known(version=0)], verdict(version=1))[0] == [verdict(version=1)]


def test_two_ways_to_fail_may_both_be_listed() -> None:
    entries = [known(), known(verdict="crash")]
    assert news(entries, verdict("fail"), verdict("crash")) == ([], [])


SECOND = {
    "another case": verdict(shape="other"),
    "another operation": verdict(op="encode"),
    "another version": verdict(version=8),
    "another message": verdict(message="Other"),
    "another rule": verdict(rule="tags.section-layout"),
    "another field": verdict(first_difference="name: expected 'a', got 'b'"),
    "a refusal": verdict(outcome="rejected", first_difference=None),
    "a crash": verdict("crash"),
}


@pytest.mark.parametrize("second", SECOND.values(), ids=SECOND)
def test_a_second_defect_beside_a_known_one_is_news(second: Verdict) -> None:
    assert news([known(cases=CASE)], verdict(), second) == ([second], [])


def test_a_list_of_cases_is_read_as_it_is_written() -> None:
    text = "x/decode y/decode [topics.name]: A 0-2,5, B 7,\n  C\n"
    found = {(p.message, p.version, p.case, p.way) for p in known(cases=text).places()}
    places = [*(("A", n) for n in (0, 1, 2, 5)), ("B", 7), ("C", ANY_VERSION)]
    assert found == {(*p, c, "topics.name") for p in places for c in ("x/decode", "y/decode")}


def test_indexes_do_not_tell_one_field_from_another() -> None:
    at = [verdict(first_difference=f"topics[{n}].name: expected 'a', got 'b'") for n in (0, 7)]
    assert [place_of(each).way for each in at] == ["topics.name", "topics.name"]


def test_what_ends_a_target_is_listed_by_its_operation(tmp_path: Path) -> None:
    expectations = Expectations([])
    expectations.take(verdict("crash"))
    [entry] = write(tmp_path / "known.toml", expectations.updated(partial=False))
    assert entry == known(verdict="crash", cases=f"decode: {MESSAGE} 9\n")
    assert news([entry], verdict("crash", shape="other")) == ([], [])
    assert news([entry], verdict("crash", op="encode"))[0] != []


SPARED = verdict("not-proven", detail=f"{NOT_ASKED}10 cases of this rule have ended the target")


def test_a_rule_that_ends_the_target_again_and_again_is_no_news_wherever_it_is_met(
    tmp_path: Path,
) -> None:
    whole = Expectations([])
    for one in (verdict("crash"), verdict("crash", message="B"), verdict(message="C"), SPARED):
        whole.take(one)
    entries = write(tmp_path / "known.toml", whole.updated(partial=False))
    assert entries[0] == known(verdict="crash", not_all_asked=True)
    part = Expectations(entries)
    met = [verdict(name, message="Later") for name in ("crash", "hang", "fail")]
    assert [part.take(one) for one in met] == [False] * 3
    assert part.stale(partial=True) == []
    assert Expectations(entries).stale(partial=False) != []


def test_a_listed_case_that_was_spared_is_not_stale() -> None:
    expectations = Expectations([known(cases=CASE), known(verdict="crash", not_all_asked=True)])
    expectations.take(SPARED)
    expectations.take(verdict("crash", message="Other"))
    assert expectations.stale(partial=False) == []


def test_a_part_of_a_run_says_nothing_of_what_it_never_came_by() -> None:
    entries = [known(cases=CASE), known(cases="x/decode: Other 1"), known(message="Third")]
    expectations = Expectations(entries)
    expectations.take(verdict("pass"))
    assert entry_lines(expectations.stale(partial=True)) == [f"fail of {RULE} on {CASE}"]


def test_one_case_that_passes_says_nothing_of_all_of_its_message() -> None:
    expectations = Expectations([known(message=MESSAGE, version=9)])
    expectations.take(verdict("pass"))
    assert expectations.stale(partial=True) == []


def test_an_entry_that_is_wider_than_it_need_be_is_told_of() -> None:
    wide, kinds = known(message=MESSAGE), (known(cases=CASE), known(sometimes=True))
    assert Expectations([*kinds, known(verdict="crash", not_all_asked=True)]).outdated() == []
    [line] = Expectations([wide, *kinds]).outdated()
    assert line.startswith("1 of the entries have no `cases`")


def write(path: Path, text: str) -> list[Known]:
    path.write_text(text, "utf-8")
    return read_known(path)


def test_an_updated_list_expects_exactly_what_failed(tmp_path: Path) -> None:
    expectations = Expectations([known(message="Other")])
    others = [verdict(version=n) for n in (3, 4, 5)]
    for one in (verdict(), *others, verdict("pass", version=6)):
        expectations.take(one)
    assert write(tmp_path / "known.toml", expectations.updated(partial=False)) == [
        known(cases=f"x/decode [{WAY}]: {MESSAGE} 3-5,9\n")
    ]


def test_an_update_makes_wide_entries_narrow_and_keeps_reasons_and_issues(tmp_path: Path) -> None:
    entries = [
        known(message=MESSAGE, version=9, reason='says "no"\n\u2028é', issue="KAFKA-1"),
        known(rule="tags.section-layout", reason="any message"),
    ]
    expectations = Expectations(entries)
    tenth = verdict(version=10)
    for one in (verdict(), tenth, verdict(rule="tags.section-layout")):
        expectations.take(one)
    updated = write(tmp_path / "known.toml", expectations.updated(partial=False))
    notes = {(e.rule, e.cases.split()[-1]): (e.reason, e.issue) for e in updated}
    assert notes == {
        (RULE, "9"): (entries[0].reason, "KAFKA-1"),
        (RULE, "10"): ("", ""),
        ("tags.section-layout", "9"): ("any message", ""),
    }
    assert Expectations(updated).outdated() == []


def test_an_update_after_a_part_of_a_run_keeps_what_was_not_judged(tmp_path: Path) -> None:
    kept = [
        known(cases="x/decode: Other 1-3\n", reason="r"),
        known(message="Third"),
        known(verdict="crash", not_all_asked=True),
    ]
    expectations = Expectations([*kept, known(cases=CASE)])
    expectations.take(verdict("pass"))
    updated = write(tmp_path / "known.toml", expectations.updated(partial=True))
    assert sorted(updated, key=str) == sorted(kept, key=str)


def test_nothing_failed_makes_an_empty_list() -> None:
    expectations = Expectations([known()])
    expectations.take(verdict("pass"))
    assert expectations.updated(partial=False) == ""


def test_an_updated_list_is_the_same_however_the_verdicts_came() -> None:
    cases = [(m, n, c) for m in ("B", "A") for n in (3, 1, 2) for c in ("y", "x")]
    verdicts = [verdict(message=m, version=n, shape=c) for m, n, c in cases]
    texts = set()
    for order in (verdicts, verdicts[::-1]):
        expectations = Expectations([])
        for one in order:
            expectations.take(one)
        texts.add(expectations.updated(partial=False))
    [text] = texts
    [table] = tomllib.loads(text)["known"]
    assert table["cases"] == f"x/decode y/decode [{WAY}]: A 1-3, B 1-3\n"


def test_long_lines_are_wrapped_and_read_again(tmp_path: Path) -> None:
    expectations = Expectations([])
    for n in range(100):
        expectations.take(verdict(message=f"M{n}"))
    text = expectations.updated(partial=False)
    assert max(map(len, text.splitlines())) <= WIDTH
    [entry] = write(tmp_path / "known.toml", text)
    assert {place.message for place in entry.places()} == {f"M{n}" for n in range(100)}


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
        (ENTRY + "cases = 'x/decode'\n", "no line of CASES [HOW]: MESSAGE VERSIONS"),
        (ENTRY + "cases = 'x/decode: A 1;2'\n", "no MESSAGE VERSIONS"),
        (ENTRY + "cases = 'x/decode: A 1'\nmessage = 'A'\n", "`cases` beside `message`"),
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
