"""Rules about fields: null, defaults, names and marks."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.schema.model import Message, Type
from conformance.schema.text.decisive import (
    default_fits,
    names_unique,
    null_default_nullable,
    nullable_kinds,
)
from conformance.schema.text.demand import Fault, demand, spots, structs

ENTITY_TYPES = {
    "transactionalId": "string",
    "producerId": "int64",
    "groupId": "string",
    "topicName": "string",
    "brokerId": "int32",
}
"""The entity types, and the type that their fields or elements have to have."""


@demand("definitions.nullable-within-versions")
def nullable_within_versions(message: Message) -> Iterator[Fault]:
    for spot in spots(message):
        field = spot.field
        if not field.nullable <= field.versions:
            reason = f"nullableVersions {field.nullable} exceed versions {field.versions}"
            yield Fault(spot, reason, "nullableVersions")


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
