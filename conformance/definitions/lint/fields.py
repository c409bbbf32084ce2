"""Fields: which may be null, which defaults fit, what their names and marks may be."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.definitions.lint.demand import Fault, demand, spots, structs
from conformance.schema.defaults import fits
from conformance.schema.layout import json_name
from conformance.schema.model import NULLABLE_KINDS, Message, Type

ENTITY_TYPES = {
    "transactionalId": "string",
    "producerId": "int64",
    "groupId": "string",
    "topicName": "string",
    "brokerId": "int32",
}
"""What a field may stand for, and the type that it then has, or its elements have."""


@demand("definitions.names-unique")
def names_unique(message: Message) -> Iterator[Fault]:
    for struct in structs(message):
        seen: set[str] = set()
        for spot in struct.spots:
            name = json_name(spot.field.name)
            if name in seen:
                yield Fault(spot, f"name {spot.field.name!r} is given twice", "name")
            seen.add(name)


@demand("definitions.nullable-kinds")
def nullable_kinds(message: Message) -> Iterator[Fault]:
    for spot in spots(message):
        kind = spot.field.type.kind
        if spot.field.nullable and kind not in NULLABLE_KINDS:
            yield Fault(spot, f"a {kind} can't be nullable", "nullableVersions")


@demand("definitions.nullable-within-versions")
def nullable_within_versions(message: Message) -> Iterator[Fault]:
    for spot in spots(message):
        field = spot.field
        if not field.nullable <= field.versions:
            reason = f"nullableVersions {field.nullable} exceed versions {field.versions}"
            yield Fault(spot, reason, "nullableVersions")


@demand("definitions.default-fits")
def default_fits(message: Message) -> Iterator[Fault]:
    for spot in spots(message):
        kind, default = spot.field.type.kind, spot.field.default
        if default == "null" and kind not in NULLABLE_KINDS:
            yield Fault(spot, f"a {kind} can't be null by default", "default")
        elif default not in (None, "", "null") and not fits(kind, default):
            yield Fault(spot, f"default {default!r} is no {kind}", "default")


@demand("definitions.null-default-nullable")
def null_default_nullable(message: Message) -> Iterator[Fault]:
    for spot in spots(message):
        field = spot.field
        null = field.default == "null" and field.type.kind in NULLABLE_KINDS
        if null and not spot.valid <= field.nullable:
            reason = f"null by default, but not nullable in each of versions {spot.valid}"
            yield Fault(spot, reason, "default")


@demand("definitions.entity-type-fits")
def entity_type_fits(message: Message) -> Iterator[Fault]:
    for spot in spots(message):
        entity, kind = spot.field.entity_type, _scalar(spot.field.type)
        if entity and entity != "unknown" and ENTITY_TYPES.get(entity) != kind:
            due = ENTITY_TYPES.get(entity, "of no type, as nobody knows it")
            yield Fault(spot, f"entity type {entity!r} of a {kind}; it is {due}", "entityType")


def _scalar(type_: Type) -> str:
    return type_.element.kind if type_.element else type_.kind


@demand("definitions.flexible-override-kinds")
def flexible_override_kinds(message: Message) -> Iterator[Fault]:
    for spot in spots(message):
        kind = spot.field.type.kind
        if spot.field.flexible is not None and kind not in ("string", "bytes"):
            yield Fault(spot, f"flexibleVersions of its own, and a {kind}", "flexibleVersions")


@demand("definitions.flexible-override-within")
def flexible_override_within(message: Message) -> Iterator[Fault]:
    for spot in spots(message):
        own = spot.field.flexible
        if own is not None and not own <= message.flexible:
            reason = f"flexible in {own}, and the message in {message.flexible}"
            yield Fault(spot, reason, "flexibleVersions")


@demand("definitions.map-key-in-array")
def map_key_in_array(message: Message) -> Iterator[Fault]:
    for struct in structs(message):
        for spot in struct.spots if not struct.in_array else ():
            if spot.field.map_key:
                yield Fault(spot, "a key, and its struct is no element of an array", "mapKey")


@demand("definitions.struct-has-its-versions")
def struct_has_its_versions(message: Message) -> Iterator[Fault]:
    for spot in spots(message):
        type_ = spot.field.type.element or spot.field.type
        own = type_.struct_versions
        if own is not None and not spot.valid <= own:
            reason = f"in versions {spot.valid}, and {type_.struct_name} has {own} alone"
            yield Fault(spot, reason, "versions")


@demand("definitions.zero-copy-kinds")
def zero_copy_kinds(message: Message) -> Iterator[Fault]:
    for spot in spots(message):
        if spot.field.zero_copy and spot.field.type.kind != "bytes":
            yield Fault(spot, f"zeroCopy of a {spot.field.type.kind}", "zeroCopy")


RULES = (
    names_unique,
    nullable_kinds,
    nullable_within_versions,
    default_fits,
    null_default_nullable,
    entity_type_fits,
    flexible_override_kinds,
    flexible_override_within,
    map_key_in_array,
    struct_has_its_versions,
    zero_copy_kinds,
)
