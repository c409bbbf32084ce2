"""Thirty more defects, of the codec of the second set, one a class, each with its cause.

They are mistakes such as the trackers of client libraries tell of, and others than the ninety
before. A name here is a target: `tests.codecs.diagnosis.unseen_fourth.defects:NAME`.
"""

import base64
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from tests.codecs.diagnosis.changed import Fields, changed
from tests.codecs.diagnosis.listed import Defects
from tests.codecs.diagnosis.unseen import wire
from tests.codecs.diagnosis.unseen.definitions import NONE, Field, Message, Versions, messages
from tests.codecs.diagnosis.unseen.wire import WireError
from tests.codecs.diagnosis.unseen_again.codec import Codec, Reader, Writer

defect = Defects()


# Lengths and varints.


@defect(
    "does not take the continuation bit off the bytes of an unsigned varint when it reads, so that"
    " one of two bytes is 128 too much"
)
class ContinuationBitKept(Codec):
    class reader(Reader):  # noqa: N801
        def varint(self) -> int:
            value = 0
            for shift in range(0, 35, 7):
                byte = self.take(1)[0]
                value += byte << shift
                if byte < 0x80:
                    if value >= 1 << 32:
                        raise WireError("a varint above 32 bits")
                    return value
            raise WireError("a varint of more than five bytes")


@defect("reads the length of a plain string unsigned, so that a null string is one of 65535 bytes")
class PlainStringLengthUnsigned(Codec):
    class reader(Reader):  # noqa: N801
        def length(self, kind: str, compact: bool) -> int:
            if compact or kind != "string":
                return super().length(kind, compact)
            size: int = self.number("uint16")
            return size


@defect(
    "has a length of four bytes before bytes in flexible versions too, where it is a compact one,"
    " reading and writing"
)
class BytesNeverCompact(Codec):
    class reader(Reader):  # noqa: N801
        def length(self, kind: str, compact: bool) -> int:
            return super().length(kind, compact and kind != "bytes")

    class writer(Writer):  # noqa: N801
        def length(self, kind: str, size: int, compact: bool) -> None:
            super().length(kind, size, compact and kind != "bytes")


@defect(
    "takes one off the count of a compact array without a look at 0, so that a null array is one"
    " of 4294967295 elements"
)
class CompactNullArrayUnderflows(Codec):
    class reader(Reader):  # noqa: N801
        def count(self, compact: bool) -> int:
            count = super().count(compact)
            if compact and count < 0:
                raise WireError(f"{0xFFFFFFFF} elements are due, {self.left()} bytes are left")
            return count


# Nulls.


@defect("writes a null string as an empty one")
class NullStringWrittenAsEmpty(Codec):
    class writer(Writer):  # noqa: N801
        def string(self, value: str | None, compact: bool) -> None:
            super().string(value or "", compact)


@defect("reads null bytes and null records as empty ones")
class NullBytesReadAsEmpty(Codec):
    class reader(Reader):  # noqa: N801
        def blob(self, kind: str, compact: bool) -> str | None:
            return super().blob(kind, compact) or ""


@defect("reads an empty array as null where the array may be null")
class EmptyArrayReadAsNull(Codec):
    def read_value(self, reader: wire.Reader, field: Field, version: int, compact: bool) -> Any:
        value = super().read_value(reader, field, version, compact)
        return None if field.array and not value and version in field.nullable else value


@defect("writes a null where none may be, instead of refusing the value")
class NullWrittenEverywhere(Codec):
    def write_field(
        self, writer: wire.Writer, field: Field, version: int, flexible: bool, value: Any
    ) -> None:
        self.write_value(writer, field, version, self.compact(field, version, flexible), value)


@defect(
    "takes every byte but 0 before a struct that may be null for one that says that the struct is"
    " there, so that it goes on to read a null one, whose byte is -1"
)
class NullStructReadAsPresent(Codec):
    class reader(Reader):  # noqa: N801
        def present(self, tagged: bool) -> bool:
            return bool(self.number("int8") != 0)


