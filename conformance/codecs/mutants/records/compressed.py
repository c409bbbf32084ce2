"""Batches of records that are compressed."""

from __future__ import annotations

import struct
import zlib
from typing import Any

from conformance.codecs.mutants.mutant import Mutant
from conformance.codecs.mutants.records.batches import OfRecords
from conformance.wire.errors import DecodeError
from conformance.wire.reader import Reader
from conformance.wire.records.compression import XERIAL, CompressionFault
from conformance.wire.writer import Writer


class SnappyForLz4(OfRecords, Mutant):
    """Takes 2 for lz4 and 3 for snappy."""

    breaks = "records.compression-numbers"

    class Reads(Reader):
        def decompress(self, codec: str, raw: bytes) -> bytes:
            return super().decompress({"snappy": "lz4", "lz4": "snappy"}.get(codec, codec), raw)

    class Writes(Writer):
        def compressed(self, codec: str, raw: bytes) -> bytes:
            return super().compressed({"snappy": "lz4", "lz4": "snappy"}.get(codec, codec), raw)


class ZstdForGzip(OfRecords, Mutant):
    """Takes 1 for zstd and 4 for gzip."""

    breaks = "records.compression-numbers"

    class Reads(Reader):
        def decompress(self, codec: str, raw: bytes) -> bytes:
            return super().decompress({"gzip": "zstd", "zstd": "gzip"}.get(codec, codec), raw)


class CountCompressed(OfRecords, Mutant):
    """Compresses the count of records along with them."""

    breaks = "records.compression-after-count"

    class Writes(Writer):
        def record_count(self, count: int) -> None:
            pass

        def compressed(self, codec: str, raw: bytes) -> bytes:
            return super().compressed(codec, struct.pack(">i", 2) + raw)


class FirstPartOnly(OfRecords, Mutant):
    """Reads the first member of gzip alone."""

    breaks = "records.compressed-parts-joined"

    class Reads(Reader):
        def decompress(self, codec: str, raw: bytes) -> bytes:
            if codec == "gzip":
                return zlib.decompressobj(wbits=31).decompress(raw)
            return super().decompress(codec, raw)


class XerialOfOneVersion(OfRecords, Mutant):
    """Refuses snappy unless xerial's header names version 1."""

    breaks = "records.snappy-newer-versions-read"

    class Reads(Reader):
        def decompress(self, codec: str, raw: bytes) -> bytes:
            if codec == "snappy" and raw[8:16] != struct.pack(">II", 1, 1):
                raise CompressionFault("another version")
            return super().decompress(codec, raw)


class UnknownCodecIsNone(OfRecords, Mutant):
    """Reads records that are compressed by no codec there is as if they were not compressed."""

    breaks = "records.unknown-compression-refused"

    class Reads(Reader):
        def batch_records(self, attributes: int, path: str) -> list[Any]:
            return super().batch_records(0 if attributes & 7 > 4 else attributes, path)


class BrokenCompressionIsEmpty(OfRecords, Mutant):
    """Reads a batch whose records can't be decompressed as one without records."""

    breaks = "records.broken-compression-refused"

    class Reads(Reader):
        def compressed(self, codec: str, count: int, path: str, start: int) -> list[Any]:
            try:
                return super().compressed(codec, count, path, start)
            except DecodeError:
                self.offset = len(self.data)
                return []


class SnappyWithoutFraming(OfRecords, Mutant):
    """Reads snappy as one bare block."""

    breaks = "records.snappy-xerial"

    class Reads(Reader):
        def decompress(self, codec: str, raw: bytes) -> bytes:
            if codec == "snappy" and raw.startswith(b"\x82SNAPPY\0"):
                raise CompressionFault("no snappy block")
            return super().decompress(codec, raw)


class SnappyInBlocksAlone(OfRecords, Mutant):
    """Reads snappy behind xerial's header alone."""

    breaks = "records.snappy-bare-block-read"

    class Reads(Reader):
        def decompress(self, codec: str, raw: bytes) -> bytes:
            if codec == "snappy" and not raw.startswith(XERIAL):
                raise CompressionFault("no header of xerial")
            return super().decompress(codec, raw)


class Lz4WithoutFrame(OfRecords, Mutant):
    """Reads and writes lz4 as one block without the frame."""

    breaks = "records.lz4-frame"

    class Reads(Reader):
        def decompress(self, codec: str, raw: bytes) -> bytes:
            if codec == "lz4":
                raise CompressionFault("no lz4 block")
            return super().decompress(codec, raw)

    class Writes(Writer):
        def compressed(self, codec: str, raw: bytes) -> bytes:
            import cramjam

            if codec == "lz4":
                return bytes(cramjam.lz4.compress_block(raw))
            return super().compressed(codec, raw)


class Lz4BlocksLinked(OfRecords, Mutant):
    """Writes lz4 frames whose blocks rest on each other, as libraries do by default."""

    breaks = "records.lz4-blocks-independent"

    class Writes(Writer):
        def compressed(self, codec: str, raw: bytes) -> bytes:
            import cramjam

            return bytes(cramjam.lz4.compress(raw)) if codec == "lz4" else b""


class RoomForSnappyMade(OfRecords, Mutant):
    """Makes room for what snappy's bytes say of a length."""

    breaks = "records.decompressed-size-not-trusted"

    class Reads(Reader):
        def decompress(self, codec: str, raw: bytes) -> bytes:
            if codec == "snappy" and (b"\xff" * 3 in raw):
                raise MemoryError("room for what is said")
            return super().decompress(codec, raw)
