"""A writer that panics over what its own caller gave has written nothing: that is no crash."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.codecs.checking import Results, check
from conformance.codecs.gate import CodecSettings
from conformance.codecs.judge.judge import judge_case
from conformance.reference.codec import PlainCodec
from conformance.reporting.breaches import harm_of, in_a_clause, remedy_of
from conformance.results.lines import PANICKED
from conformance.testee_protocol import Outcome
from conformance.wire.errors import DecodeError, EncodeError
from tests.codecs.judge.making import case, reads, writes
from tests.codecs.judge.test_judge import LENIENT, REFUSES

MESSAGES = ("AddOffsetsToTxnRequest", "CreateAclsRequest", "FindCoordinatorRequest")
PANIC = Outcome(outcome="crashed", text="panic: too long")


class Panic(BaseException):
    """What no `except Exception` stops."""


class Panics(PlainCodec):
    """Panics in place of each error of its writer, or of its reader as well."""

    name = "panics"
    reading = False

    def hello(self) -> dict[str, Any]:
        said = super().hello()
        return {**said, "messages": {name: said["messages"][name] for name in MESSAGES}}

    def encode(self, message: str, version: int, value: Any) -> bytes:
        try:
            return super().encode(message, version, value)
        except EncodeError as error:
            raise Panic(str(error)) from None

    def decode(self, message: str, version: int, data: bytes) -> tuple[Any, int]:
        try:
            return super().decode(message, version, data)
        except DecodeError as error:
            raise (Panic(str(error)) if self.reading else error) from None


def judged(profile: str, codec: object) -> Results:
    return check(CodecSettings(quick=True, profile=profile), codec)


@pytest.mark.parametrize("profile", ["spec", "kafka"])
def test_a_writer_that_panics_over_a_value_is_not_said_to_end_its_process(profile: str) -> None:
    found = judged(profile, Panics()).findings
    assert {each.kind for each in found} == ({"kafka"} if profile == "kafka" else set())
    assert not any(each.ends for each in found)
    for each in found:
        assert in_a_clause(each).startswith("panics in place of an error ")
        assert "no peer is hurt" in harm_of(each)
        assert remedy_of(each).startswith("Return an error in place of the panic")


def test_panics_over_values_are_one_finding_a_rule_whatever_their_words() -> None:
    found = judged("kafka", Panics()).findings
    assert len({tuple(each.rules) for each in found}) == len(found)


def test_a_reader_that_panics_can_end_its_process() -> None:
    codec = Panics()
    codec.reading = True
    assert "crash" in {each.ends for each in judged("spec", codec).findings}


@pytest.mark.parametrize(
    ("expects", "op", "outcome", "verdict"),
    [
        (REFUSES, "encode", PANIC, "fail"),
        (LENIENT, "encode", PANIC, "note"),
        (writes(), "encode", PANIC, "crash"),
        (REFUSES, "decode", PANIC, "crash"),
        (REFUSES, "roundtrip", PANIC, "crash"),
        (reads(), "decode", PANIC, "crash"),
        (REFUSES, "encode", Outcome(outcome="crashed", text="SIGABRT", ended=True), "crash"),
        (REFUSES, "encode", Outcome(outcome="crashed", text="MemoryError: "), "crash"),
        (REFUSES, "encode", Outcome(outcome="hung", text="no answer"), "hang"),
    ],
)
def test_only_a_caller_of_a_writer_that_survives_has_a_panic(
    expects: Any, op: Any, outcome: Outcome, verdict: str
) -> None:
    found = judge_case(case(expects, op=op), outcome)
    assert found.verdict == verdict
    assert found.detail.startswith(PANICKED) == (verdict in ("fail", "note"))
