"""Every byte of a frame has a name, whatever the bytes."""

from __future__ import annotations

import random
import struct

import pytest

from conformance.codecs.cases.vectors import Vector, read_vectors
from conformance.errors import ConformanceError
from conformance.explain import Explainer, Explanation
from conformance.wire.annotated import Row, State
from tests.wire.records.hand import WHOLE

MESSAGES = [
    f"{api}{kind}"
    for api in ("ApiVersions", "Metadata", "CreateTopics", "FindCoordinator")
    for kind in ("Request", "Response")
]
REQUEST = bytes.fromhex("00120003 00000007 000178 00 06626c61636b 0231 00")
REFUSAL = bytes.fromhex("00000007 0023 00000001 0012 0000 0004")


def explain(vector: Vector, data: bytes, **how: bool) -> Explanation:
    explainer = Explainer(vector.releases[0], **how)
    if vector.header is None:
        return explainer.body(data, vector.message, vector.version)
    if vector.message.endswith("Request"):
        return explainer.request(data)
    return explainer.response(data, vector.message, vector.version)


def no_byte_is_unnamed(found: Explanation, data: bytes) -> None:
    end = 0
    for row in found.rows:
        assert row.offset == end
        end += len(row.data)
        assert row.path or row.state in ("not read", "left over", "incomplete", "forgiven"), row
    assert b"".join(row.data for row in found.rows) == data


def states(found: Explanation) -> list[State]:
    return [row.state for row in found.rows]


def row(found: Explanation, path: str) -> Row:
    [one] = [row for row in found.rows if row.path == path]
    return one


@pytest.mark.parametrize("message", MESSAGES)
@pytest.mark.parametrize("with_length", [False, True], ids=["bare", "with its length"])
def test_every_golden_frame_is_named_to_its_last_byte(message: str, with_length: bool) -> None:
    frames = [vector for vector in read_vectors(message) if vector.header is not None]
    assert {vector.version for vector in frames}
    for vector in frames:
        length = struct.pack(">i", len(vector.data)) if with_length else b""
        data = length + vector.data
        found = explain(vector, data, length=with_length)

        no_byte_is_unnamed(found, data)
        assert set(states(found)) == {"read"}, vector.id


@pytest.mark.parametrize("message", MESSAGES)
@pytest.mark.parametrize("lenient", [False, True], ids=["strict", "lenient"])
def test_no_byte_of_damaged_vectors_is_unnamed(message: str, lenient: bool) -> None:
    rng = random.Random(message)
    vectors = [vector for vector in read_vectors(message) if 0 < len(vector.data) < 500]
    assert vectors
    for vector in rng.sample(vectors, min(len(vectors), 60)):
        for _ in range(10):
            data = bytearray(vector.data)
            data[rng.randrange(len(data))] = rng.choice((0, 1, 0x7F, 0x80, 0xFF))
            cut = bytes(data[: rng.randrange(1, len(data) + 1)])
            no_byte_is_unnamed(explain(vector, cut, lenient=lenient, length=False), cut)


def test_a_request_says_by_itself_what_it_is() -> None:
    found = Explainer().request(REQUEST)

    assert found.title.startswith("ApiVersionsRequest v3, RequestHeader v2, 21 bytes")
    assert row(found, "header.requestApiKey").text == "18 ApiVersions"
    assert row(found, "clientSoftwareName(length)").text == "6 (length 5)"
    assert row(found, "clientSoftwareName").value == "black"
    assert found.wrong == []


def test_the_length_is_found_where_it_is_that_of_the_rest() -> None:
    found = Explainer().request(struct.pack(">i", len(REQUEST)) + REQUEST)

    assert (found.rows[0].path, found.rows[0].value) == ("frame(length)", 21)
    assert row(found, "header.requestApiKey").offset == 4


def test_bytes_behind_a_frame_of_known_length_are_left_over() -> None:
    found = Explainer(length=True).request(struct.pack(">i", len(REQUEST)) + REQUEST + b"more")

    behind = Row(25, b"more", state="left over", says="behind the frame")
    assert found.rows[-1] == behind
    assert found.wrong == [behind]


def test_a_length_beyond_the_end_is_wrong_and_the_rest_is_read() -> None:
    found = Explainer(length=True).request(struct.pack(">i", 22) + REQUEST)

    assert [(one.path, one.says) for one in found.wrong] == [("frame(length)", "22 bytes, 21 left")]
    assert row(found, "clientSoftwareVersion").value == "1"


