"""What is no message is refused, with the kind of error, the offset and the field path."""

from __future__ import annotations

import tracemalloc

import pytest

from conformance.wire.errors import (
    DecodeError,
    LengthError,
    MarkerError,
    NullNotAllowed,
    TagError,
    TextError,
    Truncated,
    VarintError,
)
from tests.wire.codec import form_of, read, refusal
from tests.wire.hand import NO_TAGS, NULL, classic, compact, count, i8, i16, i32, tags

FIND = ("FindCoordinatorRequest", 4)
FIND_OLD = ("FindCoordinatorRequest", 0)
METADATA = ("MetadataRequest", 12)
METADATA_OLD = ("MetadataRequest", 0)
VERSIONS = ("ApiVersionsRequest", 3)
FEATURES = ("ApiVersionsResponse", 3)
HEARTBEAT = ("ConsumerGroupHeartbeatResponse", 0)
SASL = ("SaslAuthenticateRequest", 2)
SASL_OLD = ("SaslAuthenticateRequest", 0)
EMPTY = ("ListGroupsRequest", 3)

NO_FEATURES = i16(0) + count(0) + i32(0)
NO_ASSIGNMENT = i32(0) + i16(0) + NULL + NULL + i32(1, 5000)

REFUSED: dict[str, tuple[tuple[str, int], bytes, type[DecodeError], int, str]] = {
    # varints
    "varint longer than it need be": (EMPTY, b"\x80\x00", VarintError, 0, "_tags(count)"),
    "varint of 5 bytes that fit in 4": (
        EMPTY, b"\x81\x80\x80\x80\x00", VarintError, 0, "_tags(count)",
    ),
    "varint of 6 bytes": (EMPTY, b"\x80\x80\x80\x80\x80\x01", VarintError, 0, "_tags(count)"),
    "varint without an end": (EMPTY, b"\xff" * 9, VarintError, 0, "_tags(count)"),
    "varint beyond 32 bits": (EMPTY, b"\x81\x80\x80\x80\x10", VarintError, 0, "_tags(count)"),
    "varint cut off": (EMPTY, b"\x80", Truncated, 1, "_tags(count)"),
    "long varint as a length": (
        VERSIONS, b"\x82\x00a" + compact("b") + NO_TAGS,
        VarintError, 0, "clientSoftwareName(length)",
    ),
    # lengths and counts
    "string longer than the rest": (
        VERSIONS, b"\x05abc", LengthError, 0, "clientSoftwareName",
    ),
    "string of 4 GiB": (
        VERSIONS, b"\xff\xff\xff\xff\x0fabc", LengthError, 0, "clientSoftwareName",
    ),
    "classic string longer than the rest": (FIND_OLD, i16(4) + b"abc", LengthError, 0, "key"),
    "classic string of a negative length": (FIND_OLD, i16(-2) + b"abc", LengthError, 0, "key"),
    "bytes longer than the rest": (SASL_OLD, i32(4) + b"abc", LengthError, 0, "authBytes"),
    "bytes of a negative length": (SASL_OLD, i32(-2) + b"abc", LengthError, 0, "authBytes"),
    "compact bytes longer than the rest": (SASL, b"\x05abc", LengthError, 0, "authBytes"),
    "more elements than bytes": (
        FIND, i8(0) + count(5) + compact("g") + NO_TAGS, LengthError, 1, "coordinatorKeys",
    ),
    "2^31-1 elements": (METADATA_OLD, i32(2**31 - 1), LengthError, 0, "topics"),
    "negative count": (METADATA_OLD, i32(-2), LengthError, 0, "topics"),
    # null
    "null in a string": (
        VERSIONS, compact("a") + NULL + NO_TAGS, NullNotAllowed, 2, "clientSoftwareVersion",
    ),
    "null in a classic string": (FIND_OLD, i16(-1), NullNotAllowed, 0, "key"),
    "null in bytes": (SASL, NULL + NO_TAGS, NullNotAllowed, 0, "authBytes"),
    "null in an array": (FIND, i8(0) + NULL + NO_TAGS, NullNotAllowed, 1, "coordinatorKeys"),
    "null in a classic array": (METADATA_OLD, i32(-1), NullNotAllowed, 0, "topics"),
    "null as an element": (
        FIND, i8(0) + count(2) + compact("g") + NULL + NO_TAGS,
        NullNotAllowed, 4, "coordinatorKeys[1]",
    ),
    # text
    "not UTF-8": (
        VERSIONS, compact("a") + b"\x04ab\xff" + NO_TAGS, TextError, 5, "clientSoftwareVersion",
    ),
    "not UTF-8 in a classic string": (FIND_OLD, i16(1) + b"\x80", TextError, 2, "key"),
    "surrogate in UTF-8": (FIND_OLD, i16(3) + b"\xed\xa0\x80", TextError, 2, "key"),
    "zero in two bytes, as Java's own UTF-8 has it": (
        FIND_OLD, i16(2) + b"\xc0\x80", TextError, 2, "key",
    ),
    "text cut inside of a letter": (FIND_OLD, i16(2) + b"a\xc3", TextError, 3, "key"),
    # tag sections
    "no tag section": (VERSIONS, compact("a") + compact("b"), Truncated, 4, "_tags(count)"),
    "more tags than bytes": (EMPTY, b"\x02\x00\x00", LengthError, 0, "_tags"),
    "2^32-1 tags": (EMPTY, b"\xff\xff\xff\xff\x0f", LengthError, 0, "_tags"),
    "tags out of order": (EMPTY, tags((2, b""), (1, b"")), TagError, 3, "_tags"),
    "unknown tag twice": (EMPTY, tags((7, b""), (7, b"")), TagError, 3, "_tags"),
    "known tag twice": (
        FEATURES, NO_FEATURES + tags((3, b"\x01"), (3, b"\x01")), TagError, 11, "_tags",
    ),
    "tag beyond 31 bits": (EMPTY, b"\x01\x80\x80\x80\x80\x08\x00", TagError, 1, "_tags"),
    "tag longer than the rest": (EMPTY, b"\x01\x07\x04abc", LengthError, 2, "_tags"),
    "tag size above its value's": (
        FEATURES, NO_FEATURES + tags((3, b"\x01\x00")), TagError, 9, "zkMigrationReady",
    ),
    "tag size below its value's": (
        FEATURES, NO_FEATURES + b"\x01\x01\x07" + b"\x00" * 8,
        TagError, 9, "finalizedFeaturesEpoch",
    ),
    "tag size taken as N+1": (
        FEATURES, NO_FEATURES + b"\x02\x03\x02\x01\x09\x00",
        TagError, 9, "zkMigrationReady",
    ),
    "fault inside of a tag": (
        FEATURES, NO_FEATURES + tags((0, count(1) + NULL + i16(0, 0) + NO_TAGS)),
        NullNotAllowed, 11, "supportedFeatures[0].name",
    ),
    # markers of nullable structs
    "marker 0": (HEARTBEAT, NO_ASSIGNMENT + i8(0) + NO_TAGS, MarkerError, 16, "assignment"),
    "marker 2": (HEARTBEAT, NO_ASSIGNMENT + i8(2) + NO_TAGS, MarkerError, 16, "assignment"),
    "marker -2": (HEARTBEAT, NO_ASSIGNMENT + i8(-2) + NO_TAGS, MarkerError, 16, "assignment"),
    "marker inside of a tag": (
        ("ConsumerGroupMemberMetadataValue", 0),
        NULL + NULL + compact("") + compact("") + count(0) + NULL + i32(0) + NULL
        + tags((0, b"\x02")),
        MarkerError, 14, "classicMemberMetadata",
    ),
    # a struct in a struct
    "fault in the second element": (
        METADATA,
        count(2) + (bytes(16) + compact("a") + NO_TAGS) + (bytes(16) + compact("\u00e9")[:2]),
        LengthError, 36, "topics[1].name",
    ),
    "element without its tag section": (
        METADATA, count(1) + (bytes(16) + compact("a")), Truncated, 19, "topics[0]._tags(count)",
    ),
    "nothing at all": (METADATA, b"", Truncated, 0, "topics(length)"),
    "fixed width cut off": (METADATA_OLD, b"\x00\x00", Truncated, 2, "topics(length)"),
}  # fmt: skip


