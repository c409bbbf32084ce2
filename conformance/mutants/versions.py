"""Definitions that are wrong in one point, in one message.

A codec that is written by hand, or generated from definitions of another release, differs from the
true definition in a field here or there. One message each is enough to show that the suite looks.
"""

# ruff: noqa: D102, D106 - a mutant's own docstring says what its methods do

from __future__ import annotations

from dataclasses import replace
from typing import Any

from conformance.mutants.mutant import Mutant, Spot, retyped, with_fields
from conformance.schema.layout import Form, WireType
from conformance.wire.reader import Reader
from conformance.wire.writer import Writer


class ThrottleTimeOneVersionLate(Mutant):
    """Has the throttle time of DeleteTopicsResponse from version 2 on, one too late."""

    breaks = "versions.only-fields-of-version"
    messages = ("DeleteTopicsResponse",)

    def change(self, form: Form) -> Form:
        return with_fields(form, "responses") if form.version == 1 else form


class MaxVersionFirst(Mutant):
    """Has the highest version of an api before the lowest in ApiVersionsResponse."""

    breaks = "versions.field-order"
    messages = ("ApiVersionsResponse",)

    def change(self, form: Form) -> Form:
        def retype(type_: WireType, spot: Spot) -> WireType:
            if type_.struct is None or spot.item.name != "apiKeys" or not spot.element:
                return type_
            key, lowest, highest = type_.struct.fields
            return replace(type_, struct=replace(type_.struct, fields=(key, highest, lowest)))

        return retyped(form, retype)


class GenerationOfEightBytes(Mutant):
    """Takes the generation id of HeartbeatRequest for an INT64."""

    breaks = "versions.field-types"
    messages = ("HeartbeatRequest",)

    def change(self, form: Form) -> Form:
        def retype(type_: WireType, spot: Spot) -> WireType:
            return replace(type_, kind="int64") if spot.item.name == "generationId" else type_

        return retyped(form, retype)


class TopicsNeverNull(Mutant):
    """Refuses null topics in MetadataRequest, which version 0 did not have."""

    breaks = "versions.nullable-from-version"
    messages = ("MetadataRequest",)

    def change(self, form: Form) -> Form:
        def retype(type_: WireType, spot: Spot) -> WireType:
            return replace(type_, nullable=False) if spot.item.name == "topics" else type_

        return retyped(form, retype)


class MapKeysUnique(Mutant):
    """Holds arrays whose elements have a map key in a map, where the last of a key wins."""

    breaks = "versions.map-key-in-memory-only"

    class Reads(Reader):
        def array(self, type_: WireType, path: str) -> list[Any] | None:
            return _unique(type_, super().array(type_, path))

    class Writes(Writer):
        def array(self, type_: WireType, value: Any, path: str) -> None:
            super().array(type_, _unique(type_, value), path)


def _unique(type_: WireType, elements: list[Any] | None) -> list[Any] | None:
    fields = type_.element.struct.fields if type_.element and type_.element.struct else ()
    keys = [item.name for item in fields if item.map_key]
    if not keys or elements is None:
        return elements
    return list({tuple(item[key] for key in keys): item for item in elements}.values())
