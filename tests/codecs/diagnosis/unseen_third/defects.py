"""Thirty more defects, of the codec of the second set, one a class, each with its cause.

They are mistakes such as the trackers of client libraries tell of, and others than the sixty
before. A name here is a target: `tests.codecs.diagnosis.unseen_third.defects:NAME`.
"""

import base64
import struct
import uuid as uuids
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise
from typing import Any

from tests.codecs.diagnosis.listed import Defects
from tests.codecs.diagnosis.unseen import wire
from tests.codecs.diagnosis.unseen.codec import UNKNOWN_TAGS
from tests.codecs.diagnosis.unseen.definitions import NONE, Field, Message, Versions, messages
from tests.codecs.diagnosis.unseen.wire import WireError
from tests.codecs.diagnosis.unseen_again.codec import Codec, Reader, Writer

defect = Defects()


# Lengths and varints.


@defect("writes 128 as a varint of one byte, as if it fitted into seven bits")
class VarintOf128InOneByte(Codec):
    class writer(Writer):  # noqa: N801
        def varint(self, value: int) -> None:
            while value > 0x80:
                self.out.append(value & 0x7F | 0x80)
                value >>= 7
            self.out.append(value)


@defect(
    "reads unsigned varints of up to ten bytes, as those of 64 bits are, where one of more than"
    " five bytes, or above 32 bits, is to be refused"
)
class VarintOfTenBytes(Codec):
    class reader(Reader):  # noqa: N801
        def varint(self) -> int:
            value = 0
            for shift in range(0, 70, 7):
                byte = self.take(1)[0]
                value |= (byte & 0x7F) << shift
                if byte < 0x80:
                    return value
            raise WireError("a varint of more than ten bytes")


@defect(
    "has a count of four bytes before arrays of numbers, strings and uuids in flexible versions"
    " too, and a compact one only before arrays of structs, reading and writing"
)
class PrimitiveArraysNotCompact(Codec):
    def read_value(self, reader: wire.Reader, field: Field, version: int, compact: bool) -> Any:
        if not field.array or field.fields is not None:
            return super().read_value(reader, field, version, compact)
        count = reader.count(compact=False)
        if count < 0:
            return None
        return [self.read_item(reader, field, version, compact) for _ in range(count)]

    def write_value(
        self, writer: wire.Writer, field: Field, version: int, compact: bool, value: Any
    ) -> None:
        if not field.array or field.fields is not None:
            super().write_value(writer, field, version, compact, value)
            return
        writer.count(-1 if value is None else len(value), compact=False)
        for one in value or ():
            self.write_item(writer, field, version, compact, one)


@defect(
    "casts the length of a plain string to 16 bits when it writes, so that a string of more than"
    " 32767 bytes gets a wrong length, instead of an error"
)
class LongStringLengthWraps(Codec):
    class writer(Writer):  # noqa: N801
        def length(self, kind: str, size: int, compact: bool) -> None:
            if kind == "string" and not compact:
                self.number("uint16", size & 0xFFFF)
            else:
                super().length(kind, size, compact)


@defect(
    "has the values of tagged fields in the encoding of versions that are not flexible, with plain"
    " lengths and no tagged fields of their own, reading and writing"
)
class TaggedValuesNotCompact(Codec):
    def read_tagged(self, reader: wire.Reader, field: Field, version: int, size: int) -> Any:
        inner = self.reader(reader.take(size))
        value = self.read_field(inner, field, version, flexible=False)
        if inner.left():
            raise WireError(f"{inner.left()} bytes are left of {field.name}")
        return value

    def write_tagged(self, field: Field, version: int, value: Any) -> bytes:
        inner = self.writer()
        self.write_field(inner, field, version, flexible=False, value=value)
        return bytes(inner.out)


# Nulls.


@defect("writes an empty string as null where the string may be null")
class EmptyStringWrittenAsNull(Codec):
    def write_value(
        self, writer: wire.Writer, field: Field, version: int, compact: bool, value: Any
    ) -> None:
        if field.type == "string" and value == "" and version in field.nullable:
            value = None
        super().write_value(writer, field, version, compact, value)


