"""Messages whose bytes were written down by hand: both directions must agree with them."""

from __future__ import annotations

import struct
from typing import Any

import pytest

from tests.wire.codec import form_of, read, write
from tests.wire.hand import (
    CLASSIC_NULL_ARRAY,
    CLASSIC_NULL_STRING,
    NO_TAGS,
    NULL,
    classic,
    compact,
    count,
    i8,
    i16,
    i32,
    i64,
    tags,
)

TOPIC_ID = bytes(range(16))
TOPIC_ID_TEXT = "AAECAwQFBgcICQoLDA0ODw"

GOLDEN: dict[str, tuple[str, int, bytes, dict[str, Any]]] = {
    "no fields, not flexible": ("ApiVersionsRequest", 0, b"", {}),
    "compact strings": (
        "ApiVersionsRequest",
        3,
        compact("lib") + compact("1.0") + NO_TAGS,
        {"clientSoftwareName": "lib", "clientSoftwareVersion": "1.0"},
    ),
    "classic array": (
        "ApiVersionsResponse",
        0,
        i16(0) + i32(2) + i16(18, 0, 4) + i16(3, 0, 13),
        {
            "errorCode": 0,
            "apiKeys": [
                {"apiKey": 18, "minVersion": 0, "maxVersion": 4},
                {"apiKey": 3, "minVersion": 0, "maxVersion": 13},
            ],
        },
    ),
    "tags of all types": (
        "ApiVersionsResponse",
        3,
        i16(0)
        + count(1)
        + (i16(18, 0, 4) + NO_TAGS)
        + i32(0)
        + tags(
            (0, count(1) + compact("kraft.version") + i16(0, 1) + NO_TAGS),
            (1, i64(7)),
            (2, count(1) + compact("kraft.version") + i16(1, 0) + NO_TAGS),
            (3, b"\x01"),
        ),
        {
            "errorCode": 0,
            "apiKeys": [{"apiKey": 18, "minVersion": 0, "maxVersion": 4}],
            "throttleTimeMs": 0,
            "supportedFeatures": [{"name": "kraft.version", "minVersion": 0, "maxVersion": 1}],
            "finalizedFeaturesEpoch": 7,
            "finalizedFeatures": [
                {"name": "kraft.version", "maxVersionLevel": 1, "minVersionLevel": 0}
            ],
            "zkMigrationReady": True,
        },
    ),
    "unknown tags beside known ones": (
        "ApiVersionsResponse",
        3,
        i16(0) + count(0) + i32(0) + tags((1, i64(7)), (99, b"\xca\xfe"), (100, b"")),
        {
            "errorCode": 0,
            "apiKeys": [],
            "throttleTimeMs": 0,
            "finalizedFeaturesEpoch": 7,
            "_unknownTaggedFields": [{"tag": 99, "bytes": "yv4="}, {"tag": 100, "bytes": ""}],
        },
    ),
    "empty array, where null did not exist yet": ("MetadataRequest", 0, i32(0), {"topics": []}),
    "null array": ("MetadataRequest", 1, CLASSIC_NULL_ARRAY, {"topics": None}),
    "empty array": ("MetadataRequest", 1, i32(0), {"topics": []}),
    "array of classic strings": (
        "MetadataRequest",
        1,
        i32(1) + classic("t\u00e9"),
        {"topics": [{"name": "t\u00e9"}]},
    ),
    "null compact array": (
        "MetadataRequest",
        12,
        NULL + b"\x01\x00" + NO_TAGS,
        {
            "topics": None,
            "allowAutoTopicCreation": True,
            "includeTopicAuthorizedOperations": False,
        },
    ),
    "empty compact array": (
        "MetadataRequest",
        12,
        count(0) + b"\x00\x01" + NO_TAGS,
        {
            "topics": [],
            "allowAutoTopicCreation": False,
            "includeTopicAuthorizedOperations": True,
        },
    ),
    "uuid, and a null compact string": (
        "MetadataRequest",
        12,
        count(1) + (TOPIC_ID + NULL + NO_TAGS) + b"\x00\x00" + NO_TAGS,
        {
            "topics": [{"topicId": TOPIC_ID_TEXT, "name": None}],
            "allowAutoTopicCreation": False,
            "includeTopicAuthorizedOperations": False,
        },
    ),
    "compact array of compact strings": (
        "FindCoordinatorRequest",
        4,
        i8(0) + count(2) + compact("g1") + compact("") + NO_TAGS,
        {"keyType": 0, "coordinatorKeys": ["g1", ""]},
    ),
    "structs in structs, each with its tag section": (
        "CreateTopicsRequest",
        7,
        count(1)
        + compact("t")
        + i32(-1)
        + i16(-1)
        + count(1)
        + (i32(0) + count(2) + i32(1, 2) + NO_TAGS)
        + count(2)
        + (compact("cleanup.policy") + compact("compact") + NO_TAGS)
        + (compact("retention.ms") + NULL + NO_TAGS)
        + NO_TAGS
        + i32(30000)
        + b"\x01"
        + NO_TAGS,
        {
            "topics": [
                {
                    "name": "t",
                    "numPartitions": -1,
                    "replicationFactor": -1,
                    "assignments": [{"partitionIndex": 0, "brokerIds": [1, 2]}],
                    "configs": [
                        {"name": "cleanup.policy", "value": "compact"},
                        {"name": "retention.ms", "value": None},
                    ],
                }
            ],
            "timeoutMs": 30000,
            "validateOnly": True,
        },
    ),
    "null struct": (
        "ConsumerGroupHeartbeatResponse",
        0,
        i32(0) + i16(0) + NULL + NULL + i32(1) + i32(5000) + i8(-1) + NO_TAGS,
        {
            "throttleTimeMs": 0,
            "errorCode": 0,
            "errorMessage": None,
            "memberId": None,
            "memberEpoch": 1,
            "heartbeatIntervalMs": 5000,
            "assignment": None,
        },
    ),
    "struct that might be null": (
        "ConsumerGroupHeartbeatResponse",
        0,
        i32(0) + i16(0) + compact("") + compact("m") + i32(1) + i32(5000)
        + i8(1) + (count(1) + (TOPIC_ID + count(1) + i32(3) + NO_TAGS) + NO_TAGS)
        + NO_TAGS,
        {
            "throttleTimeMs": 0,
            "errorCode": 0,
            "errorMessage": "",
            "memberId": "m",
            "memberEpoch": 1,
            "heartbeatIntervalMs": 5000,
            "assignment": {"topicPartitions": [{"topicId": TOPIC_ID_TEXT, "partitions": [3]}]},
        },
    ),
    "struct inside of a tag": (
        "FetchRequest",
        15,
        i32(500) + i32(1) + i32(0x7FFFFFFF) + i8(0) + i32(0) + i32(-1)
        + count(0) + count(0) + compact("")
        + tags((0, compact("c1")), (1, i32(3) + i64(9) + NO_TAGS)),
        {
            "maxWaitMs": 500,
            "minBytes": 1,
            "maxBytes": 0x7FFFFFFF,
            "isolationLevel": 0,
            "sessionId": 0,
            "sessionEpoch": -1,
            "topics": [],
            "forgottenTopicsData": [],
            "rackId": "",
            "clusterId": "c1",
            "replicaState": {"replicaId": 3, "replicaEpoch": 9},
        },
    ),
    "float, bool and a length of two bytes": (
        "AlterClientQuotasRequest",
        1,
        count(1)
        + count(1) + (compact("user") + b"\xc9\x01" + b"u" * 200 + NO_TAGS)
        + count(1) + (compact("producer_byte_rate") + struct.pack(">d", 1.5) + b"\x01" + NO_TAGS)
        + NO_TAGS
        + b"\x00"
        + NO_TAGS,
        {
            "entries": [
                {
                    "entity": [{"entityType": "user", "entityName": "u" * 200}],
                    "ops": [{"key": "producer_byte_rate", "value": 1.5, "remove": True}],
                }
            ],
            "validateOnly": False,
        },
    ),
    "classic bytes and records": (
        "ProduceRequest",
        3,
        CLASSIC_NULL_STRING + i16(-1) + i32(1000)
        + i32(1) + classic("t") + i32(1) + i32(0) + i32(3) + b"\x01\x02\x03",
        {
            "transactionalId": None,
            "acks": -1,
            "timeoutMs": 1000,
            "topicData": [
                {"name": "t", "partitionData": [{"index": 0, "records": "AQID"}]}
            ],
        },
    ),
    "header with a null client id": (
        "RequestHeader",
        1,
        i16(3, 1) + i32(7) + CLASSIC_NULL_STRING,
        {
            "requestApiKey": 3,
            "requestApiVersion": 1,
            "correlationId": 7,
            "clientId": None,
        },
    ),
    "header with a client id that is not compact": (
        "RequestHeader",
        2,
        i16(3, 12) + i32(-1) + classic("me") + NO_TAGS,
        {
            "requestApiKey": 3,
            "requestApiVersion": 12,
            "correlationId": -1,
            "clientId": "me",
        },
    ),
    "header with a null client id and a tag": (
        "RequestHeader",
        2,
        i16(3, 12) + i32(7) + CLASSIC_NULL_STRING + tags((5, b"x")),
        {
            "requestApiKey": 3,
            "requestApiVersion": 12,
            "correlationId": 7,
            "clientId": None,
            "_unknownTaggedFields": [{"tag": 5, "bytes": "eA=="}],
        },
    ),
    "response header": ("ResponseHeader", 1, i32(7) + NO_TAGS, {"correlationId": 7}),
}  # fmt: skip


