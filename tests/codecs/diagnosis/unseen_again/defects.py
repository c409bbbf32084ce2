"""Thirty more defects, of the codec next to this file, one a class, each with its cause.

They are mistakes such as the trackers of client libraries tell of, and others than those of the
first set. A name here is a target: `tests.codecs.diagnosis.unseen_again.defects:NAME`.
"""

import base64
import math
import struct
from collections.abc import Collection, Sequence
from ctypes import c_float
from dataclasses import replace
from functools import cache
from typing import Any

from tests.codecs.diagnosis.listed import Defects
from tests.codecs.diagnosis.unseen import wire
from tests.codecs.diagnosis.unseen.definitions import NONE, Field, Message, Versions, messages
from tests.codecs.diagnosis.unseen.wire import NUMBERS, WireError
from tests.codecs.diagnosis.unseen_again.codec import Codec, Reader, Writer

defect = Defects()


# Lengths.


@defect("writes the length of a compact string in one byte, whose upper bits are cut off")
class CompactLengthInOneByte(Codec):
    class writer(Writer):  # noqa: N801
        def length(self, kind: str, size: int, compact: bool) -> None:
            if compact and kind == "string" and size < 32768:
                self.put(bytes([(size + 1) & 0xFF]))
            else:
                super().length(kind, size, compact)


@defect(
    "has a length of four bytes before records in flexible versions too, where it is a compact"
    " one, reading and writing"
)
class RecordsNeverCompact(Codec):
    class reader(Reader):  # noqa: N801
        def length(self, kind: str, compact: bool) -> int:
            return super().length(kind, compact and kind != "records")

    class writer(Writer):  # noqa: N801
        def length(self, kind: str, size: int, compact: bool) -> None:
            super().length(kind, size, compact and kind != "records")


@defect(
    "reads the count of a plain array unsigned, so that a null array is one of 4294967295 elements"
)
class PlainCountUnsigned(Codec):
    class reader(Reader):  # noqa: N801
        def count(self, compact: bool) -> int:
            if compact:
                return super().count(compact)
            count: int = self.number("uint32")
            if count > self.left():
                raise WireError(f"{count} elements are due, {self.left()} bytes are left")
            return count


@defect("has a length of two bytes before plain bytes, as before strings, reading and writing")
class PlainBytesShortLength(Codec):
    class reader(Reader):  # noqa: N801
        def length(self, kind: str, compact: bool) -> int:
            return super().length("string" if kind == "bytes" and not compact else kind, compact)

    class writer(Writer):  # noqa: N801
        def length(self, kind: str, size: int, compact: bool) -> None:
            plain = kind == "bytes" and not compact
            super().length("string" if plain else kind, size, compact)


@defect(
    "reads no more than two bytes of an unsigned varint, even if the second says that one follows"
)
class VarintOfTwoBytes(Codec):
    class reader(Reader):  # noqa: N801
        def varint(self) -> int:
            value = self.take(1)[0]
            if value > 0x7F:
                value = value & 0x7F | (self.take(1)[0] & 0x7F) << 7
            return value


# Nulls.


@defect("reads a null array as an empty one")
class NullArrayReadAsEmpty(Codec):
    class reader(Reader):  # noqa: N801
        def count(self, compact: bool) -> int:
            return max(0, super().count(compact))


@defect(
    "takes a field that may be null in some versions for one that may be null in all of them,"
    " reading and writing"
)
class NullableInAllVersions(Codec):
    def read_null(self, field: Field) -> Any:
        return super().read_null(field) if field.nullable == NONE else None

    def write_field(
        self, writer: wire.Writer, field: Field, version: int, flexible: bool, value: Any
    ) -> None:
        if value is None and field.nullable != NONE:
            compact = self.compact(field, version, flexible)
            self.write_value(writer, field, version, compact, None)
        else:
            super().write_field(writer, field, version, flexible, value)


# Tagged fields.


@defect("has no size before the tagged fields that it knows, neither reading nor writing")
class KnownTagsWithoutSize(Codec):
    def read_known(
        self, reader: wire.Reader, field: Field, version: int, value: dict[str, Any]
    ) -> None:
        found = self.read_field(reader, field, version, flexible=True)
        if not self.is_default(field, version, found):
            value[field.name] = found

    def write_tag(self, writer: wire.Writer, tag: int, data: bytes, known: bool) -> None:
        if known:
            writer.varint(tag)
            writer.put(data)
        else:
            super().write_tag(writer, tag, data, known)


