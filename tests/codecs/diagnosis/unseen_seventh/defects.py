"""Thirty more defects, of the codec of the second set, one a class, each with its cause.

They are mistakes such as the trackers of client libraries tell of, and others than the hundred and
eighty before. A name here is a target: `tests.codecs.diagnosis.unseen_seventh.defects:NAME`.
"""

import struct
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from tests.codecs.diagnosis.changed import Fields, changed
from tests.codecs.diagnosis.listed import Defects
from tests.codecs.diagnosis.unseen import wire
from tests.codecs.diagnosis.unseen.codec import UNKNOWN_TAGS
from tests.codecs.diagnosis.unseen.definitions import NONE, Field, Message, Versions, messages
from tests.codecs.diagnosis.unseen.wire import WireError
from tests.codecs.diagnosis.unseen_again.codec import LONGEST_STRING, Codec, Reader, Writer

defect = Defects()


# Lengths and varints.


@defect("has a count of two bytes before plain arrays, where four are due, reading and writing")
class PlainCountInTwoBytes(Codec):
    class reader(Reader):  # noqa: N801
        def length(self, kind: str, compact: bool) -> int:
            if compact or kind != "array":
                return super().length(kind, compact)
            return super().length("string", compact)

    class writer(Writer):  # noqa: N801
        def length(self, kind: str, size: int, compact: bool) -> None:
            if compact or kind != "array":
                super().length(kind, size, compact)
            else:
                self.number("int16", size)


@defect(
    "writes the length of a null compact string as a varint of -1 in 32 bits, which has five bytes,"
    " where it is a single 0"
)
class NullCompactStringWrittenAsMinusOne(Codec):
    class writer(Writer):  # noqa: N801
        def length(self, kind: str, size: int, compact: bool) -> None:
            if compact and kind == "string" and size < 0:
                self.varint(0xFFFFFFFF)
            else:
                super().length(kind, size, compact)


@defect("writes only the lower 14 bits of an unsigned varint, those that two bytes hold")
class VarintWrittenIn14Bits(Codec):
    class writer(Writer):  # noqa: N801
        def varint(self, value: int) -> None:
            super().varint(value & 0x3FFF)


@defect(
    "refuses bytes and records of more than 32767 bytes when it reads, which is the most that a"
    " string may have, not they"
)
class LongBytesRefused(Codec):
    class reader(Reader):  # noqa: N801
        def length(self, kind: str, compact: bool) -> int:
            size = super().length(kind, compact)
            if kind in {"bytes", "records"} and size > LONGEST_STRING:
                raise WireError(f"{kind} of {size} bytes, the most is {LONGEST_STRING}")
            return size


@defect(
    "refuses an empty string and empty bytes that stand last in a message or in a tagged field, as"
    " it takes the end for a missing byte before it sees that none is due"
)
class EmptyAtEndRefused(Codec):
    class reader(Reader):  # noqa: N801
        def take(self, size: int) -> bytes:
            if not self.left():
                raise WireError("the message has ended")
            return super().take(size)


# Primitive types.


@defect(
    "has the elements of arrays of int32 with their lowest byte first, as it copies such arrays"
    " whole, reading and writing"
)
class Int32ArraysLittleEndian(Codec):
    def read_item(self, reader: wire.Reader, field: Field, version: int, compact: bool) -> Any:
        if field.array and field.type == "int32":
            return struct.unpack("<i", reader.take(4))[0]
        return super().read_item(reader, field, version, compact)

    def write_item(
        self, writer: wire.Writer, field: Field, version: int, compact: bool, value: Any
    ) -> None:
        if field.array and field.type == "int32":
            writer.put(struct.pack("<i", value))
        else:
            super().write_item(writer, field, version, compact, value)


@defect("has the lower half of an int64 before the upper one, reading and writing")
class Int64HalvesSwapped(Codec):
    class reader(Reader):  # noqa: N801
        def number(self, kind: str) -> Any:
            if kind != "int64":
                return super().number(kind)
            lower = super().number("uint32")
            return super().number("int32") << 32 | lower

    class writer(Writer):  # noqa: N801
        def number(self, kind: str, value: Any) -> None:
            if kind == "int64":
                super().number("uint32", value & 0xFFFFFFFF)
                super().number("int32", value >> 32)
            else:
                super().number(kind, value)


