"""Tagged fields (KIP-482): their numbers, and the versions in which they are tagged."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.schema.model import Message
from conformance.schema.text.decisive import (
    tag_and_versions,
    tag_unique,
    tagged_within_flexible,
    tagged_within_versions,
)
from conformance.schema.text.demand import Fault, demand, spots, structs
from conformance.schema.versions import MAX_VERSION


@demand("definitions.tags-contiguous")
def tags_contiguous(message: Message) -> Iterator[Fault]:
    for struct in structs(message):
        tags = {spot.field.tag for spot in struct.spots if spot.field.tag is not None}
        for spot in struct.spots:
            tag = spot.field.tag
            if tag and tag - 1 not in tags:
                yield Fault(spot, f"tag {tag}, and no field has tag {tag - 1}", "tag")


@demand("definitions.tagged-open")
def tagged_open(message: Message) -> Iterator[Fault]:
    for spot in spots(message):
        tagged = spot.field.tagged
        if tagged and tagged.high != MAX_VERSION:
            yield Fault(spot, f"taggedVersions {tagged} end at {tagged.high}", "taggedVersions")


@demand("definitions.plain-then-tagged")
def plain_then_tagged(message: Message) -> Iterator[Fault]:
    for spot in spots(message):
        field = spot.field
        if field.tagged and spot.valid.low < field.tagged.low <= spot.valid.high:
            reason = f"plain in versions {spot.valid.low}-{field.tagged.low - 1}, then tagged"
            yield Fault(spot, reason, "taggedVersions")


@demand("definitions.tagged-nullable-throughout")
def tagged_nullable_throughout(message: Message) -> Iterator[Fault]:
    for spot in spots(message):
        both = spot.field.tagged & spot.field.nullable
        if both and both != spot.field.tagged:
            reason = f"nullable in versions {both} of the tagged {spot.field.tagged} alone"
            yield Fault(spot, reason, "nullableVersions")


@demand("definitions.records-untagged")
def records_untagged(message: Message) -> Iterator[Fault]:
    for spot in spots(message):
        if spot.field.tagged and spot.field.type.kind == "records":
            yield Fault(spot, "records can't be tagged", "taggedVersions")


@demand("definitions.map-key-untagged")
def map_key_untagged(message: Message) -> Iterator[Fault]:
    for spot in spots(message):
        if spot.field.tagged and spot.field.map_key:
            yield Fault(spot, "a tagged field can't be part of a key", "mapKey")


RULES = (
    tag_unique,
    tags_contiguous,
    tag_and_versions,
    tagged_within_versions,
    tagged_within_flexible,
    tagged_open,
    plain_then_tagged,
    tagged_nullable_throughout,
    records_untagged,
    map_key_untagged,
)
