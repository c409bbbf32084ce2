"""What comes of a value that a version can't carry: one request, and two rules that it decides."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.codecs.cases.golden import families
from conformance.codecs.cases.vectors import read_vectors
from conformance.codecs.run import run
from conformance.codecs.testee.in_process import ObjectTarget
from conformance.reference.codec import PlainCodec
from conformance.rules import catalogue
from conformance.rules.selection import Selection
from conformance.wire.errors import EncodeError

NULLS = ("compact.null-not-written", "compact.null-given-refused")
ABSENT = ("versions.only-fields-of-version", "versions.absent-field-refused")


class Writing(PlainCodec):
    """Does with what it would refuse as `instead` says; all else it writes as it should."""

    def __init__(self, instead: Any) -> None:
        super().__init__()
        self.instead = instead

    def encode(self, message: str, version: int, value: Any) -> bytes:
        try:
            return super().encode(message, version, value)
        except EncodeError:
            good = super().encode(
                message, version, self.form(message, version).layout.default_value()
            )
            return bytes(self.instead(good))


def raised(error: Exception) -> Any:
    def instead(_: bytes) -> bytes:
        raise error

    return instead


def told(
    message: str, rules: tuple[str, str], instead: Any, profile: str = "kafka"
) -> list[set[str]]:
    """The verdicts of the first rule and of the second, on what was changed."""
    chosen = {rule: catalogue()[rule] for rule in rules}
    target = ObjectTarget(Writing(instead))
    cases = families(read_vectors(message), target.hello, Selection(chosen))
    found = [each for each in run(cases, target, catalogue(), profile) if "/encode/" in each.case]
    return [{each.verdict for each in found if each.rule == rule} for rule in rules]


@pytest.mark.parametrize(
    ("message", "rules"),
    [("CreateAclsRequest", NULLS), ("FindCoordinatorRequest", ABSENT)],
)
@pytest.mark.parametrize(
    ("instead", "must", "kafka"),
    [
        (raised(ValueError("no")), "pass", "pass"),
        (lambda good: good, "pass", "fail"),
        (lambda good: good + b"\0", "fail", "fail"),
        (lambda good: good[:-1], "fail", "fail"),
        (raised(NotImplementedError("no place for it")), "unsupported", "unsupported"),
        (raised(RecursionError("deep")), "pass", "fail"),
    ],
    ids=["refused", "well-formed", "a byte too many", "a byte too few", "can't be held", "crashed"],
)
def test_only_bytes_that_are_no_message_break_a_must(
    message: str, rules: tuple[str, str], instead: Any, must: str, kafka: str
) -> None:
    assert told(message, rules, instead) == [{must}, {kafka}]


def test_what_apache_kafka_alone_does_is_a_note_by_default() -> None:
    assert told("CreateAclsRequest", NULLS, lambda good: good, "spec") == [{"pass"}, {"note"}]


class CutsShort(PlainCodec):
    """Leaves out the last byte of all that it writes, and what a version has no field for."""

    def encode(self, message: str, version: int, value: Any) -> bytes:
        try:
            return super().encode(message, version, value)[:-1]
        except EncodeError:
            layout = self.form(message, version).layout
            return super().encode(message, version, layout.default_value())[:-1]


@pytest.mark.parametrize(
    ("message", "rules"),
    [("CreateAclsRequest", NULLS), ("FindCoordinatorRequest", ABSENT)],
)
def test_who_writes_nothing_well_formed_is_not_charged_with_what_can_not_be_written(
    message: str, rules: tuple[str, str]
) -> None:
    chosen = {rule: catalogue()[rule] for rule in rules}
    target = ObjectTarget(CutsShort())
    cases = families(read_vectors(message), target.hello, Selection(chosen))
    found = [each for each in run(cases, target, catalogue(), "kafka") if "/encode/" in each.case]
    assert {(each.rule, each.verdict) for each in found} == {(r, "not-proven") for r in rules}
    assert all("is no well-formed message either" in each.detail for each in found)
