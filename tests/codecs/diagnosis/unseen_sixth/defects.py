"""Thirty more defects, of the codec of the second set, one a class, each with its cause.

They are mistakes such as the trackers of client libraries tell of, and others than the hundred and
fifty before. A name here is a target: `tests.codecs.diagnosis.unseen_sixth.defects:NAME`.
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
from tests.codecs.diagnosis.unseen.wire import NUMBERS, WireError
from tests.codecs.diagnosis.unseen_again.codec import Codec, Reader, Writer

defect = Defects()


# Lengths and varints.


@defect("writes the count of a compact array as it stands, without adding one")
class CompactCountWrittenAsItIs(Codec):
    class writer(Writer):  # noqa: N801
        def count(self, count: int, compact: bool) -> None:
            if compact:
                self.varint(max(0, count))
            else:
                super().count(count, compact)


@defect("reads the count of a compact array in one byte, also where that says that one follows")
class CompactCountInOneByte(Codec):
    class reader(Reader):  # noqa: N801
        def count(self, compact: bool) -> int:
            if not compact:
                return super().count(compact)
            count = self.take(1)[0] - 1
            if count > self.left():
                raise WireError(f"{count} elements are due, {self.left()} bytes are left")
            return count


@defect("shifts each further byte of an unsigned varint by eight bits, not by seven, when it reads")
class VarintShiftsByEight(Codec):
    class reader(Reader):  # noqa: N801
        def varint(self) -> int:
            value = 0
            for shift in range(0, 40, 8):
                byte = self.take(1)[0]
                value |= (byte & 0x7F) << shift
                if byte < 0x80:
                    return value & 0xFFFFFFFF
            raise WireError("a varint of more than five bytes")


@defect(
    "takes an unsigned varint that the end of the message cuts off for one that ends there, instead"
    " of refusing the message"
)
class CutVarintTaken(Codec):
    class reader(Reader):  # noqa: N801
        def varint(self) -> int:
            end = len(self.data)
            if self.left() and all(byte > 0x7F for byte in self.data[self.at : self.at + 5]):
                self.data += b"\0"
            value = super().varint()
            self.data, self.at = self.data[:end], min(self.at, end)
            return value


@defect(
    "takes the length of compact records as it stands, without the one that is added to it, reading"
    " and writing"
)
class CompactRecordsAsTheyAre(Codec):
    class reader(Reader):  # noqa: N801
        def length(self, kind: str, compact: bool) -> int:
            if compact and kind == "records":
                return self.varint()
            return super().length(kind, compact)

    class writer(Writer):  # noqa: N801
        def length(self, kind: str, size: int, compact: bool) -> None:
            if compact and kind == "records":
                self.varint(max(0, size))
            else:
                super().length(kind, size, compact)


@defect(
    "has a count of four bytes before the arrays within structs in flexible versions too, and a"
    " compact one only before those at the top of a message, reading and writing"
)
class NestedArraysNotCompact(Codec):
    depth = 0

    def read_item(self, reader: wire.Reader, field: Field, version: int, compact: bool) -> Any:
        self.depth += 1
        try:
            return super().read_item(reader, field, version, compact)
        finally:
            self.depth -= 1

    def write_item(
        self, writer: wire.Writer, field: Field, version: int, compact: bool, value: Any
    ) -> None:
        self.depth += 1
        try:
            super().write_item(writer, field, version, compact, value)
        finally:
            self.depth -= 1

    def read_value(self, reader: wire.Reader, field: Field, version: int, compact: bool) -> Any:
        if not field.array or not self.depth:
            return super().read_value(reader, field, version, compact)
        count = reader.count(compact=False)
        if count < 0:
            return None
        return [self.read_item(reader, field, version, compact) for _ in range(count)]

    def write_value(
        self, writer: wire.Writer, field: Field, version: int, compact: bool, value: Any
    ) -> None:
        if not field.array or not self.depth:
            super().write_value(writer, field, version, compact, value)
            return
        writer.count(-1 if value is None else len(value), compact=False)
        for one in value or ():
            self.write_item(writer, field, version, compact, one)


@defect("reads strings into a buffer of 255 bytes, and refuses a message with a longer one")
class LongStringsRefused(Codec):
    class reader(Reader):  # noqa: N801
        def length(self, kind: str, compact: bool) -> int:
            size = super().length(kind, compact)
            if kind == "string" and size > 255:
                raise WireError(f"a string of {size} bytes, the buffer has 255")
            return size


# Definitions that differ in one place.


@cache
def _metadata_there(name: str) -> Message:
    message = messages()[name]
    if name == "OffsetCommitRequest":
        return changed(message, ["topics", "partitions"], _never_null_metadata)
    if name == "OffsetFetchResponse":
        message = changed(message, ["topics", "partitions"], _never_null_metadata)
        return changed(message, ["groups", "topics", "partitions"], _never_null_metadata)
    return message


def _never_null_metadata(fields: Fields) -> Fields:
    names = {"committedMetadata", "metadata"}
    return tuple(replace(one, nullable=NONE) if one.name in names else one for one in fields)


@defect(
    "refuses null metadata of a committed offset in OffsetCommitRequest and OffsetFetchResponse,"
    " reading and writing"
)
class NullOffsetMetadataRefused(Codec):
    def definition(self, name: str) -> Message:
        return _metadata_there(name)


@cache
def _retention_kept(name: str) -> Message:
    message = messages()[name]
    return changed(message, (), _keep_retention) if name == "OffsetCommitRequest" else message


def _keep_retention(fields: Fields) -> Fields:
    return tuple(
        replace(one, versions=Versions(one.versions.low, 32767))
        if one.name == "retentionTimeMs"
        else one
        for one in fields
    )


@defect(
    "keeps the retention time in OffsetCommitRequest from version 5 on, which no longer has it,"
    " reading and writing"
)
class RetentionTimeKept(Codec):
    def definition(self, name: str) -> Message:
        return _retention_kept(name)


@cache
def _protocol_name_first(name: str) -> Message:
    message = messages()[name]
    if name not in {"SyncGroupRequest", "SyncGroupResponse"}:
        return message
    return changed(message, (), _name_before_type)


def _name_before_type(fields: Fields) -> Fields:
    other = {"protocolType": "protocolName", "protocolName": "protocolType"}
    by_name = {one.name: one for one in fields}
    return tuple(by_name[other.get(one.name, one.name)] for one in fields)


@defect(
    "has the protocol name before the protocol type in SyncGroupRequest and its response, where it"
    " comes after it, reading and writing"
)
class ProtocolNameBeforeType(Codec):
    def definition(self, name: str) -> Message:
        return _protocol_name_first(name)


@cache
def _long_isolation_level(name: str) -> Message:
    message = messages()[name]
    if name not in {"FetchRequest", "ListOffsetsRequest"}:
        return message
    return changed(message, (), _isolation_level_in_32_bits)


def _isolation_level_in_32_bits(fields: Fields) -> Fields:
    return tuple(
        replace(one, type="int32") if one.name == "isolationLevel" else one for one in fields
    )


@defect(
    "takes the isolation level of FetchRequest and ListOffsetsRequest for an int32, where it is an"
    " int8, reading and writing"
)
class IsolationLevelAsInt32(Codec):
    def definition(self, name: str) -> Message:
        return _long_isolation_level(name)


@cache
def _without_group_error(name: str) -> Message:
    message = messages()[name]
    return changed(message, (), _no_error) if name == "OffsetFetchResponse" else message


def _no_error(fields: Fields) -> Fields:
    return tuple(one for one in fields if one.name != "errorCode")


@defect(
    "knows no error of the whole OffsetFetchResponse, which has one behind the topics from version"
    " 2 to 7, neither reading nor writing it"
)
class OffsetFetchWithoutError(Codec):
    def definition(self, name: str) -> Message:
        return _without_group_error(name)


@defect(
    "takes InitProducerIdRequest and its response for flexible from version 3 on, not from version"
    " 2 on, reading and writing"
)
class InitProducerIdFlexibleLate(Codec):
    def flexible(self, message: Message, version: int) -> bool:
        late = message.name in {"InitProducerIdRequest", "InitProducerIdResponse"}
        return super().flexible(message, version) and not (late and version == 2)


# Nulls and records.


@defect("writes empty bytes as null where the bytes may be null")
class EmptyBytesWrittenAsNull(Codec):
    def write_value(
        self, writer: wire.Writer, field: Field, version: int, compact: bool, value: Any
    ) -> None:
        if field.type == "bytes" and value == "" and version in field.nullable:
            value = None
        super().write_value(writer, field, version, compact, value)


@defect("refuses a message with null records when it reads, though records may be null")
class NullRecordsRefused(Codec):
    class reader(Reader):  # noqa: N801
        def blob(self, kind: str, compact: bool) -> str | None:
            value = super().blob(kind, compact)
            if kind == "records" and value is None:
                raise WireError("records of a negative length")
            return value


@defect(
    "takes records that are longer than what is left of the message for what is left, instead of"
    " refusing the message"
)
class CutRecordsTaken(Codec):
    class reader(Reader):  # noqa: N801
        def blob(self, kind: str, compact: bool) -> str | None:
            if kind != "records":
                return super().blob(kind, compact)
            size = self.length(kind, compact)
            if size < 0:
                return None
            return base64.b64encode(self.take(min(size, self.left()))).decode()


@defect("writes a null struct as one that is there and has all its fields at their defaults")
class NullStructWrittenAsDefaults(Codec):
    def write_value(
        self, writer: wire.Writer, field: Field, version: int, compact: bool, value: Any
    ) -> None:
        if value is None and field.fields is not None and not field.array:
            value = {}
        super().write_value(writer, field, version, compact, value)


# Tagged fields.


@defect(
    "has the number of tagged fields as compact arrays have their count, as one more than there"
    " are, reading and writing"
)
class TagCountPlusOne(Codec):
    def read_tags(
        self, reader: wire.Reader, fields: Sequence[Field], version: int, value: dict[str, Any]
    ) -> None:
        known = self.tagged(fields, version)
        last = -1
        for _ in range(reader.varint() - 1):
            tag = reader.varint()
            self.check_order(last, tag)
            last = tag
            if tag in known:
                self.read_known(reader, known[tag], version, value)
            else:
                self.read_other(reader, fields, tag, value)

    def write_tags(
        self, writer: wire.Writer, fields: Sequence[Field], version: int, value: Any
    ) -> None:
        known = self.tagged(fields, version)
        tags = self.tags_to_write(known, version, value)
        writer.varint(len(tags) + 1)
        for tag, data in self.ordered(tags, known):
            self.write_tag(writer, tag, data, tag in known)


@defect("writes a tagged array also where it is empty, as it is by default")
class EmptyTaggedArrayWritten(Codec):
    def left_out(self, field: Field, version: int, value: Any) -> bool:
        if field.array and value == []:
            return False
        return super().left_out(field, version, value)


@defect("leaves out a tagged number that is 0, also where its default is another number")
class ZeroTaggedNumberLeftOut(Codec):
    def left_out(self, field: Field, version: int, value: Any) -> bool:
        if field.type in NUMBERS and not field.array and value == 0:
            return True
        return super().left_out(field, version, value)


# Headers and frames.


@defect(
    "writes the header without tagged fields before requests of flexible versions too, though it"
    " reads the one with them there"
)
class RequestHeaderWrittenPlain(Codec):
    writing = False

    def encode_request(self, *asked: Any, **named: Any) -> bytes:
        self.writing = True
        try:
            return super().encode_request(*asked, **named)
        finally:
            self.writing = False

    def request_header_version(self, message: Message, version: int) -> int:
        return 1 if self.writing else super().request_header_version(message, version)


@defect(
    "writes the newest version of a message into the header of every request, whatever the version"
    " that follows"
)
class NewestVersionInHeader(Codec):
    newest = 0

    def encode_request(self, message: str, *asked: Any, **named: Any) -> bytes:
        self.newest = self.definition(message).valid.high
        return super().encode_request(message, *asked, **named)

    def write_item(
        self, writer: wire.Writer, field: Field, version: int, compact: bool, value: Any
    ) -> None:
        if field.name == "requestApiVersion":
            value = self.newest
        super().write_item(writer, field, version, compact, value)


@defect("refuses a header whose correlation id is negative when it reads")
class NegativeCorrelationIdRefused(Codec):
    def read_item(self, reader: wire.Reader, field: Field, version: int, compact: bool) -> Any:
        value = super().read_item(reader, field, version, compact)
        if field.name == "correlationId" and value < 0:
            raise WireError(f"a correlation id of {value}")
        return value


@defect(
    "reads an ApiVersionsResponse that fell back to version 0 in version 1, and so waits for a"
    " throttle time that is not there"
)
class FallbackToVersionOne(Codec):
    falls = True

    def decode_response(self, message: str, version: int, data: bytes) -> tuple[Any, ...]:
        found = super().decode_response(message, version, data)
        if len(found) < 4 or version == 0:
            return found
        self.falls = False
        try:
            return (*super().decode_response(message, 1, data), 1)
        finally:
            self.falls = True

    def fell_back(self, reader: wire.Reader) -> bool:
        return self.falls and super().fell_back(reader)


# Primitive types.


@defect(
    "puts an int16 that it reads together from two bytes and takes the lower one for signed, so"
    " that its sign covers the upper one"
)
class Int16LowByteSigned(Codec):
    class reader(Reader):  # noqa: N801
        def number(self, kind: str) -> Any:
            if kind != "int16":
                return super().number(kind)
            return super().number("int8") << 8 | super().number("int8")


@defect("reads int64 unsigned, so that -1 is 18446744073709551615")
class Int64ReadUnsigned(Codec):
    def read_item(self, reader: wire.Reader, field: Field, version: int, compact: bool) -> Any:
        value = super().read_item(reader, field, version, compact)
        return value & 0xFFFFFFFFFFFFFFFF if field.type == "int64" else value


def _turned(port: int) -> int:
    return (port & 0xFF) << 8 | port >> 8


@defect("has uint16, the type of ports, with its lowest byte first, reading and writing")
class PortsLittleEndian(Codec):
    class reader(Reader):  # noqa: N801
        def number(self, kind: str) -> Any:
            value = super().number(kind)
            return _turned(value) if kind == "uint16" else value

    class writer(Writer):  # noqa: N801
        def number(self, kind: str, value: Any) -> None:
            super().number(kind, _turned(value) if kind == "uint16" else value)


@defect("refuses a message with a uuid of zeros when it reads, as one that is no id")
class ZeroUuidRefused(Codec):
    class reader(Reader):  # noqa: N801
        def uuid(self) -> str:
            if self.data[self.at : self.at + 16] == bytes(16):
                raise WireError("a uuid of zeros")
            return super().uuid()


@defect("writes true as a byte of 255, where it is 1")
class TrueWrittenAs255(Codec):
    def write_item(
        self, writer: wire.Writer, field: Field, version: int, compact: bool, value: Any
    ) -> None:
        if field.type == "bool" and value is True:
            writer.put(b"\xff")
        else:
            super().write_item(writer, field, version, compact, value)


# Arrays.


@defect("writes the elements of an array of int32 in ascending order, whatever order they came in")
class Int32ArraysSorted(Codec):
    def write_value(
        self, writer: wire.Writer, field: Field, version: int, compact: bool, value: Any
    ) -> None:
        if field.array and field.type == "int32" and value:
            value = sorted(value)
        super().write_value(writer, field, version, compact, value)


DEFECTS = tuple(defect)