@pytest.mark.parametrize("data", [b"", b"\x00\x00\x01"])
def test_a_length_cut_off_is_wrong(data: bytes) -> None:
    found = Explainer(length=True).request(data)

    no_byte_is_unnamed(found, data)
    assert [one.path for one in found.wrong] == ["frame(length)"]


def test_bytes_behind_the_last_field_are_left_over() -> None:
    found = Explainer().request(REQUEST + b"\xaa\xbb")

    assert (found.rows[-1].data, found.rows[-1].state) == (b"\xaa\xbb", "left over")
    assert found.wrong == [found.rows[-1]]


def test_kafka_forgives_bytes_behind_the_last_field() -> None:
    found = Explainer(lenient=True).request(REQUEST + b"\xaa\xbb")

    assert (found.rows[-1].state, found.wrong) == ("forgiven", [])


def test_an_unknown_api_key_is_the_byte_that_is_wrong() -> None:
    found = Explainer().request(b"\x03\xe7" + REQUEST[2:])

    assert states(found) == ["wrong", "read", "not read"]
    assert found.rows[0].says == "no request has api key 999"


def test_a_version_below_all_is_the_byte_that_is_wrong() -> None:
    found = Explainer().request(b"\x00\x12\xff\xff" + REQUEST[4:])

    assert states(found) == ["read", "wrong", "not read"]
    assert found.rows[1].says.startswith("ApiVersionsRequest has versions 0 to ")


def test_a_version_above_all_is_read_as_far_as_its_header_and_not_judged() -> None:
    found = Explainer().request(b"\x00\x12\x00\x63" + REQUEST[4:])

    no_byte_is_unnamed(found, b"\x00\x12\x00\x63" + REQUEST[4:])
    assert found.wrong == []
    assert "no stored definition has ApiVersionsRequest version 99" in found.undecided
    assert row(found, "header.requestApiVersion").value == 99
    assert row(found, "header.correlationId").value == 7
    assert row(found, "header.clientId").value == "x"
    assert row(found, "header._tags(count)").value == 0  # all newer versions are flexible
    assert states(found)[-1] == "not read"


def test_a_header_that_is_malformed_is_so_in_a_version_above_all() -> None:
    found = Explainer().request(bytes.fromhex("00120063 00000007 0009 78"))

    assert [one.path for one in found.wrong] == ["header.clientId(length)"]
    assert found.undecided == ""


@pytest.mark.parametrize("version", [3, 4])
def test_a_body_that_refuses_its_version_is_read_as_version_0(version: int) -> None:
    found = Explainer().body(REFUSAL[4:], "ApiVersionsResponse", version)

    assert found.wrong == []
    assert f"ApiVersionsResponse v0, in answer to version {version} (KIP-511)" in found.title
    assert row(found, "errorCode").text == "35 UNSUPPORTED_VERSION"


def test_a_request_is_read_as_what_it_is_said_to_be() -> None:
    found = Explainer().request(b"\x03\xe7" + REQUEST[2:], "ApiVersions", 3)

    assert found.wrong == []
    assert found.title.startswith("ApiVersionsRequest v3")


WRONG = {
    "a length beyond the end": ("0961", ("clientSoftwareName(length)", "8 bytes, 1 left", 0, "09")),
    "a varint cut off": ("80", ("clientSoftwareName(length)", "1 bytes expected, 0 left", 1, "")),
    "an over-long varint": (
        "8200610000",
        ("clientSoftwareName(length)", "a varint longer than it need be", 0, "8200"),
    ),
    "not UTF-8": ("0361ff0000", ("clientSoftwareName", "bytes that are not UTF-8", 2, "ff")),
    "null": (
        "0261000000",
        ("clientSoftwareVersion(length)", "null, and this string is not nullable", 2, "00"),
    ),
    "the end too early": ("02610261", ("_tags(count)", "1 bytes expected, 0 left", 4, "")),
}


@pytest.mark.parametrize(("text", "expected"), WRONG.values(), ids=WRONG)
def test_the_byte_that_is_wrong_is_marked_with_what_was_expected(
    text: str, expected: tuple[str, str, int, str]
) -> None:
    found = Explainer().body(bytes.fromhex(text), "ApiVersionsRequest", 3)

    no_byte_is_unnamed(found, bytes.fromhex(text))
    [wrong] = found.wrong
    assert (wrong.path, wrong.says, wrong.offset, wrong.data.hex()) == expected


def test_what_stands_before_the_wrong_byte_of_a_value_is_incomplete() -> None:
    found = Explainer().body(bytes.fromhex("00000007 0000"), "ListOffsetsRequest", 1)

    assert states(found) == ["read", "incomplete", "wrong"]
    assert [one.path for one in found.rows] == ["replicaId", "topics(length)", "topics(length)"]


