"""The annotated bytes of a verdict: few, and around the place that matters."""

from __future__ import annotations

from typing import Any

import msgspec

from conformance.codecs.cases.case import Case, Family, Reads, Refuses, Writes
from conformance.codecs.judge.judge import judge_family
from conformance.reference.codec import PlainCodec
from conformance.results.lines import Annotated, Verdict
from conformance.results.text import annotated_lines
from conformance.rules import catalogue
from conformance.testee_protocol import Op, Outcome, Request

CODEC = PlainCodec()
FORM = CODEC.form("ApiVersionsRequest", 3)
NAMES = {"clientSoftwareName": "black", "clientSoftwareVersion": "1"}
DATA = bytes.fromhex("06626c61636b 0231 00")
WRITES = Writes((DATA,), (FORM.layout,))
READS = Reads(NAMES, FORM.layout)
RULE = "compact.string-length"


def ask(op: Op, expects: Any, data: bytes = DATA, control_cases: tuple[int, ...] = ()) -> Case:
    request = Request(op=op, message=FORM.message, version=3, bytes=data)
    return Case(f"a/{op}", request, expects, (RULE,), control_cases)


def judged(case: Case, outcome: Outcome, *others: tuple[Case, Outcome]) -> Verdict:
    cases, outcomes = zip((case, outcome), *others, strict=True)
    family = Family("a", cases)
    return next(judge_family(family, outcomes, catalogue(), "spec"))


def wrote(text: str) -> Verdict:
    outcome = Outcome(outcome="value", bytes=bytes.fromhex(text))
    return judged(ask("roundtrip", WRITES), outcome)


def marked(verdict: Verdict) -> list[Annotated]:
    return [row for row in verdict.annotated if row.differs]


def test_expected_stands_beside_actual() -> None:
    verdict = wrote("05626c61636b 0231 00")

    assert annotated_lines(verdict) == [
        "    offset  expected        actual          field",
        (
            "  >      0  06              05              "
            "clientSoftwareName(length)  uvarint  6 (length 5)"
        ),
        '         1  62 6c 61 63 6b  62 6c 61 63 6b  clientSoftwareName  string  "black"',
        (
            "         6  02              02              "
            "clientSoftwareVersion(length)  uvarint  2 (length 1)"
        ),
    ]


def test_what_is_too_much_stands_behind_the_last_field() -> None:
    [row] = marked(wrote(f"{DATA.hex()} aabb"))

    assert (row.offset, row.bytes, row.actual) == (9, "", "aa bb")


def test_what_is_missing_has_no_actual_bytes() -> None:
    [row] = marked(wrote("06626c61636b 0231"))

    assert (row.path, row.bytes, row.actual) == ("_tags(count)", "00", "")


def test_a_long_value_is_cut_to_the_piece_that_differs() -> None:
    names = {**NAMES, "clientSoftwareName": "x" * 5000}
    data = CODEC.write(FORM, names)
    other = bytearray(data)
    other[4000] = 0x79
    outcome = Outcome(outcome="value", bytes=bytes(other))
    verdict = judged(ask("encode", Writes((data,), (FORM.layout,)), b""), outcome)

    [row] = marked(verdict)
    assert row.actual == "… 78 78 78 78 79 78 78 78 78 78 78 78 …"
    assert len(msgspec.json.encode(verdict.annotated)) < 1500


def test_a_field_read_wrongly_is_marked_in_what_was_sent() -> None:
    outcome = Outcome(outcome="value", value={**NAMES, "clientSoftwareVersion": ""}, remaining=0)
    verdict = judged(ask("decode", READS), outcome)

    [row] = marked(verdict)
    assert (row.path, row.bytes, row.actual) == ("clientSoftwareVersion", "31", None)
    assert annotated_lines(verdict)[0].split() == ["offset", "sent", "field"]


def test_bytes_left_unread_are_marked() -> None:
    verdict = judged(ask("decode", READS), Outcome(outcome="value", value=NAMES, remaining=1))

    [row] = marked(verdict)
    assert (row.offset, row.path) == (8, "_tags(count)")


def test_malformed_bytes_that_were_taken_are_marked_where_they_are_wrong() -> None:
    taken = Outcome(outcome="value", value=NAMES, remaining=0)
    refuses = ask("decode", Refuses("the last byte is missing"), DATA[:-1], control_cases=(1,))
    verdict = judged(refuses, taken, (ask("decode", READS), taken))

    [row] = marked(verdict)
    assert (row.offset, row.value) == (8, "1 bytes expected, 0 left")


def test_few_bytes_that_were_refused_are_shown_whole() -> None:
    verdict = judged(ask("decode", READS), Outcome(outcome="rejected", text="no"))

    assert len(verdict.annotated) == 5
    assert marked(verdict) == []


def test_a_pass_has_no_annotated_bytes() -> None:
    outcome = Outcome(outcome="value", value=NAMES, remaining=0)
    verdict = judged(ask("decode", READS), outcome)

    assert verdict.verdict == "pass"
    assert b"annotated" not in msgspec.json.encode(verdict)


def test_a_verdict_comes_back_from_its_line_with_its_bytes() -> None:
    verdict = wrote("05626c61636b 0231 00")

    assert msgspec.json.decode(msgspec.json.encode(verdict), type=Verdict) == verdict