@pytest.mark.parametrize(
    ("which", "data", "error", "offset", "path"), REFUSED.values(), ids=REFUSED
)
def test_refused(
    which: tuple[str, int], data: bytes, error: type[DecodeError], offset: int, path: str
) -> None:
    found = refusal(form_of(*which), data)

    assert type(found) is error
    assert (found.offset, found.path) == (offset, path)


ACCEPTED = {
    "unknown tag of size 0": tags((7, b"")),
    "highest tag": b"\x01\xff\xff\xff\xff\x07\x00",
    "varint of two bytes": b"\x01\x80\x01\x00",
    "a thousand unknown tags": b"\xe8\x07"
    + b"".join(bytes([0x80 | n & 0x7F, n >> 7, 1, 0]) for n in range(200, 1200)),
}


@pytest.mark.parametrize("data", ACCEPTED.values(), ids=ACCEPTED)
def test_accepted(data: bytes) -> None:
    assert read(form_of(*EMPTY), data)[1] == len(data)


LIES = {
    "array": (METADATA_OLD, i32(2**31 - 1)),
    "compact array": (METADATA, b"\xff\xff\xff\xff\x07"),
    "array of integers": (
        ("CreateTopicsRequest", 7),
        count(1) + compact("t") + i32(1) + i16(1) + count(1) + i32(0) + b"\xff\xff\xff\xff\x07",
    ),
    "bytes": (SASL_OLD, i32(2**31 - 1)),
    "string": (VERSIONS, b"\xff\xff\xff\xff\x07"),
    "tags": (EMPTY, b"\xff\xff\xff\xff\x07"),
    "tag": (EMPTY, b"\x01\x00\xff\xff\xff\xff\x07"),
}


@pytest.mark.parametrize(("which", "data"), LIES.values(), ids=LIES)
def test_lying_length_is_refused_before_memory_is_taken(
    which: tuple[str, int], data: bytes
) -> None:
    form = form_of(*which)
    refusal(form, data)  # compiles, imports

    tracemalloc.start()
    try:
        refusal(form, data)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert peak < 1 << 18


def test_error_says_where_in_words() -> None:
    found = refusal(form_of(*FIND_OLD), i16(4) + b"abc")

    assert str(found) == "offset 0, key: 4 bytes, 3 left"


def test_error_without_a_path_is_about_the_message() -> None:
    assert str(LengthError("3 bytes after the last field", "", 9)) == (
        "offset 9, message: 3 bytes after the last field"
    )


def test_bytes_behind_the_message_are_left_alone() -> None:
    data = i16(1) + b"g" + b"rest"

    assert read(form_of(*FIND_OLD), data) == ({"key": "g"}, 3)


def test_classic_string_is_read_by_its_bytes_not_its_letters() -> None:
    assert read(form_of(*FIND_OLD), classic("\u952e"))[0] == {"key": "\u952e"}
