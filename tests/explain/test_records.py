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


def fetched(records: bytes, version: int = 12) -> Explanation:
    """A FetchResponse of one partition with these bytes of records."""
    partition = PARTITION | {"records": bytes_to_text(records)}
    value = {"throttleTimeMs": 0, "errorCode": 0, "sessionId": 0}
    value["responses"] = [{"topic": "t", "partitions": [partition]}]  # type: ignore[assignment]
    data = PlainCodec().encode_response("FetchResponse", version, {"correlationId": 1}, value)
    found = Explainer().response(data, "Fetch", version)
    assert b"".join(row.data for row in found.rows) == data
    return found


@pytest.mark.parametrize("end", [1, 12, 30, 66])
def test_a_fetch_may_end_within_a_batch(end: int) -> None:
    found = fetched(WHOLE + WHOLE[:end])
    [rest] = [row for row in found.rows if row.path == "responses[0].partitions[0].records"]
    assert rest.data == WHOLE[:end]
    assert rest.says.endswith("a fetch may end within one")
    assert rest.value == bytes_to_text(WHOLE[:end])
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