@defect(
    "reads bytes of length 0 as null, and so refuses a message with empty bytes where none may be"
    " null"
)
class EmptyBytesReadAsNull(Codec):
    class reader(Reader):  # noqa: N801
        def blob(self, kind: str, compact: bool) -> str | None:
            value = super().blob(kind, compact)
            return None if kind == "bytes" and value == "" else value


@defect("reads a null struct as a struct that is there and has all its fields at their defaults")
class NullStructReadAsDefaults(Codec):
    def read_value(self, reader: wire.Reader, field: Field, version: int, compact: bool) -> Any:
        value = super().read_value(reader, field, version, compact)
        if value is not None or field.array or field.fields is None:
            return value
        return {
            one.name: self.default(one, version)
            for one in field.fields
            if self.present(one, version) and version not in one.tagged
        }


@defect(
    "has the byte that stands before structs that may be null before every struct that is no"
    " element of an array, also where it may not be null, reading and writing"
)
class ByteBeforeEveryStruct(Codec):
    def read_value(self, reader: wire.Reader, field: Field, version: int, compact: bool) -> Any:
        if _never_null(field, version) and not reader.present(version in field.tagged):
            return None
        return super().read_value(reader, field, version, compact)

    def write_value(
        self, writer: wire.Writer, field: Field, version: int, compact: bool, value: Any
    ) -> None:
        if _never_null(field, version):
            writer.present(value is not None, version in field.tagged)
        super().write_value(writer, field, version, compact, value)


def _never_null(field: Field, version: int) -> bool:
    return field.fields is not None and not field.array and version not in field.nullable


@cache
def _topics_named(name: str) -> Message:
    message = messages()[name]
    if name not in {"MetadataRequest", "MetadataResponse"}:
        return message
    fields = (
        replace(one, fields=_never_nullable(one.fields, "name")) if one.name == "topics" else one
        for one in message.fields
    )
    return replace(message, fields=tuple(fields))


def _never_nullable(fields: Sequence[Field] | None, name: str) -> tuple[Field, ...]:
    return tuple(replace(one, nullable=NONE) if one.name == name else one for one in fields or ())


@defect(
    "refuses a topic without a name in MetadataRequest and MetadataResponse, though the name may be"
    " null in the versions that have topic ids, reading and writing"
)
class NullTopicNameRefused(Codec):
    def definition(self, name: str) -> Message:
        return _topics_named(name)


# Tagged fields.


@defect(
    "stops reading tagged fields at the first one that it does not know, and takes those after it"
    " for what follows the struct"
)
class StopsAtUnknownTag(Codec):
    def read_tags(
        self, reader: wire.Reader, fields: Sequence[Field], version: int, value: dict[str, Any]
    ) -> None:
        known = self.tagged(fields, version)
        last = -1
        for _ in range(reader.varint()):
            tag = reader.varint()
            self.check_order(last, tag)
            last = tag
            if tag not in known:
                self.read_other(reader, fields, tag, value)
                return
            self.read_known(reader, known[tag], version, value)


@defect(
    "looks up the tags of nested structs among the tagged fields of the message first, as if tag"
    " numbers were shared, when it reads"
)
class TagsOfWholeMessage(Codec):
    top: dict[int, Field]
    version: int

    def read_message(self, reader: wire.Reader, name: str, version: int) -> Any:
        self.version = version
        self.top = self.tagged(self.definition(name).fields, version)
        return super().read_message(reader, name, version)

    def read_known(
        self, reader: wire.Reader, field: Field, version: int, value: dict[str, Any]
    ) -> None:
        super().read_known(reader, self.top.get(field.tag, field), version, value)

    def read_other(
        self, reader: wire.Reader, fields: Sequence[Field], tag: int, value: dict[str, Any]
    ) -> None:
        if tag in self.top:
            super().read_known(reader, self.top[tag], self.version, value)
        else:
            super().read_other(reader, fields, tag, value)


