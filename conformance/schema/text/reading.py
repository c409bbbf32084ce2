"""Read a definition's JSON as far as it can be understood, and report the rest, such as keys that
Apache Kafka's generator does not know.

A senseless part is reported and left out, and reading goes on, so that all errors of a broken
definition are found at once. So the resulting model equals the file only if there were no problems.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from conformance.schema.model import (
    FIXED_KINDS,
    MESSAGE_TYPES,
    SIZED_KINDS,
    Field,
    JsonPath,
    Message,
    Type,
)
from conformance.schema.text.part import ANNOTATIONS, JsonPart, Unreadable, parts
from conformance.schema.text.problem import Problem
from conformance.schema.versions import MAX_VERSION, NONE, Versions

STRUCT_KEYS = frozenset({"name", "versions", "deprecatedVersions", "fields", "about"})
MESSAGE_KEYS = frozenset(
    {
        "about",
        "apiKey",
        "commonStructs",
        "deprecatedVersions",
        "fields",
        "flexibleVersions",
        "headerVersions",
        "latestVersionUnstable",
        "listeners",
        "name",
        "type",
        "validVersions",
    }
)
FIELD_KEYS = frozenset(
    {
        "about",
        "default",
        "entityType",
        "fields",
        "flexibleVersions",
        "ignorable",
        "mapKey",
        "name",
        "nullableVersions",
        "tag",
        "taggedVersions",
        "type",
        "versions",
        "zeroCopy",
    }
)


MAX_TAG = 2**31 - 1
MAX_DEPTH = 16
"""Structs nest less than 6 deep in Kafka; far deeper is a cycle or an attack."""
MAX_FIELDS = 10_000
"""Fields with each use of a common struct counted: a few that use each other twice are millions."""

READING_RULES = (
    "definitions.values-fit",
    ANNOTATIONS,
    "definitions.known-keys",
    "definitions.names-valid",
    "definitions.types-known",
    "definitions.versions-readable",
    "definitions.structs-resolved",
    "definitions.struct-names-unique",
    "definitions.nesting-bounded",
    "definitions.retired-empty",
    "definitions.flexible-stated",
    "definitions.api-key-stated",
    "definitions.tag-number",
    "definitions.tagged-versions-stated",
    "definitions.tagged-field-versions-stated",
)
"""The rules that reading itself decides."""

_TAG = re.compile(r"[0-9]{1,10}")
_KEYED = ("request", "response", "coordinator-key", "coordinator-value")


@dataclass(frozen=True)
class Reading:
    """A definition that was read: its message, None if not even that is clear.

    `whole` says that nothing was left out of the message, whatever else is wrong with it.
    """

    message: Message | None
    problems: list[Problem]
    whole: bool


def read_message(content: Mapping[str, Any]) -> Reading:
    """The model of a definition, as far as it can be understood, and its problems."""
    problems: list[Problem] = []
    reader = _Reader()
    try:
        message = reader.message(JsonPart(content, "", (), problems))
    except Unreadable:
        return Reading(None, unique(problems), whole=False)
    return Reading(message, unique(problems), reader.whole)


def unique(problems: Iterable[Problem]) -> list[Problem]:
    """Each rule once at each place: a common struct is read wherever it is used."""
    return list({(item.rule, item.path): item for item in problems}.values())


class _Reader:
    """Reads one definition; keeps its common structs, flexible versions and number of fields."""

    def __init__(self) -> None:
        self.whole = True
        self.common: dict[str, JsonPart] = {}
        self.used: set[str] = set()
        self.inline: dict[str, JsonPath] = {}
        self.flexible = NONE
        self.count = 0

    def message(self, part: JsonPart) -> Message:
        part.known_keys(MESSAGE_KEYS)
        name = part.name()
        kind = part.text("type")
        if kind not in MESSAGE_TYPES:
            part.fail(
                "definitions.types-known",
                f"{kind!r} is none of {', '.join(MESSAGE_TYPES)}",
                "type",
                at="type",
            )
        self.common_structs(part)
        valid = part.versions("validVersions")
        if valid:
            self.flexible = self.flexible_versions(part)
        elif part.content.get("fields"):
            part.tell(
                "definitions.retired-empty",
                "given although no version is valid",
                "fields",
                "fields",
            )
        fields = self.fields(part, valid, 0)
        return Message(
            name=name,
            type=kind,
            api_key=self.api_key(part, kind),
            valid=valid,
            flexible=self.flexible,
            fields=fields,
            listeners=part.texts("listeners"),
            latest_unstable=part.flag("latestVersionUnstable"),
            header_versions=part.header_versions(),
            unused=tuple(self.unused_structs()),
        )

    def flexible_versions(self, part: JsonPart) -> Versions:
        if "flexibleVersions" in part.content:
            return part.versions("flexibleVersions")
        part.tell("definitions.flexible-stated", "missing", "flexibleVersions", "flexibleVersions")
        return NONE

    def common_structs(self, part: JsonPart) -> None:
        for struct in parts(part, "commonStructs", "commonStructs"):
            try:
                name = struct.name()
            except Unreadable:
                self.whole = False
                continue
            here = struct.at(f"commonStructs.{name}")
            here.known_keys(STRUCT_KEYS)
            if not name[0].isupper():
                here.tell(
                    "definitions.names-valid", "a struct's name begins with a capital", "name"
                )
            if name in self.common:
                here.tell("definitions.structs-resolved", "given twice")
            self.common[name] = here

    def unused_structs(self) -> Iterator[Type]:
        """Yield the structs that no field uses; they are read for the errors in them."""
        for name in sorted(self.common.keys() - self.used):
            try:
                own = self.common[name].versions("versions")
                fields = self.fields(self.common[name], own, 1)
            except Unreadable:
                self.whole = False
            else:
                yield Type("struct", struct_name=name, fields=fields, struct_versions=own)

    def api_key(self, part: JsonPart, kind: str) -> int | None:
        value = part.content.get("apiKey")
        if value is None:
            if kind in _KEYED:
                part.tell("definitions.api-key-stated", "missing", "apiKey", "apiKey")
            return None
        if type(value) is not int or not 0 <= value <= MAX_VERSION:
            part.tell("definitions.api-key-stated", f"{value!r} is no api key", "apiKey", "apiKey")
            return None
        return value

    def fields(self, owner: JsonPart, parent: Versions, depth: int) -> tuple[Field, ...]:
        if depth > MAX_DEPTH:
            owner.fail(
                "definitions.nesting-bounded",
                f"structs nest more than {MAX_DEPTH} deep, or refer to themselves",
            )
        found = []
        for part in parts(owner, "fields", owner.place):
            try:
                found.append(self.field(part, owner.place, parent, depth))
            except Unreadable:
                self.left_out()
        return tuple(found)

    def left_out(self) -> None:
        """Note that a field is passed over; raise Unreadable after too many fields."""
        self.whole = False
        if self.count > MAX_FIELDS:
            raise Unreadable

    def field(self, part: JsonPart, place: str, parent: Versions, depth: int) -> Field:
        name = part.name()
        here = part.at(f"{place}.{name}" if place else name)
        self.counted(here)
        here.known_keys(FIELD_KEYS)
        tag = self.tag(here)
        tagged = self.tagged(here, tag)
        versions = self.field_versions(here, tagged)
        return Field(
            name=name,
            type=self.type(here, versions & parent, depth),
            versions=versions,
            nullable=here.versions("nullableVersions", NONE),
            tag=tag,
            tagged=tagged,
            default=self.default(here, tagged),
            ignorable=here.flag("ignorable"),
            map_key=here.flag("mapKey"),
            entity_type=here.annotation("entityType"),
            flexible=here.versions("flexibleVersions")
            if "flexibleVersions" in here.content
            else None,
            zero_copy=here.flag("zeroCopy"),
            path=here.path,
        )

    def counted(self, part: JsonPart) -> None:
        self.count += 1
        if self.count > MAX_FIELDS:
            part.fail(
                "definitions.nesting-bounded",
                f"more than {MAX_FIELDS} fields, common structs written out",
            )

    def tagged(self, part: JsonPart, tag: int | None) -> Versions:
        """KIP-482: where it is left out, a tagged field is so in all flexible versions."""
        if tag is None and "tag" in part.content:
            return NONE  # the problem with its number was reported
        if tag is None or "taggedVersions" in part.content:
            return part.versions("taggedVersions", NONE)
        part.tell("definitions.tagged-versions-stated", "a tag, and no taggedVersions")
        return self.flexible & part.versions("versions", self.flexible)

    def field_versions(self, part: JsonPart, tagged: Versions) -> Versions:
        if tagged and "versions" not in part.content:
            part.tell("definitions.tagged-field-versions-stated", "taggedVersions, and no versions")
            return tagged
        return part.versions("versions")

    def type(self, part: JsonPart, versions: Versions, depth: int) -> Type:
        name = part.text("type")
        if name.startswith("[]"):
            return Type("array", self.plain_type(part, name[2:], versions, depth))
        return self.plain_type(part, name, versions, depth)

    def plain_type(self, part: JsonPart, name: str, versions: Versions, depth: int) -> Type:
        if name in FIXED_KINDS or name in SIZED_KINDS:
            if part.content.get("fields"):
                part.tell("definitions.struct-names-unique", f"a {name} has no fields")
            return Type(name)
        if not name[:1].isupper():
            part.fail("definitions.types-known", f"unknown type {name!r}", "type")
        if name in self.common:
            return self.common_type(part, name, versions, depth)
        if "fields" not in part.content:
            part.fail(
                "definitions.structs-resolved",
                f"struct {name} has no fields, nor is it among commonStructs",
            )
        if self.inline.setdefault(name, part.path) != part.path:
            reason = f"struct {name} has its fields elsewhere too"
            part.tell("definitions.struct-names-unique", reason)
        return Type("struct", struct_name=name, fields=self.fields(part, versions, depth + 1))

    def common_type(self, part: JsonPart, name: str, versions: Versions, depth: int) -> Type:
        if part.content.get("fields"):
            part.tell("definitions.structs-resolved", f"{name} has its fields in commonStructs")
        self.used.add(name)
        struct = self.common[name]
        own = struct.versions("versions")
        fields = self.fields(struct.at(part.place), versions & own, depth + 1)
        return Type("struct", struct_name=name, fields=fields, struct_versions=own)

    def tag(self, part: JsonPart) -> int | None:
        value = part.content.get("tag")
        if value is None:
            return None
        number = int(value) if _TAG.fullmatch(str(value)) and value is not True else -1
        if not 0 <= number <= MAX_TAG:
            part.tell("definitions.tag-number", f"tag {value!r} is no 31-bit number", "tag")
            return None
        return number

    def default(self, part: JsonPart, tagged: Versions) -> str | None:
        """The default as text; that of a tagged field is what is left out of the bytes."""
        value = part.content.get("default")
        if value is None:
            return None
        if isinstance(value, bool):
            return "true" if value else "false"
        if not isinstance(value, int | float | str):
            rule = "definitions.values-fit" if tagged else ANNOTATIONS
            part.tell(rule, f"default {value!r} is no scalar", "default")
            return None
        return str(value)