def test_a_tag_of_another_size_than_its_value_is_marked_at_its_size() -> None:
    data = bytes.fromhex("0000 01 00000000 01 03 02 01 00")
    [wrong] = Explainer().body(data, "ApiVersionsResponse", 3).wrong

    assert (wrong.offset, wrong.path, wrong.value) == (9, "_tags(size)", 2)


def test_the_refusal_of_a_version_is_named_as_such() -> None:
    found = Explainer().response(REFUSAL, "ApiVersions", 3)

    assert found.wrong == []
    assert "ApiVersionsResponse v0" in found.title
    assert "in answer to version 3 (KIP-511)" in found.title
    assert row(found, "errorCode").says.startswith("UNSUPPORTED_VERSION")
    assert row(found, "apiKeys[0].apiKey").text == "18 ApiVersions"


def test_the_refusal_of_a_version_that_nobody_has_is_read_as_version_0() -> None:
    found = Explainer().response(REFUSAL, "ApiVersions", 100)

    assert set(states(found)) == {"read"}
    assert "in answer to version 100 (KIP-511)" in found.title


@pytest.mark.parametrize(
    ("message", "data"), [("ApiVersions", REFUSAL[:5] + b"\x01" + REFUSAL[6:]), ("Fetch", REFUSAL)]
)
def test_of_a_version_that_nobody_has_only_a_refusal_is_read(message: str, data: bytes) -> None:
    with pytest.raises(ConformanceError, match=f"{message}Response version 100"):
        Explainer().response(data, message, 100)


def test_another_error_in_version_0_is_no_refusal() -> None:
    found = Explainer().response(REFUSAL[:5] + b"\x01" + REFUSAL[6:], "ApiVersions", 3)

    assert found.wrong
    assert "KIP-511" not in found.title


def test_a_lenient_reading_says_what_it_forgave() -> None:
    data = bytes.fromhex("8200 61 02 ff 00")
    found = Explainer(lenient=True).body(data, "ApiVersionsRequest", 3)

    assert found.wrong == []
    assert states(found) == ["forgiven", "read", "read", "forgiven", "read"]
    assert row(found, "clientSoftwareVersion").value == "\ufffd"


def test_text_in_words_does_nothing_to_a_terminal() -> None:
    data = b"\x05\x1b[2J\x03\xc2\x9b\x00"
    found = Explainer().body(data, "ApiVersionsRequest", 3)

    assert row(found, "clientSoftwareName").value == "\x1b[2J"
    assert all(one.text.isprintable() for one in found.rows)


@pytest.mark.parametrize(
    ("message", "version"), [("Nothing", 1), ("MetadataRequest", 1), ("Metadata", 999)]
)
def test_what_is_no_response_is_the_callers_mistake(message: str, version: int) -> None:
    with pytest.raises(ConformanceError):
        Explainer().response(b"", message, version)


def test_a_response_with_the_header_of_another_version_is_told_as_that() -> None:
    body = bytes.fromhex("0000 01 00000000 00")  # no error, no API, no throttle time, no tag
    found = Explainer().response(b"\0\0\0\1\0" + body, "ApiVersions", 4)
    [wrong] = found.wrong
    assert (wrong.offset, wrong.says) == (4, "ResponseHeader v0 is due, which has no tag section")
    assert "written with ResponseHeader v1" in found.title
    beat = bytes.fromhex("00000000 0000 00")  # no throttle time, no error, no tag
    lacking = Explainer().response(b"\0\0\0\1" + beat, "Heartbeat", 4)
    assert [row.offset for row in lacking.wrong] == [0]


@pytest.mark.parametrize(
    ("message", "version", "release", "origin"),
    [
        ("FetchResponse", 0, "", "Kafka 3.9.2, the newest with this version"),
        ("FetchResponse", 12, "", "Kafka 4.4.0"),
        ("FetchResponse", 0, "3.0.2", "Kafka 3.0.2"),
        ("FetchResponse", 17, "3.0.2", "Kafka 4.4.0, the newest with this version"),
    ],
)
def test_the_release_that_has_the_version_is_named(
    message: str, version: int, release: str, origin: str
) -> None:
    found = Explainer(release).response(b"\0" * 40, message, version)
    assert found.title.endswith(f"40 bytes, by the definitions of {origin}")


def test_records_have_no_definitions() -> None:
    assert Explainer().body(WHOLE, "RecordBatch").title == f"RecordBatch v2, {len(WHOLE)} bytes"
