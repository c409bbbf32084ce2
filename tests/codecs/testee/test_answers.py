"""Requests and answers as lines: every key that an operation needs, and no other."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from conformance.codecs.testee.answers import Violation, outcome_of, parse, request_line
from conformance.testee_protocol import OPS, Op, Request

ANSWERS: dict[str, dict[str, Any]] = {
    "roundtrip": {"bytes": "00"},
    "decode": {"value": {}, "remaining": 0},
    "encode": {"bytes": "00"},
    "decode-request": {"header": {}, "value": {}, "remaining": None},
    "encode-request": {"bytes": "00"},
    "decode-response": {"header": {}, "value": {}, "remaining": 1, "version": 0},
    "encode-response": {"bytes": "00"},
}


def sent(op: Op) -> Request:
    return Request(
        op=op, message="XRequest", version=3, bytes=b"\x0a\xff", value={"a": 1}, header={"b": 2}
    )


def line(fields: dict[str, Any]) -> bytes:
    return msgspec.json.encode({"id": 1, **fields})


@pytest.mark.parametrize(
    ("op", "fields"),
    [
        ("roundtrip", {"message": "XRequest", "version": 3, "bytes": "0aff"}),
        ("decode", {"message": "XRequest", "version": 3, "bytes": "0aff"}),
        ("encode", {"message": "XRequest", "version": 3, "value": {"a": 1}}),
        ("decode-request", {"bytes": "0aff"}),
        (
            "encode-response",
            {"message": "XRequest", "version": 3, "header": {"b": 2}, "value": {"a": 1}},
        ),
    ],
)
def test_a_request_has_the_keys_of_its_operation(op: Op, fields: dict[str, Any]) -> None:
    written = request_line(sent(op), 9)
    assert written.endswith(b"}\n")
    assert msgspec.json.decode(written) == {"op": op, "id": 9, **fields}


@pytest.mark.parametrize("op", OPS)
def test_an_answer_has_the_keys_of_its_operation(op: Op) -> None:
    answer = ANSWERS[op]
    outcome = outcome_of(parse(line({**answer, "unknown": 1, "allocated": 64})), sent(op), 1)
    assert outcome.outcome == "value"
    assert outcome.allocated == 64
    for key in answer.keys() - {"version"}:
        rest = {name: value for name, value in answer.items() if name != key}
        with pytest.raises(Violation, match=f"needs `.*{key}"):
            outcome_of(parse(line(rest)), sent(op), 1)


@pytest.mark.parametrize("kind", ["rejected", "crashed", "unsupported"])
def test_a_refusal_keeps_its_words(kind: str) -> None:
    fields = {kind: "why", "error": "TypeName", "stage": "encode"}
    outcome = outcome_of(parse(line(fields)), sent("roundtrip"), 1)
    assert (outcome.outcome, outcome.text, outcome.error, outcome.stage) == (
        kind,
        "why",
        "TypeName",
        "encode",
    )


@pytest.mark.parametrize("remaining", [3, -1])
def test_what_a_codec_miscounts_is_judged(remaining: int) -> None:
    fields = {"value": {}, "remaining": remaining}
    assert outcome_of(parse(line(fields)), sent("decode"), 1).remaining == remaining


def test_a_frame_has_a_header() -> None:
    with pytest.raises(Violation, match="needs `header`"):
        outcome_of(
            parse(line({"header": None, "value": {}, "remaining": 0})), sent("decode-request"), 1
        )


def test_a_long_line_is_quoted_in_part() -> None:
    with pytest.raises(Violation) as raised:
        parse(b"x" * 100_000)
    assert len(str(raised.value)) < 400
