"""Thirty defects of that codec, one a class, each with its cause in one sentence.

They are mistakes such as the trackers of client libraries tell of, written by somebody who had
read none of the suite's mutants. A name here is a target:
`tests.codecs.diagnosis.unseen.defects:NAME`.
"""

import base64
from collections.abc import Collection, Sequence
from typing import Any

from tests.codecs.diagnosis.listed import Defects
from tests.codecs.diagnosis.unseen.codec import UNKNOWN_TAGS, Codec
from tests.codecs.diagnosis.unseen.definitions import Field, Message
from tests.codecs.diagnosis.unseen.wire import NUMBERS, Reader, WireError, Writer

defect = Defects()


# Lengths.


@defect("writes the length of a compact string without adding one")
class CompactStringAsItIs(Codec):
    class writer(Writer):  # noqa: N801
        def string(self, value: str | None, compact: bool) -> None:
            if compact and value is not None:
                data = value.encode()
                self.varint(len(data))
                self.put(data)
            else:
                super().string(value, compact)


@defect("reads the count of a compact array as it stands, without taking one off")
class CompactCountAsItIs(Codec):
    class reader(Reader):  # noqa: N801
        def count(self, compact: bool) -> int:
            if not compact:
                return super().count(compact)
            count = self.varint()
            if count > self.left():
                raise WireError(f"{count} elements are due, {self.left()} bytes are left")
            return count


@defect("writes as the length of a string the number of its characters, not of its UTF-8 bytes")
class LengthInCharacters(Codec):
    class writer(Writer):  # noqa: N801
        def string(self, value: str | None, compact: bool) -> None:
            if value is None:
                super().string(value, compact)
            else:
                self.length("string", len(value), compact)
                self.put(value.encode())


@defect("takes the lengths of compact types for signed varints (zigzag), reading and writing")
class ZigzagLengths(Codec):
    class reader(Reader):  # noqa: N801
        def length(self, kind: str, compact: bool) -> int:
            if not compact:
                return super().length(kind, compact)
            raw = self.varint()
            return ((raw >> 1) ^ -(raw & 1)) - 1

    class writer(Writer):  # noqa: N801
        def length(self, kind: str, size: int, compact: bool) -> None:
            if compact:
                self.varint((size + 1) << 1)
            else:
                super().length(kind, size, compact)


@defect(
    "takes a string or bytes that are longer than what is left of the message for what is left,"
    " instead of refusing the message"
)
class LengthsUnchecked(Codec):
    class reader(Reader):  # noqa: N801
        def text(self, size: int) -> str:
            return super().text(min(size, self.left()))

        def blob(self, kind: str, compact: bool) -> str | None:
            size = self.length(kind, compact)
            if size < 0:
                return None
            return base64.b64encode(self.take(min(size, self.left()))).decode()


@defect(
    "gives the strings in an array of strings two-byte lengths in flexible versions too, where"
    " compact ones are due, reading and writing"
)
class ElementsNotCompact(Codec):
    def read_item(self, reader: Reader, field: Field, version: int, compact: bool) -> Any:
        plain = field.array and field.type == "string"
        return super().read_item(reader, field, version, compact and not plain)

    def write_item(
        self, writer: Writer, field: Field, version: int, compact: bool, value: Any
    ) -> None:
        plain = field.array and field.type == "string"
        super().write_item(writer, field, version, compact and not plain, value)


# Nulls.


@defect("reads a null string as an empty one")
class NullStringReadAsEmpty(Codec):
    class reader(Reader):  # noqa: N801
        def string(self, compact: bool) -> str | None:
            return super().string(compact) or ""


@defect("writes an empty array as null where the array may be null")
class EmptyArrayWrittenAsNull(Codec):
    def write_value(
        self, writer: Writer, field: Field, version: int, compact: bool, value: Any
    ) -> None:
        if field.array and not value and version in field.nullable:
            value = None
        super().write_value(writer, field, version, compact, value)


