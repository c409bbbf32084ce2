"""The lenient reader reads what Apache Kafka 4.4.0 was seen to read, and says what it forgave.

The values were measured with the codec of kafka-clients 4.4.0. It lacks the one class that has a
nullable struct inside of a tag; of that marker the bytecode in kafka-group-coordinator was read.
"""

from __future__ import annotations

from typing import Any

import pytest

from conformance.codecs.cases.vectors import read_vectors
from conformance.reference.codec import LenientCodec, PlainCodec
from conformance.wire.errors import DecodeError, EncodeError
from conformance.wire.lenient import Lenient

strict = PlainCodec("4.4.0")
EMPTY = ("ListGroupsRequest", 3)
VERSIONS = ("ApiVersionsRequest", 3)
FEATURES = ("ApiVersionsResponse", 3)
HEARTBEAT = ("ConsumerGroupHeartbeatResponse", 0)
METADATA = ("MetadataRequest", 9)
BROKER = ("BrokerHeartbeatRequest", 0)
MEMBER = ("ConsumerGroupMemberMetadataValue", 0)

BEAT = "00000000 0000 00 00 00000001 00001388"
ASSIGNED: dict[str, Any] = {
    "throttleTimeMs": 0,
    "errorCode": 0,
    "errorMessage": None,
    "memberId": None,
    "memberEpoch": 1,
    "heartbeatIntervalMs": 5000,
    "assignment": {"topicPartitions": []},
}
UNASSIGNED = {**ASSIGNED, "assignment": None}
NO_KEYS = {"errorCode": 0, "apiKeys": [], "throttleTimeMs": 0}
ALL = {
    "topics": None,
    "allowAutoTopicCreation": False,
    "includeClusterAuthorizedOperations": False,
    "includeTopicAuthorizedOperations": False,
}
SOMEBODY: dict[str, Any] = {
    "instanceId": None,
    "rackId": None,
    "clientId": "",
    "clientHost": "",
    "subscribedTopicNames": [],
    "subscribedTopicRegex": None,
    "rebalanceTimeoutMs": 0,
    "serverAssignor": None,
}


def unknown(*tags: int) -> dict[str, Any]:
    return {"_unknownTaggedFields": [{"tag": tag, "bytes": ""} for tag in tags]}


Case = tuple[tuple[str, int], str, Any, list[int]]

READ: dict[str, Case] = {
    "over-long varint": (EMPTY, "8000", {}, [0]),
    "bits above the 32nd": (EMPTY, "8080808010", {}, [0]),
    "tags descending": (EMPTY, "02 0200 0100", unknown(2, 1), [3]),
    "unknown tag twice": (EMPTY, "02 0700 0700", unknown(7, 7), [3]),
    "tag of 2^31": (EMPTY, "01 8080808008 00", unknown(-(2**31)), [1]),
    "tag of 35 bits": (EMPTY, "01 ffffffff7f 00", unknown(-1), [1, 1]),
    "bytes behind the last field": (EMPTY, "00 aabb", {}, [1]),
    "count of -2": (("MetadataRequest", 1), "fffffffe", {"topics": None}, [0]),
    "compact length of 2^31": (METADATA, "8180808008 00 00 00 00", ALL, [0]),
    "compact length of 2^32-2": (METADATA, "ffffffff0f 00 00 00 00", ALL, [0]),
    "marker 0": (HEARTBEAT, f"{BEAT} 00 01 00 00", ASSIGNED, [16]),
    "marker 2": (HEARTBEAT, f"{BEAT} 02 01 00 00", ASSIGNED, [16]),
    "marker 127": (HEARTBEAT, f"{BEAT} 7f 01 00 00", ASSIGNED, [16]),
    "marker -2": (HEARTBEAT, f"{BEAT} fe 00", UNASSIGNED, [16]),
    "marker -128": (HEARTBEAT, f"{BEAT} 80 00", UNASSIGNED, [16]),
    "known tag twice": (
        FEATURES,
        "0000 01 00000000 02 0108 0000000000000009 0108 0000000000000007",
        {**NO_KEYS, "finalizedFeaturesEpoch": 7},
        [18],
    ),
    "size above the value's": (
        FEATURES, "0000 01 00000000 01 037f 01", {**NO_KEYS, "zkMigrationReady": True}, [9],
    ),
    "size below the value's": (
        FEATURES, "0000 01 00000000 01 0300 01", {**NO_KEYS, "zkMigrationReady": True}, [9],
    ),
    "size of 2^32-1": (
        FEATURES,
        "0000 01 00000000 01 03ffffffff0f 01",
        {**NO_KEYS, "zkMigrationReady": True},
        [9],
    ),
    "marker inside of a tag, negative": (
        MEMBER,
        "00 00 01 01 01 00 00000000 00 01 00 05 ffffffff0f",
        {**SOMEBODY, "classicMemberMetadata": None},
        [14],
    ),
}  # fmt: skip


def read(which: tuple[str, int], data: bytes) -> tuple[Any, Lenient]:
    reader = Lenient(data)
    value = reader.struct(strict.form(*which).layout)
    reader.end()
    return value, reader


