"""From a definition's JSON text (Kafka's own, with `//` comments, or our facts) to the model.

Whatever is wrong is said with the file, the field and the reason, at the first place that is wrong:
a definition is either right or not used. Only what decides how bytes are written is checked here;
the rules that bind definitions are a matter for judging schema targets.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from math import isfinite
from typing import Any, NoReturn

from conformance.errors import ConformanceError
from conformance.schema.model import (
    FIXED_KINDS,
    MESSAGE_TYPES,
    NULLABLE_KINDS,
    SIZED_KINDS,
    Field,
    Message,
    Type,
)
from conformance.schema.versions import MAX_VERSION, NONE, Versions

MAX_TAG = 2**31 - 1
MAX_DEPTH = 16
"""Structs nest less than 6 deep in Kafka; far deeper is a cycle or an attack."""
MAX_FIELDS = 10_000
"""Fields with each use of a common struct counted: a few that use each other twice are millions."""

_DECODER = json.JSONDecoder()
_COMMENT = re.compile(r'("(?:[^"\\\n]|\\.)*")|//[^\n]*')
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9]*")
_TAG = re.compile(r"[0-9]{1,10}")
_INTEGER = re.compile(r"-?(0x[0-9A-Fa-f]+|0|[1-9][0-9]*)")
_UUID = re.compile(r"[A-Za-z0-9_-]{22}")
_STRUCT_KEYS = frozenset({"name", "versions", "deprecatedVersions", "fields", "about"})
_MESSAGE_KEYS = frozenset(
    {
        "about",
        "apiKey",
        "commonStructs",
        "deprecatedVersions",
        "fields",
        "flexibleVersions",
        "latestVersionUnstable",
        "listeners",
        "name",
        "type",
        "validVersions",
    }
)
_FIELD_KEYS = frozenset(
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


class DefinitionError(ConformanceError):
    """A definition that can't be used: file, field and reason."""

    def __init__(self, file: str, place: str, reason: str) -> None:
        super().__init__(
            f"{file}: {place}: {reason}" if place else f"{file}: {reason}",
            "mend the definition, or leave it out",
        )
        self.file = file
        self.place = place
        self.reason = reason


def parse_json(text: str, file: str, rest: bool = False) -> dict[str, Any]:
    """The JSON object in `text`, its `//` comments taken out and its lines kept.

    With `rest`, something else may stand behind the object, and is not looked at.
    """
    bare = _COMMENT.sub(lambda match: match[1] or "", text)
    try:
        content = _DECODER.raw_decode(bare.lstrip())[0] if rest else _DECODER.decode(bare)
    except (ValueError, RecursionError) as error:
        raise DefinitionError(file, "", f"not JSON: {error}") from None
    if not isinstance(content, dict):
        raise DefinitionError(file, "", "not a JSON object")
    return content


def load_message(text: str, file: str = "definition") -> Message:
    """The model of one definition. Raises DefinitionError."""
    return load_content(parse_json(text, file), file)


def load_content(content: Mapping[str, Any], file: str = "definition") -> Message:
    """The model of one definition whose JSON is parsed already. Raises DefinitionError."""
    return _Loader(file, content).message()