@defect(
    "does not reset tagged fields between the elements of an array, so that one that an element"
    " lacks is read as that of the element before"
)
class TaggedFieldKeptForNext(Codec):
    def read_value(self, reader: wire.Reader, field: Field, version: int, compact: bool) -> Any:
        value = super().read_value(reader, field, version, compact)
        if not field.array or not value or field.fields is None:
            return value
        names = [one.name for one in self.tagged(field.fields, version).values()]
        for before, one in pairwise(value):
            one.update({name: before[name] for name in names if name in before and name not in one})
        return value


@defect(
    "takes a message of a flexible version that ends before the number of its tagged fields for one"
    " without any, instead of refusing it"
)
class MissingTagsTaken(Codec):
    def read_tags(
        self, reader: wire.Reader, fields: Sequence[Field], version: int, value: dict[str, Any]
    ) -> None:
        if reader.left():
            super().read_tags(reader, fields, version, value)


@defect(
    "leaves out a tagged struct whose fields are all zero or empty, though the defaults of its"
    " fields are others"
)
class ZeroTaggedStructLeftOut(Codec):
    def left_out(self, field: Field, version: int, value: Any) -> bool:
        if super().left_out(field, version, value):
            return True
        if value is None or field.fields is None or field.array:
            return False
        return not any(
            value.get(name) for name in (UNKNOWN_TAGS, *(one.name for one in field.fields))
        )


# Headers and frames.


@cache
def _client_named(name: str) -> Message:
    message = messages()[name]
    if name != "RequestHeader":
        return message
    return replace(message, fields=_never_nullable(message.fields, "clientId"))


@defect("refuses a null client id in the header of a request, reading and writing")
class NullClientIdRefused(Codec):
    def definition(self, name: str) -> Message:
        return _client_named(name)


@defect(
    "gives requests of all versions the header that the newest version of the message has, reading"
    " and writing"
)
class HeaderOfNewestVersion(Codec):
    def request_header_version(self, message: Message, version: int) -> int:
        return super().request_header_version(message, message.valid.high)


@defect(
    "drops the api keys of an ApiVersionsResponse that fell back to version 0, and reads only its"
    " error"
)
class FallbackWithoutKeys(Codec):
    def decode_response(self, message: str, version: int, data: bytes) -> tuple[Any, ...]:
        found = super().decode_response(message, version, data)
        if len(found) == 4:
            found[1]["apiKeys"] = []
        return found


@defect(
    "stops reading a response at an error code of the whole response that is not 0, and leaves all"
    " fields after it at their defaults"
)
class StopsAtError(Codec):
    def read_message(self, reader: wire.Reader, name: str, version: int) -> Any:
        message = self._of_version(name, version)
        if message.kind != "response":
            return super().read_message(reader, name, version)
        flexible = self.flexible(message, version)
        value: dict[str, Any] = {}
        for field in message.fields:
            if not self.present(field, version) or version in field.tagged:
                continue
            if value.get("errorCode"):
                value[field.name] = self.default(field, version)
            else:
                value[field.name] = self.read_field(reader, field, version, flexible)
        if value.get("errorCode"):
            reader.take(reader.left())
        elif flexible:
            self.read_tags(reader, message.fields, version, value)
        return value


# Versions and fields.


ALL = Versions(0, 32767)


@cache
def _nested_in_all_versions(name: str) -> Message:
    message = messages()[name]
    fields = (replace(one, fields=_in_all_versions(one.fields)) for one in message.fields)
    return replace(message, fields=tuple(fields))


def _in_all_versions(fields: Sequence[Field] | None) -> tuple[Field, ...] | None:
    if fields is None:
        return None
    return tuple(replace(one, versions=ALL, fields=_in_all_versions(one.fields)) for one in fields)


@defect(
    "minds the versions of fields at the top of a message alone, and has the fields of nested"
    " structs in all versions, reading and writing"
)
class NestedVersionsIgnored(Codec):
    def definition(self, name: str) -> Message:
        return _nested_in_all_versions(name)


@cache
def _throttle_time_first(name: str) -> Message:
    message = messages()[name]
    fields = sorted(message.fields, key=lambda one: one.name != "throttleTimeMs")
    return replace(message, fields=tuple(fields))


@defect(
    "has the throttle time first in every response, also in those that have it later or last, such"
    " as ApiVersionsResponse and ProduceResponse, reading and writing"
)
class ThrottleTimeFirst(Codec):
    def definition(self, name: str) -> Message:
        return _throttle_time_first(name)