@defect(
    "adds the halves of a uuid that it reads and takes the lower one for signed, so that the upper"
    " one is one too few for half of all uuids"
)
class UuidLowHalfSigned(Codec):
    class reader(Reader):  # noqa: N801
        def uuid(self) -> str:
            upper, lower = struct.unpack(">Qq", self.take(16))
            whole = (upper << 64) + lower & (1 << 128) - 1
            return Reader(whole.to_bytes(16, "big")).uuid()


# Nulls.


@defect("writes a null string as a string of the four letters null")
class NullStringWrittenAsText(Codec):
    class writer(Writer):  # noqa: N801
        def string(self, value: str | None, compact: bool) -> None:
            super().string("null" if value is None else value, compact)


# Tagged fields.


@defect("writes tagged fields in descending order of their tags, where they are to ascend")
class TagsDescending(Codec):
    def ordered(self, tags: list[tuple[int, bytes]], known: Any) -> list[tuple[int, bytes]]:
        return super().ordered(tags, known)[::-1]


@defect(
    "takes tagged fields in whatever order they come, instead of refusing a message in which their"
    " tags do not ascend"
)
class TagOrderUnchecked(Codec):
    def check_order(self, last: int, tag: int) -> None:
        pass


@defect(
    "takes tag 0 for no tag at all, and so reads the field that has it as an unknown tagged field,"
    " and does not write it"
)
class TagZeroUnknown(Codec):
    def tagged(self, fields: Sequence[Field], version: int) -> dict[int, Field]:
        return {tag: one for tag, one in super().tagged(fields, version).items() if tag}

    def read_other(
        self, reader: wire.Reader, fields: Sequence[Field], tag: int, value: dict[str, Any]
    ) -> None:
        super().read_other(reader, [one for one in fields if one.tag], tag, value)


@defect("keeps only the last of the unknown tagged fields of a struct when it reads")
class LastUnknownTagKept(Codec):
    def read_other(
        self, reader: wire.Reader, fields: Sequence[Field], tag: int, value: dict[str, Any]
    ) -> None:
        super().read_other(reader, fields, tag, value)
        del value[UNKNOWN_TAGS][:-1]


@defect(
    "knows no tagged fields at the end of structs that may be null, neither reading nor writing"
    " them, not even their number"
)
class NullableStructsWithoutTags(Codec):
    def without_tags(self, field: Field, version: int) -> list[Field]:
        if field.fields is None or field.array or version not in field.nullable:
            return []
        return [
            one for one in field.fields if self.present(one, version) and version not in one.tagged
        ]

    def read_item(self, reader: wire.Reader, field: Field, version: int, compact: bool) -> Any:
        fields = self.without_tags(field, version)
        if not fields:
            return super().read_item(reader, field, version, compact)
        return {one.name: self.read_field(reader, one, version, compact) for one in fields}

    def write_item(
        self, writer: wire.Writer, field: Field, version: int, compact: bool, value: Any
    ) -> None:
        fields = self.without_tags(field, version)
        if not fields:
            super().write_item(writer, field, version, compact, value)
        for one in fields:
            found = value[one.name] if one.name in value else self.default(one, version)
            self.write_field(writer, one, version, compact, found)


# Headers and versions.


@defect(
    "has the tagged fields in the header of a request before the client id, which they follow,"
    " reading and writing"
)
class HeaderTagsBeforeClientId(Codec):
    def read_message(self, reader: wire.Reader, name: str, version: int) -> Any:
        if name != "RequestHeader" or version < 2:
            return super().read_message(reader, name, version)
        *first, client = self.definition(name).fields
        value = self.read_struct(reader, first, version, flexible=True)
        value[client.name] = self.read_field(reader, client, version, flexible=True)
        return value

    def write_message(self, writer: wire.Writer, name: str, version: int, value: Any) -> None:
        if name != "RequestHeader" or version < 2:
            super().write_message(writer, name, version, value)
            return
        *first, client = self.definition(name).fields
        self.write_struct(writer, first, version, flexible=True, value=value)
        found = value.get(client.name, self.default(client, version))
        self.write_field(writer, client, version, flexible=True, value=found)