@defect("reads a null where none may be as an empty value, instead of refusing the message")
class NullTakenEverywhere(Codec):
    def read_null(self, field: Field) -> Any:
        return [] if field.array else ""


@defect("writes 0 instead of -1 before a struct that is null")
class NullStructAsZero(Codec):
    class writer(Writer):  # noqa: N801
        def present(self, present: bool, tagged: bool) -> None:
            self.number("int8", 1 if present else 0)


@defect("knows no byte before a struct that may be null, and neither reads nor writes it")
class NoByteBeforeStruct(Codec):
    class reader(Reader):  # noqa: N801
        def present(self, tagged: bool) -> bool:
            return True

    class writer(Writer):  # noqa: N801
        def present(self, present: bool, tagged: bool) -> None:
            pass


# Tagged fields.


@defect("writes unknown tagged fields before the known ones, whatever their tags")
class UnknownTagsFirst(Codec):
    def ordered(
        self, tags: list[tuple[int, bytes]], known: Collection[int]
    ) -> list[tuple[int, bytes]]:
        return sorted(tags, key=lambda one: (one[0] in known, one[0]))


@defect(
    "has tagged fields at the end of the message alone, and neither reads nor writes those at the"
    " end of each struct within it"
)
class NoTagsInStructs(Codec):
    def read_item(self, reader: Reader, field: Field, version: int, compact: bool) -> Any:
        if field.fields is None:
            return super().read_item(reader, field, version, compact)
        return {
            one.name: self.read_field(reader, one, version, compact)
            for one in field.fields
            if self.present(one, version) and version not in one.tagged
        }

    def write_item(
        self, writer: Writer, field: Field, version: int, compact: bool, value: Any
    ) -> None:
        if field.fields is None:
            super().write_item(writer, field, version, compact, value)
            return
        for one in field.fields:
            if self.present(one, version) and version not in one.tagged:
                inner = value[one.name] if one.name in value else self.default(one, version)
                self.write_field(writer, one, version, compact, inner)


@defect("writes tagged fields that have their default value, which are to be left out")
class DefaultTagsWritten(Codec):
    def left_out(self, field: Field, version: int, value: Any) -> bool:
        return False


@defect(
    "reads a known tagged field without regard to its size, and goes on where the field's own"
    " encoding ends"
)
class TagSizeIgnored(Codec):
    def read_tagged(self, reader: Reader, field: Field, version: int, size: int) -> Any:
        return self.read_field(reader, field, version, flexible=True)


@defect(
    "drops the unknown tagged fields of structs in arrays when it reads, and keeps those of the"
    " message"
)
class UnknownTagsLostInArrays(Codec):
    def read_item(self, reader: Reader, field: Field, version: int, compact: bool) -> Any:
        value = super().read_item(reader, field, version, compact)
        if field.array and field.fields is not None:
            value.pop(UNKNOWN_TAGS, None)
        return value


@defect(
    "counts all tagged fields that the version defines in the number that it writes before them,"
    " not only those that follow"
)
class TagCountOfDefinition(Codec):
    def tag_count(self, tags: list[tuple[int, bytes]], known: Collection[int]) -> int:
        return len(known) + sum(tag not in known for tag, _ in tags)


# Headers and frames.


@defect(
    "gives ApiVersionsResponse the header with tagged fields from version 3 on, as other flexible"
    " responses have it, reading and writing"
)
class ApiVersionsHeaderOne(Codec):
    def response_header_version(self, message: Message, version: int) -> int:
        return 1 if self.flexible(message, version) else 0


@defect(
    "takes the client id in the header of flexible requests for a compact string, reading and"
    " writing"
)
class ClientIdCompact(Codec):
    def compact(self, field: Field, version: int, flexible: bool) -> bool:
        if field.name == "clientId" and field.flexible is not None:
            return flexible
        return super().compact(field, version, flexible)


