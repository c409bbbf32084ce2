"""The rules without which it is not decided how a version's bytes are written."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.schema.layout import fits, json_name
from conformance.schema.model import NULLABLE_KINDS, Message
from conformance.schema.text.demand import Demand, Fault, demand, spots, structs
from conformance.schema.text.problem import Problem


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


@demand("definitions.tag-unique")
def tag_unique(message: Message) -> Iterator[Fault]:
    for struct in structs(message):
        taken: dict[int, str] = {}
        for spot in struct.spots:
            tag = spot.field.tag
            if tag in taken:
                yield Fault(spot, f"tag {tag} is given twice: {taken[tag]} has it", "tag")
            elif tag is not None:
                taken[tag] = spot.field.name


@demand("definitions.tag-and-versions")
def tag_and_versions(message: Message) -> Iterator[Fault]:
    for spot in spots(message):
        if spot.field.tag is None and spot.field.tagged:
            yield Fault(spot, f"taggedVersions {spot.field.tagged}, and no tag", "taggedVersions")
        if spot.field.tag is not None and not spot.field.tagged:
            yield Fault(spot, f"tag {spot.field.tag}, and tagged in no version", "taggedVersions")


@demand("definitions.tagged-within-versions")
def tagged_within_versions(message: Message) -> Iterator[Fault]:
    for spot in spots(message):
        field = spot.field
        if not field.tagged <= field.versions:
            reason = f"taggedVersions {field.tagged} exceed versions {field.versions}"
            yield Fault(spot, reason, "taggedVersions")


@demand("definitions.tagged-within-flexible")
def tagged_within_flexible(message: Message) -> Iterator[Fault]:
    for spot in spots(message):
        tagged = spot.field.tagged
        if not tagged & spot.valid <= message.flexible:
            reason = f"taggedVersions {tagged} exceed flexible {message.flexible}"
            yield Fault(spot, reason, "taggedVersions")


_DECISIVE: tuple[Demand, ...] = (
    names_unique,
    nullable_kinds,
    tag_and_versions,
    tag_unique,
    tagged_within_versions,
    tagged_within_flexible,
    default_fits,
    null_default_nullable,
)


def decisive(message: Message) -> Iterator[Problem]:
    """Yield the problems that make a definition unusable."""
    return (problem for check in _DECISIVE for problem in check(message))
