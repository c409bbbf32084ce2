"""Bytes that come without a word are recognised, and no byte of them is left out."""

from __future__ import annotations

import gzip
import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformance.codecs.cases.vectors import read_vectors
from conformance.explain.recognised import Part, Stream, recognised
from tests.explain.test_records import fetched, old_message, produce
from tests.wire.records.hand import WHOLE, batch

REQUEST = bytes.fromhex("00120003 00000007 000178 00 06626c61636b 0231 00")
REFUSAL = bytes.fromhex("00000007 0023 00000001 0012 0000 0004")
HEARTBEAT = bytes.fromhex("000c0000 00000008 000178 000167 00000001 00016d")
BEAT = bytes.fromhex("00000008 0019")


def framed(*frames: bytes) -> bytes:
    return b"".join(struct.pack(">i", len(frame)) + frame for frame in frames)


def parts(data: bytes) -> list[Part]:
    """The parts of one stream: each byte is in one row."""
    found = recognised([Stream(data)])
    rows = [row for part in found for row in part.explanation.rows]
    assert b"".join(row.data for row in rows) == data
    ends = [row.end for row in rows]
    assert [row.offset for row in rows] == [0, *ends[:-1]][: len(rows)]
    return found


def titles(found: list[Part]) -> list[str]:
    return [part.explanation.title.split(",")[0] for part in found]


def notes(data: bytes) -> str:
    [part] = parts(data)
    return "; ".join(part.explanation.notes)


def test_a_frame_with_its_length() -> None:
    [part] = parts(framed(REQUEST))
    assert part.kind == "request"
    assert (part.explanation.notes, part.explanation.wrong) == ((), [])


def test_a_frame_without_its_length() -> None:
    assert notes(REQUEST) == "taken for a frame without the 4 bytes of its length"


def test_a_frame_that_was_cut() -> None:
    [part] = parts(bytes.fromhex("0000005e0001000b000000010001780000"))
    assert titles([part]) == ["FetchRequest v11"]
    assert part.explanation.notes == (
        "the frame is cut: its length says 94 bytes, 13 are here, 81 missing",
    )
    [wrong] = part.explanation.wrong
    assert (wrong.offset, wrong.data) == (17, b"")
    assert wrong.says == "the bytes end here, 81 are missing"


@pytest.mark.parametrize("end", range(15, 25))
def test_a_frame_that_was_cut_anywhere_behind_its_client_id(end: int) -> None:
    [part] = parts(framed(REQUEST)[:end])
    assert titles([part]) == ["ApiVersionsRequest v3"]
    assert "cut" in part.explanation.notes[0]


def test_a_length_that_is_not_the_frames() -> None:
    [part] = parts(struct.pack(">i", 99) + REQUEST)
    [wrong] = part.explanation.wrong
    assert wrong.says == "99 bytes, the frame has 21"


def test_frames_one_after_another() -> None:
    found = parts(framed(REQUEST, HEARTBEAT, REQUEST))
    assert titles(found) == [
        "ApiVersionsRequest v3",
        "HeartbeatRequest v0",
        "ApiVersionsRequest v3",
    ]
    assert [part.offset for part in found] == [0, 25, 50]


def test_requests_and_their_responses_mixed() -> None:
    found = parts(framed(REQUEST, HEARTBEAT, REFUSAL, BEAT))
    assert [part.kind for part in found] == ["request", "request", "response", "response"]
    assert titles(found)[2:] == ["ApiVersionsResponse v0", "HeartbeatResponse v0"]
    assert not any(part.explanation.wrong for part in found)


def test_the_two_ends_of_a_connection() -> None:
    sides = [Stream(framed(REFUSAL, BEAT), "broker"), Stream(framed(REQUEST, HEARTBEAT), "client")]
    found = recognised(sides)
    assert [part.kind for part in found] == ["request", "request", "response", "response"]
    assert [part.side for part in found] == ["client", "client", "broker", "broker"]


def test_each_connection_has_correlation_ids_of_its_own() -> None:
    beat = b"\0\x0c\0\0" + REQUEST[4:8] + HEARTBEAT[8:]
    streams = [
        Stream(framed(REQUEST), "a:1 to b:9"),
        Stream(framed(beat), "a:2 to b:9"),
        Stream(framed(REQUEST[4:8] + b"\0\x19"), "b:9 to a:2"),
        Stream(framed(REFUSAL), "b:9 to a:1"),
    ]
    found = recognised(streams)
    assert titles(found) == [
        "ApiVersionsRequest v3",
        "ApiVersionsResponse v0",
        "HeartbeatRequest v0",
        "HeartbeatResponse v0",
    ]


