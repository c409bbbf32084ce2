"""Answers with unknown tagged fields, in every place that has room for them (KIP-482)."""

from __future__ import annotations

import base64
from typing import Any, ClassVar

from conformance.api_keys import API_VERSIONS
from conformance.clients.scenarios.answers.pieces import ClosedInPlaceOfAnswer
from conformance.clients.scenarios.judging import all_of, bears, where_asked
from conformance.clients.scenarios.playing import Rewrites
from conformance.clients.scenarios.visit import succeeds, survives
from conformance.reference.broker.cluster import Value
from conformance.schema.layout import Form, Layout, WireType

TAGS = "_unknownTaggedFields"
HEADER_TAGS = bytes.fromhex("026302abcd6400")
METADATA_FLEXIBLE = range(9, 100)
MANY = 1000


def with_tags(layout: Layout, value: Value, tags: list[Value]) -> Value:
    """A struct with tags in it, and in each struct inside."""
    if not layout.flexible:
        return value
    types = {item.name: item.type for item in (*layout.fields, *layout.tagged)}
    inside = {
        name: _with_tags(types[name], given, tags) if name in types else given
        for name, given in value.items()
    }
    return {**inside, TAGS: tags}


def _with_tags(type_: WireType, value: Any, tags: list[Value]) -> Any:
    if value is None:
        return None
    if type_.struct is not None:
        return with_tags(type_.struct, value, tags)
    if type_.element is not None and type_.element.struct is not None:
        return [with_tags(type_.element.struct, each, tags) for each in value]
    return value


def tag(number: int, size: int) -> Value:
    """A tag of so many bytes."""
    return {"tag": number, "bytes": base64.b64encode(b"\x5a" * size).decode()}


def has_header_tags(form: Form) -> bool:
    """True if the header of an answer has a tag section."""
    return form.flexible and form.api_key != API_VERSIONS


class _Tags(Rewrites):
    """Answers with unknown tags."""

    tags: ClassVar[list[Value]] = [tag(100, 3), tag(101, 0)]

    def body(self, form: Form, body: Value) -> Value:
        return with_tags(form.layout, body, self.tags)


class TagsInMetadata(_Tags):
    """Answers Metadata with two unknown tags in every struct."""


class TagsAtTheLimits(_Tags):
    """Answers Metadata with tags of the highest numbers, and of sizes around those of a varint."""

    control_case = TagsInMetadata
    tags: ClassVar[list[Value]] = [
        tag(127, 0),
        tag(128, 1),
        tag(16383, 127),
        tag(16384, 128),
        tag(2**28, 16383),
        tag(2**31 - 2, 16384),
        tag(2**31 - 1, 1),
    ]
    decides: ClassVar = {
        "client-answers.tags-of-any-number": where_asked("Metadata", succeeds, METADATA_FLEXIBLE)
    }


class _HostileTags(Rewrites):
    """Answers Metadata with a tag section in the header that is none."""

    control_case = ClosedInPlaceOfAnswer
    section: ClassVar[bytes]

    def frame(self, form: Form, frame: bytes) -> bytes:
        return frame[:4] + self.section + frame[5:] if has_header_tags(form) else frame


_HOSTILE = {
    "client-answers.hostile-tags-survived": where_asked(
        "Metadata", all_of(survives, bears), METADATA_FLEXIBLE
    )
}
for _name, _says, _section in (
    ("TagBeyondTheEnd", "a tag that is said to be longer than the answer", "0163ffff7f"),
    ("TagOfTwoGigabytes", "a tag that is said to have 2,147,483,647 bytes", "0163ffffffff07"),
    (
        "TagOfNegativeSize",
        "a tag whose size is negative, as a number of 32 bits",
        "0163ffffffff0f",
    ),
    ("TagsWithoutEnd", "2,147,483,647 tags, none of which is there", "ffffffff07"),
    (
        "TagsBelowNone",
        "a number of tags that is negative, as one of 32 bits",
        "ffffffff0f",
    ),
):
    _HostileTags.variant(
        _name,
        f"Answers Metadata with {_says}.",
        section=bytes.fromhex(_section),
        decides=_HOSTILE,
    )
