"""A codec that has some versions of one message in another form, given by the difference."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar

from conformance.codecs.mutants.mutant import Mutant, Spot, retyped
from conformance.schema.layout import Form, Layout, WireField, WireType


class Reshaped(Mutant):
    """The reference codec, but for `messages`, in the versions `within`.

    `without` are plain fields that it lacks, wherever they stand. `order` are neighbours in the
    order that it has them in. `types` are kinds that it takes fields for. `never_null` are fields
    that it lets be null in no version, `added` are INT32s that it has behind all others.
    """

    is_listed: ClassVar[bool] = False
    within: ClassVar[range] = range(1000)
    without: ClassVar[tuple[str, ...]] = ()
    order: ClassVar[tuple[str, ...]] = ()
    types: ClassVar[Mapping[str, str]] = {}
    never_null: ClassVar[tuple[str, ...]] = ()
    added: ClassVar[tuple[str, ...]] = ()
    of_clauses: ClassVar[list[type[Reshaped]]] = []

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        Reshaped.of_clauses.append(cls)

    def change(self, form: Form) -> Form:
        """The form that is taken for the true one."""
        if form.version not in self.within:
            return form
        found = retyped(form, self._retype)
        added = tuple(WireField(name, WireType("int32"), 0) for name in self.added)
        top = self._struct(found.layout)
        return replace(found, layout=replace(top, fields=top.fields + added))

    def _retype(self, type_: WireType, spot: Spot) -> WireType:
        if type_.struct is not None:
            type_ = replace(type_, struct=self._struct(type_.struct))
        if spot.item.name in self.never_null:
            type_ = replace(type_, nullable=False)
        if type_.kind != "array" and spot.item.name in self.types:
            type_ = replace(type_, kind=self.types[spot.item.name])
        return type_

    def _struct(self, layout: Layout) -> Layout:
        kept = tuple(item for item in layout.fields if item.name not in self.without)
        gone = tuple(item for item in layout.fields if item.name in self.without)
        return replace(layout, fields=self._ordered(kept), absent=(*layout.absent, *gone))

    def _ordered(self, fields: tuple[WireField, ...]) -> tuple[WireField, ...]:
        """The fields, those of `order` in that order on the places that they have."""
        by_name = {item.name: item for item in fields}
        if not by_name.keys() >= set(self.order):
            return fields
        due = iter(self.order)
        return tuple(by_name[next(due)] if f.name in self.order else f for f in fields)
