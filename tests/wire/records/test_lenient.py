"""What Apache Kafka forgives in a batch, it is told to have forgiven, and no more is."""

from __future__ import annotations

import gzip

import pytest

from conformance.wire.errors import ChecksumError, DecodeError
from tests.wire.records.codec import read, read_as_kafka
from tests.wire.records.hand import RECORD, RECORD_VALUE, WHOLE, WHOLE_VALUE, batch, record, value


def test_a_batch_that_is_right_has_nothing_to_forgive() -> None:
    assert read_as_kafka(WHOLE) == (WHOLE_VALUE, [])


@pytest.mark.parametrize(
    ("records", "said", "reason"),
    [
        ("12 00 80 00 00 02 6b 02 76 00", RECORD_VALUE, "63 records[0].timestampDelta: "),
        ("18 00 00 80 80 80 80 70 02 6b 02 76 00", RECORD_VALUE, "64 records[0].offsetDelta: "),
        ("0e 00 00 00 03 02 76 00", record(key=None), "65 records[0].key"),
        ("0e 00 00 00 02 6b 05 00", record(value=None), "67 records[0].value"),
    ],
    ids=["overlong", "beyond 32 bits", "key below null", "value below null"],
)
def test_what_kafka_reads_is_read_and_told(
    records: str, said: dict[str, object], reason: str
) -> None:
    data = batch(bytes.fromhex(records))
    with pytest.raises(DecodeError):
        read(data)
    found, forgiven = read_as_kafka(data)
    assert found == value(said)
    [only] = forgiven
    assert only.startswith(reason)


def test_bytes_behind_a_count_of_0_are_not_looked_at() -> None:
    assert read_as_kafka(batch(RECORD, count=0)) == (
        value(),
        ["61 records: 9 bytes after 0 records"],
    )


def test_what_is_forgiven_inside_has_the_place_of_the_compressed_bytes() -> None:
    records = gzip.compress(bytes.fromhex("12 00 80 00 00 02 6b 02 76 00"))
    found, forgiven = read_as_kafka(batch(records, attributes=1))
    assert found == value(RECORD_VALUE, attributes=1)
    [only] = forgiven
    assert only.startswith("61 records[0].timestampDelta: ")
    assert only.endswith("(decompressed)")


def test_a_wrong_checksum_is_not_forgiven() -> None:
    with pytest.raises(ChecksumError):
        read_as_kafka(batch(crc=0))


@pytest.mark.parametrize(
    "records",
    [
        "0e 00 00 00 02 6b 02 76 00",
        "14 00 00 00 02 6b 02 76 02 01 01",
        "10 00 00 00 02 6b 02 76 01",
        "10 00 00 00 20 6b 02 76 00",
    ],
    ids=["wrong record length", "null header key", "negative headers", "key beyond the end"],
)
def test_what_kafka_refuses_is_refused(records: str) -> None:
    with pytest.raises(DecodeError):
        read_as_kafka(batch(bytes.fromhex(records)))