def test_the_last_of_several_is_cut() -> None:
    *_, last = parts(framed(REQUEST) + framed(HEARTBEAT)[:20])
    assert "cut" in last.explanation.notes[0]
    assert last.explanation.title.startswith("HeartbeatRequest v0")


def test_bytes_behind_the_last_frame_are_malformed() -> None:
    *_, last = parts(framed(REQUEST) + b"\xff\xff\xff\xff\xff")
    assert last.explanation.wrong


def test_a_response_alone_is_one_of_those_that_fit() -> None:
    data = framed(bytes.fromhex("00000001 00000000 00000000"))
    [part] = parts(data)
    assert part.kind == "response"
    assert part.explanation.undecided
    assert "--response --message NAME" in part.explanation.notes[0]


def test_a_response_that_only_one_api_has_is_read_as_that() -> None:
    vector = next(each for each in read_vectors("MetadataResponse") if each.header is not None)
    [part] = parts(framed(vector.data))
    assert titles([part])[0].startswith("MetadataResponse")
    assert "no request says what this answers" in part.explanation.notes[0]


LISTED = bytes.fromhex("00000136 00000000 00000001 0001 74 00000001 00000003 0000") + bytes(20)
"""ListOffsets v4 and v5 have this response alike."""


def test_a_response_alone_that_versions_have_alike_is_named_by_all_of_them() -> None:
    [part] = parts(framed(LISTED))
    assert titles([part]) == ["ListOffsetsResponse v4 or v5 (read as v5)"]
    assert "read as ListOffsets, which alone fits (v4 to v5)" in part.explanation.notes[0]


def test_a_response_with_the_correlation_id_of_no_request_says_which_there_are() -> None:
    _, part = parts(framed(REQUEST, LISTED))
    note = "the correlation id 310 is that of no request before it; not answered so far: 7"
    assert part.explanation.notes[0] == note
    _, unknown = parts(framed(REQUEST, b"\x70\0\0\x09" + b"\xff" * 9))
    assert "the correlation id 1879048201 is that of no request" in unknown.explanation.notes[0]


def test_a_refusal_alone_is_one() -> None:
    assert titles(parts(framed(REFUSAL))) == ["ApiVersionsResponse v0"]


@pytest.mark.parametrize(
    ("data", "title"),
    [
        (WHOLE, "RecordBatch v2"),
        (WHOLE[:65], "RecordBatch v2"),
        (batch(crc=0), "RecordBatch v2"),
        (WHOLE + WHOLE, "Records v2"),
        (old_message(0), "Records v0"),
        (old_message(1) * 2, "Records v1"),
    ],
    ids=["a batch", "cut", "a wrong checksum", "two", "format 0", "format 1"],
)
def test_records_alone(data: bytes, title: str) -> None:
    found = parts(data)
    assert titles(found) == [title]
    assert bool(found[0].explanation.wrong) == (data in (WHOLE[:65], batch(crc=0)))


LED = {
    "OffsetCommitKey": "0001 000267 31 000174 00000000",
    "GroupMetadataKey": "0002 000267 31",
    "OffsetCommitValue": "0003 000000000000002a ffffffff 0000 0000018bcfe56800",
    "ConsumerProtocolSubscription": "0000 00000001 000174 ffffffff",
    "TransactionLogKey": "0000 0006 616263646566",
    "ConsumerGroupMetadataKey": "0003 000267 31",
}


@pytest.mark.parametrize(("name", "text"), LED.items(), ids=LED)
def test_records_of_coordinators_alone(name: str, text: str) -> None:
    [part] = parts(bytes.fromhex(text))
    assert part.explanation.title.startswith(name)
    assert part.explanation.wrong == []


def test_a_request_newer_than_all_definitions() -> None:
    for data in (bytes.fromhex("00120009000000070001780006626c61636b02310000"),):
        for each in (data, framed(data)):
            [part] = parts(each)
            assert titles([part]) == ["ApiVersionsRequest v9"]
            assert part.explanation.wrong == []
            assert "no stored definition" in part.explanation.undecided


