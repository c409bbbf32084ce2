"""A definition of franz-go in our model, with the meaning that its generator gives it.

Some meanings have no word in the text: a named struct takes part in flexible versions as the
message around it does, whatever versions its own head states, but its strings stay classic if its
head states none; a field with versions and a tag is written twice, once in its place; and the value
of a tag that is not written is Go's zero, which is null for all that may be null. Kinds that
Kafka's definitions lack, such as varint, keep their names: they differ from all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from conformance.definitions.foreign.kmsg.blocks import Block, Entry
from conformance.definitions.foreign.kmsg.grammar import FieldWords, Misread, TypeWords
from conformance.schema.model import FIXED_KINDS, Field, Message, MessageType, Type
from conformance.schema.text.reading import MAX_DEPTH, MAX_FIELDS
from conformance.schema.versions import EVERY, MAX_VERSION, NONE, Versions

_OTHER_KINDS = frozenset({"varint", "varlong", "varint-string", "varint-bytes"})
_VERSION_WITHIN = frozenset({"LeaderChangeMessage"})
"""Messages in whose Kafka definition the version is a field of its own."""
_LEFT_BY_LENGTH = "length-field-minus"
_NULLABLE = re.compile(r"nullable-(?:(string)(?:-v(?P<since>[0-9]{1,9})\+)?|(bytes))|(nullable=>)")
"""Nullable types: the kind, and the first version in which it may be null."""


@dataclass(frozen=True)
class Known:
    """The names that a definition may use: structs by their names, and the kinds of enums."""

    blocks: Mapping[str, Block]
    enums: Mapping[str, str]


def message(found: Block, known: Known) -> Message:
    """Return the definition in our model. Raises Misread, with the line."""
    owner = _owner(found, known)
    flexible = _flexible(owner)
    reader = _Meaning(known, flexible)
    return Message(
        name=found.head.name,
        type=_message_type(found),
        api_key=owner.head.key,
        valid=_valid(owner),
        flexible=flexible,
        fields=reader.fields(_entries(found), EVERY, bool(flexible), 0),
    )


def _owner(found: Block, known: Known) -> Block:
    """Return the definition that states key and versions: for a response, its request."""
    if not found.head.top_level or found.head.key is not None:
        return found
    name = found.head.name.removesuffix("Response") + "Request"
    request = known.blocks.get(name)
    if not found.head.name.endswith("Response") or request is None or request.head.key is None:
        raise Misread(found.head.line, "a response without its request, or a request without key")
    return request


def _entries(found: Block) -> tuple[Entry, ...]:
    """Return the fields without the version in front of a record's value, no field in Kafka."""
    prefixed = "with version field" in found.head.said and found.head.name not in _VERSION_WITHIN
    return found.entries[1:] if prefixed else found.entries


def _valid(owner: Block) -> Versions:
    if not owner.head.top_level:
        return EVERY
    if owner.head.newest is None:
        raise Misread(owner.head.line, "a request without max version")
    return Versions(0, owner.head.newest)


def _message_type(found: Block) -> MessageType:
    if not found.head.top_level:
        return "data"
    return "response" if found.head.name.endswith("Response") else "request"


def _flexible(owner: Block) -> Versions:
    since = owner.head.flexible
    return NONE if since is None else Versions(since, MAX_VERSION)


