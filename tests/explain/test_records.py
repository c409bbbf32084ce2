"""The batches in a records field are named to the last byte, and what is wrong with them."""

from __future__ import annotations

import gzip
import struct
import zlib
from copy import deepcopy

import pytest

from conformance.codecs.cases.vectors import read_vectors
from conformance.explain import Explainer, Explanation
from conformance.reference.codec import PlainCodec
from conformance.wire.records.compression import CODECS, compress
from conformance.wire.text import bytes_to_text
from tests.wire.records.hand import RECORD, WHOLE, batch

FIELD = "topicData[0].partitionData[0].records"

PARTITION = {
    "partitionIndex": 0,
    "errorCode": 0,
    "highWatermark": 1,
    "lastStableOffset": 1,
    "logStartOffset": 0,
    "abortedTransactions": [],
    "preferredReadReplica": -1,
}


def produce(records: bytes, version: int = 9) -> bytes:
    """A ProduceRequest of one partition with these bytes of records."""
    value = {
        "transactionalId": None,
        "acks": 1,
        "timeoutMs": 5,
        "topicData": [
            {"name": "t", "partitionData": [{"index": 0, "records": bytes_to_text(records)}]}
        ],
    }
    header = {"correlationId": 1, "clientId": "c"}
    return PlainCodec().encode_request("ProduceRequest", version, header, value)


def explained(records: bytes, version: int = 9, *, lenient: bool = False) -> Explanation:
    data = produce(records, version)
    found = Explainer(lenient=lenient).request(data)
    assert b"".join(row.data for row in found.rows) == data
    ends = [row.end for row in found.rows]
    assert [row.offset for row in found.rows] == [0, *ends[:-1]]
    return found


def within(found: Explanation) -> dict[str, str]:
    """What the rows of the field say, by what follows the field's path."""
    return {
        row.path.removeprefix(FIELD): row.text for row in found.rows if row.path.startswith(FIELD)
    }


@pytest.mark.parametrize("version", [3, 9], ids=["inflexible", "flexible"])
def test_the_fields_of_a_batch_are_named(version: int) -> None:
    found = within(explained(WHOLE, version))
    assert found["[0].batchLength"] == "58"
    assert found["[0].magic"] == "2"
    assert found["[0].records(count)"] == "1"
    assert found["[0].records[0].key(length)"] == "1"
    assert found["[0].records[0].value"] == '"dg==" (v)'
    assert "" not in found


def test_each_batch_has_its_number() -> None:
    found = within(explained(WHOLE + batch(b"", count=0) + WHOLE))
    assert [found[f"[{n}].records(count)"] for n in range(3)] == ["1", "0", "1"]


def test_compressed_records_are_one_row_and_what_they_say() -> None:
    found = within(explained(batch(gzip.compress(RECORD), attributes=1)))
    assert found["[0].records"] == '"9 bytes of records"'
    assert found["[0].records[0].value"] == '"dg==" (v)'


HEADERS = bytes.fromhex("14 00 02 04 01 02 76 02 02 68 02 78")
"""A record with null for its key, and with a header."""


@pytest.mark.parametrize("codec", [1, 2, 3, 4])
def test_compressed_records_have_all_fields_that_plain_ones_have(codec: int) -> None:
    records = bytes([(len(HEADERS) - 1) * 2]) + HEADERS[1:] + RECORD
    plain = explained(batch(records, count=2, lastOffsetDelta=1))
    packed = compress(CODECS[codec], records)
    found = explained(batch(packed, count=2, lastOffsetDelta=1, attributes=codec))
    assert found.wrong == plain.wrong == []
    inside = [row for row in found.rows if row.place is not None]
    expected = [row for row in plain.rows if f"{FIELD}[0].records[" in row.path]
    assert [(row.path, row.text) for row in inside] == [(row.path, row.text) for row in expected]
    assert [row.plain for row in inside] == [row.data for row in expected]
    assert [row.place for row in inside] == [row.offset - expected[0].offset for row in expected]


