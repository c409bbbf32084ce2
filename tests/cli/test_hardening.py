"""Whatever a codec does to itself or to its host, the run ends, tells it, and names the case.

Each harm is done twice: by an object that `serve` runs, and by a program that speaks the protocol
by itself and ends where it is surprised.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from conformance.results.files import read_lines
from conformance.results.lines import Summary, Verdict
from tests.cli.conftest import Cli, Ended

pytestmark = [
    pytest.mark.usefixtures("nothing_stays"),
    pytest.mark.skipif(sys.platform != "linux", reason="nothing limits or tells memory elsewhere"),
]

LONG = "MetadataRequest-v1-filled/decode/length-beyond-input-refused/most:topics"
LONG_NAME = "MetadataRequest-v1-filled/decode/length-beyond-input-refused/most:topics[0].name"
TAGS = "MetadataRequest-v9-filled/decode/count-beyond-input-refused/most:message"
NULL = "MetadataRequest-v1-null-topics/decode"
FILLED = "MetadataRequest-v1-filled/decode"
LAST = "MetadataRequest-v9-two/decode"
WAYS = ["object", "program"]

Told = tuple[Ended, list[Verdict], Summary | None]
Judge = Callable[..., Told]


@pytest.fixture
def judge(cli: Cli, tmp_path: Path) -> Judge:
    """Judge a codec of `hardening` in one of two ways, and read the results."""

    def judge(way: str, name: str, *options: object, instead: bytes = b"") -> Told:
        program = ["--", sys.executable, "speaks.py", name, *([instead.hex()] if instead else [])]
        target = [f"hardening:{name}"] if way == "object" else program
        results = tmp_path / "results.ndjson"
        ended = cli("codec", *options, "--results", results, *target)
        lines = list(read_lines(results))
        verdicts = [line for line in lines if isinstance(line, Verdict)]
        return ended, verdicts, next((x for x in lines if isinstance(x, Summary)), None)

    return judge


def cases(*names: str) -> list[str]:
    return [word for name in names for word in ("--case", name)]


def verdict_of(verdicts: list[Verdict], case: str) -> str:
    [found] = {verdict.verdict for verdict in verdicts if verdict.case == case}
    return found


def detail_of(verdicts: list[Verdict], case: str) -> str:
    return next(verdict.detail for verdict in verdicts if verdict.case == case)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("name", "case", "options", "verdict", "detail"),
    [
        ("Reserves", LONG, ["--memory", 512], "crash", "MemoryError"),
        ("ReservesModestly", LONG, [], "crash", r"allocated 2684\d{5} bytes for 14 bytes of input"),
        ("Counts", TAGS, ["--timeout", 0.5], "hang", "no answer within 1.5 s, asked alone"),
        ("Recurses", LONG, [], "crash", "RecursionError"),
    ],
)
def test_a_harmful_input_is_named_and_the_run_goes_on(
    judge: Judge, way: str, name: str, case: str, options: list[object], verdict: str, detail: str
) -> None:
    ended, verdicts, summary = judge(way, name, *cases(FILLED, case, LONG_NAME, LAST), *options)
    assert ended.code == 1
    assert f"case:     {case}" in ended.out
    assert re.search(detail, ended.out)
    assert verdict_of(verdicts, case) == verdict
    assert verdict_of(verdicts, FILLED) == verdict_of(verdicts, LAST) == "pass"
    assert summary is not None
    assert summary.verdicts.get("fail", 0) == 0


@pytest.mark.parametrize("way", WAYS)
def test_two_answers_to_one_question_are_shown_both(judge: Judge, way: str) -> None:
    ended, verdicts, _ = judge(way, "Flaky", *cases(NULL, LAST))
    assert ended.code == 1
    assert verdict_of(verdicts, NULL) == "fail"
    said = """flaky: answered '{"topics":[]} 0', then '{"topics":null} 0'"""
    assert said in " ".join(ended.out.split())
    assert {verdict.detail for verdict in verdicts if verdict.case == NULL} == {said}


@pytest.mark.parametrize("way", WAYS)
def test_a_leak_of_file_handles_is_noted_and_ends_nothing(judge: Judge, way: str) -> None:
    every = ["--message", "MetadataRequest", "--rule", "primitives.*"]
    ended, verdicts, summary = judge(way, "LeaksFiles", *every)
    assert ended.code == 0
    assert len(verdicts) > 1000
    assert summary is not None
    [note] = summary.notes
    assert re.match(r"it leaks file handles: \d+ open at its start, \d+ after \d+ answers; ", note)
    assert f"note: {note}" in ended.out.splitlines()


def test_memory_that_runs_out_over_many_calls_is_noted_and_ends_nothing(judge: Judge) -> None:
    every = ["--message", "MetadataRequest", "--rule", "primitives.*", "--memory", 400]
    ended, verdicts, summary = judge("object", "Grows", *every)
    assert ended.code == 0
    assert len(verdicts) > 1000
    assert summary is not None
    assert "where a fresh process did not: MemoryError" in "".join(summary.notes)
    assert all(f"note: {note}" in ended.out.splitlines() for note in summary.notes)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("NotANumber", "the answer does not fit JSON: Out of range float values are not JSON"),
    ],
)
def test_an_object_that_json_can_not_carry_is_an_error_of_its_case(
    judge: Judge, name: str, why: str
) -> None:
    ended, verdicts, _ = judge("object", name, *cases(NULL, FILLED, LAST))
    assert ended.code == 3
    assert verdict_of(verdicts, NULL) == "error"
    assert why in detail_of(verdicts, NULL)
    assert verdict_of(verdicts, FILLED) == verdict_of(verdicts, LAST) == "pass"


@pytest.mark.parametrize(
    ("instead", "why"),
    [
        (b"NaN", "NaN is no JSON number"),
        (b'"\xff"', "is not UTF-8"),
    ],
    ids=["NaN", "latin-1"],
)
def test_a_line_that_is_no_json_is_an_error_of_its_case(
    judge: Judge, instead: bytes, why: str
) -> None:
    ended, verdicts, _ = judge("program", "Right", *cases(NULL, FILLED, LAST), instead=instead)
    assert ended.code == 3
    assert verdict_of(verdicts, NULL) == "error"
    assert why in detail_of(verdicts, NULL)
    assert verdict_of(verdicts, FILLED) == verdict_of(verdicts, LAST) == "pass"


@pytest.mark.parametrize(
    "instead", [b'"\\ud800"', b"18446744073709551616"], ids=["surrogate", "wide"]
)
def test_json_that_no_field_can_hold_is_a_wrong_value(judge: Judge, instead: bytes) -> None:
    ended, verdicts, _ = judge("program", "Right", *cases(NULL, FILLED, LAST), instead=instead)
    assert ended.code == 1
    assert verdict_of(verdicts, NULL) == "fail"
    assert "topics: expected null, got " in ended.out
    assert verdict_of(verdicts, FILLED) == verdict_of(verdicts, LAST) == "pass"


@pytest.mark.parametrize("way", WAYS)
def test_a_nul_is_text_like_any_other(judge: Judge, way: str) -> None:
    ended, verdicts, _ = judge(way, "Nul", *cases(NULL, LAST))
    assert ended.code == 1
    assert verdict_of(verdicts, NULL) == "fail"
    assert "\0" not in ended.out
