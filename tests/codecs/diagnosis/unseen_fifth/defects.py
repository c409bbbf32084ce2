"""Thirty more defects, of the codec of the second set, one a class, each with its cause.

They are mistakes such as the trackers of client libraries tell of, and others than the hundred and
twenty before. A name here is a target: `tests.codecs.diagnosis.unseen_fifth.defects:NAME`.
"""

import base64
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from tests.codecs.diagnosis.changed import Fields, changed
from tests.codecs.diagnosis.listed import Defects
from tests.codecs.diagnosis.unseen import wire
from tests.codecs.diagnosis.unseen.definitions import Field, Message, Versions, messages
from tests.codecs.diagnosis.unseen.wire import WireError
from tests.codecs.diagnosis.unseen_again.codec import Codec, Reader, Writer

defect = Defects()


# Lengths and varints.


@defect(
    "takes the length of compact bytes as it stands, without the one that is added to it, reading"
    " and writing"
)
class CompactBytesAsTheyAre(Codec):
    class reader(Reader):  # noqa: N801
        def length(self, kind: str, compact: bool) -> int:
            if compact and kind == "bytes":
                return self.varint()
            return super().length(kind, compact)

    class writer(Writer):  # noqa: N801
        def length(self, kind: str, size: int, compact: bool) -> None:
            if compact and kind == "bytes":
                self.varint(max(0, size))
            else:
                super().length(kind, size, compact)


@defect(
    "reads unsigned varints of at most four bytes, and refuses one of five, which is the most that"
    " they may have"
)
class VarintOfFourBytes(Codec):
    class reader(Reader):  # noqa: N801
        def varint(self) -> int:
            value = 0
            for shift in range(0, 28, 7):
                byte = self.take(1)[0]
                value |= (byte & 0x7F) << shift
                if byte < 0x80:
                    return value
            raise WireError("a varint of more than four bytes")


@defect(
    "has the highest seven bits of an unsigned varint in its first byte, where the lowest are due,"
    " reading and writing"
)
class VarintHighestFirst(Codec):
    class reader(Reader):  # noqa: N801
        def varint(self) -> int:
            value = 0
            for _ in range(5):
                byte = self.take(1)[0]
                value = value << 7 | byte & 0x7F
                if byte < 0x80:
                    return value
            raise WireError("a varint of more than five bytes")

    class writer(Writer):  # noqa: N801
        def varint(self, value: int) -> None:
            groups = [value & 0x7F]
            while value > 0x7F:
                value >>= 7
                groups.append(value & 0x7F | 0x80)
            self.put(bytes(reversed(groups)))


# Nulls.


@defect("writes a null array as an empty one")
class NullArrayWrittenAsEmpty(Codec):
    def write_value(
        self, writer: wire.Writer, field: Field, version: int, compact: bool, value: Any
    ) -> None:
        if field.array and value is None:
            value = []
        super().write_value(writer, field, version, compact, value)


@defect(
    "takes a compact string whose length is written as 1, which is an empty one, for null, as one"
    " whose length is written as 0, when it reads"
)
class EmptyCompactStringReadAsNull(Codec):
    class reader(Reader):  # noqa: N801
        def string(self, compact: bool) -> str | None:
            value = super().string(compact)
            return None if compact and value == "" else value


@defect(
    "takes one off the length of a compact string without a look at 0, so that a null string is one"
    " of 4294967295 bytes"
)
class CompactNullStringUnderflows(Codec):
    class reader(Reader):  # noqa: N801
        def length(self, kind: str, compact: bool) -> int:
            size = super().length(kind, compact)
            if compact and kind == "string" and size < 0:
                raise WireError(f"{0xFFFFFFFF} bytes are due, {self.left()} are left")
            return size


@defect(
    "reads a null in an array of strings as an empty string, instead of refusing the message, as"
    " the elements of arrays are never null"
)
class NullElementTaken(Codec):
    def read_item(self, reader: wire.Reader, field: Field, version: int, compact: bool) -> Any:
        if field.array and field.type == "string":
            return reader.string(compact) or ""
        return super().read_item(reader, field, version, compact)