@defect(
    "gives every response but that of ApiVersions the header with tagged fields, also in versions"
    " that are not flexible, reading and writing"
)
class ResponseHeaderOne(Codec):
    def response_header_version(self, message: Message, version: int) -> int:
        return 0 if message.name == "ApiVersionsResponse" else 1


@defect("refuses a header with a tagged field in it when it reads, instead of skipping the field")
class HeaderTagsRefused(Codec):
    def read_message(self, reader: wire.Reader, name: str, version: int) -> Any:
        value = super().read_message(reader, name, version)
        if self.definition(name).kind == "header" and UNKNOWN_TAGS in value:
            raise WireError(f"a tagged field in {name}")
        return value


@defect(
    "reads a message of a version above the newest that it knows as one of the newest, instead of"
    " refusing it"
)
class NewerVersionReadAsNewest(Codec):
    def read_message(self, reader: wire.Reader, name: str, version: int) -> Any:
        return super().read_message(reader, name, min(version, self.definition(name).valid.high))

    def decode_request(self, data: bytes) -> tuple[Any, Any, int]:
        key, version = struct.unpack_from(">hh", data)
        for one in messages().values():
            if one.kind == "request" and one.api_key == key and version > one.valid.high:
                data = data[:2] + struct.pack(">h", one.valid.high) + data[4:]
        header, value, left = super().decode_request(data)
        return {**header, "requestApiVersion": version}, value, left


@defect(
    "refuses version 0 of every message but the headers, as it takes 0 for no version at all,"
    " reading and writing"
)
class VersionZeroRefused(Codec):
    def definition(self, name: str) -> Message:
        message = super().definition(name)
        if message.kind == "header" or message.valid.low > 0:
            return message
        return replace(message, valid=Versions(1, message.valid.high))


@defect(
    "takes OffsetForLeaderEpochRequest and its response for flexible from version 3 on, not from"
    " version 4 on, reading and writing"
)
class OffsetForLeaderEpochFlexibleEarly(Codec):
    def flexible(self, message: Message, version: int) -> bool:
        if message.name in {"OffsetForLeaderEpochRequest", "OffsetForLeaderEpochResponse"}:
            return version >= 3
        return super().flexible(message, version)


@defect(
    "takes version 1 of SaslHandshakeRequest and its response for flexible, which have no flexible"
    " version, reading and writing"
)
class SaslHandshakeFlexible(Codec):
    def flexible(self, message: Message, version: int) -> bool:
        if message.name in {"SaslHandshakeRequest", "SaslHandshakeResponse"}:
            return version == 1
        return super().flexible(message, version)


# Definitions that differ in one place.


@cache
def _topics_there(name: str) -> Message:
    message = messages()[name]
    if name != "OffsetFetchRequest":
        return message
    return changed(changed(message, (), _never_all), ["groups"], _never_all)


def _never_all(fields: Fields) -> Fields:
    return tuple(replace(one, nullable=NONE) if one.name == "topics" else one for one in fields)


@defect(
    "refuses null topics in OffsetFetchRequest, which ask for all offsets of a group, reading and"
    " writing"
)
class AllOffsetsRefused(Codec):
    def definition(self, name: str) -> Message:
        return _topics_there(name)


@cache
def _topic_id_first(name: str) -> Message:
    message = messages()[name]
    return changed(message, ["topics"], _id_before_name) if name == "MetadataResponse" else message


def _id_before_name(fields: Fields) -> Fields:
    other = {"topicId": "name", "name": "topicId"}
    by_name = {one.name: one for one in fields}
    return tuple(by_name[other.get(one.name, one.name)] for one in fields)


@defect(
    "has the id of a topic before its name in MetadataResponse, as MetadataRequest has it, where it"
    " comes after the name, reading and writing"
)
class TopicIdBeforeName(Codec):
    def definition(self, name: str) -> Message:
        return _topic_id_first(name)


@cache
def _long_producer_epoch(name: str) -> Message:
    message = messages()[name]
    if name not in {"InitProducerIdRequest", "InitProducerIdResponse"}:
        return message
    return changed(message, (), _producer_epoch_in_32_bits)


