"""The headers of records (KIP-82)."""

from __future__ import annotations

from typing import Any

from conformance.codecs.mutants.mutant import Mutant
from conformance.codecs.mutants.records.batches import OfRecords
from conformance.wire.errors import DecodeError
from conformance.wire.reader import Reader
from conformance.wire.writer import Writer


class HeaderKeyCountsLetters(OfRecords, Mutant, breaks="records.lengths-are-bytes"):
    """Writes the number of letters for the length of a header's key."""

    class Writes(Writer):
        def header_key(self, key: Any, path: str) -> None:
            self.varint(len(key), path)
            self.out += key.encode()


class HeaderNullEmpty(OfRecords, Mutant, breaks="records.header-value-nullable"):
    """Reads a header's value that is null as an empty one."""

    class Reads(Reader):
        def record_header(self, path: str) -> dict[str, Any]:
            header = super().record_header(path)
            return header | {"value": header["value"] or ""}


class HeadersSorted(OfRecords, Mutant, breaks="records.headers-in-order"):
    """Writes headers in the order of their keys."""

    class Writes(Writer):
        def record_headers(self, headers: Any, path: str) -> None:
            super().record_headers(sorted(headers, key=lambda header: str(header["key"])), path)


class HeadersInMap(OfRecords, Mutant, breaks="records.headers-in-order"):
    """Reads headers into a map, so that each key comes once."""

    class Reads(Reader):
        def record_headers(self, path: str) -> list[dict[str, Any]]:
            return list({each["key"]: each for each in super().record_headers(path)}.values())


class HeaderKeyLatin(OfRecords, Mutant, breaks="records.header-key-utf8"):
    """Reads a header's key as Latin-1."""

    class Reads(Reader):
        def text(self, raw: bytes, path: str, begin: int) -> str:
            return raw.decode("latin-1")


class HeaderKeyEmptyRefused(OfRecords, Mutant, breaks="records.header-key-utf8"):
    """Refuses a header whose key is empty."""

    class Reads(Reader):
        def header_key(self, path: str) -> str:
            start = self.offset
            key = super().header_key(path)
            if not key:
                self.null_header_key(0, path, start)
            return key


class HeaderKeyNull(OfRecords, Mutant, breaks="records.header-key-not-null"):
    """Reads a header's key that is null as an empty one."""

    class Reads(Reader):
        def header_key(self, path: str) -> str:
            return str(self.record_bytes(path) or "")

        def record_bytes(self, path: str) -> str | None:
            try:
                return super().record_bytes(path)
            except DecodeError:
                return None


class HeaderKeyAsItIs(OfRecords, Mutant, breaks="records.header-key-not-utf8"):
    """Reads a header's key that is no text as the letters of its bytes."""

    class Reads(Reader):
        def text(self, raw: bytes, path: str, begin: int) -> str:
            return raw.decode("utf-8", "backslashreplace")


class HeaderCountBelowZeroIsNone(OfRecords, Mutant, breaks="records.header-count-refused"):
    """Reads no headers where their count is negative."""

    class Reads(Reader):
        def record_headers(self, path: str) -> list[dict[str, Any]]:
            start = self.offset
            if self.header_count(path) < 0:
                self.offset = len(self.data)
                return []
            self.offset = start
            return super().record_headers(path)

        def other_length(self, length: int, taken: int, path: str, start: int) -> None:
            pass