def test_a_fault_among_compressed_records_is_marked_where_it_stands_there() -> None:
    records = RECORD + RECORD[:2] + b"\x80\x00" + RECORD[3:]
    found = explained(batch(gzip.compress(records), count=2, lastOffsetDelta=1, attributes=1))
    [wrong] = found.wrong
    assert wrong.place == len(RECORD) + 2
    assert wrong.path.startswith(f"{FIELD}[0].records[1].timestampDelta")
    assert any(row.path == f"{FIELD}[0].records[0].value" for row in found.rows)


@pytest.mark.parametrize(("codec", "form"), [(1, "stream"), (3, "frame"), (4, "frame")])
def test_compressed_records_that_end_early_are_incomplete(codec: int, form: str) -> None:
    packed = compress(CODECS[codec], RECORD * 9)[:-1]
    [wrong] = explained(batch(packed, count=9, lastOffsetDelta=8, attributes=codec)).wrong
    assert wrong.says == f"the {CODECS[codec]} {form} is incomplete"


def fetched(records: bytes, version: int = 12) -> Explanation:
    """A FetchResponse of one partition with these bytes of records."""
    data = fetched_bytes(records, version)
    found = Explainer().response(data, "Fetch", version)
    assert b"".join(row.data for row in found.rows) == data
    return found


def fetched_bytes(records: bytes, version: int) -> bytes:
    partition = PARTITION | {"records": bytes_to_text(records)}
    value = {"throttleTimeMs": 0, "errorCode": 0, "sessionId": 0}
    value["responses"] = [{"topic": "t", "partitions": [partition]}]  # type: ignore[assignment]
    return PlainCodec().encode_response("FetchResponse", version, {"correlationId": 1}, value)


@pytest.mark.parametrize("end", [1, 12, 30, 66])
def test_a_fetch_may_end_within_a_batch(end: int) -> None:
    found = fetched(WHOLE + WHOLE[:end])
    rest = [row for row in found.rows if "partitions[0].records[1]." in row.path]
    assert b"".join(row.data for row in rest) == WHOLE[:end]
    assert [row.path for row in rest if row.says.endswith("a fetch may end within one")]
    assert found.wrong == []


CUTS = range(1, len(WHOLE))
TWO_RECORDS = batch(RECORD + RECORD, count=2, lastOffsetDelta=1)


@pytest.mark.parametrize("end", CUTS)
@pytest.mark.parametrize("holder", ["Produce", "Fetch"])
def test_a_frame_that_ends_within_a_batch_is_marked_once_at_its_end(holder: str, end: int) -> None:
    data = produce(WHOLE) if holder == "Produce" else fetched_bytes(WHOLE, 12)
    begin = data.index(WHOLE)
    framed = struct.pack(">i", len(data)) + data[: begin + end]
    explainer = Explainer(length=True)
    is_request = holder == "Produce"
    found = explainer.request(framed) if is_request else explainer.response(framed, holder, 12)
    [wrong] = found.wrong
    assert wrong.offset == len(framed)
    assert wrong.says == f"the bytes end here, {len(data) - begin - end} are missing"
    assert b"".join(row.data for row in found.rows) == framed
    assert {row.state for row in found.rows} <= {"read", "incomplete", "wrong"}
    assert not any(row.data and not row.path for row in found.rows)


@pytest.mark.parametrize("end", CUTS)
def test_a_batch_alone_that_is_cut_is_marked_once_at_its_end(end: int) -> None:
    found = Explainer().body(WHOLE[:end], "RecordBatch")
    [wrong] = found.wrong
    assert (wrong.offset, wrong.data) == (end, b"")
    assert b"".join(row.data for row in found.rows) == WHOLE[:end]


def test_whole_records_and_the_part_of_the_last_are_shown() -> None:
    found = Explainer().body(TWO_RECORDS[:-2], "RecordBatch")
    texts = {row.path: row.text for row in found.rows}
    assert texts["records[0].value"] == '"dg==" (v)'
    assert texts["records[1].key"] == '"aw==" (k)'
    assert found.wrong[0].says.endswith(f"of the {len(TWO_RECORDS)} bytes of a batch, 2 missing")


