"""Markers before structs: who has one, and what it says.

Nullable structs are rare and came late (KIP-893), so that codecs made for everything else meet them
unprepared, or give markers to structs that have none.
"""

from __future__ import annotations

from dataclasses import replace

from conformance.codecs.mutants.mutant import Mutant, Spot, retyped
from conformance.schema.layout import Form, WireType
from conformance.wire.reader import Reader
from conformance.wire.writer import Writer


class PresentIsZero(Mutant, breaks="nullable-structs.present-marker"):
    """Writes the marker of a struct that is present as 0."""

    class Writes(Writer):
        def marker(self, present: bool) -> None:
            self.out += b"\x00" if present else b"\xff"


class PresentWithoutMarker(Mutant, breaks="nullable-structs.present-marker"):
    """Has no marker before a nullable struct that is present."""

    class Reads(Reader):
        def present(self, path: str) -> bool:
            return self.data[self.offset : self.offset + 1] != b"\xff" or super().present(path)

    class Writes(Writer):
        def marker(self, present: bool) -> None:
            if not present:
                super().marker(present)


class NullIsZero(Mutant, breaks="nullable-structs.null-marker"):
    """Writes the marker of a null struct as 0, and reads it so as well."""

    class Reads(Reader):
        def present(self, path: str) -> bool:
            if self.data[self.offset : self.offset + 1] != b"\x00":
                return super().present(path)
            self.offset += 1
            return False

    class Writes(Writer):
        def marker(self, present: bool) -> None:
            self.out += b"\x01" if present else b"\x00"


class NullWithTags(Mutant, breaks="nullable-structs.null-has-no-body"):
    """Has an empty tag section behind the marker of a null struct."""

    class Reads(Reader):
        def present(self, path: str) -> bool:
            present = super().present(path)
            if not present:
                self.uvarint(path)
            return present

    class Writes(Writer):
        def marker(self, present: bool) -> None:
            super().marker(present)
            if not present:
                self.uvarint(0)


class EveryStructMarked(Mutant, breaks="nullable-structs.non-nullable-unmarked"):
    """Has a marker before structs that can't be null."""

    def change(self, form: Form) -> Form:
        def retype(type_: WireType, spot: Spot) -> WireType:
            plain = type_.kind == "struct" and not spot.element and spot.item.tag is None
            return replace(type_, nullable=True) if plain else type_

        return retyped(form, retype)


class ElementsMarked(Mutant, breaks="nullable-structs.elements-unmarked"):
    """Has a marker before each struct of an array that may be null."""

    def change(self, form: Form) -> Form:
        def retype(type_: WireType, _spot: Spot) -> WireType:
            if type_.element is None or type_.element.struct is None or not type_.nullable:
                return type_
            return replace(type_, element=replace(type_.element, nullable=True))

        return retyped(form, retype)
