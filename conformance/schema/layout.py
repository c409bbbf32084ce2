"""The layout of one version of a message on the wire, and its fields' defaults, which definitions
write as text.

A definition covers all versions at once; readers and writers need one version with every question
of that kind answered. A layout has the fields in wire order, tagged ones apart and sorted, each
with its kind, whether it may be null and how its length is written.
"""

from __future__ import annotations

import re
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cached_property
from math import isfinite
from typing import Any

from conformance.schema.model import FIXED_KINDS, Field, Message, Type

_INTEGER = re.compile(r"0x[0-9A-Fa-f]+|[+-]?[0-9]+")
_UUID = re.compile(r"[A-Za-z0-9_-]{22}(==)?")


def fits(kind: str, default: str) -> bool:
    """True if a default other than null and "" is a value of this kind."""
    match kind:
        case "string":
            return True
        case "bool":
            return default.lower() in ("true", "false")
        case "uuid":
            return bool(_UUID.fullmatch(default))
        case "float64":
            return _is_finite(default)
        case "int8" | "int16" | "int32" | "int64" | "uint16" | "uint32":
            return bool(_INTEGER.fullmatch(default)) and integer(default) in _range(kind)
    return False  # arrays, bytes and structs default to nothing in them, or to null


def integer(text: str) -> int:
    """The number that a default stands for, as Kafka's generator reads it."""
    return int(text, 16 if text.startswith("0x") else 10)


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


ZERO_UUID = "AAAAAAAAAAAAAAAAAAAAAA"
"""The uuid of 16 zero bytes in the JSON form: none."""
_WIDTHS = {
    "bool": 1,
    "int8": 1,
    "int16": 2,
    "uint16": 2,
    "int32": 4,
    "uint32": 4,
    "int64": 8,
    "float64": 8,
    "uuid": 16,
}
VARINT_KINDS = ("varint", "varlong", "uvarint")
"""Integers of one byte or more; no definition has a field of them."""


@dataclass(frozen=True, slots=True)
class WireType:
    """A type in one version. `compact` says that its length is an UNSIGNED_VARINT of N+1."""

    kind: str
    nullable: bool = False
    compact: bool = False
    element: WireType | None = None
    struct: Layout | None = None

    @property
    def item(self) -> WireType:
        """The element's type; only of arrays."""
        assert self.element is not None
        return self.element

    @property
    def layout(self) -> Layout:
        """The struct's layout; only of structs."""
        assert self.struct is not None
        return self.struct

    @property
    def width(self) -> int | None:
        """Return the bytes that a value takes, None if that varies."""
        return _WIDTHS.get(self.kind)

    @property
    def least(self) -> int:
        """Return the fewest bytes that a value takes."""
        if self.kind in FIXED_KINDS:
            return _WIDTHS[self.kind]
        if self.kind == "struct":
            return 1 if self.nullable else self.layout.least
        if self.compact or self.kind in VARINT_KINDS:
            return 1
        return 2 if self.kind == "string" else 4


@dataclass(frozen=True, slots=True)
class WireField:
    """A field in one version. `name` is the JSON form's, `default` its default in that form."""

    name: str
    type: WireType
    default: Any
    tag: int | None = None
    ignorable: bool = False
    map_key: bool = False


@dataclass(frozen=True)
class Layout:
    """A struct in one version: plain fields in order, tagged ones by tag, those of other versions.

    `absent` holds the fields of the definition that this version lacks: what a writer does with a
    value for one of them depends on its default and on `ignorable`. `other_tags` are the tags that
    fields of this struct have in other versions only. `batch` says that it is a batch of records,
    which is not written field by field; neither are records of a format, its `magic`.
    """

    fields: tuple[WireField, ...]
    tagged: tuple[WireField, ...] = ()
    absent: tuple[WireField, ...] = field(default=(), compare=False)
    flexible: bool = False
    other_tags: frozenset[int] = field(default=frozenset(), compare=False)
    batch: bool = field(default=False, repr=False)
    magic: int | None = field(default=None, repr=False)

    @property
    def by_hand(self) -> bool:
        """True if it is written otherwise than field by field."""
        return self.batch or self.magic is not None

    @cached_property
    def least(self) -> int:
        """Return the fewest bytes that this struct takes, its tag section included."""
        return sum(item.type.least for item in self.fields) + self.flexible

    @cached_property
    def by_tag(self) -> dict[int, WireField]:
        """The tagged fields by their numbers."""
        return {item.tag: item for item in self.tagged if item.tag is not None}

    def default_value(self) -> dict[str, Any]:
        """The struct with each plain field at its default, and the tagged ones left out."""
        return {item.name: deepcopy(item.default) for item in self.fields}


