"""Compressed records: the codecs that a batch's attributes name, and no more than so many bytes.

A kilobyte may stand for gigabytes, so nothing is decompressed without a limit. Snappy stands in the
blocks of the Java library that Kafka has always used (xerial), or as one block, which other clients
write; lz4 is the standard frame, of blocks that do not rest on each other (KIP-57).
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Any

CODECS = ("none", "gzip", "snappy", "lz4", "zstd")
"""Names by number, the three lowest bits of a batch's attributes."""
MAX_DECOMPRESSED = 64 * 1024 * 1024
"""The most bytes that a batch's records may be."""

_GUESS = 16
XERIAL = bytes.fromhex("82534e4150505900")
"""The bytes that blocks of the Java library begin with; two versions follow them."""
_XERIAL_HEAD = XERIAL + bytes.fromhex("0000000100000001")
_XERIAL_BLOCK = 32 * 1024
_LZ4_FRAME = bytes.fromhex("04224d18")
_LZ4_INDEPENDENT = 0x20


class CompressionFault(Exception):
    """Bytes that are not of the codec that they should be, or too many when decompressed."""

    def of(self, codec: str) -> str:
        """Return the fault as a sentence about data of a codec."""
        return f"the bytes are no {codec}: {self}"


class Incomplete(CompressionFault):
    """A frame or stream that ends early."""

    def of(self, codec: str) -> str:
        """Return the fault as a sentence about data of a codec."""
        return f"the {codec} {self} is incomplete"


def decompress(codec: str, data: bytes) -> bytes:
    """The bytes that `data` stands for. Raises CompressionFault."""
    return _DECOMPRESS[codec](data)


def compress(codec: str, data: bytes) -> bytes:
    """The bytes of `data` in the form of a codec."""
    import cramjam

    if codec == "gzip":
        packer = zlib.compressobj(wbits=31)
        return packer.compress(data) + packer.flush()
    if codec == "snappy":
        return _XERIAL_HEAD + b"".join(
            len(block).to_bytes(4, "big") + block
            for start in range(0, len(data), _XERIAL_BLOCK)
            for block in [snappy_block(data[start : start + _XERIAL_BLOCK])]
        )
    if codec == "lz4":
        frame = cramjam.lz4.Compressor(block_linked=False)
        frame.compress(data)
        return bytes(frame.finish())
    return bytes(cramjam.zstd.compress(data))


def snappy_block(data: bytes) -> bytes:
    """The bytes as one block of snappy, as it stands behind xerial's header, or alone."""
    import cramjam

    return bytes(cramjam.snappy.compress_raw(data))


def _gzip(data: bytes) -> bytes:
    """One gzip member or several, one after another."""
    out = bytearray()
    while data:
        member = zlib.decompressobj(wbits=31)
        try:
            out += member.decompress(data, MAX_DECOMPRESSED + 1 - len(out))
        except zlib.error as error:
            raise CompressionFault(str(error)) from None
        _check_size(len(out))
        if not member.eof:
            raise Incomplete("stream")
        data = member.unused_data
    return bytes(out)


def _snappy(data: bytes) -> bytes:
    """Blocks behind xerial's header, or one block alone."""
    if not data.startswith(XERIAL):
        return _snappy_block(data, 0)
    out = bytearray()
    at = len(_XERIAL_HEAD)
    while at < len(data):
        length = int.from_bytes(data[at : at + 4], "big")
        at += 4
        if length > len(data) - at:
            raise CompressionFault(f"a block of {length} bytes, {len(data) - at} left")
        out += _snappy_block(data[at : at + length], len(out))
        at += length
    return bytes(out)


def _snappy_block(data: bytes, before: int) -> bytes:
    import cramjam

    try:
        _check_size(before + cramjam.snappy.decompress_raw_len(data))
        return bytes(cramjam.snappy.decompress_raw(data))
    except cramjam.DecompressionError as error:
        raise CompressionFault(str(error)) from None


def _lz4(data: bytes) -> bytes:
    if data[:4] != _LZ4_FRAME:
        raise CompressionFault("no lz4 frame")
    if len(data) > 4 and not data[4] & _LZ4_INDEPENDENT:
        raise CompressionFault("an lz4 frame of blocks that rest on each other")
    import cramjam

    return _into(cramjam.lz4.decompress_into, data)


def _zstd(data: bytes) -> bytes:
    import cramjam

    return _into(cramjam.zstd.decompress_into, data)


def _into(decompress_into: Callable[[bytes, Any], int], data: bytes) -> bytes:
    """Decompress into buffers that grow, since a frame need not say how long it is."""
    import cramjam

    size = min(max(len(data) * _GUESS, 1024), MAX_DECOMPRESSED)
    while True:
        out = bytearray(size)
        try:
            return bytes(out[: decompress_into(data, out)])
        except cramjam.DecompressionError as error:
            if "whole buffer" not in str(error):
                raise _fault(str(error)) from None
            _check_size(size + 1)
        size = min(size * _GUESS, MAX_DECOMPRESSED)


def _fault(reason: str) -> CompressionFault:
    """Return the fault of a frame, in the words of its library."""
    early = "incomplete" in reason or "truncated" in reason
    return Incomplete("frame") if early else CompressionFault(reason)


def _check_size(size: int) -> None:
    if size > MAX_DECOMPRESSED:
        raise CompressionFault(f"more than {MAX_DECOMPRESSED} bytes when decompressed")


_DECOMPRESS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": _gzip,
    "snappy": _snappy,
    "lz4": _lz4,
    "zstd": _zstd,
}