@pytest.mark.parametrize(("message", "version", "data", "value"), GOLDEN.values(), ids=GOLDEN)
def test_bytes_are_read(message: str, version: int, data: bytes, value: dict[str, Any]) -> None:
    assert read(form_of(message, version), data) == (value, len(data))


@pytest.mark.parametrize(("message", "version", "data", "value"), GOLDEN.values(), ids=GOLDEN)
def test_value_is_written(message: str, version: int, data: bytes, value: dict[str, Any]) -> None:
    assert write(form_of(message, version), value) == data


def test_any_byte_but_zero_is_true() -> None:
    value, _ = read(form_of("MetadataRequest", 4), i32(0) + b"\x02")

    assert value["allowAutoTopicCreation"] is True


def test_tagged_field_at_its_default_is_left_out() -> None:
    form = form_of("ApiVersionsResponse", 3)
    plain = {"errorCode": 0, "apiKeys": [], "throttleTimeMs": 0}
    tagged = {"finalizedFeaturesEpoch": -1, "supportedFeatures": [], "zkMigrationReady": False}

    assert write(form, {**plain, **tagged}) == i16(0) + count(0) + i32(0) + NO_TAGS


def test_tagged_struct_at_its_defaults_is_left_out() -> None:
    form = form_of("FetchRequest", 15)
    value = form.layout.default_value()

    for epoch in (-1, "-1"):
        state = {"replicaId": -1, "replicaEpoch": epoch}
        assert write(form, {**value, "replicaState": state}) == write(form, value)


def test_null_tag_whose_default_is_not_null_is_written() -> None:
    form = form_of("StreamsGroupMetadataValue", 0)
    value = form.layout.default_value()
    name, tag = "lastAssignmentConfigs", 1

    without, null = write(form, value), write(form, {**value, name: None})

    assert without[-1:] == NO_TAGS
    assert null == without[:-1] + tags((tag, NULL))


def test_null_struct_inside_of_a_tag_is_a_varint() -> None:
    form = form_of("ConsumerGroupMemberMetadataValue", 0)
    value = form.layout.default_value()

    without = write(form, value)
    null = write(form, {**value, "classicMemberMetadata": None})
    present = write(
        form,
        {**value, "classicMemberMetadata": {"sessionTimeoutMs": 9, "supportedProtocols": []}},
    )

    assert null == without[:-1] + tags((0, b"\x00"))
    assert present == without[:-1] + tags((0, b"\x01" + i32(9) + count(0) + NO_TAGS))
