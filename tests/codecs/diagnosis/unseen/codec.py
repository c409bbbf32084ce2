"""A small interpreter of Kafka's message definitions, which owes nothing to the suite's own.

It serves every message of `schemas/4.4.0` that has a version. The reader and the writer (`wire.py`)
know bytes, the codec knows definitions; `defects.py` changes one of the three at a time.
"""

import base64
import struct
from collections.abc import Collection, Sequence
from typing import Any

from tests.codecs.diagnosis.unseen.definitions import Field, Message, messages
from tests.codecs.diagnosis.unseen.wire import NUMBERS, Reader, WireError, Writer

UNKNOWN_TAGS = "_unknownTaggedFields"
UNSUPPORTED_VERSION = 35


class Codec:
    reader = Reader
    writer = Writer

    # What the suite calls.

    def hello(self) -> dict[str, Any]:
        return {
            "name": "unseen",
            "version": "1",
            "ops": [
                "roundtrip",
                "decode",
                "encode",
                "decode-request",
                "encode-request",
                "decode-response",
                "encode-response",
            ],
            "definitions": "4.4.0",
            "unknownTags": "kept",
            "messages": {one.name: [one.valid.low, one.valid.high] for one in messages().values()},
        }

    def roundtrip(self, message: str, version: int, data: bytes) -> bytes:
        value, left = self.decode(message, version, data)
        if left:
            raise WireError(f"{left} bytes are left")
        return self.encode(message, version, value)

    def decode(self, message: str, version: int, data: bytes) -> tuple[Any, int]:
        reader = self.reader(data)
        return self.read_message(reader, message, version), self.remaining(reader)

    def encode(self, message: str, version: int, value: Any) -> bytes:
        writer = self.writer()
        self.write_message(writer, message, version, value)
        return bytes(writer.out)

    def decode_request(self, data: bytes) -> tuple[Any, Any, int]:
        key, version = struct.unpack_from(">hh", data)
        for one in messages().values():
            if one.kind == "request" and one.api_key == key and version in one.valid:
                break
        else:
            raise WireError(f"no request has the key {key} and version {version}")
        reader = self.reader(data)
        header = self.read_message(
            reader, "RequestHeader", self.request_header_version(one, version)
        )
        return header, self.read_message(reader, one.name, version), self.remaining(reader)

    def encode_request(self, message: str, version: int, header: Any, value: Any) -> bytes:
        one = messages()[message]
        whole = {**header, "requestApiKey": one.api_key, "requestApiVersion": version}
        writer = self.writer()
        self.write_message(
            writer, "RequestHeader", self.request_header_version(one, version), whole
        )
        self.write_message(writer, message, version, value)
        return bytes(writer.out)

    def decode_response(self, message: str, version: int, data: bytes) -> tuple[Any, ...]:
        reader = self.reader(data)
        header_version = self.response_header_version(messages()[message], version)
        header = self.read_message(reader, "ResponseHeader", header_version)
        if message == "ApiVersionsResponse" and version > 0 and self.fell_back(reader):
            return header, self.read_message(reader, message, 0), self.remaining(reader), 0
        return header, self.read_message(reader, message, version), self.remaining(reader)

    def encode_response(self, message: str, version: int, header: Any, value: Any) -> bytes:
        writer = self.writer()
        header_version = self.response_header_version(messages()[message], version)
        self.write_message(writer, "ResponseHeader", header_version, header)
        self.write_message(writer, message, version, value)
        return bytes(writer.out)

    def remaining(self, reader: Reader) -> int:
        return reader.left()

    # Versions.

    def flexible(self, message: Message, version: int) -> bool:
        return version in message.flexible

    def present(self, field: Field, version: int) -> bool:
        return version in field.versions

    def compact(self, field: Field, version: int, flexible: bool) -> bool:
        return flexible and (field.flexible is None or version in field.flexible)

    def request_header_version(self, message: Message, version: int) -> int:
        return 2 if self.flexible(message, version) else 1

    def response_header_version(self, message: Message, version: int) -> int:
        if message.name == "ApiVersionsResponse":
            return 0
        return 1 if self.flexible(message, version) else 0

    def fell_back(self, reader: Reader) -> bool:
        """Does version 0 of ApiVersionsResponse follow, sent to whom asked for too new a one?"""
        rest = reader.data[reader.at :]
        if rest[:2] != struct.pack(">h", UNSUPPORTED_VERSION):
            return False
        inner = self.reader(rest)
        try:
            self.read_message(inner, "ApiVersionsResponse", 0)
            return not inner.left()
        except (WireError, struct.error):
            return False

    # Defaults.

    def default(self, field: Field, version: int) -> Any:
        given = field.default
        if given == "null":
            return None
        if field.array:
            return []
        if field.fields is not None:
            return {
                one.name: self.default(one, version)
                for one in field.fields
                if self.present(one, version)
            }
        if field.type == "records":
            return None
        if field.type == "bool":
            return given in {True, "true"}
        if field.type == "uuid":
            return given or "A" * 22
        if field.type == "float64":
            return float(given or 0)
        if field.type in NUMBERS:
            return int(given, 0) if isinstance(given, str) and given else int(given or 0)
        return given

    def is_default(self, field: Field, version: int, value: Any) -> bool:
        if field.fields is None or field.array or value is None:
            return bool(value == self.default(field, version))
        if field.default == "null" or value.get(UNKNOWN_TAGS):
            return False
        return all(
            one.name not in value or self.is_default(one, version, value[one.name])
            for one in field.fields
        )

    # Reading.

    def read_message(self, reader: Reader, name: str, version: int) -> Any:
        message = messages()[name]
        if version not in message.valid:
            raise WireError(f"{name} has no version {version}")
        return self.read_struct(reader, message.fields, version, self.flexible(message, version))

    def read_struct(
        self, reader: Reader, fields: Sequence[Field], version: int, flexible: bool
    ) -> dict[str, Any]:
        value = {}
        for field in fields:
            if self.present(field, version) and version not in field.tagged:
                value[field.name] = self.read_field(reader, field, version, flexible)
        if flexible:
            self.read_tags(reader, fields, version, value)
        return value

    def read_field(self, reader: Reader, field: Field, version: int, flexible: bool) -> Any:
        compact = self.compact(field, version, flexible)
        value = self.read_value(reader, field, version, compact)
        if value is None and version not in field.nullable:
            return self.read_null(field)
        return value

    def read_null(self, field: Field) -> Any:
        """A null where none may be."""
        raise WireError(f"{field.name} is null")

    def read_value(self, reader: Reader, field: Field, version: int, compact: bool) -> Any:
        if field.array:
            count = reader.count(compact)
            if count < 0:
                return None
            return [self.read_item(reader, field, version, compact) for _ in range(count)]
        may_be_null = field.fields is not None and version in field.nullable
        if may_be_null and not reader.present(version in field.tagged):
            return None
        return self.read_item(reader, field, version, compact)

    def read_item(self, reader: Reader, field: Field, version: int, compact: bool) -> Any:
        if field.fields is not None:
            return self.read_struct(reader, field.fields, version, compact)
        value: Any
        if field.type == "string":
            value = reader.string(compact)
        elif field.type in {"bytes", "records"}:
            value = reader.blob(field.type, compact)
        elif field.type == "uuid":
            value = reader.uuid()
        elif field.type == "bool":
            value = reader.boolean()
        else:
            value = reader.number(field.type)
        if field.array and value is None:
            raise WireError(f"an element of {field.name} is null")
        return value

    def read_tags(
        self, reader: Reader, fields: Sequence[Field], version: int, value: dict[str, Any]
    ) -> None:
        known = self.tagged(fields, version)
        unknown = []
        last = -1
        for _ in range(reader.varint()):
            tag = reader.varint()
            self.check_order(last, tag)
            last = tag
            size = reader.varint()
            if tag in known:
                field = known[tag]
                found = self.read_tagged(reader, field, version, size)
                if not self.is_default(field, version, found):
                    value[field.name] = found
            else:
                unknown.append(self.read_unknown(reader, tag, size))
        if unknown:
            value[UNKNOWN_TAGS] = unknown

    def tagged(self, fields: Sequence[Field], version: int) -> dict[int, Field]:
        return {
            one.tag: one for one in fields if self.present(one, version) and version in one.tagged
        }

    def check_order(self, last: int, tag: int) -> None:
        if tag <= last:
            raise WireError(f"tag {tag} comes after {last}")

    def read_tagged(self, reader: Reader, field: Field, version: int, size: int) -> Any:
        inner = self.reader(reader.take(size))
        value = self.read_field(inner, field, version, flexible=True)
        if inner.left():
            raise WireError(f"{inner.left()} bytes are left of {field.name}")
        return value

    def read_unknown(self, reader: Reader, tag: int, size: int) -> dict[str, Any]:
        return {"tag": tag, "bytes": base64.b64encode(reader.take(size)).decode()}

    # Writing.

    def write_message(self, writer: Writer, name: str, version: int, value: Any) -> None:
        message = messages()[name]
        if version not in message.valid:
            raise WireError(f"{name} has no version {version}")
        flexible = self.flexible(message, version)
        self.write_struct(writer, message.fields, version, flexible, value)

    def write_struct(
        self, writer: Writer, fields: Sequence[Field], version: int, flexible: bool, value: Any
    ) -> None:
        for field in fields:
            if not self.present(field, version):
                self.check_absent(field, version, value)
            elif version not in field.tagged:
                one = value[field.name] if field.name in value else self.default(field, version)
                self.write_field(writer, field, version, flexible, one)
        if flexible:
            self.write_tags(writer, fields, version, value)
        elif value.get(UNKNOWN_TAGS):
            raise WireError(f"version {version} has no tagged fields")

    def check_absent(self, field: Field, version: int, value: Any) -> None:
        if field.ignorable or field.name not in value:
            return
        if not self.is_default(field, version, value[field.name]):
            raise WireError(f"version {version} has no {field.name}")

    def write_field(
        self, writer: Writer, field: Field, version: int, flexible: bool, value: Any
    ) -> None:
        compact = self.compact(field, version, flexible)
        if value is None and version not in field.nullable:
            raise WireError(f"{field.name} may not be null")
        self.write_value(writer, field, version, compact, value)

    def write_value(
        self, writer: Writer, field: Field, version: int, compact: bool, value: Any
    ) -> None:
        if field.array:
            writer.count(-1 if value is None else len(value), compact)
            for one in value or ():
                if one is None:
                    raise WireError(f"an element of {field.name} is null")
                self.write_item(writer, field, version, compact, one)
            return
        if field.fields is not None and version in field.nullable:
            writer.present(value is not None, version in field.tagged)
            if value is None:
                return
        self.write_item(writer, field, version, compact, value)

    def write_item(
        self, writer: Writer, field: Field, version: int, compact: bool, value: Any
    ) -> None:
        if field.fields is not None:
            self.write_struct(writer, field.fields, version, compact, value)
        elif field.type == "string":
            writer.string(value, compact)
        elif field.type in {"bytes", "records"}:
            writer.blob(field.type, value, compact)
        elif field.type == "uuid":
            writer.uuid(value)
        elif field.type == "bool":
            writer.boolean(value)
        else:
            writer.number(field.type, value)

    def write_tags(self, writer: Writer, fields: Sequence[Field], version: int, value: Any) -> None:
        tags = []
        known = self.tagged(fields, version)
        for tag, field in known.items():
            one = value[field.name] if field.name in value else self.default(field, version)
            if not self.left_out(field, version, one):
                tags.append((tag, self.write_tagged(field, version, one)))
        for one in value.get(UNKNOWN_TAGS) or ():
            if one["tag"] in known:
                raise WireError(f"tag {one['tag']} is known")
            tags.append((one["tag"], base64.b64decode(one["bytes"], validate=True)))
        if len({tag for tag, _ in tags}) < len(tags):
            raise WireError("a tag comes twice")
        writer.varint(self.tag_count(tags, known))
        for tag, data in self.ordered(tags, known):
            writer.varint(tag)
            writer.varint(len(data))
            writer.put(data)

    def left_out(self, field: Field, version: int, value: Any) -> bool:
        return self.is_default(field, version, value)

    def tag_count(self, tags: list[tuple[int, bytes]], known: Collection[int]) -> int:
        return len(tags)

    def ordered(
        self, tags: list[tuple[int, bytes]], known: Collection[int]
    ) -> list[tuple[int, bytes]]:
        return sorted(tags)

    def write_tagged(self, field: Field, version: int, value: Any) -> bytes:
        inner = self.writer()
        self.write_field(inner, field, version, flexible=True, value=value)
        return bytes(inner.out)
