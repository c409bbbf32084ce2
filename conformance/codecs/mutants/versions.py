"""Definitions that are wrong in one point, and defaults that are not the ones of a definition.

A codec that is written by hand, or generated from definitions of another release, differs from the
true definition in a field here or there. Some mutants do so in one message, as such a codec would;
the others in all messages at once, so that every vector which claims the rule can prove that.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any

from conformance.codecs.cases.values.fill import zero
from conformance.codecs.mutants.mutant import Mutant, Spot, retyped, with_fields
from conformance.schema.layout import Form, Layout, WireField, WireType
from conformance.schema.releases import wire_forms
from conformance.wire.reader import Reader
from conformance.wire.writer import Writer


class ThrottleTimeOneVersionLate(Mutant, breaks="versions.only-fields-of-version"):
    """Has the throttle time of DeleteTopicsResponse from version 2 on, one too late."""

    messages = ("DeleteTopicsResponse",)

    def change(self, form: Form) -> Form:
        return with_fields(form, "responses") if form.version == 1 else form


class FieldsOneVersionLate(Mutant, breaks="versions.only-fields-of-version"):
    """Has each version's new fields from the next version on, and those that are gone so long."""

    def change(self, form: Form) -> Form:
        return _as_neighbour(form, -1)


class FieldsOneVersionEarly(Mutant, breaks="versions.only-fields-of-version"):
    """Has each version's new fields one version early, and lacks those that are gone by then."""

    def change(self, form: Form) -> Form:
        return _as_neighbour(form, 1)


def _as_neighbour(form: Form, step: int) -> Form:
    """The form with the fields of another version, if that is flexible where this one is."""
    others = wire_forms(form.message).get(form.version + step) if form.type != "header" else None
    if not others or others[0].flexible != form.flexible:
        return form
    return replace(form, layout=others[0].layout)


class LastFieldLeftOut(Mutant, breaks="versions.only-fields-of-version"):
    """Lacks the last plain field of each message of which some version lacks a field."""

    def change(self, form: Form) -> Form:
        if not any(place.absent for place in _layouts(form.layout)):
            return form
        return replace(form, layout=replace(form.layout, fields=form.layout.fields[:-1]))


class NeighboursSwapped(Mutant, breaks="versions.field-order"):
    """Has the first two neighbours of one type in each struct in the other order."""

    def change(self, form: Form) -> Form:
        def retype(type_: WireType, _spot: Spot) -> WireType:
            return replace(type_, struct=_swapped(type_.struct)) if type_.struct else type_

        found = retyped(form, retype)
        return replace(found, layout=_swapped(found.layout))


class EveryTypeAnother(Mutant, breaks="versions.field-types"):
    """Takes each field for another type, of another width or another way to tell lengths."""

    def change(self, form: Form) -> Form:
        return retyped(
            form, lambda type_, _: replace(type_, kind=_OTHER.get(type_.kind, type_.kind))
        )


_OTHER = {
    "bool": "int16",
    "int8": "int16",
    "int16": "int32",
    "int32": "int64",
    "int64": "int32",
    "uint16": "int32",
    "uint32": "int64",
    "float64": "int32",
    "uuid": "int64",
    "string": "uuid",
    "bytes": "uuid",
    "records": "uuid",
}


class NothingNewlyNull(Mutant, breaks="versions.nullable-from-version"):
    """Refuses null wherever some version of the message does not allow it."""

    def change(self, form: Form) -> Form:
        never = {
            item.name
            for forms in wire_forms(form.message).values()
            for layout in _layouts(forms[0].layout)
            for item in layout.fields
            if not item.type.nullable
        }

        def retype(type_: WireType, spot: Spot) -> WireType:
            return replace(type_, nullable=type_.nullable and spot.item.name not in never)

        return retyped(form, retype)


def _layouts(layout: Layout) -> Iterator[Layout]:
    yield layout
    for item in (*layout.fields, *layout.tagged):
        inner = item.type.element or item.type
        if inner.struct is not None:
            yield from _layouts(inner.struct)


def _swapped(layout: Layout) -> Layout:
    fields = list(layout.fields)
    for index, (one, other) in enumerate(pairwise(fields)):
        if one.type.kind == other.type.kind:
            fields[index : index + 2] = [other, one]
            break
    return replace(layout, fields=tuple(fields))


class MaxVersionFirst(Mutant, breaks="versions.field-order"):
    """Has the highest version of an api before the lowest in ApiVersionsResponse."""

    messages = ("ApiVersionsResponse",)

    def change(self, form: Form) -> Form:
        def retype(type_: WireType, spot: Spot) -> WireType:
            if type_.struct is None or spot.item.name != "apiKeys" or not spot.element:
                return type_
            key, lowest, highest = type_.struct.fields
            return replace(type_, struct=replace(type_.struct, fields=(key, highest, lowest)))

        return retyped(form, retype)


class GenerationOfEightBytes(Mutant, breaks="versions.field-types"):
    """Takes the generation id of HeartbeatRequest for an INT64."""

    messages = ("HeartbeatRequest",)

    def change(self, form: Form) -> Form:
        def retype(type_: WireType, spot: Spot) -> WireType:
            return replace(type_, kind="int64") if spot.item.name == "generationId" else type_

        return retyped(form, retype)


class TopicsNeverNull(Mutant, breaks="versions.nullable-from-version"):
    """Refuses null topics in MetadataRequest, which version 0 did not have."""

    messages = ("MetadataRequest",)

    def change(self, form: Form) -> Form:
        def retype(type_: WireType, spot: Spot) -> WireType:
            return replace(type_, nullable=False) if spot.item.name == "topics" else type_

        return retyped(form, retype)


class MapKeysUnique(Mutant, breaks="versions.equal-map-keys-kept"):
    """Holds arrays whose elements have a map key in a map, where the last of a key wins."""

    class Reads(Reader):
        def array(self, type_: WireType, path: str) -> list[Any] | None:
            return _unique(type_, super().array(type_, path))

    class Writes(Writer):
        def array(self, type_: WireType, value: Any, path: str) -> None:
            super().array(type_, _unique(type_, value), path)


class MapsWithoutOrder(Mutant, breaks="versions.map-key-in-memory-only"):
    """Holds arrays whose elements have a map key in a map that gives the last of them first."""

    class Reads(Reader):
        def array(self, type_: WireType, path: str) -> list[Any] | None:
            return _backwards(type_, super().array(type_, path))

    class Writes(Writer):
        def array(self, type_: WireType, value: Any, path: str) -> None:
            super().array(type_, _backwards(type_, value), path)


def _backwards(type_: WireType, elements: list[Any] | None) -> list[Any] | None:
    return elements[::-1] if elements and _map_keys(type_) else elements


def _unique(type_: WireType, elements: list[Any] | None) -> list[Any] | None:
    keys = _map_keys(type_)
    if not keys or elements is None:
        return elements
    return list({tuple(item[key] for key in keys): item for item in elements}.values())


def _map_keys(type_: WireType) -> list[str]:
    fields = type_.element.struct.fields if type_.element and type_.element.struct else ()
    return [item.name for item in fields if item.map_key]


class LeftOutNullEmpty(Mutant, breaks="versions.left-out-writes-default"):
    """Writes an empty value for a field that is left out and null by default."""

    def left_out(self, item: WireField) -> Any:
        return zero(item.type) if item.default is None else super().left_out(item)


class LeftOutNumberZero(Mutant, breaks="versions.left-out-writes-default"):
    """Writes zero for a number that is left out, whatever its default is."""

    def left_out(self, item: WireField) -> Any:
        return 0 if type(item.default) is int else super().left_out(item)