NEWER = bytes.fromhex("00120009 00000007 000178 00 06626c61636b 0231 00")
"""ApiVersions in a version that no definition has."""
ONLY_THE_HEADER = (
    "no stored definition has ApiVersionsRequest version 9 (0 to 5 are known): only its header is "
    "read, and it is not judged"
)


def test_a_request_of_a_version_that_is_too_new_says_which_are_known() -> None:
    assert notes(framed(NEWER)) == ONLY_THE_HEADER
    assert notes(NEWER).endswith(f"its length; {ONLY_THE_HEADER}")


def test_the_refusal_of_a_version_that_is_too_new_names_that_version() -> None:
    asked, refused = parts(framed(NEWER, REFUSAL))
    assert titles([asked, refused]) == ["ApiVersionsRequest v9", "ApiVersionsResponse v0"]
    assert "in answer to version 9 (KIP-511)" in refused.explanation.title
    [code] = [row for row in refused.explanation.rows if row.path == "errorCode"]
    assert code.says == (
        "UNSUPPORTED_VERSION: the body is of version 0, though another version was asked for "
        "(KIP-511)"
    )


def test_a_refusal_alone_says_that_no_request_was_there() -> None:
    assert notes(framed(REFUSAL)).startswith("no request says what this answers: read as ApiVer")


@pytest.mark.parametrize("message", ["Metadata", "Fetch", "JoinGroup", "FindCoordinator"])
def test_every_golden_request_is_recognised(message: str) -> None:
    frames = [each for each in read_vectors(f"{message}Request") if each.header is not None]
    for vector in frames:
        for data in (vector.data, framed(vector.data), framed(vector.data, vector.data)):
            for part in parts(data):
                assert part.kind == "request", vector.id
                assert not part.explanation.wrong, vector.id


def test_produce_and_fetch_are_recognised_with_their_records() -> None:
    [part] = parts(framed(produce(batch(crc=0))))
    assert [row.path.rpartition(".")[2] for row in part.explanation.wrong] == ["crc"]
    data = b"".join(row.data for row in fetched(WHOLE).rows)
    [part] = parts(framed(data))
    assert titles([part])[0].startswith("FetchResponse")


@settings(deadline=None)
@given(st.binary(max_size=80))
def test_every_byte_of_whatever_is_named(data: bytes) -> None:
    parts(data)


@settings(deadline=None)
@given(
    st.lists(st.sampled_from([REQUEST, HEARTBEAT, BEAT, REFUSAL]), max_size=4),
    st.binary(max_size=9),
)
def test_every_byte_of_frames_and_what_follows_is_named(frames: list[bytes], rest: bytes) -> None:
    parts(framed(*frames) + rest)


GARBAGE = bytes((index * 97 + 55) % 251 for index in range(40))


@pytest.mark.parametrize("data", [GARBAGE, b"\0" + GARBAGE, b"\0\x12"])
def test_what_nothing_identifies_as_kafka_is_not_called_malformed(data: bytes) -> None:
    [part] = parts(data)
    assert titles([part]) == ["nothing of Kafka's is recognised"]
    assert part.explanation.wrong == []
    assert part.explanation.undecided.startswith("tried as frames")


def test_what_may_be_a_frame_that_was_cut_is_said_to_be_one() -> None:
    assert "a frame that was cut would have 1999 bytes" in notes(struct.pack(">i", 1999) + GARBAGE)


def test_a_header_that_is_recognised_makes_a_malformed_request() -> None:
    [part] = parts(framed(REQUEST[:-3] + b"\xff"))
    assert part.explanation.wrong


def test_a_response_that_is_cut_answers_the_request_before_it() -> None:
    found = parts(framed(HEARTBEAT) + framed(BEAT + b"\0")[:-1])
    assert [part.kind for part in found] == ["request", "response"]
    assert titles(found)[1] == "HeartbeatResponse v0"


HANDSHAKE = bytes.fromhex("00110000 00000002 0002636c 0005504c41494e")
HANDSHAKEN = bytes.fromhex("00000002 0000 00000001 0005504c41494e")
PLAIN = b"\0alice\0secret"


