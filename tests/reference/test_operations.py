"""The operations of the testee protocol, as the reference codec does them."""

from __future__ import annotations

import struct
from typing import Any

import pytest

from conformance.reference.codec import PlainCodec, ReferenceCodec
from conformance.schema.releases import UnknownDefinition, definitions, wire_forms
from conformance.wire.errors import (
    DecodeError,
    EncodeError,
    LengthError,
    Truncated,
    UnknownMessage,
)

FIND = ("FindCoordinatorRequest", 4)
FIND_BYTES = bytes.fromhex("00 02 03 6731 00")
FIND_VALUE = {"keyType": 0, "coordinatorKeys": ["g1"]}
VERSIONS_V3 = {"errorCode": 0, "apiKeys": [], "throttleTimeMs": 5}
KEYS = [{"apiKey": 18, "minVersion": 0, "maxVersion": 4}]
REFUSAL_V0 = {"errorCode": 35, "apiKeys": KEYS}


@pytest.fixture(params=[PlainCodec, ReferenceCodec], ids=["plain", "compiled"])
def codec(request: pytest.FixtureRequest) -> PlainCodec:
    return request.param()  # type: ignore[no-any-return]


def test_hello_declares_every_operation_there_is(codec: PlainCodec) -> None:
    hello = codec.hello()

    assert hello["definitions"] == "4.4.0"
    assert hello["unknownTags"] == "kept"
    assert all(hasattr(codec, operation.replace("-", "_")) for operation in hello["ops"])


def test_hello_declares_exactly_the_versions_that_can_be_read(codec: PlainCodec) -> None:
    messages = codec.hello()["messages"]
    assert messages.keys() > {"MetadataRequest", "MetadataResponse", "RequestHeader"}
    for message, facts in messages.items():
        declared = {v for low, high in facts["versions"] for v in range(low, high + 1)}
        for version in wire_forms(message):
            if version in declared:
                assert codec.form(message, version).version == version
            else:
                with pytest.raises(UnknownDefinition):
                    codec.form(message, version)


def test_a_field_that_is_left_out_has_its_default(codec: PlainCodec) -> None:
    replicas = {"partitionIndex": 1, "replicas": None}
    given = {"timeoutMs": 60_000, "topics": [{"name": "t", "partitions": [replicas]}]}
    lacking = {"topics": [{"name": "t", "partitions": [{"partitionIndex": 1}]}]}
    message = "AlterPartitionReassignmentsRequest"

    assert codec.encode(message, 0, lacking) == codec.encode(message, 0, given)


def test_what_is_wrong_besides_what_is_left_out_is_refused(codec: PlainCodec) -> None:
    with pytest.raises(EncodeError, match="timeout: no such field"):
        codec.encode("AlterPartitionReassignmentsRequest", 0, {"timeout": 1})
    with pytest.raises(EncodeError, match=r"topics\[0\]: a struct expected"):
        codec.encode("AlterPartitionReassignmentsRequest", 0, {"topics": [None]})


def test_versions_of_older_releases_are_read_too(codec: PlainCodec) -> None:
    assert 0 not in definitions("4.4.0")["CreateTopicsRequest"].valid
    assert (
        codec.encode("CreateTopicsRequest", 0, {"topics": [], "timeoutMs": 1}) == bytes(7) + b"\1"
    )


def test_unstable_versions_of_other_releases_are_not(codec: PlainCodec) -> None:
    assert codec.versions("ShareFetchRequest")[0] == 1
    with pytest.raises(UnknownDefinition):
        codec.decode("ShareFetchRequest", 0, b"")


def test_codec_of_a_release_uses_its_names() -> None:
    older, newest = ReferenceCodec("3.9.2"), ReferenceCodec("4.4.0")
    (form, *_) = wire_forms("TxnOffsetCommitRequest")[3]
    data = newest.write(form, form.layout.default_value())

    assert "generationId" in older.decode(form.message, 3, data)[0]
    assert "generationIdOrMemberEpoch" in newest.decode(form.message, 3, data)[0]


def test_tag_newer_than_the_release_is_unknown_to_it() -> None:
    older, newest = ReferenceCodec("3.9.2"), ReferenceCodec("4.4.0")
    (form, *_) = wire_forms("OffsetCommitValue")[4]
    topic_id = "AAECAwQFBgcICQoLDA0ODw"
    data = newest.write(form, {**form.layout.default_value(), "topicId": topic_id})

    assert newest.decode(form.message, 4, data)[0]["topicId"] == topic_id
    assert older.decode(form.message, 4, data)[0]["_unknownTaggedFields"] == [
        {"tag": 0, "bytes": "AAECAwQFBgcICQoLDA0ODw=="}
    ]
    assert older.roundtrip(form.message, 4, data) == data