@defect(
    "gives every response the first header, without the tagged fields that flexible versions have"
    " there, reading and writing"
)
class ResponseHeaderZero(Codec):
    def response_header_version(self, message: Message, version: int) -> int:
        return 0


@defect(
    "reads an ApiVersionsResponse with the error UNSUPPORTED_VERSION in the version it asked for,"
    " though the broker answers that in version 0"
)
class NoFallback(Codec):
    def fell_back(self, reader: Reader) -> bool:
        return False


@defect("says that nothing is left, however many bytes follow the message")
class LeftoversUnseen(Codec):
    def remaining(self, reader: Reader) -> int:
        return 0


# Versions and defaults.


@defect("takes the first flexible version of a message for one that is not flexible yet")
class FlexibleOneLate(Codec):
    def flexible(self, message: Message, version: int) -> bool:
        late = message.kind != "header" and version == message.flexible.low
        return super().flexible(message, version) and not late


@defect("leaves out a field in the last version that has it, reading and writing")
class LastVersionExcluded(Codec):
    def present(self, field: Field, version: int) -> bool:
        return super().present(field, version) and version != field.versions.high

    def check_absent(self, field: Field, version: int, value: Any) -> None:
        if version != field.versions.high:
            super().check_absent(field, version, value)


@defect(
    "leaves out without an error a value that the version has no field for, though the field is"
    " not ignorable"
)
class NotIgnorableDropped(Codec):
    def check_absent(self, field: Field, version: int, value: Any) -> None:
        pass


@defect("takes 0 for the default of every tagged number, whatever the definition says")
class ZeroForDefault(Codec):
    def default(self, field: Field, version: int) -> Any:
        if field.tag >= 0 and not field.array and field.type in NUMBERS:
            return 0
        return super().default(field, version)

    def read_tags(
        self, reader: Reader, fields: Sequence[Field], version: int, value: dict[str, Any]
    ) -> None:
        super().read_tags(reader, fields, version, value)
        for field in self.tagged(fields, version).values():
            value.setdefault(field.name, self.default(field, version))


# Values.


@defect("takes uint16 for int16, so that ports above 32767 are negative, reading and writing")
class PortsSigned(Codec):
    class reader(Reader):  # noqa: N801
        def number(self, kind: str) -> Any:
            return super().number("int16" if kind == "uint16" else kind)

    class writer(Writer):  # noqa: N801
        def number(self, kind: str, value: Any) -> None:
            super().number("int16" if kind == "uint16" else kind, value)


@defect("reads int64 by way of a double, which loses digits above 2 to the 53rd")
class Int64ThroughDouble(Codec):
    class reader(Reader):  # noqa: N801
        def number(self, kind: str) -> Any:
            value = super().number(kind)
            return int(float(value)) if kind == "int64" else value


def _mixed(data: bytes) -> bytes:
    return data[3::-1] + data[5:3:-1] + data[7:5:-1] + data[8:]


@defect(
    "lays a uuid out as Microsoft's GUIDs are, the first three groups with their lowest byte"
    " first, reading and writing"
)
class UuidAsGuid(Codec):
    class reader(Reader):  # noqa: N801
        def uuid(self) -> str:
            return base64.urlsafe_b64encode(_mixed(self.take(16))).decode().rstrip("=")

    class writer(Writer):  # noqa: N801
        def uuid(self, value: str) -> None:
            self.put(_mixed(base64.urlsafe_b64decode(value + "==")))


@defect(
    "reads an array whose elements have a key as a map, and so keeps only the last of the elements"
    " that share a key"
)
class ArrayAsMap(Codec):
    def read_value(self, reader: Reader, field: Field, version: int, compact: bool) -> Any:
        value = super().read_value(reader, field, version, compact)
        keys = [one.name for one in field.fields or () if one.key]
        if not field.array or not value or not keys:
            return value
        return list({tuple(str(one.get(key)) for key in keys): one for one in value}.values())


DEFECTS = tuple(defect)
