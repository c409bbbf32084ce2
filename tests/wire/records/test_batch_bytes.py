"""Batches whose bytes were written down from the protocol guide are read and written back."""

from __future__ import annotations

from typing import Any

import crc32c as library
import pytest

from tests.wire.records.codec import read, write
from tests.wire.records.hand import RECORD_VALUE, WHOLE, WHOLE_VALUE, batch, crc32c, record, value

RECORDS = [
    ("01", {"key": None, "value": None}, "0c 00 00 00 01 01 00"),
    ("null key", {"key": None}, "0e 00 00 00 01 02 76 00"),
    ("empty key", {"key": ""}, "0e 00 00 00 00 02 76 00"),
    ("null value", {"value": None}, "0e 00 00 00 02 6b 01 00"),
    ("empty value", {"value": ""}, "0e 00 00 00 02 6b 00 00"),
    ("attributes", {"attributes": -128}, "10 80 00 00 02 6b 02 76 00"),
    ("deltas", {"timestampDelta": -1, "offsetDelta": 64}, "12 00 01 80 01 02 6b 02 76 00"),
    (
        "headers",
        {
            "headers": [
                {"key": "é", "value": None},
                {"key": "", "value": ""},
                {"key": "a", "value": "AA=="},
            ]
        },
        "24 00 00 00 02 6b 02 76 06  04 c3 a9 01  00 00  02 61 02 00",
    ),
]


def test_the_checksum_has_the_known_value() -> None:
    assert crc32c(b"123456789") == library.crc32c(b"123456789") == 0xE3069283
    assert crc32c(bytes(32)) == library.crc32c(bytes(32)) == 0x8A9136AA  # RFC 3720, B.4


def test_a_batch_that_is_written_out_is_read_and_written() -> None:
    assert read(WHOLE) == WHOLE_VALUE
    assert write(WHOLE_VALUE) == WHOLE == batch()


@pytest.mark.parametrize(
    ("fields", "data"), [given[1:] for given in RECORDS], ids=[given[0] for given in RECORDS]
)
def test_a_record_is_read_and_written(fields: dict[str, Any], data: str) -> None:
    whole, said = batch(bytes.fromhex(data)), value(record(**fields))
    assert read(whole) == said
    assert write(said) == whole


def test_every_field_of_a_batch_has_its_place() -> None:
    fields: dict[str, Any] = {
        "baseOffset": 0x0102030405060708,
        "partitionLeaderEpoch": 0x11121314,
        "attributes": 0x78,
        "lastOffsetDelta": 0x21222324,
        "baseTimestamp": 0x3132333435363738,
        "maxTimestamp": 0x4142434445464748,
        "producerId": 0x5152535455565758,
        "producerEpoch": 0x6162,
        "baseSequence": 0x71727374,
    }
    data = batch(**fields)
    assert data[:12].hex() == "01020304050607080000003a"
    assert data[21:61].hex() == (
        "0078 21222324 3132333435363738 4142434445464748 5152535455565758 6162 71727374 00000001"
    ).replace(" ", "")
    assert read(data) == value(RECORD_VALUE, **fields)
    assert write(value(RECORD_VALUE, **fields)) == data


def test_an_empty_batch_is_61_bytes() -> None:
    data = batch(b"", count=0)
    assert len(data) == 61
    assert read(data) == value()
    assert write(value()) == data


def test_a_control_batch_is_one_record_of_version_and_type() -> None:
    """An abort marker (KIP-98): key INT16 0, INT16 0; value INT16 0, INT32 epoch 5."""
    marker = bytes.fromhex("20 00 00 00 08 00000000 0c 0000 00000005 00")
    said = record(key="AAAAAA==", value="AAAAAAAF")
    data = batch(marker, attributes=0x30, producerId=7, producerEpoch=1)
    assert read(data) == value(said, attributes=0x30, producerId=7, producerEpoch=1)
    assert write(value(said, attributes=0x30, producerId=7, producerEpoch=1)) == data


def test_what_follows_a_batch_is_left() -> None:
    from conformance.reference.codec import ReferenceCodec

    assert ReferenceCodec().decode("RecordBatch", 2, WHOLE + b"\xff\xff") == (WHOLE_VALUE, 2)


def test_64_bit_integers_may_be_text() -> None:
    text = {name: str(WHOLE_VALUE[name]) for name in ("baseOffset", "producerId")}
    assert write({**WHOLE_VALUE, **text, "records": [record(timestampDelta="0")]}) == WHOLE