@cache
def _short_lifetime(name: str) -> Message:
    message = messages()[name]
    if name != "SaslAuthenticateResponse":
        return message
    fields = (
        replace(one, type="int32") if one.name == "sessionLifetimeMs" else one
        for one in message.fields
    )
    return replace(message, fields=tuple(fields))


@defect(
    "takes the session lifetime of SaslAuthenticateResponse for an int32, where it is an int64,"
    " reading and writing"
)
class SessionLifetimeAsInt32(Codec):
    def definition(self, name: str) -> Message:
        return _short_lifetime(name)


# Primitive types.


@defect("reads int8 unsigned, so that -1 is 255")
class Int8ReadUnsigned(Codec):
    def read_item(self, reader: wire.Reader, field: Field, version: int, compact: bool) -> Any:
        value = super().read_item(reader, field, version, compact)
        return value & 0xFF if field.type == "int8" else value


@defect(
    "writes only the lower 32 bits of an int64, and zeros for the upper ones, so that -1 becomes"
    " 4294967295"
)
class Int64UpperHalfZero(Codec):
    class writer(Writer):  # noqa: N801
        def number(self, kind: str, value: Any) -> None:
            super().number(kind, value & 0xFFFFFFFF if kind == "int64" else value)


@defect("has float64 with its lowest byte first, reading and writing")
class FloatLittleEndian(Codec):
    class reader(Reader):  # noqa: N801
        def number(self, kind: str) -> Any:
            if kind == "float64":
                self.data = (
                    self.data[: self.at]
                    + self.data[self.at : self.at + 8][::-1]
                    + self.data[self.at + 8 :]
                )
            return super().number(kind)

    class writer(Writer):  # noqa: N801
        def number(self, kind: str, value: Any) -> None:
            if kind == "float64":
                self.put(struct.pack("<d", float(value)))
            else:
                super().number(kind, value)


@defect("sets the bits of version 4 and of its variant in every uuid that it reads")
class UuidOfVersionFour(Codec):
    class reader(Reader):  # noqa: N801
        def uuid(self) -> str:
            data = uuids.UUID(bytes=self.take(16), version=4).bytes
            return base64.urlsafe_b64encode(data).decode().rstrip("=")


@defect("reads strings as Latin-1, not as UTF-8")
class StringsReadAsLatin1(Codec):
    class reader(Reader):  # noqa: N801
        def text(self, size: int) -> str:
            return self.take(size).decode("latin-1")


# Arrays.


@defect(
    "refuses an array of int32 with fewer than eight bytes left of the message for each element,"
    " though an element has four"
)
class Int32ArrayBoundOfInt64(Codec):
    def read_value(self, reader: wire.Reader, field: Field, version: int, compact: bool) -> Any:
        if not field.array or field.type != "int32":
            return super().read_value(reader, field, version, compact)
        count = reader.count(compact)
        if count < 0:
            return None
        if 8 * count > reader.left():
            raise WireError(f"{count} elements are due, {reader.left()} bytes are left")
        return [self.read_item(reader, field, version, compact) for _ in range(count)]


@defect(
    "reads all elements of an array of structs into the same object, so that each of them is equal"
    " to the last one"
)
class ElementsAliased(Codec):
    def read_value(self, reader: wire.Reader, field: Field, version: int, compact: bool) -> Any:
        value = super().read_value(reader, field, version, compact)
        if not field.array or not value or field.fields is None:
            return value
        return [value[-1]] * len(value)


@defect(
    "reads an array of which the message holds fewer elements than the count says as one of those"
    " that are there, instead of refusing the message"
)
class CutArrayTaken(Codec):
    def read_value(self, reader: wire.Reader, field: Field, version: int, compact: bool) -> Any:
        if not field.array:
            return super().read_value(reader, field, version, compact)
        count = reader.length("array", compact)
        if count < 0:
            return None
        value: list[Any] = []
        while len(value) < count and reader.left():
            value.append(self.read_item(reader, field, version, compact))
        return value


DEFECTS = tuple(defect)