def test_tokens_after_the_first_version_of_the_handshake() -> None:
    found = parts(framed(HANDSHAKE, HANDSHAKEN, PLAIN, b"", HEARTBEAT, BEAT))
    assert [part.kind for part in found] == [
        "request",
        "response",
        "token",
        "token",
        "request",
        "response",
    ]


def test_tokens_of_the_two_ends() -> None:
    client = Stream(framed(HANDSHAKE, PLAIN, HEARTBEAT), "client")
    broker = Stream(framed(HANDSHAKEN, b"", BEAT), "broker")
    found = recognised([client, broker])
    kinds = [part.kind for part in found]
    assert kinds == ["request", "token", "request", "response", "token", "response"]


SCRAM = "n,,n=alice,r=fyko+d2lbbFgONRv9qkxdawL"
TOKENS = {
    "PLAIN": PLAIN,
    "SCRAM, the client's first": SCRAM.encode(),
    "SCRAM, the server's first": b"r=fyko+d2l3rfc,s=QSXCR+Q6sek8bf92,i=4096",
    "SCRAM, the client's last": b"c=biws,r=fyko+d2l3rfc,p=v0X8v3Bz2T0CJGbJQyF0X+HI4Ts=",
    "SCRAM, the server's last": b"v=rmF9pqV8S7suAoZWja4dJRkFsKQ=",
    "OAUTHBEARER": b"n,,\x01auth=Bearer abc.def.ghi\x01\x01",
}


@pytest.mark.parametrize(("mechanism", "token"), TOKENS.items(), ids=TOKENS)
def test_a_token_alone_is_known_by_its_form(mechanism: str, token: bytes) -> None:
    for data in (token, framed(token)):
        [part] = parts(data)
        assert part.kind == "token"
        assert f"a SASL token ({mechanism})" in part.explanation.title


@pytest.mark.parametrize(
    ("text", "former"),
    [
        ("0000 000267 31 000174 00000000", "OffsetCommitKey version 0"),
        ("0001 000267 31 000174 00000000", "OffsetCommitKey version 1"),
        ("0002 000267 31", "GroupMetadataKey version 2"),
    ],
)
def test_a_key_says_which_version_it_was_before_keys_had_types(text: str, former: str) -> None:
    assert former in notes(bytes.fromhex(text))
    [part] = recognised([Stream(bytes.fromhex(text))], "3.9.2")
    name, _, version = former.partition(" version ")
    assert part.explanation.title.startswith(f"{name} v{version}, ")


ANSWER = bytes.fromhex(
    "00000007 00000001 00000001 000f6b61666b612d312e6578616d706c65 00002384 ffff 00000001 00000000"
)
"""A MetadataResponse of version 1, whose correlation id is the begin of a Produce request."""


def test_a_response_without_its_length_is_no_frames() -> None:
    [part] = parts(ANSWER)
    assert titles([part]) == ["MetadataResponse v1"]


@pytest.mark.parametrize("data", [framed(ANSWER)[:36], bytes(64)])
def test_what_begins_like_a_request_by_chance_is_none(data: bytes) -> None:
    assert titles(parts(data)) == ["nothing of Kafka's is recognised"]


OFFSET_KEY = bytes.fromhex("0001 000267 31 000174 00000000")
OFFSET_VALUE = bytes.fromhex("0003 000000000000002a ffffffff 0000 0000018bcfe56800")


def record(key: bytes, value: bytes) -> bytes:
    """A record without headers, by hand; all its lengths are below 64."""
    fields = b"\0\0\0" + bytes([2 * len(key)]) + key + bytes([2 * len(value)]) + value + b"\0"
    return bytes([2 * len(fields)]) + fields


@pytest.mark.parametrize("attributes", [0, 1], ids=["plain", "gzip"])
def test_records_of_a_coordinator_in_a_batch_are_named(attributes: int) -> None:
    records = record(OFFSET_KEY, OFFSET_VALUE)
    [part] = parts(batch(gzip.compress(records) if attributes else records, attributes=attributes))
    said = [row.says for row in part.explanation.rows if row.says]
    assert said == ["reads as OffsetCommitKey v0", "reads as OffsetCommitValue v3"]


def test_a_programs_own_records_are_not_named() -> None:
    [part] = parts(batch(record(b"\0\1ab", OFFSET_VALUE)))
    assert not any(row.says for row in part.explanation.rows)
