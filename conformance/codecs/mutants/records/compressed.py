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


class SnappyForLz4(OfRecords, Mutant, breaks="records.compression-numbers"):
    """Takes 2 for lz4 and 3 for snappy."""

    class Reads(Reader):
        def decompress(self, codec: str, raw: bytes) -> bytes:
            return super().decompress({"snappy": "lz4", "lz4": "snappy"}.get(codec, codec), raw)

    class Writes(Writer):
        def compressed(self, codec: str, raw: bytes) -> bytes:
            return super().compressed({"snappy": "lz4", "lz4": "snappy"}.get(codec, codec), raw)


class ZstdForGzip(OfRecords, Mutant, breaks="records.compression-numbers"):
    """Takes 1 for zstd and 4 for gzip."""

    class Reads(Reader):
        def decompress(self, codec: str, raw: bytes) -> bytes:
            return super().decompress({"gzip": "zstd", "zstd": "gzip"}.get(codec, codec), raw)


class CountCompressed(OfRecords, Mutant, breaks="records.compression-after-count"):
    """Compresses the count of records along with them."""

    class Writes(Writer):
        def record_count(self, count: int) -> None:
            pass

        def compressed(self, codec: str, raw: bytes) -> bytes:
            return super().compressed(codec, struct.pack(">i", 2) + raw)


class FirstPartOnly(OfRecords, Mutant, breaks="records.compressed-parts-joined"):
    """Reads the first member of gzip alone."""

    class Reads(Reader):
        def decompress(self, codec: str, raw: bytes) -> bytes:
            if codec == "gzip":
                return zlib.decompressobj(wbits=31).decompress(raw)
            return super().decompress(codec, raw)


class XerialOfOneVersion(OfRecords, Mutant, breaks="records.snappy-newer-versions-read"):
    """Refuses snappy unless xerial's header names version 1."""

    class Reads(Reader):
        def decompress(self, codec: str, raw: bytes) -> bytes:
            if codec == "snappy" and raw[8:16] != struct.pack(">II", 1, 1):
                raise CompressionFault("another version")
            return super().decompress(codec, raw)


class UnknownCodecIsNone(OfRecords, Mutant, breaks="records.unknown-compression-refused"):
    """Reads records that are compressed by no codec there is as if they were not compressed."""

    class Reads(Reader):
        def batch_records(self, attributes: int, path: str) -> list[Any]:
            return super().batch_records(0 if attributes & 7 > 4 else attributes, path)


class BrokenCompressionIsEmpty(OfRecords, Mutant, breaks="records.broken-compression-refused"):
    """Reads a batch whose records can't be decompressed as one without records."""

    class Reads(Reader):
        def compressed(self, codec: str, count: int, path: str, start: int) -> list[Any]:
            try:
                return super().compressed(codec, count, path, start)
            except DecodeError:
                self.offset = len(self.data)
                return []


class SnappyWithoutFraming(OfRecords, Mutant, breaks="records.snappy-xerial"):
    """Reads snappy as one bare block."""

    class Reads(Reader):
        def decompress(self, codec: str, raw: bytes) -> bytes:
            if codec == "snappy" and raw.startswith(b"\x82SNAPPY\0"):
                raise CompressionFault("no snappy block")
            return super().decompress(codec, raw)


class SnappyInBlocksAlone(OfRecords, Mutant, breaks="records.snappy-bare-block-read"):
    """Reads snappy behind xerial's header alone."""

    class Reads(Reader):
        def decompress(self, codec: str, raw: bytes) -> bytes:
            if codec == "snappy" and not raw.startswith(XERIAL):
                raise CompressionFault("no header of xerial")
            return super().decompress(codec, raw)


class Lz4WithoutFrame(OfRecords, Mutant, breaks="records.lz4-frame"):
    """Reads and writes lz4 as one block without the frame."""

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


class Lz4BlocksLinked(OfRecords, Mutant, breaks="records.lz4-blocks-independent"):
    """Writes lz4 frames whose blocks rest on each other, as libraries do by default."""

    class Writes(Writer):
        def compressed(self, codec: str, raw: bytes) -> bytes:
            import cramjam

            return bytes(cramjam.lz4.compress(raw)) if codec == "lz4" else b""


class RoomForSnappyMade(OfRecords, Mutant, breaks="records.decompressed-size-not-trusted"):
    """Makes room for what snappy's bytes say of a length."""

    class Reads(Reader):
        def decompress(self, codec: str, raw: bytes) -> bytes:
            if codec == "snappy" and (b"\xff" * 3 in raw):
                raise MemoryError("room for what is said")
            return super().decompress(codec, raw)