# Records.


@defect("writes null records as records of no bytes")
class NullRecordsWrittenAsEmpty(Codec):
    class writer(Writer):  # noqa: N801
        def blob(self, kind: str, value: str | None, compact: bool) -> None:
            super().blob(kind, value or "" if kind == "records" else value, compact)


@defect("keeps only the first batch of a records field that it reads, and drops those behind it")
class FirstBatchAlone(Codec):
    class reader(Reader):  # noqa: N801
        def blob(self, kind: str, compact: bool) -> str | None:
            value = super().blob(kind, compact)
            if kind != "records" or value is None:
                return value
            return base64.b64encode(_first_batch(base64.b64decode(value))).decode()


def _first_batch(data: bytes) -> bytes:
    size = int.from_bytes(data[8:12], signed=True)
    return data[: 12 + size] if size > 0 else data


# Tagged fields.


@defect(
    "does not count the unknown tagged fields in the number that it writes before tagged fields,"
    " though it writes them"
)
class UnknownTagsNotCounted(Codec):
    def write_tags(
        self, writer: wire.Writer, fields: Sequence[Field], version: int, value: Any
    ) -> None:
        known = self.tagged(fields, version)
        tags = self.tags_to_write(known, version, value)
        writer.varint(sum(tag in known for tag, _ in tags))
        for tag, data in self.ordered(tags, known):
            self.write_tag(writer, tag, data, tag in known)


@defect(
    "writes nothing at the end of a struct that has no tagged fields to write, where their number,"
    " 0, is due"
)
class NoTagsNotWritten(Codec):
    def write_tags(
        self, writer: wire.Writer, fields: Sequence[Field], version: int, value: Any
    ) -> None:
        if self.tags_to_write(self.tagged(fields, version), version, value):
            super().write_tags(writer, fields, version, value)


@defect(
    "has no length of its own before a string that is a tagged field, as if the size of the tagged"
    " field were its length, reading and writing"
)
class TaggedStringWithoutLength(Codec):
    def read_tagged(self, reader: wire.Reader, field: Field, version: int, size: int) -> Any:
        if field.type == "string" and not field.array:
            return reader.text(size)
        return super().read_tagged(reader, field, version, size)

    def write_tagged(self, field: Field, version: int, value: Any) -> bytes:
        if field.type == "string" and not field.array:
            return (value or "").encode()
        return super().write_tagged(field, version, value)


@defect("writes a tagged struct also where all its fields have their defaults")
class TaggedStructAlwaysWritten(Codec):
    def left_out(self, field: Field, version: int, value: Any) -> bool:
        if field.fields is not None and not field.array and value is not None:
            return False
        return super().left_out(field, version, value)


# Headers and frames.


@defect(
    "gives the flexible version of SaslAuthenticateRequest and its response the headers without"
    " tagged fields, reading and writing"
)
class SaslHeadersPlain(Codec):
    def request_header_version(self, message: Message, version: int) -> int:
        if message.name == "SaslAuthenticateRequest":
            return 1
        return super().request_header_version(message, version)

    def response_header_version(self, message: Message, version: int) -> int:
        if message.name == "SaslAuthenticateResponse":
            return 0
        return super().response_header_version(message, version)


@defect(
    "gives the first flexible version of every message the header without tagged fields, and the"
    " later ones the header with them, reading and writing"
)
class FirstFlexibleHeaderPlain(Codec):
    def request_header_version(self, message: Message, version: int) -> int:
        if version == message.flexible.low:
            return 1
        return super().request_header_version(message, version)

    def response_header_version(self, message: Message, version: int) -> int:
        if version == message.flexible.low:
            return 0
        return super().response_header_version(message, version)


@defect("writes the correlation id of a header without its sign bit, so that -1 is 2147483647")
class CorrelationIdWithoutSign(Codec):
    def write_item(
        self, writer: wire.Writer, field: Field, version: int, compact: bool, value: Any
    ) -> None:
        if field.name == "correlationId":
            value &= 0x7FFFFFFF
        super().write_item(writer, field, version, compact, value)