@defect(
    "writes null topics in MetadataRequest as an empty array, which asks for no topics instead of"
    " all"
)
class AllTopicsWrittenAsNone(Codec):
    def write_message(self, writer: wire.Writer, name: str, version: int, value: Any) -> None:
        if name == "MetadataRequest" and version > 0 and value.get("topics") is None:
            value = {**value, "topics": []}
        super().write_message(writer, name, version, value)


# Definitions that differ in one place.


@cache
def _user_data_there(name: str) -> Message:
    message = messages()[name]
    if name not in {"ConsumerProtocolSubscription", "ConsumerProtocolAssignment"}:
        return message
    return changed(message, (), _never_null_user_data)


def _never_null_user_data(fields: Fields) -> Fields:
    return tuple(replace(one, nullable=NONE) if one.name == "userData" else one for one in fields)


@defect(
    "refuses null user data in ConsumerProtocolSubscription and ConsumerProtocolAssignment, reading"
    " and writing"
)
class NullUserDataRefused(Codec):
    def definition(self, name: str) -> Message:
        return _user_data_there(name)


@cache
def _members_without_instance(name: str) -> Message:
    message = messages()[name]
    if name != "JoinGroupResponse":
        return message
    return changed(message, ["members"], _without_instance)


def _without_instance(fields: Fields) -> Fields:
    return tuple(one for one in fields if one.name != "groupInstanceId")


@defect(
    "knows no group instance id in the members of JoinGroupResponse, which have one from version 5"
    " on, neither reading nor writing it"
)
class MembersWithoutInstanceId(Codec):
    def definition(self, name: str) -> Message:
        return _members_without_instance(name)


@cache
def _replica_before_transactions(name: str) -> Message:
    message = messages()[name]
    if name != "FetchResponse":
        return message
    return changed(message, ["responses", "partitions"], _replica_first)


def _replica_first(fields: Fields) -> Fields:
    replica = next(one for one in fields if one.name == "preferredReadReplica")
    rest = [one for one in fields if one is not replica]
    at = next(at for at, one in enumerate(rest) if one.name == "abortedTransactions")
    return (*rest[:at], replica, *rest[at:])


@defect(
    "has the preferred read replica of a partition in FetchResponse before the aborted"
    " transactions, which it follows, reading and writing"
)
class PreferredReplicaTooEarly(Codec):
    def definition(self, name: str) -> Message:
        return _replica_before_transactions(name)


@cache
def _one_coordinator(name: str) -> Message:
    message = messages()[name]
    if name not in {"FindCoordinatorRequest", "FindCoordinatorResponse"}:
        return message
    return changed(message, (), _fields_of_one_coordinator)


def _fields_of_one_coordinator(fields: Fields) -> Fields:
    return tuple(
        replace(one, versions=_from(one.versions.low), nullable=_from(one.nullable.low))
        if one.name == "errorMessage"
        else replace(one, versions=_from(one.versions.low))
        for one in fields
        if one.versions.low < 4
    )


def _from(version: int) -> Versions:
    return Versions(version, 32767)


@defect(
    "has FindCoordinatorRequest and FindCoordinatorResponse from version 4 on as they are in"
    " version 3, with one key and one coordinator instead of arrays, reading and writing"
)
class OneCoordinatorForever(Codec):
    def definition(self, name: str) -> Message:
        return _one_coordinator(name)


# Tagged fields.


def _signed(raw: int) -> int:
    return (raw >> 1) ^ -(raw & 1)


