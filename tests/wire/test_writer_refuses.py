"""A value that this version can't carry is refused with its path: nothing is lost in silence."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.wire.errors import EncodeError
from tests.wire.codec import fast_write, form_of, write, write_refusal

FETCH = form_of("FetchRequest", 15).layout.default_value()
LONG = "x" * 32768
DEEP: list[Any] = []
for _ in range(3000):
    DEEP = [DEEP]


def quota(value: Any) -> dict[str, Any]:
    operation = {"key": "k", "value": value, "remove": False}
    return {"entries": [{"entity": [], "ops": [operation]}], "validateOnly": False}


REFUSED: dict[str, tuple[str, int, Any, str, str]] = {
    "no struct": ("FindCoordinatorRequest", 4, [], "", "a struct expected, not a list"),
    "no struct, where nothing is to be read from it": (
        "ListGroupsRequest", 0, [], "", "a struct expected",
    ),
    "text for a struct without fields": ("ListGroupsRequest", 3, "", "", "a struct expected"),
    "missing": ("FindCoordinatorRequest", 4, {"keyType": 0}, "coordinatorKeys", "missing"),
    "missing in an element": (
        "MetadataRequest", 0, {"topics": [{"name": "a"}, {}]}, "topics[1].name", "missing",
    ),
    "null": ("FindCoordinatorRequest", 0, {"key": None}, "key", "not nullable"),
    "null array": ("MetadataRequest", 0, {"topics": None}, "topics", "not nullable"),
    "null element": (
        "FindCoordinatorRequest", 4, {"keyType": 0, "coordinatorKeys": ["g", None]},
        "coordinatorKeys[1]", "not nullable",
    ),
    "null number": (
        "FindCoordinatorRequest", 4, {"keyType": None, "coordinatorKeys": []}, "keyType",
        "None is no int8",
    ),
    "integer out of range": (
        "FindCoordinatorRequest", 4, {"keyType": 128, "coordinatorKeys": []}, "keyType",
        "128 is no int8",
    ),
    "integer beyond everything": (
        "FindCoordinatorRequest", 4, {"keyType": 10**5000, "coordinatorKeys": []}, "keyType",
        "thousands of digits",
    ),
    "float for an integer": (
        "FindCoordinatorRequest", 4, {"keyType": 1.0, "coordinatorKeys": []}, "keyType",
        "an integer expected",
    ),
    "text for an integer of 8 bits": (
        "FindCoordinatorRequest", 4, {"keyType": "1", "coordinatorKeys": []}, "keyType",
        "an integer expected",
    ),
    "1 for true": (
        "AlterClientQuotasRequest", 1, {"entries": [], "validateOnly": 1}, "validateOnly",
        "true or false expected",
    ),
    "number for text": ("FindCoordinatorRequest", 0, {"key": 7}, "key", "text expected"),
    "text for a list": (
        "FindCoordinatorRequest", 4, {"keyType": 0, "coordinatorKeys": "g"}, "coordinatorKeys",
        "a list expected",
    ),
    "string of 32768 bytes": (
        "FindCoordinatorRequest", 0, {"key": LONG}, "key", "32768 bytes, above 32767",
    ),
    "compact string of 32768 bytes": (
        "FindCoordinatorRequest", 4, {"keyType": 0, "coordinatorKeys": [LONG]},
        "coordinatorKeys[0]", "32768 bytes, above 32767",
    ),
    "string of 32768 bytes in fewer letters": (
        "FindCoordinatorRequest", 0, {"key": "\u00e9" * 16384}, "key", "32768 bytes",
    ),
    "lone surrogate": ("FindCoordinatorRequest", 0, {"key": "\ud800"}, "key", "no string"),
    "not base64": ("SaslAuthenticateRequest", 0, {"authBytes": "a"}, "authBytes", "no bytes"),
    "base64 without padding": (
        "SaslAuthenticateRequest", 0, {"authBytes": "YQ"}, "authBytes", "no bytes",
    ),
    "base64 for urls": (
        "SaslAuthenticateRequest", 0, {"authBytes": "_-__"}, "authBytes", "no bytes",
    ),
    "base64 with a newline": (
        "SaslAuthenticateRequest", 0, {"authBytes": "YWFh\n"}, "authBytes", "no bytes",
    ),
    "list of bytes": ("SaslAuthenticateRequest", 0, {"authBytes": [1]}, "authBytes", "a list"),
    "deep nesting": ("FindCoordinatorRequest", 0, {"key": DEEP}, "key", "a list is no string"),
    "float as another word": (
        "AlterClientQuotasRequest", 1, quota("nan"), "entries[0].ops[0].value", "no float",
    ),
    "float beyond all floats": (
        "AlterClientQuotasRequest", 1, quota(10**400), "entries[0].ops[0].value",
        "beyond all floats",
    ),
    "true for a float": (
        "AlterClientQuotasRequest", 1, quota(True), "entries[0].ops[0].value", "number expected",
    ),
    "unknown field": ("ListGroupsRequest", 0, {"sort": True}, "sort", "no such field"),
    "unknown field in an element": (
        "MetadataRequest", 0, {"topics": [{"name": "a", "id": 1}]}, "topics[0].id",
        "no such field",
    ),
    "field of another version": (
        "FindCoordinatorRequest", 0, {"key": "g", "keyType": 1}, "keyType", "not ignorable",
    ),
    "unknown tags without a tag section": (
        "FindCoordinatorRequest", 0,
        {"key": "g", "_unknownTaggedFields": [{"tag": 9, "bytes": ""}]},
        "_unknownTaggedFields", "no tag section",
    ),
    "unknown field in a tagged struct at its defaults": (
        "FetchRequest", 15,
        {**FETCH, "replicaState": {"replicaId": -1, "replicaEpoch": -1, "rack": ""}},
        "replicaState.rack", "no such field",
    ),
    "text for a tagged struct": (
        "FetchRequest", 15, {**FETCH, "replicaState": "none"}, "replicaState", "struct expected",
    ),
    "false for a tagged list": (
        "FetchSnapshotResponse", 1,
        {"throttleTimeMs": 0, "errorCode": 0, "topics": [], "nodeEndpoints": False},
        "nodeEndpoints", "a list expected",
    ),
    "0 for a tagged bool whose default is false": (
        "ApiVersionsResponse", 3,
        {"errorCode": 0, "apiKeys": [], "throttleTimeMs": 0, "zkMigrationReady": 0},
        "zkMigrationReady", "true or false expected",
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    ("message", "version", "value", "path", "reason"), REFUSED.values(), ids=REFUSED
)
def test_refused(message: str, version: int, value: Any, path: str, reason: str) -> None:
    found = write_refusal(form_of(message, version), value)

    assert found.path == path
    assert reason in found.reason


UNKNOWN_TAGS: dict[str, Any] = {
    "no list": {"tag": 9, "bytes": ""},
    "a number": 5,
    "true": True,
    "text": "9",
    "entries without a tag": [{"bytes": ""}],
    "entries without bytes": [{"tag": 9}],
    "no structs": [9],
    "true for a tag": [{"tag": True, "bytes": ""}],
    "float for a tag": [{"tag": 9.0, "bytes": ""}],
    "text for a tag": [{"tag": "9", "bytes": ""}],
    "negative tag": [{"tag": -1, "bytes": ""}],
    "tag beyond 31 bits": [{"tag": 2**31, "bytes": ""}],
    "tag of thousands of digits": [{"tag": 10**5000, "bytes": ""}],
    "bytes that are no base64": [{"tag": 9, "bytes": "a"}],
    "null for bytes": [{"tag": 9, "bytes": None}],
    "a tag twice": [{"tag": 9, "bytes": ""}, {"tag": 9, "bytes": "YQ=="}],
}


@pytest.mark.parametrize("given", UNKNOWN_TAGS.values(), ids=UNKNOWN_TAGS)
def test_faulty_unknown_tags_are_refused(given: Any) -> None:
    found = write_refusal(form_of("ListGroupsRequest", 3), {"_unknownTaggedFields": given})

    assert found.path == "_unknownTaggedFields"


def test_unknown_tag_that_is_known_is_refused() -> None:
    value = {**FETCH, "_unknownTaggedFields": [{"tag": 1, "bytes": ""}]}

    assert "known, or given twice" in write_refusal(form_of("FetchRequest", 15), value).reason


def test_unknown_tags_are_written_in_order_whatever_the_order_given() -> None:
    given = [{"tag": 200, "bytes": "YQ=="}, {"tag": 7, "bytes": ""}]

    form = form_of("ListGroupsRequest", 3)
    data = write(form, {"_unknownTaggedFields": given})

    assert fast_write(form, {"_unknownTaggedFields": given}) == data
    assert data == b"\x02" + b"\x07\x00" + b"\xc8\x01\x01a"


def test_string_of_32767_bytes_is_written() -> None:
    assert len(write(form_of("FindCoordinatorRequest", 0), {"key": LONG[1:]})) == 2 + 32767


def test_ignorable_field_of_another_version_is_dropped() -> None:
    value: dict[str, Any] = {"topics": [], "userData": None, "ownedPartitions": []}
    form = form_of("ConsumerProtocolSubscription", 1)

    assert write(form, {**value, "rackId": "r1", "generationId": 5}) == write(form, value)


@pytest.mark.parametrize("given", [-1, "-1"])
def test_field_of_another_version_at_its_default_is_dropped(given: Any) -> None:
    form = form_of("OffsetCommitRequest", 8)
    value = form.layout.default_value()

    assert "retentionTimeMs" in [item.name for item in form.layout.absent]
    assert write(form, {**value, "retentionTimeMs": given}) == write(form, value)


def test_empty_unknown_tags_are_nothing_in_a_version_without_tag_section() -> None:
    assert write(form_of("ListGroupsRequest", 0), {"_unknownTaggedFields": []}) == b""


@pytest.mark.parametrize("text", ["7", "-9223372036854775808", "0", "007", "9223372036854775807"])
def test_decimal_text_is_taken_for_int64(text: str) -> None:
    form = form_of("TxnOffsetCommitRequest", 0)
    value = form.layout.default_value()

    assert write(form, {**value, "producerId": text}) == write(
        form, {**value, "producerId": int(text)}
    )


@pytest.mark.parametrize(
    "text", ["", "1.0", "1e3", " 7", "1_000", "+7", "0x7", "9223372036854775808", "٣", "7" * 5000]
)
def test_other_text_is_not_taken_for_int64(text: str) -> None:
    form = form_of("TxnOffsetCommitRequest", 0)
    value = {**form.layout.default_value(), "producerId": text}

    assert write_refusal(form, value).path == "producerId"


@pytest.mark.parametrize(
    ("given", "raw"),
    [
        ("NaN", "7ff8000000000000"),
        ("Infinity", "7ff0000000000000"),
        ("-Infinity", "fff0000000000000"),
        (-0.0, "8000000000000000"),
        (1, "3ff0000000000000"),
        (5e-324, "0000000000000001"),
    ],
)
def test_float_is_its_bit_pattern(given: Any, raw: str) -> None:
    assert bytes.fromhex(raw) in write(form_of("AlterClientQuotasRequest", 1), quota(given))


@pytest.mark.parametrize(
    "text",
    [
        "AAAAAAAAAAAAAAAAAAAAAB",
        "AAAAAAAAAAAAAAAAAAAAA",
        "AAAAAAAAAAAAAAAAAAAAAAA",
        "AAAAAAAAAAAAAAAAAAAA==",
        "++++++++++++++++++++/A",
        "AAAAAAAAAAAAAAAAAAAA\u00e9A",
        "00000000-0000-0000-000",
        "",
    ],
)
def test_other_writings_of_a_uuid_are_refused(text: str) -> None:
    topics = [{"topicId": text, "name": None}]
    value = {**form_of("MetadataRequest", 12).layout.default_value(), "topics": topics}

    found = write_refusal(form_of("MetadataRequest", 12), value)

    assert found.path == "topics[0].topicId"


def test_error_without_a_path_is_its_reason() -> None:
    assert str(EncodeError("a struct expected")) == "a struct expected"
    assert str(EncodeError("missing", "a.b")) == "a.b: missing"


def test_long_value_is_shown_short() -> None:
    found = write_refusal(
        form_of("FindCoordinatorRequest", 4), {"keyType": LONG, "coordinatorKeys": []}
    )

    assert len(str(found)) < 120


def test_true_and_false_are_integers_as_everywhere_in_python() -> None:
    form = form_of("FindCoordinatorRequest", 4)
    assert write(form, {"keyType": True, "coordinatorKeys": []}) == b"\x01\x01\x00"
