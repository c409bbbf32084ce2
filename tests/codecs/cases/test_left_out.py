"""Values that lack a field: who is asked them, which fields those are, what has to come of them."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import pytest

from conformance.codecs.cases.case import Case, Writes
from conformance.codecs.cases.golden import families
from conformance.codecs.cases.vectors import read_vectors
from conformance.codecs.score import verdicts_of_rule
from conformance.codecs.testee.hello import read_hello
from conformance.reference.codec import PlainCodec, Value
from conformance.rules import catalogue
from conformance.rules.selection import Selection

RULE = "versions.left-out-writes-default"


def asked(message: str, defaults: bool = True) -> Iterator[tuple[Case, Case]]:
    """The cases of the rule, each with its control case."""
    said = read_hello({**PlainCodec().hello(), "protocol": 1})
    hello = msgspec.structs.replace(said, defaults=defaults)
    for family in families(read_vectors(message), hello, Selection({RULE: catalogue()[RULE]})):
        for case in family.cases:
            if case.rules == (RULE,):
                yield case, family.cases[case.control_cases[0]]


def left_out(message: str) -> set[str]:
    return {case.id.rpartition("/")[2] for case, _ in asked(message)}


def test_a_codec_that_says_nothing_of_defaults_is_not_asked() -> None:
    assert [*asked("AlterPartitionReassignmentsRequest", defaults=False)] == []


def test_a_field_is_left_out_whose_default_is_not_the_zero_of_its_type() -> None:
    assert left_out("AlterPartitionReassignmentsRequest") == {
        "timeoutMs",
        "allowReplicationFactorChange",
        "topics.partitions.replicas",
    }
    assert left_out("ListGroupsRequest") == set()


class WritesNothingRight(PlainCodec):
    """Adds a byte to whatever it writes."""

    def encode(self, message: str, version: int, value: Value) -> bytes:
        return super().encode(message, version, value) + b"\0"


def test_who_does_not_write_the_whole_value_right_is_not_charged_with_its_defaults() -> None:
    verdicts = verdicts_of_rule(WritesNothingRight(), RULE, ("AlterPartitionReassignmentsRequest",))
    assert {verdict.verdict for verdict in verdicts} == {"not-proven"}


def test_records_are_never_left_out() -> None:
    assert not any("records" in path for path in left_out("ProduceRequest"))


@pytest.mark.parametrize("message", ["FetchRequest", "MetadataRequest", "OffsetCommitRequest"])
def test_the_bytes_are_those_of_the_value_that_has_the_default(message: str) -> None:
    codec = PlainCodec()
    for case, control in asked(message):
        assert isinstance(case.expects, Writes)
        assert isinstance(control.expects, Writes)
        assert case.expects.options == control.expects.options
        assert control.request.value != case.request.value
        asked_for = case.request
        written = codec.encode(asked_for.message, asked_for.version, asked_for.value)
        assert written == case.expects.options[0]