def test_a_request_without_its_length_may_be_cut_within_its_batches() -> None:
    data = produce(WHOLE, 3)
    found = Explainer(length=False).request(data[:-4])
    [wrong] = found.wrong
    assert wrong.offset == len(data) - 4
    assert found.notes == ("the records are cut: 4 bytes of them are missing",)


def test_a_length_beyond_a_frame_that_is_cut_is_wrong() -> None:
    data = bytearray(produce(WHOLE, 3))
    at = data.index(WHOLE) - 4
    data[at : at + 4] = struct.pack(">i", 9999)
    found = Explainer(length=True).request(struct.pack(">i", len(data)) + data[:-4])
    assert [row.path for row in found.wrong] == [f"{FIELD}(length)"]


@pytest.mark.parametrize("magic", [0, 1])
def test_a_message_that_is_cut_is_read_to_its_last_byte(magic: int) -> None:
    found = fetched(old_message(magic)[:-1], 2)
    [rest] = [row for row in found.rows if row.says]
    assert rest.says.endswith("a fetch may end within one")
    assert any(row.path.endswith("records[0].key") for row in found.rows)
    assert found.wrong == []


@pytest.mark.parametrize("end", [1, 12, 30, 66])
def test_what_is_produced_may_not_end_within_a_batch(end: int) -> None:
    [wrong] = explained(WHOLE + WHOLE[:end]).wrong
    assert wrong.path.startswith(f"{FIELD}[1].")


HUGE = bytes.fromhex("000186a0")
FAULTS = {
    "crc": (batch(crc=0), "crc", "00000000, the bytes have 716a6189"),
    "count above the records": (batch(count=2), "records(count)", "2 records of at least 7 bytes"),
    "count below the records": (batch(RECORD + RECORD, count=1), "records", "9 bytes after 1 rec"),
    "count below 0": (batch(count=-1), "records(count)", "-1 records"),
    "magic": (batch(magic=9), "magic", "there is no format 9"),
    "length too small": (WHOLE[:8] + b"\0\0\0\1" + WHOLE[12:], "batchLength", "1 bytes, a batch"),
    "length too large": (WHOLE[:8] + HUGE + WHOLE[12:], "batchLength", "100000 bytes"),
    "unknown compression": (batch(attributes=7), "records", "there is no compression 7"),
    "no gzip": (batch(attributes=1), "records", "no gzip"),
    "no batch at all": (b"no batch at all", "batchLength", ""),
    "headers": (batch(bytes.fromhex("14 00 00 00 02 6b 02 76 02 05 00")), "records[0].headers", ""),
    "a header without key": (
        batch(bytes.fromhex("14 00 00 00 02 6b 02 76 02 01 00")),
        "records[0].headers[0].key",
        "a header's key is not nullable",
    ),
}


@pytest.mark.parametrize(("records", "path", "says"), FAULTS.values(), ids=FAULTS)
def test_what_is_wrong_with_a_batch_is_marked_where_it_stands(
    records: bytes, path: str, says: str
) -> None:
    for found, field in (
        (explained(records), FIELD),
        (fetched(records), "responses[0].partitions[0].records"),
        (Explainer().body(records, "RecordBatch"), ""),
    ):
        assert found.wrong, found.title
        where = f"{field}[0].{path}" if field else path
        assert found.wrong[0].path.startswith(where), found.wrong
        assert says in found.wrong[0].says


def test_a_batch_behind_one_that_is_wrong_is_read() -> None:
    found = explained(batch(crc=0) + WHOLE)
    assert [row.path for row in found.wrong] == [f"{FIELD}[0].crc"]
    assert within(found)["[1].records[0].value"] == '"dg==" (v)'


def test_a_producers_batch_has_an_offset_for_each_record() -> None:
    records = batch(lastOffsetDelta=4)
    [wrong] = explained(records).wrong
    assert (wrong.path, wrong.value) == (f"{FIELD}[0].lastOffsetDelta", 4)
    assert fetched(records).wrong == []  # compaction takes records away