@defect(
    "knows that an ApiVersionsResponse fell back to version 0 only where it has no api keys, though"
    " brokers send their range of ApiVersions in it"
)
class FallbackWithoutKeysAlone(Codec):
    def fell_back(self, reader: wire.Reader) -> bool:
        return reader.left() == 6 and super().fell_back(reader)


@defect(
    "takes a message that ends before one of its own fields for one that has this field and all"
    " after it at their defaults, instead of refusing the message"
)
class CutMessageTaken(Codec):
    def read_message(self, reader: wire.Reader, name: str, version: int) -> Any:
        message = self._of_version(name, version)
        if message.kind == "header":
            return super().read_message(reader, name, version)
        flexible = self.flexible(message, version)
        value: dict[str, Any] = {}
        for field in message.fields:
            if not self.present(field, version) or version in field.tagged:
                continue
            if reader.left():
                value[field.name] = self.read_field(reader, field, version, flexible)
            else:
                value[field.name] = self.default(field, version)
        if flexible and reader.left():
            self.read_tags(reader, message.fields, version, value)
        return value


# Definitions that differ in one place.


@cache
def _feature_tags_exchanged(name: str) -> Message:
    message = messages()[name]
    if name != "ApiVersionsResponse":
        return message
    return changed(message, (), _exchange_feature_tags)


def _exchange_feature_tags(fields: Fields) -> Fields:
    tags = {"finalizedFeaturesEpoch": 2, "finalizedFeatures": 1}
    return tuple(replace(one, tag=tags.get(one.name, one.tag)) for one in fields)


@defect(
    "has the tags of the finalized features and of their epoch in ApiVersionsResponse exchanged,"
    " reading and writing"
)
class FeatureTagsExchanged(Codec):
    def definition(self, name: str) -> Message:
        return _feature_tags_exchanged(name)


@cache
def _names_beside_ids(name: str) -> Message:
    message = messages()[name]
    if name == "FetchResponse":
        return changed(message, ["responses"], _name_kept)
    if name == "FetchRequest":
        message = changed(message, ["forgottenTopicsData"], _name_kept)
        return changed(message, ["topics"], _name_kept)
    return message


def _name_kept(fields: Fields) -> Fields:
    return tuple(
        replace(one, versions=Versions(one.versions.low, 32767)) if one.name == "topic" else one
        for one in fields
    )


@defect(
    "keeps the names of topics in FetchRequest and FetchResponse beside the topic ids that took"
    " their place in version 13, reading and writing"
)
class FetchTopicNamesKept(Codec):
    def definition(self, name: str) -> Message:
        return _names_beside_ids(name)


@cache
def _controller_before_cluster(name: str) -> Message:
    message = messages()[name]
    return changed(message, (), _controller_first) if name == "MetadataResponse" else message


def _controller_first(fields: Fields) -> Fields:
    controller = next(one for one in fields if one.name == "controllerId")
    rest = [one for one in fields if one is not controller]
    at = next(at for at, one in enumerate(rest) if one.name == "clusterId")
    return (*rest[:at], controller, *rest[at:])


@defect(
    "has the controller's id before the cluster's id in MetadataResponse, which it follows, reading"
    " and writing"
)
class ControllerBeforeCluster(Codec):
    def definition(self, name: str) -> Message:
        return _controller_before_cluster(name)


@cache
def _without_log_start(name: str) -> Message:
    message = messages()[name]
    if name != "ProduceResponse":
        return message
    return changed(message, ["responses", "partitionResponses"], _no_log_start)


def _no_log_start(fields: Fields) -> Fields:
    return tuple(one for one in fields if one.name != "logStartOffset")


@defect(
    "knows no log start offset in the partitions of ProduceResponse, which have one from version 5"
    " on, neither reading nor writing it"
)
class ProduceWithoutLogStart(Codec):
    def definition(self, name: str) -> Message:
        return _without_log_start(name)


@cache
def _short_member_epoch(name: str) -> Message:
    message = messages()[name]
    if name not in {"ConsumerGroupHeartbeatRequest", "ConsumerGroupHeartbeatResponse"}:
        return message
    return changed(message, (), _member_epoch_in_16_bits)


