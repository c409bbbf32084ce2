"""A message definition as it was written, every version at once.

This is the file's own content with its ranges parsed and its struct names resolved, and nothing
more: what a single version looks like on the wire is `conformance.schema.layout`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, get_args

from conformance.schema.versions import NONE, Versions

FIXED_KINDS = (
    "bool",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint16",
    "uint32",
    "float64",
    "uuid",
)
"""Kinds of a fixed width, which have no length and can't be null."""
SIZED_KINDS = ("string", "bytes", "records")
"""Kinds that a length precedes, in bytes."""
NULLABLE_KINDS = (*SIZED_KINDS, "array", "struct")

MessageType = Literal[
    "request", "response", "header", "data", "metadata", "coordinator-key", "coordinator-value"
]
MESSAGE_TYPES: tuple[MessageType, ...] = get_args(MessageType)


JsonPath = tuple[str | int, ...]
"""A place in a definition's JSON: keys and positions, from the outside in."""


@dataclass(frozen=True, slots=True)
class Type:
    """A field's type: a kind, the element of an array, the fields of a struct."""

    kind: str
    element: Type | None = None
    struct_name: str = ""
    fields: tuple[Field, ...] = ()
    struct_versions: Versions | None = None


@dataclass(frozen=True, slots=True)
class Field:
    """One field. `default` is None where the definition gives none, "null" for null.

    `path` is where it stands in the definition; a common struct's fields stand there once.
    """

    name: str
    type: Type
    versions: Versions
    nullable: Versions = NONE
    tag: int | None = None
    tagged: Versions = NONE
    default: str | None = None
    ignorable: bool = False
    map_key: bool = False
    entity_type: str = ""
    flexible: Versions | None = None
    zero_copy: bool = False
    path: JsonPath = field(default=(), compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Message:
    """One definition. `api_key` is None for headers and data.

    `header_versions` are ranges of versions, each with the version of the header before it,
    `unused` the common structs that no field names.
    """

    name: str
    type: MessageType
    api_key: int | None
    valid: Versions
    flexible: Versions
    fields: tuple[Field, ...]
    listeners: tuple[str, ...] = ()
    latest_unstable: bool = False
    header_versions: tuple[tuple[Versions, int], ...] = ()
    unused: tuple[Type, ...] = field(default=(), compare=False, repr=False)

    def unstable(self, version: int) -> bool:
        """True if this version may still change (`latestVersionUnstable`)."""
        return self.latest_unstable and version == self.valid.high