@defect(
    "takes the tagged fields of every struct for one byte, which it skips when it reads, and"
    " writes as 0"
)
class TagsAsOneByte(Codec):
    def read_tags(
        self, reader: wire.Reader, fields: Sequence[Field], version: int, value: dict[str, Any]
    ) -> None:
        reader.take(1)

    def write_tags(
        self, writer: wire.Writer, fields: Sequence[Field], version: int, value: Any
    ) -> None:
        writer.put(b"\0")


@defect("refuses a message with a tagged field that it does not know, instead of skipping it")
class UnknownTagsRefused(Codec):
    def read_other(
        self, reader: wire.Reader, fields: Sequence[Field], tag: int, value: dict[str, Any]
    ) -> None:
        raise WireError(f"tag {tag} is unknown")


@defect("writes tagged fields in the order of their tags as text, 10 before 2")
class TagsSortedAsText(Codec):
    def ordered(
        self, tags: list[tuple[int, bytes]], known: Collection[int]
    ) -> list[tuple[int, bytes]]:
        return sorted(tags, key=lambda one: str(one[0]))


@defect(
    "knows no tagged fields at the end of a struct that is itself a tagged field, neither reading"
    " nor writing"
)
class TaggedStructWithoutTags(Codec):
    def read_item(self, reader: wire.Reader, field: Field, version: int, compact: bool) -> Any:
        if not _tagged_struct(field):
            return super().read_item(reader, field, version, compact)
        plain = [one for one in field.fields or () if self.present(one, version)]
        return {one.name: self.read_field(reader, one, version, compact) for one in plain}

    def write_item(
        self, writer: wire.Writer, field: Field, version: int, compact: bool, value: Any
    ) -> None:
        if not _tagged_struct(field):
            super().write_item(writer, field, version, compact, value)
            return
        for one in field.fields or ():
            if self.present(one, version):
                inner = value.get(one.name, self.default(one, version))
                self.write_field(writer, one, version, compact, inner)


def _tagged_struct(field: Field) -> bool:
    return field.tag >= 0 and field.fields is not None and not field.array


@defect("leaves out a tagged struct whose first field has its default, whatever the others hold")
class TaggedStructByItsFirstField(Codec):
    def left_out(self, field: Field, version: int, value: Any) -> bool:
        if value is None or not _tagged_struct(field) or not field.fields:
            return super().left_out(field, version, value)
        one = field.fields[0]
        return self.is_default(one, version, value.get(one.name, self.default(one, version)))


@defect(
    "has the number of tagged fields only at the end of structs for which the version defines"
    " some, neither reading nor writing it at the end of others"
)
class TagsOnlyWhereDefined(Codec):
    def read_tags(
        self, reader: wire.Reader, fields: Sequence[Field], version: int, value: dict[str, Any]
    ) -> None:
        if self.tagged(fields, version):
            super().read_tags(reader, fields, version, value)

    def write_tags(
        self, writer: wire.Writer, fields: Sequence[Field], version: int, value: Any
    ) -> None:
        if self.tagged(fields, version):
            super().write_tags(writer, fields, version, value)


# Headers.


@defect(
    "gives every request the header without tagged fields, also in flexible versions, reading and"
    " writing"
)
class RequestHeaderOne(Codec):
    def request_header_version(self, message: Message, version: int) -> int:
        return 1


@defect(
    "gives ApiVersionsRequest the header without tagged fields in flexible versions too, as if the"
    " exception of its response were its own, reading and writing"
)
class ApiVersionsRequestHeaderOne(Codec):
    def request_header_version(self, message: Message, version: int) -> int:
        if message.name == "ApiVersionsRequest":
            return 1
        return super().request_header_version(message, version)


@defect(
    "reads an ApiVersionsResponse with any error in version 0, though only UNSUPPORTED_VERSION is"
    " answered in that version"
)
class FallbackOnAnyError(Codec):
    def fell_back(self, reader: wire.Reader) -> bool:
        return reader.data[reader.at : reader.at + 2] != b"\0\0"


# Versions.


@cache
def _one_version_late(name: str) -> Message:
    message = messages()[name]
    if message.kind == "header":
        return message
    return replace(message, fields=_late(message.fields, message.valid.low))


def _late(fields: Sequence[Field], oldest: int) -> tuple[Field, ...]:
    return tuple(
        replace(
            one,
            versions=_later(one.versions, oldest),
            fields=None if one.fields is None else _late(one.fields, oldest),
        )
        for one in fields
    )


def _later(versions: Versions, oldest: int) -> Versions:
    return replace(versions, low=versions.low + 1) if versions.low > oldest else versions


@defect(
    "has a field that was added to a message only from the version after its first one on, reading"
    " and writing"
)
class FieldOneVersionLate(Codec):
    def definition(self, name: str) -> Message:
        return _one_version_late(name)