@pytest.mark.parametrize("magic", [0, 1])
def test_message_sets_are_read_as_such(magic: int) -> None:
    message = old_message(magic)
    names = within(explained(message + message, 2))
    assert names["[1].magic"] == str(magic)
    assert names["[1].value"] == '"dg==" (v)'
    assert ("[0].timestamp" in names) == bool(magic)
    assert explained(message, 2).wrong == []


def test_a_message_set_is_malformed_where_batches_are_due() -> None:
    [wrong] = explained(old_message(1), 3).wrong
    assert wrong.says == "format 1: Produce v3 carries batches of format 2"


def test_a_message_with_another_checksum_is_marked() -> None:
    message = bytearray(old_message(1))
    message[-1] ^= 1
    [wrong] = explained(bytes(message), 2).wrong
    assert wrong.path == f"{FIELD}[0].crc"


def old_message(magic: int) -> bytes:
    """A message of format 0 or 1, by hand (KIP-32)."""
    time = struct.pack(">q", 1000) if magic else b""
    checked = bytes([magic, 0]) + time + bytes.fromhex("00000001 6b 00000001 76")
    size = struct.pack(">i", 4 + len(checked))
    return struct.pack(">q", 0) + size + struct.pack(">I", zlib.crc32(checked)) + checked


def test_an_empty_field_is_one_row() -> None:
    [row] = [row for row in explained(b"").rows if row.path == FIELD]
    assert (row.data, row.says) == (b"", "")


def test_what_kafka_forgives_in_a_batch_is_said() -> None:
    records = batch(bytes.fromhex("12 00 80 00 00 02 6b 02 76 00"))
    assert explained(records).wrong
    [forgiven] = [row for row in explained(records, lenient=True).rows if row.state == "forgiven"]
    assert forgiven.path == f"{FIELD}[0].records[0].timestampDelta"


def test_every_golden_batch_is_named_to_its_last_byte() -> None:
    batches = read_vectors("RecordBatch")
    assert batches
    for vector in batches:
        names = within(explained(vector.data))
        assert "[0].crc" in names, vector.id
        assert "" not in names, vector.id


def test_the_records_of_a_response_are_named() -> None:
    [frame] = [
        vector
        for vector in read_vectors("FetchSnapshotResponse")
        if vector.id == "FetchSnapshotResponse-v1-frame"
    ]
    value = deepcopy(frame.value)
    value["topics"][0]["partitions"][0]["unalignedRecords"] = bytes_to_text(WHOLE)
    data = PlainCodec().encode_response("FetchSnapshotResponse", 1, {"correlationId": 1}, value)
    found = Explainer().response(struct.pack(">i", len(data)) + data, "FetchSnapshot", 1)
    assert "topics[0].partitions[0].unalignedRecords[0].crc" in [row.path for row in found.rows]


def test_the_attributes_of_a_batch_are_in_words() -> None:
    assert (
        within(explained(batch(gzip.compress(RECORD), attributes=1)))["[0].attributes"] == "1 gzip"
    )
    found = within(explained(batch(attributes=0x38)))
    assert found["[0].attributes"] == "56 log append time, transactional, control"


def test_a_control_record_says_what_it_means() -> None:
    marker = bytes.fromhex("20 00 00 00 08 0000 0001 0c 0000 0000000c 00")
    rows = explained(batch(marker, attributes=0x30)).rows
    [key] = [row for row in rows if row.path.endswith("records[0].key")]
    assert key.says == "control record COMMIT, version 0"


@pytest.mark.parametrize("magic", [0, 1])
def test_the_messages_in_a_compressed_one_are_named(magic: int) -> None:
    inner = gzip.compress(old_message(magic))
    time = struct.pack(">q", 1000) if magic else b""
    checked = bytes([magic, 1]) + time + struct.pack(">ii", -1, len(inner)) + inner
    whole = struct.pack(">qiI", 0, 4 + len(checked), zlib.crc32(checked)) + checked
    found = within(explained(whole, 2))
    assert found["[0].attributes"] == "1 gzip"
    assert found["[0].messages[0].value"] == '"dg==" (v)'