def test_decode_counts_what_is_left(codec: PlainCodec) -> None:
    assert codec.decode(*FIND, FIND_BYTES) == (FIND_VALUE, 0)
    assert codec.decode(*FIND, FIND_BYTES + b"more") == (FIND_VALUE, 4)


def test_encode_gives_the_body(codec: PlainCodec) -> None:
    assert codec.encode(*FIND, FIND_VALUE) == FIND_BYTES


def test_roundtrip_gives_the_same_bytes(codec: PlainCodec) -> None:
    assert codec.roundtrip(*FIND, FIND_BYTES) == FIND_BYTES


def test_roundtrip_leaves_out_a_tag_at_its_default(codec: PlainCodec) -> None:
    plain = bytes.fromhex("0000 01 00000000 00")
    explicit = bytes.fromhex("0000 01 00000000 01 03 01 00")

    assert codec.roundtrip("ApiVersionsResponse", 3, explicit) == plain


def test_roundtrip_refuses_bytes_behind_the_message(codec: PlainCodec) -> None:
    with pytest.raises(LengthError, match="2 bytes after the last field") as caught:
        codec.roundtrip(*FIND, FIND_BYTES + b"xy")

    assert caught.value.offset == len(FIND_BYTES)
    assert not hasattr(caught.value, "stage")


def test_roundtrip_says_when_it_was_encoding_that_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    codec = PlainCodec()

    def refuse(*_: Any) -> bytes:
        raise EncodeError("never")

    monkeypatch.setattr(codec, "write", refuse)
    with pytest.raises(EncodeError) as caught:
        codec.roundtrip(*FIND, FIND_BYTES)

    assert caught.value.stage == "encode"  # type: ignore[attr-defined]


@pytest.mark.parametrize("operation", ["decode", "roundtrip"])
def test_unknown_version_is_no_finding_about_bytes(codec: PlainCodec, operation: str) -> None:
    with pytest.raises(UnknownDefinition, match="FindCoordinatorRequest version 99"):
        getattr(codec, operation)("FindCoordinatorRequest", 99, b"")


# Frames


def test_request_frame_has_the_header_of_its_version(codec: PlainCodec) -> None:
    header = {"correlationId": 7, "clientId": "me"}

    frame = codec.encode_request(*FIND, header, FIND_VALUE)

    assert frame == struct.pack(">hhih", 10, 4, 7, 2) + b"me" + b"\x00" + FIND_BYTES
    assert codec.decode_request(frame) == (
        {"requestApiKey": 10, "requestApiVersion": 4, **header},
        FIND_VALUE,
        0,
    )


def test_request_frame_counts_what_is_left(codec: PlainCodec) -> None:
    frame = codec.encode_request(*FIND, {"correlationId": 7, "clientId": None}, FIND_VALUE)

    assert codec.decode_request(frame + b"xyz")[2] == 3


def test_offset_of_an_error_is_that_in_the_frame(codec: PlainCodec) -> None:
    frame = codec.encode_request(*FIND, {"correlationId": 7, "clientId": None}, FIND_VALUE)

    with pytest.raises(DecodeError) as caught:
        codec.decode_request(frame[:11] + b"\x00\x00\x00")

    assert (caught.value.offset, caught.value.path) == (12, "coordinatorKeys")


def test_controlled_shutdown_version_0_has_no_client_id(codec: PlainCodec) -> None:
    header = {"correlationId": 7, "clientId": "dropped"}

    frame = codec.encode_request("ControlledShutdownRequest", 0, header, {"brokerId": 1})

    assert frame == struct.pack(">hhii", 7, 0, 7, 1)
    assert "clientId" not in codec.decode_request(frame)[0]


def test_every_request_comes_back_from_its_frame() -> None:
    codec = ReferenceCodec()
    header = {"correlationId": -7, "clientId": "me"}
    for name in codec.hello()["messages"]:
        for version in codec.versions(name):
            form = codec.form(name, version)
            if form.type == "request" and (form.api_key, version) != (7, 0):
                value = form.layout.default_value()
                frame = codec.encode_request(name, version, header, value)
                found, body, remaining = codec.decode_request(frame)
                assert found["clientId"] == "me"
                assert (body, remaining) == (value, 0)
                body_size = len(codec.write(form, value))
                assert len(frame) - body_size == (13 if form.flexible else 12)


