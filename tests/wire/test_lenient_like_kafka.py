"""The lenient reader beside Apache Kafka 4.4.0: the same value, or both refuse.

Thousands of inputs, most of them unusual or wrong in one place, some by chance. There are no
differences to be excused; one that shows is listed with its bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from random import Random

import pytest

from conformance.codecs.cases.vectors import Vector, read_vectors
from conformance.codecs.judge.compare import value_difference
from conformance.codecs.resolve import open_target
from conformance.codecs.testee.in_process import ObjectTarget
from conformance.reference.codec import LenientCodec
from conformance.schema.layout import Layout
from conformance.testee_protocol import Op, Outcome, Request
from tests.wire.unusual import edits, scrambled

KAFKA = "4.4.0"
BODIES = (
    "ApiVersionsRequest-v3-filled",
    "ApiVersionsResponse-v3-tagged-all",
    "ApiVersionsResponse-v4-unknown-tag-with-known",
    "BrokerHeartbeatRequest-v0-filled",
    "BrokerHeartbeatRequest-v2-tagged-all",
    "ConsumerGroupHeartbeatResponse-v0-filled",
    "ConsumerGroupHeartbeatResponse-v0-null-assignment",
    "ConsumerProtocolSubscription-v3-filled",
    "CreateTopicsRequest-v5-two",
    "DescribeClientQuotasResponse-v1-filled",
    "DescribeTopicPartitionsRequest-v0-filled",
    "FetchRequest-v17-tagged-all",
    "FetchResponse-v11-filled",
    "FetchResponse-v17-tagged-all",
    "FetchSnapshotRequest-v1-tagged-all",
    "FindCoordinatorRequest-v2-filled",
    "FindCoordinatorRequest-v4-two",
    "JoinGroupRequest-v5-null-groupInstanceId",
    "ListConfigResourcesRequest-v0-defaults",
    "MetadataRequest-v4-null-topics",
    "MetadataRequest-v12-two",
    "MetadataResponse-v8-filled",
    "MetadataResponse-v12-utf8",
    "ProduceRequest-v11-filled",
    "SaslAuthenticateRequest-v1-filled",
    "StreamsGroupHeartbeatRequest-v0-filled",
    "UpdateRaftVoterResponse-v0-tagged-currentLeader",
)
FRAMES = (
    "FindCoordinatorRequest-v2-frame",
    "MetadataRequest-v12-frame-null-client-id",
    "MetadataRequest-v12-frame-unknown-tag",
    "MetadataResponse-v12-frame-unknown-tag",
    "SaslHandshakeRequest-v1-frame",
)
BY_CHANCE = 40

codec = LenientCodec(KAFKA)


@cache
def vector(identifier: str) -> Vector:
    message = identifier.partition("-v")[0]
    return next(found for found in read_vectors(message) if found.id == identifier)


def layouts(one: Vector) -> tuple[Layout, ...]:
    form = codec.form(one.message, one.version)
    return (form.layout,) if one.header is None else (codec.header_form(form).layout, form.layout)


def inputs(identifier: str) -> Iterator[tuple[str, bytes]]:
    """Edits of a vector; chance has no say in frames, which it would make other messages."""
    one = vector(identifier)
    yield from edits(layouts(one), one.data)
    if one.header is None:
        yield from scrambled(one.data, Random(one.id), BY_CHANCE)


def request(identifier: str, data: bytes) -> Request:
    one = vector(identifier)
    kind = "request" if one.message.endswith("Request") else "response"
    op: Op = "decode"
    if one.header is not None:
        op = "decode-request" if kind == "request" else "decode-response"
    return Request(op=op, message=one.message, version=one.version, bytes=data)


def difference(where: tuple[Layout, ...], ours: Outcome, kafka: Outcome) -> str | None:
    if ours.outcome != kafka.outcome:
        return f"ours {ours.outcome} {ours.text}, Kafka {kafka.outcome} {kafka.error} {kafka.text}"
    if ours.outcome != "value":
        return None
    if ours.remaining != kafka.remaining:
        return f"{ours.remaining} bytes left of ours, {kafka.remaining} of Kafka's"
    pairs = [(where[-1], ours.value, kafka.value), (where[0], ours.header, kafka.header)]
    return next(filter(None, (value_difference(*pair) for pair in pairs[: len(where)])), None)


@pytest.fixture(scope="module")
def kafka():
    with open_target(f"kafka-clients@{KAFKA}") as target:
        yield target


@pytest.mark.java
@pytest.mark.parametrize("identifier", [*BODIES, *FRAMES])
def test_reads_what_kafka_reads(kafka, identifier):
    asked = list(inputs(identifier))
    requests = [request(identifier, data) for _, data in asked]
    answers = zip(asked, ObjectTarget(codec).ask(requests), kafka.ask(requests), strict=True)
    differences = [
        f"{name}: {found}: {data.hex()}"
        for (name, data), ours, theirs in answers
        if (found := difference(layouts(vector(identifier)), ours, theirs))
    ]
    assert differences == []


def test_the_inputs_hold_everything_that_is_forgiven():
    target = ObjectTarget(codec)
    reasons = set()
    for identifier in BODIES:
        for _, data in inputs(identifier):
            (outcome,) = target.ask([request(identifier, data)])
            if outcome.outcome == "value":
                reasons |= {re.sub(r"-?\d+", "N", item.reason) for item in codec.forgiven}
    assert reasons == {
        "N bytes after the last field",
        "a varint beyond N bits: the bits above are dropped",
        "a varint longer than it need be",
        "bytes that are not UTFN, taken for U+FFFD",
        "length N taken for null",
        "marker N taken for null",
        "marker N taken for present",
        "tag N after tag N",
        "tag N has size N, its value takes N bytes: the size is ignored",
        "tag N is no N-bit number, taken for N",
    }
