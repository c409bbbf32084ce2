"""The codec of the first set, mended where Kafka refuses what it takes, and open at more places.

It owes nothing to the suite either. It refuses two things that the first one takes: a compact
string longer than a plain one can be, and a tag that is a field's in other versions alone.
`defects.py` changes one thing at a time.
"""

import base64
from collections.abc import Sequence
from typing import Any

from tests.codecs.diagnosis.unseen import codec as first
from tests.codecs.diagnosis.unseen import wire
from tests.codecs.diagnosis.unseen.codec import UNKNOWN_TAGS
from tests.codecs.diagnosis.unseen.definitions import Field, Message, messages
from tests.codecs.diagnosis.unseen.wire import WireError

LONGEST_STRING = 32767


def _check(kind: str, size: int) -> None:
    if kind == "string" and size > LONGEST_STRING:
        raise WireError(f"a string of {size} bytes, which may have {LONGEST_STRING}")


class Reader(wire.Reader):
    def length(self, kind: str, compact: bool) -> int:
        size = super().length(kind, compact)
        _check(kind, size)
        return size


class Writer(wire.Writer):
    def length(self, kind: str, size: int, compact: bool) -> None:
        _check(kind, size)
        super().length(kind, size, compact)


class Codec(first.Codec):
    reader: type[wire.Reader] = Reader
    writer: type[wire.Writer] = Writer

    def hello(self) -> dict[str, Any]:
        return {**super().hello(), "name": "unseen again"}

    # Definitions.

    def definition(self, name: str) -> Message:
        return messages()[name]

    def read_message(self, reader: wire.Reader, name: str, version: int) -> Any:
        message = self._of_version(name, version)
        return self.read_struct(reader, message.fields, version, self.flexible(message, version))

    def write_message(self, writer: wire.Writer, name: str, version: int, value: Any) -> None:
        message = self._of_version(name, version)
        flexible = self.flexible(message, version)
        self.write_struct(writer, message.fields, version, flexible, value)

    def _of_version(self, name: str, version: int) -> Message:
        message = self.definition(name)
        if version not in message.valid:
            raise WireError(f"{name} has no version {version}")
        return message

    # Tagged fields.

    def read_tags(
        self, reader: wire.Reader, fields: Sequence[Field], version: int, value: dict[str, Any]
    ) -> None:
        known = self.tagged(fields, version)
        last = -1
        for _ in range(reader.varint()):
            tag = reader.varint()
            self.check_order(last, tag)
            last = tag
            if tag in known:
                self.read_known(reader, known[tag], version, value)
            else:
                self.read_other(reader, fields, tag, value)

    def read_known(
        self, reader: wire.Reader, field: Field, version: int, value: dict[str, Any]
    ) -> None:
        found = self.read_tagged(reader, field, version, reader.varint())
        if not self.is_default(field, version, found):
            value[field.name] = found

    def read_other(
        self, reader: wire.Reader, fields: Sequence[Field], tag: int, value: dict[str, Any]
    ) -> None:
        if tag in {one.tag for one in fields}:
            raise WireError(f"tag {tag} belongs to other versions")
        unknown = self.read_unknown(reader, tag, reader.varint())
        value.setdefault(UNKNOWN_TAGS, []).append(unknown)

    def write_tags(
        self, writer: wire.Writer, fields: Sequence[Field], version: int, value: Any
    ) -> None:
        known = self.tagged(fields, version)
        tags = self.tags_to_write(known, version, value)
        if len({tag for tag, _ in tags}) < len(tags):
            raise WireError("a tag comes twice")
        writer.varint(len(tags))
        for tag, data in self.ordered(tags, known):
            self.write_tag(writer, tag, data, tag in known)

    def tags_to_write(
        self, known: dict[int, Field], version: int, value: Any
    ) -> list[tuple[int, bytes]]:
        tags = []
        for tag, field in known.items():
            one = value[field.name] if field.name in value else self.default(field, version)
            if not self.left_out(field, version, one):
                tags.append((tag, self.write_tagged(field, version, one)))
        for one in value.get(UNKNOWN_TAGS) or ():
            if one["tag"] in known:
                raise WireError(f"tag {one['tag']} is a field's")
            tags.append((one["tag"], base64.b64decode(one["bytes"], validate=True)))
        return tags

    def write_tag(self, writer: wire.Writer, tag: int, data: bytes, known: bool) -> None:
        writer.varint(tag)
        writer.varint(len(data))
        writer.put(data)