def _member_epoch_in_16_bits(fields: Fields) -> Fields:
    return tuple(replace(one, type="int16") if one.name == "memberEpoch" else one for one in fields)


@defect(
    "takes the member epoch in ConsumerGroupHeartbeatRequest and its response for an int16, where"
    " it is an int32, reading and writing"
)
class MemberEpochAsInt16(Codec):
    def definition(self, name: str) -> Message:
        return _short_member_epoch(name)


# Primitive types.


@defect("reads int32 unsigned, so that -1 is 4294967295")
class Int32ReadUnsigned(Codec):
    def read_item(self, reader: wire.Reader, field: Field, version: int, compact: bool) -> Any:
        value = super().read_item(reader, field, version, compact)
        return value & 0xFFFFFFFF if field.type == "int32" else value


@defect(
    "puts an int64 that it reads together in 32 bits, where its upper half is not shifted but falls"
    " upon the lower one"
)
class Int64ShiftLost(Codec):
    class reader(Reader):  # noqa: N801
        def number(self, kind: str) -> Any:
            if kind != "int64":
                return super().number(kind)
            both = super().number("uint32") | super().number("uint32")
            return both - (1 << 32) if both >= 1 << 31 else both


ZERO_UUID = "A" * 22


@defect("reads a uuid of zeros as null, and writes null as a uuid of zeros")
class ZeroUuidAsNull(Codec):
    def read_field(self, reader: wire.Reader, field: Field, version: int, flexible: bool) -> Any:
        value = super().read_field(reader, field, version, flexible)
        return _exchanged(field, value, ZERO_UUID, None)

    def write_field(
        self, writer: wire.Writer, field: Field, version: int, flexible: bool, value: Any
    ) -> None:
        zeros = _exchanged(field, value, None, ZERO_UUID)
        super().write_field(writer, field, version, flexible, zeros)

    def is_default(self, field: Field, version: int, value: Any) -> bool:
        zeros = _exchanged(field, value, None, ZERO_UUID)
        return super().is_default(field, version, zeros)


def _exchanged(field: Field, value: Any, old: str | None, new: str | None) -> Any:
    """A uuid, or an array of them, with one uuid for another."""
    if field.type != "uuid":
        return value
    if field.array:
        return value and [new if one == old else one for one in value]
    return new if value == old else value


@defect(
    "has a compact length before a uuid in flexible versions, as if it were bytes, reading and"
    " writing"
)
class UuidAsCompactBytes(Codec):
    def read_item(self, reader: wire.Reader, field: Field, version: int, compact: bool) -> Any:
        if field.type == "uuid" and compact and reader.length("bytes", compact) != 16:
            raise WireError("a uuid has 16 bytes")
        return super().read_item(reader, field, version, compact)

    def write_item(
        self, writer: wire.Writer, field: Field, version: int, compact: bool, value: Any
    ) -> None:
        if field.type == "uuid" and compact:
            writer.length("bytes", 16, compact)
        super().write_item(writer, field, version, compact, value)


@defect("reads a boolean as a signed byte above 0, so that one of 128 or more is false")
class BooleanAboveZero(Codec):
    class reader(Reader):  # noqa: N801
        def boolean(self) -> bool:
            return bool(self.number("int8") > 0)


@defect("writes strings in ASCII, with a question mark for every other character")
class StringsWrittenInAscii(Codec):
    class writer(Writer):  # noqa: N801
        def string(self, value: str | None, compact: bool) -> None:
            if value is not None:
                value = value.encode("ascii", "replace").decode()
            super().string(value, compact)


# Arrays.


@defect(
    "reads the elements of an array in reverse, as it puts each of them before those that it has"
    " read"
)
class ArrayReversed(Codec):
    def read_value(self, reader: wire.Reader, field: Field, version: int, compact: bool) -> Any:
        value = super().read_value(reader, field, version, compact)
        return value[::-1] if field.array and value else value


DEFECTS = tuple(defect)
