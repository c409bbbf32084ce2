"""The facts about a vector that decide which rules it can prove anything about."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from conformance.codecs.cases.plan import StructPlace, structs
from conformance.schema.layout import Form, Layout, WireField, WireType
from conformance.schema.primitives import KIND as PRIMITIVE
from conformance.schema.releases import wire_forms
from conformance.wire.reader import UNKNOWN_TAGS


@dataclass(frozen=True, slots=True)
class Spot:
    """A value that stands in a vector: its field, whether in an array, and how deep it lies.

    `depth` counts the structs around it below the message, `tagged` says that it lies in a tag.
    """

    item: WireField
    type: WireType
    value: Any
    depth: int
    element: bool
    tagged: bool


@dataclass(frozen=True)
class Evidence:
    """A planned vector and what can be asked of it. `header` is None for a body."""

    form: Form
    shape: str
    about: str
    value: Any
    header: dict[str, Any] | None = None
    header_version: int | None = None

    @property
    def flexible(self) -> bool:
        """True if the body is of a flexible version."""
        return self.form.flexible

    @property
    def any_header(self) -> tuple[str, int | None]:
        """The kind and version of the header that is there, before a body or alone."""
        if self.form.type == "header":
            return self.form.message.removesuffix("Header").lower(), self.form.version
        return self.form.type, self.header_version

    @cached_property
    def at_border(self) -> bool:
        """True for the first flexible version, and for the last inflexible one before it."""
        if self.form.type == PRIMITIVE:
            return False
        forms = wire_forms(self.form.message)
        version = self.form.version
        before, after = forms.get(version - 1), forms.get(version + 1)
        if self.flexible:
            return before is not None and not before[0].flexible
        return after is not None and after[0].flexible

    @cached_property
    def never_flexible(self) -> bool:
        """True if no version of the message is flexible."""
        return self.form.type != PRIMITIVE and not any(form.flexible for form in self.all_forms)

    @cached_property
    def all_forms(self) -> list[Form]:
        """Return every version of the message in every release."""
        return [form for forms in wire_forms(self.form.message).values() for form in forms]

    @cached_property
    def places(self) -> list[StructPlace]:
        """The structs that the form may hold."""
        return list(structs(self.form.layout))

    @cached_property
    def present(self) -> list[StructPlace]:
        """The structs that this vector does hold."""
        return [place for place in self.places if place.find(self.value)]

    @cached_property
    def spots(self) -> list[Spot]:
        """Return every value in the body, array elements included."""
        return list(_spots(self.form.layout, self.value, 0, tagged=False))

    def has(self, *kinds: str, compact: bool | None = None, depth: int | None = None) -> bool:
        """True if the body holds a value other than null of one of these kinds, in an untagged
        field.

        `compact` restricts the search to that encoding of lengths, `depth` to that depth.
        """
        return any(
            spot.type.kind in kinds
            and spot.value is not None
            and not spot.tagged
            and (compact is None or spot.type.compact == compact)
            and (depth is None or spot.depth == depth)
            for spot in self.spots
        )

    def has_nullable_empty(self, kind: str, compact: bool) -> bool:
        """True if an empty value of this kind stands in a field that may be null."""
        return any(
            spot.type.kind == kind
            and spot.type.nullable
            and spot.type.compact == compact
            and spot.value in ("", [])
            and not spot.tagged
            for spot in self.spots
        )

    @cached_property
    def has_unknown_tags(self) -> bool:
        """True if the body has an unknown tag at any depth."""
        return any(
            UNKNOWN_TAGS in struct for place in self.present for struct in place.find(self.value)
        )

    @cached_property
    def about_field(self) -> WireField:
        """The field that the plan's question is about."""
        path, _, name = self.about.rpartition(".")
        place = next(place for place in self.places if place.path == path)
        return next(
            item for item in (*place.layout.fields, *place.layout.tagged) if item.name == name
        )

    def tagged_fields(self, present: bool) -> list[WireField]:
        """The tagged fields of the structs in this vector that are written, or that are not."""
        return [
            item
            for place in self.present
            for item in place.layout.tagged
            if any((item.name in struct) == present for struct in place.find(self.value))
        ]

    def field_in_other_versions(self, about: str) -> Iterator[WireField]:
        """The field of this path wherever another version has it."""
        path, _, name = about.rpartition(".")
        for form in self.all_forms:
            for place in structs(form.layout):
                if place.path == path:
                    yield from (item for item in place.layout.fields if item.name == name)


def _spots(layout: Layout, value: Any, depth: int, tagged: bool) -> Iterator[Spot]:
    for item in layout.fields:
        yield from _field(item, item.type, value[item.name], depth, tagged, element=False)
    for item in layout.tagged:
        if item.name in value:
            yield from _field(item, item.type, value[item.name], depth, tagged=True, element=False)


def _field(
    item: WireField, type_: WireType, value: Any, depth: int, tagged: bool, element: bool
) -> Iterator[Spot]:
    yield Spot(item, type_, value, depth, element, tagged)
    if value is None:
        return
    if type_.kind == "array":
        for one in value:
            yield from _field(item, type_.item, one, depth, tagged, element=True)
    elif type_.kind == "struct":
        yield from _spots(type_.layout, value, depth + 1, tagged)