@dataclass(frozen=True)
class Form:
    """One version of one message on the wire, with the releases that write it so, newest first."""

    message: str
    type: str
    version: int
    api_key: int | None
    layout: Layout
    releases: tuple[str, ...] = ()
    unstable: bool = False

    @property
    def flexible(self) -> bool:
        """True if this version has compact lengths and tag sections (KIP-482)."""
        return self.layout.flexible


def form(message: Message, version: int, release: str = "") -> Form:
    """The form of one version. Raises ValueError where the definition has no such version."""
    if version not in message.valid:
        raise ValueError(f"{message.name} has versions {message.valid}, not {version}")
    return Form(
        message=message.name,
        type=message.type,
        version=version,
        api_key=message.api_key,
        layout=_layout(message, message.fields, version),
        releases=(release,) if release else (),
        unstable=message.unstable(version),
    )


def json_name(name: str) -> str:
    """A field's name in the JSON form: its first letter in lower case."""
    return name[:1].lower() + name[1:]


def _layout(message: Message, fields: tuple[Field, ...], version: int) -> Layout:
    present = [item for item in fields if version in item.versions]
    plain = tuple(
        _wire_field(message, item, version) for item in present if version not in item.tagged
    )
    tagged = (_wire_field(message, item, version) for item in present if version in item.tagged)
    absent = (item for item in fields if version not in item.versions)
    return Layout(
        fields=plain,
        tagged=tuple(sorted(tagged, key=lambda item: item.tag or 0)),
        absent=tuple(_wire_field(message, item, version, shallow=True) for item in absent),
        flexible=version in message.flexible,
        other_tags=frozenset(
            item.tag for item in fields if item.tag is not None and version not in item.tagged
        ),
    )


def _wire_field(message: Message, item: Field, version: int, shallow: bool = False) -> WireField:
    type_ = WireType(item.type.kind) if shallow else _wire_type(message, item, item.type, version)
    return WireField(
        name=json_name(item.name),
        type=type_,
        default=_default(item, type_),
        tag=item.tag if version in item.tagged else None,
        ignorable=item.ignorable,
        map_key=item.map_key,
    )


def _wire_type(
    message: Message, item: Field, type_: Type, version: int, element: bool = False
) -> WireType:
    flexible = message.flexible if item.flexible is None else item.flexible
    return WireType(
        kind=type_.kind,
        nullable=not element and version in item.nullable,
        compact=version in flexible and type_.kind not in FIXED_KINDS and type_.kind != "struct",
        element=_wire_type(message, item, type_.element, version, element=True)
        if type_.element
        else None,
        struct=_layout(message, type_.fields, version) if type_.kind == "struct" else None,
    )


def _default(item: Field, type_: WireType) -> Any:
    """The default in the JSON form, as Kafka's generator understands definitions."""
    text = item.default or ""
    if text == "null" or (type_.kind == "records" and not text):
        return None
    if type_.kind == "struct":
        return type_.struct.default_value() if type_.struct else _default_of_any_version(item)
    if type_.kind == "array":
        return []
    return _scalar(type_.kind, text)


def _default_of_any_version(item: Field) -> dict[str, Any]:
    """The default of a struct that the version lacks: all fields that it has elsewhere."""
    fields = item.type.fields
    return {json_name(each.name): _default(each, WireType(each.type.kind)) for each in fields}


def _scalar(kind: str, text: str) -> bool | float | int | str:
    match kind:
        case "bool":
            return text.lower() == "true"
        case "uuid":
            return text.rstrip("=") or ZERO_UUID
        case "float64":
            return float(text or 0)
        case "string" | "bytes":
            return text
    return integer(text or "0")
