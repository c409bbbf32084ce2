"""Lengths and counts of inflexible versions, and the null and the empty value beside them.

A length of the wrong width shows at once. What doesn't is null taken for empty, or the reverse: the
bytes stay in step and only the meaning is lost. To keep those two kinds of defect apart, wrong
widths are given to fields alone that can't be null.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from conformance.codecs.mutants.mutant import Mutant
from conformance.schema.layout import WireType
from conformance.wire.errors import TextError
from conformance.wire.reader import Reader
from conformance.wire.writer import Writer

Meant = Callable[[WireType], bool]


def plain(kind: str) -> Meant:
    """Values of this kind in inflexible versions."""
    return lambda type_: type_.kind == kind and not type_.compact


def nullable(kind: str, compact: bool = False) -> Meant:
    """Values of this kind that can be null."""
    return lambda type_: (type_.kind, type_.compact, type_.nullable) == (kind, compact, True)


def wide(kind: str, width: str, null: bool = False) -> tuple[type[Reader], type[Writer]]:
    """A reader and a writer of inflexible lengths of another width before this kind."""

    def meant(type_: WireType) -> bool:
        return plain(kind)(type_) and type_.nullable == null

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


def null_as_empty(meant: Meant) -> tuple[type[Reader], type[Writer]]:
    """Return a reader and a writer for which null is the empty value, in types that are `meant`."""

    class Reads(Reader):
        def length(self, type_: WireType, path: str) -> int | None:
            length = super().length(type_, path)
            return 0 if length is None and meant(type_) else length

    class Writes(Writer):
        def null(self, type_: WireType, path: str) -> None:
            if meant(type_):
                self.length(type_, 0)
            else:
                super().null(type_, path)

    return Reads, Writes


def empty_as_null(meant: Meant) -> tuple[type[Reader], type[Writer]]:
    """Return a reader and a writer for which the empty value is null, in types that are `meant`."""

    class Reads(Reader):
        def length(self, type_: WireType, path: str) -> int | None:
            length = super().length(type_, path)
            return None if length == 0 and meant(type_) else length

    class Writes(Writer):
        def length(self, type_: WireType, length: int) -> None:
            super().length(type_, -1 if length == 0 and meant(type_) else length)

    return Reads, Writes


class StringLengthOfFourBytes(Mutant, breaks="primitives.string-length-int16"):
    """Has an INT32 length before a string."""

    Reads, Writes = wide("string", "int32")


class StringLengthInCharacters(Mutant, breaks="primitives.string-counts-bytes"):
    """Writes the number of a string's characters as its length."""

    class Writes(Writer):
        def sized(self, type_: WireType, value: Any, path: str) -> None:
            if type_.kind != "string" or value is None:
                super().sized(type_, value, path)
                return
            self.length(type_, len(value))
            self.out += self.raw("string", value, path)


class SurrogatesOfThreeBytes(Mutant, breaks="primitives.string-plain-utf8"):
    """Writes a character beyond U+FFFF as two surrogates of three bytes each."""

    class Writes(Writer):
        def raw(self, kind: str, value: Any, path: str) -> bytes:
            if kind != "string":
                return super().raw(kind, value, path)
            units = memoryview(value.encode("utf-16")[2:]).cast("H")
            return "".join(map(chr, units)).encode("utf-8", "surrogatepass")


class NulOfTwoBytes(Mutant, breaks="primitives.string-plain-utf8"):
    """Writes U+0000 as C0 80, as Java's modified UTF-8 has it."""

    class Writes(Writer):
        def raw(self, kind: str, value: Any, path: str) -> bytes:
            raw = super().raw(kind, value, path)
            return raw.replace(b"\x00", b"\xc0\x80") if kind == "string" else raw


class NullStringIsEmpty(Mutant, breaks="primitives.null-string"):
    """Reads and writes the null of an inflexible string as the empty one."""

    Reads, Writes = null_as_empty(plain("string"))


class EmptyStringIsNull(Mutant, breaks="primitives.empty-string-not-null"):
    """Reads and writes an empty nullable string as null, in inflexible versions."""

    Reads, Writes = empty_as_null(nullable("string"))


class BytesLengthOfTwoBytes(Mutant, breaks="primitives.bytes-length-int32"):
    """Has an INT16 length before bytes."""

    Reads, Writes = wide("bytes", "int16")


class NullBytesAreEmpty(Mutant, breaks="primitives.null-bytes"):
    """Reads and writes null bytes as empty ones, in inflexible versions."""

    Reads, Writes = null_as_empty(plain("bytes"))


class EmptyBytesAreNull(Mutant, breaks="primitives.empty-bytes-not-null"):
    """Reads and writes empty nullable bytes as null, in inflexible versions."""

    Reads, Writes = empty_as_null(nullable("bytes"))


class ArrayCountOfTwoBytes(Mutant, breaks="primitives.array-count-int32"):
    """Has an INT16 count before an array."""

    Reads, Writes = wide("array", "int16")


class NullArrayIsEmpty(Mutant, breaks="primitives.null-array"):
    """Reads and writes a null array as an empty one, in inflexible versions."""

    Reads, Writes = null_as_empty(plain("array"))


class EmptyArrayIsNull(Mutant, breaks="primitives.empty-array-not-null"):
    """Reads and writes an empty nullable array as null, in inflexible versions."""

    Reads, Writes = empty_as_null(nullable("array"))


class RecordsLengthOfTwoBytes(Mutant, breaks="primitives.records-length-int32"):
    """Has an INT16 length before records, also where they are null."""

    Reads, Writes = wide("records", "int16", null=True)


class NullRecordsAreEmpty(Mutant, breaks="primitives.null-records"):
    """Reads and writes null records as none, in inflexible versions."""

    Reads, Writes = null_as_empty(plain("records"))


class RecordsMustBeABatch(Mutant, breaks="primitives.records-opaque"):
    """Refuses records that are not a record batch of version 2."""

    class Reads(Reader):
        def sized(self, type_: WireType, path: str) -> str | None:
            start = self.offset
            value = super().sized(type_, path)
            if type_.kind == "records" and value and self.data[start:][20:21] != b"\x02":
                raise TextError("no record batch", path, start)
            return value