@defect("keeps a field in the versions after its last one, reading and writing")
class LastVersionForgotten(Codec):
    def present(self, field: Field, version: int) -> bool:
        return field.versions != NONE and version >= field.versions.low


@defect("takes the version before the first flexible one of a message for flexible already")
class FlexibleOneEarly(Codec):
    def flexible(self, message: Message, version: int) -> bool:
        early = message.kind != "header" and version + 1 == message.flexible.low
        return early or super().flexible(message, version)


@defect("refuses to write a value that the version has no field for, though the field is ignorable")
class IgnorableRefused(Codec):
    def check_absent(self, field: Field, version: int, value: Any) -> None:
        super().check_absent(replace(field, ignorable=False), version, value)


# Primitive types.


@defect("takes only 1 for true, and reads every other byte of a boolean as false")
class OnlyOneIsTrue(Codec):
    class reader(Reader):  # noqa: N801
        def boolean(self) -> bool:
            return self.take(1) == b"\1"


@defect(
    "puts an int64 together from two halves and takes the lower one for signed, which is one too"
    " few in the upper half for every second value"
)
class Int64LowHalfSigned(Codec):
    class reader(Reader):  # noqa: N801
        def number(self, kind: str) -> Any:
            value = super().number(kind)
            if kind == "int64" and value & 0x80000000:
                return value - (1 << 32)
            return value


@defect("reads bytes of a string that are no UTF-8 as replacement characters, without an error")
class BadUtf8Replaced(Codec):
    class reader(Reader):  # noqa: N801
        def text(self, size: int) -> str:
            return self.take(size).decode(errors="replace")


def _swapped(data: bytes) -> bytes:
    return data[8:] + data[:8]


@defect("has the lower eight bytes of a uuid before the upper eight, reading and writing")
class UuidHalvesSwapped(Codec):
    class reader(Reader):  # noqa: N801
        def uuid(self) -> str:
            return base64.urlsafe_b64encode(_swapped(self.take(16))).decode().rstrip("=")

    class writer(Writer):  # noqa: N801
        def uuid(self, value: str) -> None:
            super().uuid(value)
            self.out[-16:] = _swapped(bytes(self.out[-16:]))


@defect("keeps a float64 that it has read in single precision")
class FloatInSinglePrecision(Codec):
    class reader(Reader):  # noqa: N801
        def number(self, kind: str) -> Any:
            value = super().number(kind)
            if kind != "float64" or isinstance(value, str):
                return value
            single = c_float(value).value
            if math.isinf(single):
                return "Infinity" if single > 0 else "-Infinity"
            return single


@defect("takes error codes for unsigned, so that it reads -1 as 65535")
class ErrorCodesUnsigned(Codec):
    def read_item(self, reader: wire.Reader, field: Field, version: int, compact: bool) -> Any:
        if field.name == "errorCode" and field.type == "int16":
            return reader.number("uint16")
        return super().read_item(reader, field, version, compact)

    def write_item(
        self, writer: wire.Writer, field: Field, version: int, compact: bool, value: Any
    ) -> None:
        if field.name == "errorCode" and field.type == "int16":
            writer.number("uint16", value & 0xFFFF)
        else:
            super().write_item(writer, field, version, compact, value)


@defect("reads a number that goes beyond the end of the message as if zeros followed there")
class ZerosBeyondTheEnd(Codec):
    class reader(Reader):  # noqa: N801
        def number(self, kind: str) -> Any:
            self.data += b"\0" * (_SIZES[kind] - self.left())
            return super().number(kind)


_SIZES = {kind: struct.calcsize(form) for kind, form in NUMBERS.items()}


# Structs that may be null, and arrays.


@defect(
    "has 0 instead of 1 before a struct that may be null and is there: it writes 0, and reads"
    " whatever is not negative as such a struct"
)
class PresentStructAsZero(Codec):
    class reader(Reader):  # noqa: N801
        def present(self, tagged: bool) -> bool:
            return super().present(tagged) if tagged else bool(self.number("int8") >= 0)

    class writer(Writer):  # noqa: N801
        def present(self, present: bool, tagged: bool) -> None:
            if tagged or not present:
                super().present(present, tagged)
            else:
                self.number("int8", 0)


@defect("reads an array of strings, numbers or uuids as a set, and so drops what comes again")
class ArrayAsSet(Codec):
    def read_value(self, reader: wire.Reader, field: Field, version: int, compact: bool) -> Any:
        value = super().read_value(reader, field, version, compact)
        if not field.array or field.fields is not None or value is None:
            return value
        return list(dict.fromkeys(value))


DEFECTS = tuple(defect)
