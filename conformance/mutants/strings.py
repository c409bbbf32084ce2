"""Lengths and counts of inflexible versions, and the null and the empty value beside them.

A length of the wrong width shows at once. What doesn't is null taken for empty, or the reverse: the
bytes stay in step and only the meaning is lost. To keep those two kinds of defect apart, wrong
widths are given to fields alone that can't be null.
"""

# ruff: noqa: D102, D106 - a mutant's own docstring says what its methods do

from __future__ import annotations

from typing import Any

from conformance.mutants.mutant import Mutant
from conformance.schema.layout import WireType
from conformance.wire.errors import TextError
from conformance.wire.reader import Reader
from conformance.wire.writer import Writer


def wide(kind: str, width: str, nullable: bool = False) -> tuple[type[Reader], type[Writer]]:
    """A reader and a writer of inflexible lengths of another width before this kind."""

    def meant(type_: WireType) -> bool:
        return type_.kind == kind and not type_.compact and type_.nullable == nullable

    class Reads(Reader):
        def plain_length(self, type_: WireType, path: str) -> int:
            if not meant(type_):
                return super().plain_length(type_, path)
            return int(self.fixed(width, f"{path}(length)"))

    class Writes(Writer):
        def length(self, type_: WireType, length: int) -> None:
            if meant(type_):
                self.fixed(width, length, "")
            else:
                super().length(type_, length)

    return Reads, Writes


def null_as_empty(kind: str) -> tuple[type[Reader], type[Writer]]:
    """A reader and a writer of inflexible versions to which null is the empty value."""
    empty: Any = [] if kind == "array" else ""

    class Reads(Reader):
        def value(self, type_: WireType, path: str) -> Any:
            value = super().value(type_, path)
            meant = type_.kind == kind and not type_.compact
            return empty if meant and value is None else value

    class Writes(Writer):
        def null(self, type_: WireType, path: str) -> None:
            if type_.kind == kind and not type_.compact:
                self.length(type_, 0)
            else:
                super().null(type_, path)

    return Reads, Writes


def empty_as_null(kind: str, compact: bool = False) -> tuple[type[Reader], type[Writer]]:
    """A reader and a writer to which a nullable field's empty value is null."""

    def meant(type_: WireType, value: Any) -> bool:
        right = (type_.kind, type_.compact, type_.nullable) == (kind, compact, True)
        return right and value in ("", [])

    class Reads(Reader):
        def value(self, type_: WireType, path: str) -> Any:
            value = super().value(type_, path)
            return None if meant(type_, value) else value

    class Writes(Writer):
        def value(self, type_: WireType, value: Any, path: str) -> None:
            super().value(type_, None if meant(type_, value) else value, path)

    return Reads, Writes


class StringLengthOfFourBytes(Mutant):
    """Has an INT32 length before a string."""

    breaks = "primitives.string-length-int16"
    Reads, Writes = wide("string", "int32")


class StringLengthInCharacters(Mutant):
    """Writes the number of a string's characters as its length."""

    breaks = "primitives.string-counts-bytes"

    class Writes(Writer):
        def sized(self, type_: WireType, value: Any, path: str) -> None:
            if type_.kind != "string" or value is None:
                super().sized(type_, value, path)
                return
            self.length(type_, len(value))
            self.out += self.raw("string", value, path)


class SurrogatesOfThreeBytes(Mutant):
    """Writes a character beyond U+FFFF as two surrogates of three bytes each."""

    breaks = "primitives.string-plain-utf8"

    class Writes(Writer):
        def raw(self, kind: str, value: Any, path: str) -> bytes:
            if kind != "string":
                return super().raw(kind, value, path)
            units = memoryview(value.encode("utf-16")[2:]).cast("H")
            return "".join(map(chr, units)).encode("utf-8", "surrogatepass")


class NulOfTwoBytes(Mutant):
    """Writes U+0000 as C0 80, as Java's modified UTF-8 has it."""

    breaks = "primitives.string-plain-utf8"

    class Writes(Writer):
        def raw(self, kind: str, value: Any, path: str) -> bytes:
            raw = super().raw(kind, value, path)
            return raw.replace(b"\x00", b"\xc0\x80") if kind == "string" else raw


class NullStringIsEmpty(Mutant):
    """Reads and writes the null of an inflexible string as the empty one."""

    breaks = "primitives.null-string"
    Reads, Writes = null_as_empty("string")


class EmptyStringIsNull(Mutant):
    """Reads and writes an empty nullable string as null, in inflexible versions."""

    breaks = "primitives.empty-string-not-null"
    Reads, Writes = empty_as_null("string")


class BytesLengthOfTwoBytes(Mutant):
    """Has an INT16 length before bytes."""

    breaks = "primitives.bytes-length-int32"
    Reads, Writes = wide("bytes", "int16")


class NullBytesAreEmpty(Mutant):
    """Reads and writes null bytes as empty ones, in inflexible versions."""

    breaks = "primitives.null-bytes"
    Reads, Writes = null_as_empty("bytes")


class EmptyBytesAreNull(Mutant):
    """Reads and writes empty nullable bytes as null, in inflexible versions."""

    breaks = "primitives.empty-bytes-not-null"
    Reads, Writes = empty_as_null("bytes")


class ArrayCountOfTwoBytes(Mutant):
    """Has an INT16 count before an array."""

    breaks = "primitives.array-count-int32"
    Reads, Writes = wide("array", "int16")


class NullArrayIsEmpty(Mutant):
    """Reads and writes a null array as an empty one, in inflexible versions."""

    breaks = "primitives.null-array"
    Reads, Writes = null_as_empty("array")


class EmptyArrayIsNull(Mutant):
    """Reads and writes an empty nullable array as null, in inflexible versions."""

    breaks = "primitives.empty-array-not-null"
    Reads, Writes = empty_as_null("array")


class RecordsLengthOfTwoBytes(Mutant):
    """Has an INT16 length before records, also where they are null."""

    breaks = "primitives.records-length-int32"
    Reads, Writes = wide("records", "int16", nullable=True)


class NullRecordsAreEmpty(Mutant):
    """Reads and writes null records as none, in inflexible versions."""

    breaks = "primitives.null-records"
    Reads, Writes = null_as_empty("records")


class RecordsMustBeABatch(Mutant):
    """Refuses records that are not a record batch of version 2."""

    breaks = "primitives.records-opaque"

    class Reads(Reader):
        def sized(self, type_: WireType, path: str) -> str | None:
            start = self.offset
            value = super().sized(type_, path)
            if type_.kind == "records" and value and self.data[start:][20:21] != b"\x02":
                raise TextError("no record batch", path, start)
            return value