def _producer_epoch_in_32_bits(fields: Fields) -> Fields:
    return tuple(
        replace(one, type="int32") if one.name == "producerEpoch" else one for one in fields
    )


@defect(
    "takes the producer epoch of InitProducerIdRequest and its response for an int32, where it is"
    " an int16, reading and writing"
)
class ProducerEpochAsInt32(Codec):
    def definition(self, name: str) -> Message:
        return _long_producer_epoch(name)


@cache
def _leader_epoch_zero(name: str) -> Message:
    message = messages()[name]
    if name not in {"FetchRequest", "ListOffsetsRequest", "OffsetForLeaderEpochRequest"}:
        return message
    return changed(message, ["topics", "partitions"], _epoch_zero)


def _epoch_zero(fields: Fields) -> Fields:
    return tuple(
        replace(one, default="0") if one.name == "currentLeaderEpoch" else one for one in fields
    )


@defect(
    "writes 0 for the current leader epoch that is not given in FetchRequest, ListOffsetsRequest"
    " and OffsetForLeaderEpochRequest, where the default is -1"
)
class LeaderEpochZeroByDefault(Codec):
    def definition(self, name: str) -> Message:
        return _leader_epoch_zero(name)


@cache
def _aborted_there(name: str) -> Message:
    message = messages()[name]
    if name != "FetchResponse":
        return message
    return changed(message, ["responses", "partitions"], _never_null_aborted)


def _never_null_aborted(fields: Fields) -> Fields:
    return tuple(
        replace(one, nullable=NONE) if one.name == "abortedTransactions" else one for one in fields
    )


@defect("refuses null aborted transactions of a partition in FetchResponse, reading and writing")
class NullAbortedTransactionsRefused(Codec):
    def definition(self, name: str) -> Message:
        return _aborted_there(name)


@cache
def _one_member(name: str) -> Message:
    message = messages()[name]
    if name not in {"LeaveGroupRequest", "LeaveGroupResponse"}:
        return message
    return changed(message, (), _no_members)


def _no_members(fields: Fields) -> Fields:
    kept = tuple(one for one in fields if one.name != "members")
    always = Versions(0, 32767)
    return tuple(replace(one, versions=always) if one.name == "memberId" else one for one in kept)


@defect(
    "has LeaveGroupRequest and its response from version 3 on as they are in version 2, with the id"
    " of one member and without the array of members"
)
class LeaveGroupOfOneMember(Codec):
    def definition(self, name: str) -> Message:
        return _one_member(name)


@cache
def _config_error_untagged(name: str) -> Message:
    message = messages()[name]
    if name != "CreateTopicsResponse":
        return message
    return changed(message, ["topics"], _untagged)


def _untagged(fields: Fields) -> Fields:
    return tuple(
        replace(one, tagged=NONE, tag=-1) if one.name == "topicConfigErrorCode" else one
        for one in fields
    )


@defect(
    "has the error code of a topic's configs in CreateTopicsResponse as a field behind the error"
    " message, where it is a tagged field, reading and writing"
)
class ConfigErrorCodeUntagged(Codec):
    def definition(self, name: str) -> Message:
        return _config_error_untagged(name)


# Values.


@defect(
    "refuses a timestamp below -2 in ListOffsetsRequest when it reads, though -1 and -2 are not the"
    " only special ones"
)
class SpecialTimestampsRefused(Codec):
    def read_message(self, reader: wire.Reader, name: str, version: int) -> Any:
        value = super().read_message(reader, name, version)
        if name == "ListOffsetsRequest":
            for topic in value["topics"]:
                for partition in topic["partitions"]:
                    if partition["timestamp"] < -2:
                        raise WireError(f"a timestamp of {partition['timestamp']}")
        return value


@defect(
    "knows the error codes from -1 to 119, and refuses a message with any other when it reads,"
    " instead of keeping the number"
)
class NewErrorCodesRefused(Codec):
    def read_item(self, reader: wire.Reader, field: Field, version: int, compact: bool) -> Any:
        value = super().read_item(reader, field, version, compact)
        if field.name.endswith("rrorCode") and not -1 <= value < 120:
            raise WireError(f"an error code of {value}")
        return value


DEFECTS = tuple(defect)