@defect(
    "takes the tags of tagged fields and their sizes for signed varints (zigzag), reading and"
    " writing"
)
class ZigzagTags(Codec):
    def read_tags(
        self, reader: wire.Reader, fields: Sequence[Field], version: int, value: dict[str, Any]
    ) -> None:
        known = self.tagged(fields, version)
        last = -1
        for _ in range(reader.varint()):
            tag = _signed(reader.varint())
            self.check_order(last, tag)
            last = tag
            if tag in known:
                self.read_known(reader, known[tag], version, value)
            else:
                self.read_other(reader, fields, tag, value)

    def read_tagged(self, reader: wire.Reader, field: Field, version: int, size: int) -> Any:
        return super().read_tagged(reader, field, version, _signed(size))

    def read_unknown(self, reader: wire.Reader, tag: int, size: int) -> dict[str, Any]:
        return super().read_unknown(reader, tag, _signed(size))

    def write_tag(self, writer: wire.Writer, tag: int, data: bytes, known: bool) -> None:
        writer.varint(tag << 1)
        writer.varint(len(data) << 1)
        writer.put(data)


@defect(
    "takes the number of tagged fields for their size in bytes when it reads, and skips that many"
    " bytes"
)
class TagCountAsSize(Codec):
    def read_tags(
        self, reader: wire.Reader, fields: Sequence[Field], version: int, value: dict[str, Any]
    ) -> None:
        reader.take(reader.varint())


@defect(
    "takes an empty value for the default of tagged strings and arrays whose default is null, and"
    " so leaves out empty ones, and writes null ones"
)
class NullDefaultForgotten(Codec):
    def default(self, field: Field, version: int) -> Any:
        if _null_by_default(field, version):
            return [] if field.array else ""
        return super().default(field, version)

    def read_tags(
        self, reader: wire.Reader, fields: Sequence[Field], version: int, value: dict[str, Any]
    ) -> None:
        super().read_tags(reader, fields, version, value)
        for field in self.tagged(fields, version).values():
            if _null_by_default(field, version):
                value.setdefault(field.name, self.default(field, version))


def _null_by_default(field: Field, version: int) -> bool:
    plain_struct = field.fields is not None and not field.array
    return version in field.tagged and field.default == "null" and not plain_struct


@defect(
    "takes an unknown tagged field whose size goes beyond the end of the message for what is left,"
    " instead of refusing the message"
)
class UnknownTagBeyondTheEnd(Codec):
    def read_unknown(self, reader: wire.Reader, tag: int, size: int) -> dict[str, Any]:
        return super().read_unknown(reader, tag, min(size, reader.left()))


@defect(
    "knows no tagged fields at the end of the brokers in MetadataResponse, neither reading nor"
    " writing"
)
class BrokersWithoutTags(Codec):
    def read_item(self, reader: wire.Reader, field: Field, version: int, compact: bool) -> Any:
        if field.type != "MetadataResponseBroker":
            return super().read_item(reader, field, version, compact)
        plain = [one for one in field.fields or () if self.present(one, version)]
        return {one.name: self.read_field(reader, one, version, compact) for one in plain}

    def write_item(
        self, writer: wire.Writer, field: Field, version: int, compact: bool, value: Any
    ) -> None:
        if field.type != "MetadataResponseBroker":
            super().write_item(writer, field, version, compact, value)
            return
        for one in field.fields or ():
            if self.present(one, version):
                inner = value.get(one.name, self.default(one, version))
                self.write_field(writer, one, version, compact, inner)


# Headers.


@defect(
    "gives every request the header with tagged fields, also in versions that are not flexible,"
    " reading and writing"
)
class RequestHeaderTwo(Codec):
    def request_header_version(self, message: Message, version: int) -> int:
        return 2


@defect(
    "gives version 0 of every message the header without tagged fields, though some messages are"
    " flexible from version 0 on, reading and writing"
)
class VersionZeroHeaderPlain(Codec):
    def request_header_version(self, message: Message, version: int) -> int:
        return super().request_header_version(message, version) if version else 1

    def response_header_version(self, message: Message, version: int) -> int:
        return super().response_header_version(message, version) if version else 0


