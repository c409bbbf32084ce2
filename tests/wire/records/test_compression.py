"""Each compression, in the bytes that its format asks for, and no more than so many of them."""

from __future__ import annotations

import gzip
import zlib

import cramjam
import pytest

from conformance.wire.errors import CompressionError, LengthError
from conformance.wire.records.compression import (
    MAX_DECOMPRESSED,
    CompressionFault,
    compress,
    decompress,
)
from tests.wire.records.codec import read, write
from tests.wire.records.hand import RECORD, RECORD_VALUE, batch, record, value

XERIAL = bytes.fromhex("82 534e41505059 00 00000001 00000001")
"""The head of the Java library's streams: its name, and two versions."""
BLOCK = bytes.fromhex("09 20") + RECORD
"""A snappy block: 9 bytes when decompressed, then 9 of them as they are."""
LZ4 = bytes.fromhex("04224d18 60 40 82 09000080") + RECORD + bytes(4)
"""An lz4 frame: blocks that stand alone, of 64 KiB at most, one of 9 bytes as they are, its end."""
ZSTD = bytes.fromhex("28b52ffd 20 09 490000") + RECORD
"""A zstd frame: 9 bytes in one segment, in one last block, as they are."""
STREAMS = [
    (1, "gzip", gzip.compress(RECORD)),
    (1, "gzip", gzip.compress(RECORD[:4]) + gzip.compress(RECORD[4:])),
    (2, "snappy", XERIAL + len(BLOCK).to_bytes(4, "big") + BLOCK),
    (2, "snappy", BLOCK),
    (3, "lz4", LZ4),
    (4, "zstd", ZSTD),
]
IDS = ["gzip", "two gzip members", "snappy of xerial", "a bare snappy block", "lz4", "zstd"]
NAMES = {1: "gzip", 2: "snappy", 3: "lz4", 4: "zstd"}
CODECS = pytest.mark.parametrize(("number", "codec"), NAMES.items(), ids=NAMES.values())


@pytest.mark.parametrize(("number", "codec", "stream"), STREAMS, ids=IDS)
def test_records_are_read_from_the_bytes_that_they_stand_for(
    number: int, codec: str, stream: bytes
) -> None:
    assert decompress(codec, stream) == RECORD
    assert read(batch(stream, attributes=number)) == value(RECORD_VALUE, attributes=number)


@CODECS
def test_what_is_written_compressed_is_read_again(number: int, codec: str) -> None:
    said = value(RECORD_VALUE, record(value="AAAA" * 20_000), attributes=number)
    data = write(said)
    assert len(data) < 20_000
    assert read(data) == said


def test_snappy_is_written_in_the_blocks_of_the_java_library() -> None:
    stream = compress("snappy", bytes(70_000))
    assert stream.startswith(XERIAL)
    lengths = []
    at = len(XERIAL)
    while at < len(stream):
        length = int.from_bytes(stream[at : at + 4], "big")
        lengths.append(len(cramjam.snappy.decompress_raw(stream[at + 4 : at + 4 + length])))
        at += 4 + length
    assert lengths == [32_768, 32_768, 4_464]


def test_lz4_is_written_in_blocks_that_stand_alone() -> None:
    """KIP-57: bit 5 of the frame's flags."""
    frame = compress("lz4", bytes(200_000))
    assert frame[:4].hex() == "04224d18"
    assert frame[4] & 0x20


def test_lz4_blocks_that_rest_on_each_other_are_refused() -> None:
    linked = cramjam.lz4.Compressor(block_linked=True)
    linked.compress(RECORD)
    with pytest.raises(CompressionFault, match="rest on each other"):
        decompress("lz4", bytes(linked.finish()))


def _bomb(codec: str) -> bytes:
    if codec == "gzip":
        packer = zlib.compressobj(level=1, wbits=31)
        return packer.compress(bytes(MAX_DECOMPRESSED + 1)) + packer.flush()
    if codec == "snappy":  # which says how long it is
        return bytes.fromhex("ffffffff0f 00")
    return compress(codec, bytes(MAX_DECOMPRESSED + 1))


@CODECS
def test_a_few_bytes_that_stand_for_many_are_refused(number: int, codec: str) -> None:
    bomb = _bomb(codec)
    with pytest.raises(CompressionError, match=f"no {codec}: more than {MAX_DECOMPRESSED} bytes"):
        read(batch(bomb, attributes=number))


def test_many_snappy_blocks_are_limited_together() -> None:
    block = bytes(cramjam.snappy.compress_raw(bytes(MAX_DECOMPRESSED // 4)))
    stream = XERIAL + (len(block).to_bytes(4, "big") + block) * 5
    with pytest.raises(CompressionFault, match="more than"):
        decompress("snappy", stream)


@CODECS
@pytest.mark.parametrize("stream", [b"", b"\0", b"no such stream at all", RECORD])
def test_what_is_not_of_the_codec_is_refused(number: int, codec: str, stream: bytes) -> None:
    with pytest.raises((CompressionError, LengthError)) as raised:
        read(batch(stream, attributes=number))
    assert raised.value.path == "records"


@pytest.mark.parametrize(("number", "codec", "stream"), STREAMS, ids=IDS)
def test_a_stream_that_ends_early_is_refused(number: int, codec: str, stream: bytes) -> None:
    with pytest.raises((CompressionError, LengthError)) as raised:
        read(batch(stream[:-5], attributes=number))
    assert raised.value.offset in (57, 61)  # of the count, or of the compressed bytes


def test_what_is_wrong_inside_has_the_place_of_the_compressed_bytes() -> None:
    with pytest.raises(LengthError, match="decompressed") as raised:
        read(batch(gzip.compress(RECORD + b"\0"), attributes=1))
    assert (raised.value.offset, raised.value.path) == (61, "records")


@pytest.mark.parametrize("number", [5, 6, 7])
def test_a_compression_that_there_is_not_is_refused(number: int) -> None:
    with pytest.raises(CompressionError, match=f"there is no compression {number}"):
        read(batch(attributes=number))