def test_every_response_comes_back_from_its_frame() -> None:
    codec = ReferenceCodec()
    for name in codec.hello()["messages"]:
        for version in codec.versions(name):
            form = codec.form(name, version)
            if form.type == "response":
                value = form.layout.default_value()
                frame = codec.encode_response(name, version, {"correlationId": 7}, value)
                assert codec.decode_response(name, version, frame) == (
                    {"correlationId": 7},
                    value,
                    0,
                    version,
                )
                header_size = len(frame) - len(codec.write(form, value))
                assert header_size == (5 if form.flexible and form.api_key != 18 else 4)


@pytest.mark.parametrize(
    ("frame", "error", "offset"),
    [
        (b"", Truncated, 0),
        (b"\x00\x0a\x00", Truncated, 3),
        (b"\x03\xe7\x00\x00" + bytes(8), UnknownMessage, 0),
        (b"\xff\xff\x00\x00" + bytes(8), UnknownMessage, 0),
        (b"\x00\x0a\x00\x63" + bytes(8), UnknownMessage, 0),
        (b"\x00\x0a\xff\xff" + bytes(8), UnknownMessage, 0),
        (b"\x00\x4e\x00\x00" + bytes(8), UnknownMessage, 0),
        (b"\x00\x0a\x00\x04", Truncated, 4),
    ],
)
def test_frame_of_no_known_request_is_refused(
    codec: PlainCodec, frame: bytes, error: type[DecodeError], offset: int
) -> None:
    with pytest.raises(error) as caught:
        codec.decode_request(frame)

    assert caught.value.offset == offset


@pytest.mark.parametrize("header", [None, [], "x", {}, {"correlationId": 1, "clientID": "x"}])
def test_header_that_can_not_be_written_is_refused(codec: PlainCodec, header: Any) -> None:
    with pytest.raises(EncodeError):
        codec.encode_request(*FIND, header, FIND_VALUE)
    with pytest.raises(EncodeError):
        codec.encode_response("ListGroupsResponse", 0, header, {"errorCode": 0, "groups": []})


def test_unknown_tags_of_headers_are_kept(codec: PlainCodec) -> None:
    tags = [{"tag": 5, "bytes": "eA=="}]
    header = {"correlationId": 7, "clientId": None, "_unknownTaggedFields": tags}

    frame = codec.encode_request(*FIND, header, FIND_VALUE)

    assert codec.decode_request(frame)[0]["_unknownTaggedFields"] == tags


# KIP-511


def test_refusal_in_version_0_is_read_whatever_was_asked(codec: PlainCodec) -> None:
    frame = codec.encode_response("ApiVersionsResponse", 0, {"correlationId": 7}, REFUSAL_V0)

    assert codec.decode_response("ApiVersionsResponse", 3, frame) == (
        {"correlationId": 7},
        REFUSAL_V0,
        0,
        0,
    )


def test_refusal_without_keys_is_read_too(codec: PlainCodec) -> None:
    refusal = {"errorCode": 35, "apiKeys": []}
    frame = codec.encode_response("ApiVersionsResponse", 0, {"correlationId": 7}, refusal)

    assert codec.decode_response("ApiVersionsResponse", 4, frame)[1:] == (refusal, 0, 0)


def test_answer_in_the_version_asked_is_no_refusal(codec: PlainCodec) -> None:
    frame = codec.encode_response("ApiVersionsResponse", 3, {"correlationId": 7}, VERSIONS_V3)

    assert codec.decode_response("ApiVersionsResponse", 3, frame)[3] == 3


def test_other_error_in_version_0_is_refused(codec: PlainCodec) -> None:
    other = {"errorCode": 42, "apiKeys": KEYS}
    frame = codec.encode_response("ApiVersionsResponse", 0, {"correlationId": 7}, other)

    with pytest.raises(DecodeError):
        codec.decode_response("ApiVersionsResponse", 3, frame)


def test_error_of_broken_bytes_is_that_of_the_version_asked(codec: PlainCodec) -> None:
    frame = bytes.fromhex("00000007 0023 00")

    with pytest.raises(DecodeError) as caught:
        codec.decode_response("ApiVersionsResponse", 3, frame)

    assert (caught.value.path, caught.value.offset) == ("apiKeys", 6)


def test_no_other_response_falls_back(codec: PlainCodec) -> None:
    frame = codec.encode_response(
        "ListGroupsResponse", 0, {"correlationId": 7}, {"errorCode": 35, "groups": []}
    )

    with pytest.raises(DecodeError):
        codec.decode_response("ListGroupsResponse", 3, frame)


def test_forms_of_passing_callers_are_never_mistaken_for_each_other() -> None:
    codec = ReferenceCodec()
    for version in (0, 4, 0, 4, 3, 0, 4, 3) * 20:
        form = definitions().form("FindCoordinatorRequest", version)
        value = form.layout.default_value()
        assert codec.read(form, codec.write(form, value))[0] == value
        del form