@defect(
    "takes the tagged fields in the header of a response for one byte, which it skips, when it"
    " reads"
)
class ResponseHeaderTagsAsOneByte(Codec):
    def read_message(self, reader: wire.Reader, name: str, version: int) -> Any:
        if name != "ResponseHeader" or version == 0:
            return super().read_message(reader, name, version)
        value = super().read_message(reader, name, 0)
        reader.take(1)
        return value


@defect("reads the correlation id of a header unsigned, so that -1 is 4294967295")
class CorrelationIdUnsigned(Codec):
    def read_item(self, reader: wire.Reader, field: Field, version: int, compact: bool) -> Any:
        value = super().read_item(reader, field, version, compact)
        return value & 0xFFFFFFFF if field.name == "correlationId" else value


@defect(
    "knows that an ApiVersionsResponse may fall back to version 0 only where it asked for a"
    " flexible version, and reads one to versions 1 and 2 in the version it asked for"
)
class FallbackFromFlexibleAlone(Codec):
    asked = 0

    def decode_response(self, message: str, version: int, data: bytes) -> tuple[Any, ...]:
        self.asked = version
        return super().decode_response(message, version, data)

    def fell_back(self, reader: wire.Reader) -> bool:
        return self.asked >= 3 and super().fell_back(reader)


# Primitive types.


@defect("refuses a boolean whose byte is neither 0 nor 1, though every byte but 0 is true")
class OtherTrueRefused(Codec):
    class reader(Reader):  # noqa: N801
        def boolean(self) -> bool:
            byte = self.take(1)[0]
            if byte > 1:
                raise WireError(f"a boolean of {byte}")
            return byte == 1


@defect("refuses to read an int64 beyond 2 to the 53rd, as no number that a double holds safely")
class UnsafeInt64Refused(Codec):
    class reader(Reader):  # noqa: N801
        def number(self, kind: str) -> Any:
            value = super().number(kind)
            if kind == "int64" and abs(value) >= 1 << 53:
                raise WireError(f"{value} is no safe integer")
            return value


@defect(
    "puts a uuid that it reads together from the hex digits of its two halves without their leading"
    " zeros, so that the digits that follow move up"
)
class UuidHexNotPadded(Codec):
    class reader(Reader):  # noqa: N801
        def uuid(self) -> str:
            halves = (int.from_bytes(self.take(8)), int.from_bytes(self.take(8)))
            digits = "".join(f"{half:x}" for half in halves)
            data = bytes.fromhex(digits.ljust(32, "0"))
            return base64.urlsafe_b64encode(data).decode().rstrip("=")


@defect("ends a string that it reads at its first zero character, as C does")
class StringEndsAtZero(Codec):
    class reader(Reader):  # noqa: N801
        def text(self, size: int) -> str:
            return super().text(size).partition("\0")[0]


@defect(
    "writes strings in the modified UTF-8 of Java's data streams, the zero character as two bytes,"
    " and one above U+FFFF as two surrogates of three bytes each"
)
class ModifiedUtf8(Codec):
    class writer(Writer):  # noqa: N801
        def string(self, value: str | None, compact: bool) -> None:
            if value is None:
                super().string(value, compact)
                return
            data = _modified(value)
            self.length("string", len(data), compact)
            self.put(data)


def _modified(text: str) -> bytes:
    units = text.encode("utf-16-be")
    return b"".join(
        chr(int.from_bytes(units[at : at + 2])).encode("utf-8", "surrogatepass")
        if any(units[at : at + 2])
        else b"\xc0\x80"
        for at in range(0, len(units), 2)
    )


@defect(
    "holds bytes as UTF-8 text when it reads them, so that bytes that are none become replacement"
    " characters"
)
class BytesThroughText(Codec):
    class reader(Reader):  # noqa: N801
        def blob(self, kind: str, compact: bool) -> str | None:
            value = super().blob(kind, compact)
            if value is None or kind != "bytes":
                return value
            text = base64.b64decode(value).decode(errors="replace")
            return base64.b64encode(text.encode()).decode()


DEFECTS = tuple(defect)