class _Meaning:
    """A walk through one definition; it knows the flexible versions, and counts the fields."""

    def __init__(self, known: Known, flexible: Versions) -> None:
        self.known = known
        self.flexible = flexible
        self.count = 0

    def fields(
        self, entries: tuple[Entry, ...], within: Versions, compact: bool, depth: int
    ) -> tuple[Field, ...]:
        return tuple(
            field for each in entries for field in self.field(each, within, compact, depth)
        )

    def field(self, entry: Entry, within: Versions, compact: bool, depth: int) -> Iterator[Field]:
        words = entry.words
        self.count += 1
        if self.count > MAX_FIELDS:
            raise Misread(words.line, f"more than {MAX_FIELDS} fields, named structs written out")
        versions = within & (self.flexible if words.versions is None else words.versions)
        type_ = self.type(entry, versions, compact, depth)
        nullable, default = _null_from(words), _default(words, type_.kind)
        # For a plain field null is only Go's zero, and counts only if it can always be written.
        null = default == "null" and not versions <= nullable
        plain = Field(
            name=words.name,
            type=type_,
            versions=versions,
            nullable=nullable,
            default=None if null else default,
            flexible=None if compact and not _of_other_kind(words.type) else NONE,
            path=(words.line,),
        )
        if words.versions is not None:
            yield plain
        if words.tag is not None:
            tagged = versions & self.flexible
            yield replace(plain, tag=words.tag, tagged=tagged, versions=tagged, default=default)

    def type(self, entry: Entry, versions: Versions, compact: bool, depth: int) -> Type:
        words = entry.words.type
        found = self.plain_type(entry, versions, compact, depth)
        for _ in range(words.arrays):
            found = Type("varint-array" if words.varint else "array", found)
        if words.arrays and _NULLABLE.fullmatch(words.inner):
            raise Misread(entry.words.line, "elements that may be null")
        return found

    def plain_type(self, entry: Entry, versions: Versions, compact: bool, depth: int) -> Type:
        inner, line = entry.words.type.inner, entry.words.line
        if depth > MAX_DEPTH:
            raise Misread(line, f"structs nest more than {MAX_DEPTH} deep, or name themselves")
        if entry.opens:
            return Type("struct", fields=self.fields(entry.entries, versions, compact, depth + 1))
        if inner in self.known.blocks:
            named = self.known.blocks[inner]
            own = compact and named.head.flexible is not None
            fields = self.fields(named.entries, versions, own, depth + 1)
            return Type("struct", struct_name=inner, fields=fields)
        return Type(self.kind(inner, line))

    def kind(self, inner: str, line: int) -> str:
        if inner.startswith("enum-"):
            inner = self.known.enums.get(inner.removeprefix("enum-"), inner)
        nullable = _NULLABLE.fullmatch(inner)
        kind = (nullable[1] or nullable[3]) if nullable else inner
        if kind.startswith(_LEFT_BY_LENGTH):
            return _LEFT_BY_LENGTH
        if kind in FIXED_KINDS or kind in ("string", "bytes") or kind in _OTHER_KINDS:
            return kind
        raise Misread(line, f"{inner!r} is no type, nor the name of a struct")


def _of_other_kind(words: TypeWords) -> bool:
    return words.varint or words.inner in _OTHER_KINDS or words.inner.startswith(_LEFT_BY_LENGTH)


def _null_from(words: FieldWords) -> Versions:
    """Return the versions in which a field may be null."""
    if words.type.null_since is not None:
        return Versions(words.type.null_since, MAX_VERSION)
    nullable = _NULLABLE.fullmatch(words.type.inner)
    if words.type.arrays or nullable is None:
        return NONE
    return Versions(int(nullable["since"] or 0), MAX_VERSION)


def _default(words: FieldWords, kind: str) -> str | None:
    """Return a field's default: its own, null if it may be null, else None for the kind's own.

    Null is Go's zero of a nullable field. Raises Misread.
    """
    text = words.type.default
    if text is None:
        return "null" if _null_from(words) else None
    try:
        fits = _fits(text, kind)
    except ValueError:
        fits = False
    if not fits:
        raise Misread(words.line, f"{text!r} is no default of {words.type.inner}")
    return text


def _fits(text: str, kind: str) -> bool:
    if kind in ("string", "bytes", "array", "struct"):
        return text == "null"
    if kind == "bool":
        return text in ("true", "false")
    return (float(text) if kind == "float64" else int(text, 0)) is not None
