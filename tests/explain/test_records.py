"""The batches in a records field are named to the last byte, and none is needed there."""

from __future__ import annotations

import gzip
import struct
from copy import deepcopy

import pytest

from conformance.codecs.cases.vectors import read_vectors
from conformance.explain import Explainer, Explanation
from conformance.reference.codec import PlainCodec
from conformance.wire.text import bytes_to_text
from tests.wire.records.hand import RECORD, WHOLE, batch

FIELD = "topicData[0].partitionData[0].records"


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
    assert found["[0].records[0].value"] == '"dg=="'
    assert "" not in found


def test_each_batch_has_its_number() -> None:
    found = within(explained(WHOLE + batch(b"", count=0) + WHOLE))
    assert [found[f"[{n}].records(count)"] for n in range(3)] == ["1", "0", "1"]


def test_compressed_records_are_one_row() -> None:
    found = within(explained(batch(gzip.compress(RECORD), attributes=1)))
    assert found["[0].records"] == '"9 bytes of records"'


@pytest.mark.parametrize("end", [1, 12, 30, 66])
def test_a_batch_that_is_cut_short_is_the_rest_of_the_field(end: int) -> None:
    found = explained(WHOLE + WHOLE[:end])
    [rest] = [row for row in found.rows if row.path == FIELD]
    assert rest.data == WHOLE[:end]
    assert rest.says.startswith("no batch: ")
    assert rest.value == bytes_to_text(WHOLE[:end])
    assert found.wrong == []


@pytest.mark.parametrize(
    ("records", "says"),
    [
        (b"no batch at all", "no batch: batchLength: "),
        (batch(crc=0), "no batch: crc: 00000000, the bytes have 716a6189"),
        (batch(magic=1), "no batch: magic: a message set of format 1, no batch of format 2"),
    ],
)
def test_what_is_no_batch_stays_one_row_and_makes_no_frame_malformed(
    records: bytes, says: str
) -> None:
    found = explained(records)
    [row] = [row for row in found.rows if row.path == FIELD]
    assert row.data == records
    assert row.says.startswith(says)
    assert found.wrong == []


def test_an_empty_field_is_one_row() -> None:
    [row] = [row for row in explained(b"").rows if row.path == FIELD]
    assert (row.data, row.says) == (b"", "")


def test_what_kafka_forgives_in_a_batch_is_said() -> None:
    records = batch(bytes.fromhex("12 00 80 00 00 02 6b 02 76 00"))
    strict = explained(records)
    assert next(row.says for row in strict.rows if row.path == FIELD).startswith("no batch: ")
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