@pytest.mark.parametrize(("which", "text", "value", "offsets"), READ.values(), ids=READ)
def test_reads_what_kafka_reads(
    which: tuple[str, int], text: str, value: Any, offsets: list[int]
) -> None:
    data = bytes.fromhex(text)
    got, reader = read(which, data)

    assert got == value
    assert [item.offset for item in reader.forgiven] == offsets


@pytest.mark.parametrize("which_text", [one[:2] for one in READ.values()], ids=READ)
def test_the_strict_reader_forgives_nothing_of_it(which_text: tuple[tuple[str, int], str]) -> None:
    (message, version), text = which_text
    data = bytes.fromhex(text)
    try:
        _, remaining = strict.decode(message, version, data)
    except DecodeError:
        remaining = len(data)
    assert remaining


REFUSED = {
    "varint of 6 bytes": (EMPTY, "808080808000"),
    "2^32-1 tags": (EMPTY, "ffffffff0f"),
    "2^31 tags": (EMPTY, "8080808008"),
    "unknown tag longer than the rest": (EMPTY, "01 07 ffffffff0f"),
    "length of -2 that can't be null": (("FindCoordinatorRequest", 0), "fffe"),
    "count of -2 that can't be null": (("MetadataRequest", 0), "fffffffe"),
    "the longest array there is": (METADATA, "8080808008 00 00 00 00"),
    "a tag of other versions": (BROKER, f"{'00' * 22} 01 0000"),
    "cut off": (VERSIONS, "02 61"),
}


@pytest.mark.parametrize(("which", "text"), REFUSED.values(), ids=REFUSED)
def test_refuses_what_kafka_refuses(which: tuple[str, int], text: str) -> None:
    with pytest.raises(DecodeError):
        read(which, bytes.fromhex(text))


TEXTS = {
    "one byte": ("ff", "\ufffd"),
    "an overlong zero": ("c080", "\ufffd" * 2),
    "a surrogate": ("eda080", "\ufffd"),
    "a pair of surrogates": ("eda080edb080", "\ufffd" * 2),
    "a surrogate cut off": ("eda0", "\ufffd"),
    "a surrogate's beginning": ("eda061", "\ufffda"),
    "the first of a surrogate's bytes": ("edb080ed", "\ufffd" * 2),
    "three bytes cut off": ("f09f98", "\ufffd"),
    "three bytes and a letter": ("f09f9861", "\ufffda"),
    "beyond the last letter": ("f4908080", "\ufffd" * 4),
    "an overlong letter of three bytes": ("e08080", "\ufffd" * 3),
    "no first byte": ("f5808080", "\ufffd" * 4),
    "a byte that was never one": ("f880", "\ufffd" * 2),
    "two cut off": ("c3e9", "\ufffd" * 2),
}


@pytest.mark.parametrize(("text", "expected"), TEXTS.values(), ids=TEXTS)
def test_text_is_taken_as_java_takes_it(text: str, expected: str) -> None:
    raw = bytes.fromhex(text)
    data = bytes([len(raw) + 1]) + raw + b"\x02x\x00"
    value, reader = read(VERSIONS, data)

    assert value["clientSoftwareName"] == expected
    assert [item.path for item in reader.forgiven] == ["clientSoftwareName"]


def test_what_is_well_formed_needs_no_forgiveness() -> None:
    codec = LenientCodec("4.4.0")
    for message in ("ApiVersionsResponse", "MetadataResponse", "ConsumerGroupHeartbeatResponse"):
        every = [vector for vector in read_vectors(message) if vector.header is None]
        bodies = [vector for vector in every if "4.4.0" in vector.releases]
        assert bodies
        for vector in bodies:
            want = strict.decode(message, vector.version, vector.data)
            assert codec.decode(message, vector.version, vector.data) == want
            assert codec.forgiven == []


def test_the_codec_tells_of_its_last_answer_alone() -> None:
    codec = LenientCodec()
    codec.decode("ListGroupsRequest", 3, b"\x80\x00")
    assert [item.reason for item in codec.forgiven] == ["a varint longer than it need be"]

    assert codec.decode("ListGroupsRequest", 3, b"\x00\xaa") == ({}, 1)
    assert [item.reason for item in codec.forgiven] == ["1 bytes after the last field"]

    codec.decode("ListGroupsRequest", 3, b"\x00")
    assert codec.forgiven == []


def test_a_round_trip_writes_what_was_forgiven_as_it_ought_to_be() -> None:
    codec = LenientCodec()

    assert codec.roundtrip("ListGroupsRequest", 3, b"\x80\x00\xaa") == b"\x00"
    assert len(codec.forgiven) == 2


def test_an_unknown_tag_given_twice_is_read_and_can_not_be_written() -> None:
    with pytest.raises(EncodeError):
        LenientCodec().roundtrip("ListGroupsRequest", 3, bytes.fromhex("02 0700 0700"))


def test_what_headers_forgive_is_told_with_the_frame() -> None:
    codec = LenientCodec()
    frame = bytes.fromhex("00120003 00000007 fffe 00 06626c61636b 0231 00")
    header, _, remaining = codec.decode_request(frame)

    assert header["clientId"] is None
    assert remaining == 0
    assert [(item.offset, item.path) for item in codec.forgiven] == [(8, "clientId")]