class _Loader:
    """Walks one definition; holds what the error messages need."""

    def __init__(self, file: str, content: Mapping[str, Any]) -> None:
        self.file = file
        self.content = content
        self.common: dict[str, Mapping[str, Any]] = {}
        self.flexible = NONE
        self.count = 0

    def fail(self, place: str, reason: str) -> NoReturn:
        raise DefinitionError(self.file, place, reason)

    def message(self) -> Message:
        content = self.content
        self.known_keys("", content, _MESSAGE_KEYS)
        name = self.name("", content)
        kind = self.text("", content, "type")
        if kind not in MESSAGE_TYPES:
            self.fail("type", f"{kind!r} is none of {', '.join(MESSAGE_TYPES)}")
        self.common_structs(content.get("commonStructs", []))
        valid = self.versions("", content, "validVersions")
        if valid:
            self.flexible = self.versions("", content, "flexibleVersions")
        elif content.get("fields"):
            self.fail("fields", "given although no version is valid")
        return Message(
            name=name,
            type=kind,
            api_key=self.api_key(content, kind),
            valid=valid,
            flexible=self.flexible,
            fields=self.fields("", content.get("fields", []), valid, 0),
            listeners=self.listeners(content.get("listeners", [])),
            latest_unstable=self.flag("", content, "latestVersionUnstable"),
        )

    def common_structs(self, content: Any) -> None:
        for struct in self.objects("commonStructs", content):
            name = self.name("commonStructs", struct)
            here = f"commonStructs.{name}"
            self.known_keys(here, struct, _STRUCT_KEYS)
            if name in self.common:
                self.fail(here, "given twice")
            self.common[name] = struct

    def api_key(self, content: Mapping[str, Any], kind: str) -> int | None:
        value = content.get("apiKey")
        if value is None:
            if kind in ("request", "response"):
                self.fail("apiKey", "missing")
            return None
        if type(value) is not int or not 0 <= value <= MAX_VERSION:
            self.fail("apiKey", f"{value!r} is no api key")
        return value

    def listeners(self, content: Any) -> tuple[str, ...]:
        if not isinstance(content, list) or not all(isinstance(item, str) for item in content):
            self.fail("listeners", "not a list of names")
        return tuple(content)

    def fields(self, place: str, content: Any, parent: Versions, depth: int) -> tuple[Field, ...]:
        if depth > MAX_DEPTH:
            self.fail(place, f"structs nest more than {MAX_DEPTH} deep, or refer to themselves")
        fields = tuple(
            self.field(place, item, parent, depth) for item in self.objects(place, content)
        )
        self.unique(place, "name", [field.name for field in fields])
        self.unique(place, "tag", [field.tag for field in fields if field.tag is not None])
        return fields

    def unique(self, place: str, what: str, values: list[Any]) -> None:
        for value in values:
            if values.count(value) > 1:
                self.fail(place or "fields", f"{what} {value!r} is given twice")

    def field(self, place: str, content: Mapping[str, Any], parent: Versions, depth: int) -> Field:
        name = self.name(place, content)
        here = f"{place}.{name}" if place else name
        self.count += 1
        if self.count > MAX_FIELDS:
            self.fail(here, f"more than {MAX_FIELDS} fields, common structs written out")
        self.known_keys(here, content, _FIELD_KEYS)
        tagged = self.versions(here, content, "taggedVersions", NONE)
        versions = self.versions(here, content, "versions", tagged or None)
        type_ = self.type(here, content, versions & parent, depth)
        field = Field(
            name=name,
            type=type_,
            versions=versions,
            nullable=self.versions(here, content, "nullableVersions", NONE),
            tag=self.tag(here, content),
            tagged=tagged,
            default=self.default(here, content),
            ignorable=self.flag(here, content, "ignorable"),
            map_key=self.flag(here, content, "mapKey"),
            entity_type=self.text(here, content, "entityType") if "entityType" in content else "",
            flexible=self.versions(here, content, "flexibleVersions")
            if "flexibleVersions" in content
            else None,
        )
        self.check(here, field, versions & parent)
        return field

    def check(self, here: str, field: Field, valid: Versions) -> None:
        if field.nullable and field.type.kind not in NULLABLE_KINDS:
            self.fail(here, f"a {field.type.kind} can't be nullable")
        if (field.tag is None) != (not field.tagged):
            self.fail(here, "tag and taggedVersions go together")
        if field.tag is not None and not 0 <= field.tag <= MAX_TAG:
            self.fail(here, f"tag {field.tag} is no 31-bit number")
        if not field.tagged <= field.versions:
            self.fail(here, f"taggedVersions {field.tagged} exceed versions {field.versions}")
        if not field.tagged & valid <= self.flexible:
            self.fail(here, f"taggedVersions {field.tagged} exceed flexible {self.flexible}")
        if field.default == "null" and field.type.kind not in NULLABLE_KINDS:
            self.fail(here, f"a {field.type.kind} can't be null by default")
        if field.default == "null" and not valid <= field.nullable:
            self.fail(here, f"null by default, but not nullable in each of versions {valid}")
        if field.default not in (None, "", "null") and not _fits(field.type.kind, field.default):
            self.fail(here, f"default {field.default!r} is no {field.type.kind}")

    def type(self, here: str, content: Mapping[str, Any], versions: Versions, depth: int) -> Type:
        name = self.text(here, content, "type")
        if name.startswith("[]"):
            element = self.plain_type(here, name[2:], content, versions, depth)
            return Type("array", element)
        return self.plain_type(here, name, content, versions, depth)

    def plain_type(
        self, here: str, name: str, content: Mapping[str, Any], versions: Versions, depth: int
    ) -> Type:
        if name in FIXED_KINDS or name in SIZED_KINDS:
            if content.get("fields"):
                self.fail(here, f"a {name} has no fields")
            return Type(name)
        if not name[:1].isupper():
            self.fail(here, f"unknown type {name!r}")
        if name in self.common:
            struct = self.common[name]
            own = self.versions(f"commonStructs.{name}", struct, "versions")
            fields = self.fields(here, struct.get("fields", []), versions & own, depth + 1)
            return Type("struct", struct_name=name, fields=fields, struct_versions=own)
        if "fields" not in content:
            self.fail(here, f"struct {name} has no fields, nor is it among commonStructs")
        fields = self.fields(here, content["fields"], versions, depth + 1)
        return Type("struct", struct_name=name, fields=fields)

    def tag(self, here: str, content: Mapping[str, Any]) -> int | None:
        value = content.get("tag")
        if value is None:
            return None
        if isinstance(value, bool) or not _TAG.fullmatch(str(value)):
            self.fail(here, f"tag {value!r} is no 31-bit number")
        return int(value)

    def default(self, here: str, content: Mapping[str, Any]) -> str | None:
        value = content.get("default")
        if value is None:
            return None
        if isinstance(value, bool):
            return "true" if value else "false"
        if not isinstance(value, int | float | str):
            self.fail(here, f"default {value!r} is no scalar")
        return str(value)

    def versions(
        self, here: str, content: Mapping[str, Any], key: str, default: Versions | None = None
    ) -> Versions:
        if key not in content and default is not None:
            return default
        try:
            return Versions.parse(self.text(here, content, key))
        except ValueError as error:
            self.fail(f"{here}.{key}" if here else key, str(error))

    def text(self, here: str, content: Mapping[str, Any], key: str) -> str:
        value = content.get(key)
        if not isinstance(value, str):
            self.fail(f"{here}.{key}" if here else key, "missing" if value is None else "no text")
        return value

    def name(self, here: str, content: Mapping[str, Any]) -> str:
        """A name as Kafka allows it. Files and generated code bear it, so nothing else will do."""
        value = self.text(here, content, "name")
        if not _NAME.fullmatch(value):
            self.fail(f"{here}.name" if here else "name", f"{value!r} is no name")
        return value

    def flag(self, here: str, content: Mapping[str, Any], key: str) -> bool:
        value = content.get(key, False)
        if not isinstance(value, bool) and value not in ("true", "false"):
            self.fail(f"{here}.{key}" if here else key, f"{value!r} is neither true nor false")
        return value in (True, "true")

    def objects(self, here: str, content: Any) -> list[Mapping[str, Any]]:
        if not isinstance(content, list) or not all(isinstance(item, dict) for item in content):
            self.fail(here, "not a list of objects")
        return content

    def known_keys(self, here: str, content: Mapping[str, Any], known: frozenset[str]) -> None:
        unknown = sorted(set(content) - known)
        if unknown:
            self.fail(here, f"unknown key {unknown[0]!r}")


def _fits(kind: str, default: str) -> bool:
    """Whether a default other than null and nothing is one of this kind."""
    match kind:
        case "string":
            return True
        case "bool":
            return default in ("true", "false")
        case "uuid":
            return bool(_UUID.fullmatch(default))
        case "float64":
            return _is_finite(default)
        case "int8" | "int16" | "int32" | "int64" | "uint16" | "uint32":
            return bool(_INTEGER.fullmatch(default)) and int(default, 0) in _range(kind)
    return False  # arrays, bytes and structs default to nothing in them, or to null


def _is_finite(text: str) -> bool:
    try:
        return isfinite(float(text))
    except ValueError:
        return False


def _range(kind: str) -> range:
    bits = int(kind.lstrip("uint"))
    if kind.startswith("u"):
        return range(1 << bits)
    return range(-1 << (bits - 1), 1 << (bits - 1))
