"""Fields of records: bytes written down from the protocol guide and KIP-31, and vectors."""

from __future__ import annotations

import gzip
import struct
import zlib

import pytest

from conformance.codecs.cases.records.set_plan import set_plans
from conformance.codecs.cases.vectors import read_vectors
from conformance.reference.codec import PlainCodec
from conformance.wire.errors import ChecksumError, DecodeError, EncodeError

MESSAGE = bytes.fromhex(
    "0000000000000007"  # offset
    "00000010"  # size: 16 bytes follow
    "6856e06e"  # crc, of all that follows
    "00"  # magic
    "00"  # attributes
    "00000001 6b"  # key
    "00000001 76"  # value
)


def message(offset: int, value: bytes, magic: int = 1, attributes: int = 0, time: int = 5) -> bytes:
    """A message without a key."""
    checked = struct.pack(">bb", magic, attributes) + (struct.pack(">q", time) if magic else b"")
    checked += struct.pack(">ii", -1, len(value)) + value
    return struct.pack(">qiI", offset, len(checked) + 4, zlib.crc32(checked)) + checked


def offsets_and_times(data: bytes) -> list[tuple[int, int]]:
    """Those of each record of a field in format 1."""
    value, left = PlainCodec().decode("Records", 1, data)
    assert left == 0
    return [(each["offset"], each["timestamp"]) for each in value["records"]]


def test_a_message_that_is_written_out_is_read_and_written() -> None:
    data = MESSAGE[:12] + struct.pack(">I", zlib.crc32(MESSAGE[16:])) + MESSAGE[16:]
    said = {"attributes": 0, "records": [{"offset": 7, "key": "aw==", "value": "dg=="}]}
    assert PlainCodec().decode("Records", 0, data) == (said, 0)
    assert PlainCodec().encode("Records", 0, said) == data


def test_offsets_in_a_compressed_message_count_from_the_first() -> None:
    inner = message(0, b"a") + message(1, b"b") + message(4, b"c")
    assert offsets_and_times(message(14, gzip.compress(inner), attributes=1)) == [
        (10, 5),
        (11, 5),
        (14, 5),
    ]


def test_the_broker_s_time_around_messages_is_theirs() -> None:
    inner = message(0, b"a") + message(1, b"b", time=6)
    around = message(1, gzip.compress(inner), attributes=9, time=8)
    assert offsets_and_times(around) == [(0, 8), (1, 8)]


@pytest.mark.parametrize("missing", range(1, len(message(1, b"b"))))
def test_what_is_cut_off_at_the_end_is_passed_over(missing: int) -> None:
    whole = message(0, b"a") + message(1, b"b")
    assert offsets_and_times(whole[:-missing]) == [(0, 5)]


def test_what_is_cut_off_in_a_compressed_message_is_refused() -> None:
    inner = (message(0, b"a") + message(1, b"b"))[:-1]
    with pytest.raises(DecodeError):
        offsets_and_times(message(1, gzip.compress(inner), attributes=1))


def test_a_wrong_checksum_is_refused() -> None:
    with pytest.raises(ChecksumError):
        offsets_and_times(message(0, b"a")[:-1] + b"b")


def test_a_message_of_an_unknown_format_is_refused() -> None:
    with pytest.raises(DecodeError, match="no format 3"):
        offsets_and_times(message(0, b"a", magic=3))


def test_nothing_can_not_be_written_compressed() -> None:
    with pytest.raises(EncodeError):
        PlainCodec().encode("Records", 1, {"attributes": 1, "records": []})


def test_each_planned_field_is_golden() -> None:
    golden = {vector.id: vector.value for vector in read_vectors("Records")}
    assert golden == {
        f"Records-v{magic}-{plan.name}": plan.value
        for magic in range(3)
        for plan in set_plans(magic)
    }
