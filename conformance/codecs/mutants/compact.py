"""Compact types: the lengths of flexible versions, and where flexible versions begin.

The mistakes that codecs make are N for N + 1, a null or an empty value borrowed from the inflexible
form, and one place that stayed inflexible while the rest moved on. Each is given to as few places
as will show it, since a wrong length wrecks all that comes behind it.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

from conformance.codecs.mutants.mutant import Mutant, PathWriter, Spot, at_top, retyped
from conformance.codecs.mutants.strings import empty_as_null, nullable
from conformance.schema.layout import Form, Layout, WireType
from conformance.schema.releases import wire_forms
from conformance.wire.reader import Reader
from conformance.wire.writer import Writer

NULL_OF_THE_INFLEXIBLE = 0xFFFF_FFFF


def plain_lengths(kind: str, anywhere: bool = False) -> tuple[type[Reader], type[Writer]]:
    """A reader and a writer of N for N + 1 before values that can't be null, at the top or all."""

    def meant(type_: WireType, path: str) -> bool:
        right = (type_.kind, type_.compact, type_.nullable) == (kind, True, False)
        return right and (anywhere or at_top(path))

    class Reads(Reader):
        def length(self, type_: WireType, path: str) -> int | None:
            return self.uvarint(path) if meant(type_, path) else super().length(type_, path)

    class Writes(PathWriter):
        def length(self, type_: WireType, length: int) -> None:
            if meant(type_, self.path):
                self.uvarint(length)
            else:
                super().length(type_, length)

    return Reads, Writes


class StringLengthNotPlusOne(Mutant, breaks="compact.string-length"):
    """Has N for N + 1 before the strings of the message itself."""

    Reads, Writes = plain_lengths("string")


class BytesLengthNotPlusOne(Mutant, breaks="compact.bytes-length"):
    """Has N for N + 1 before bytes."""

    Reads, Writes = plain_lengths("bytes", anywhere=True)


class ArrayCountNotPlusOne(Mutant, breaks="compact.array-count"):
    """Has N for N + 1 before the arrays of the message itself."""

    Reads, Writes = plain_lengths("array")


class RecordsKeepTheirLength(Mutant, breaks="compact.records-length"):
    """Has an INT32 length before records in flexible versions as well."""

    def change(self, form: Form) -> Form:
        return retyped(form, lambda type_, _: _inflexible(type_, type_.kind == "records"))


class NullIsMinusOne(Mutant, breaks="compact.null-is-zero"):
    """Has -1 as UNSIGNED_VARINT for a compact null."""

    class Reads(Reader):
        def compact_length(self, path: str) -> int:
            length = self.uvarint(f"{path}(length)")
            return -1 if length == NULL_OF_THE_INFLEXIBLE else length - 1 if length else -2

    class Writes(Writer):
        def compact_length(self, length: int) -> None:
            self.uvarint(NULL_OF_THE_INFLEXIBLE if length == -1 else length + 1)


class EmptyCompactStringIsNull(Mutant, breaks="compact.empty-is-one"):
    """Reads and writes an empty compact string that might be null as null."""

    Reads, Writes = empty_as_null(nullable("string", compact=True))


class EmptyCompactArrayIsNull(Mutant, breaks="compact.empty-is-one"):
    """Reads and writes an empty compact array that might be null as null."""

    Reads, Writes = empty_as_null(nullable("array", compact=True))


class NestedStringsInflexible(Mutant, breaks="compact.every-depth"):
    """Has INT16 lengths before the strings of nested structs in flexible versions."""

    def change(self, form: Form) -> Form:
        def retype(type_: WireType, spot: Spot) -> WireType:
            nested = spot.depth > 0 and not spot.element and not spot.in_tag
            return _inflexible(type_, nested and type_.kind == "string")

        return retyped(form, retype)


class StringElementsInflexible(Mutant, breaks="compact.string-elements"):
    """Has INT16 lengths before strings that are elements of an array in flexible versions."""

    def change(self, form: Form) -> Form:
        return retyped(
            form, lambda type_, spot: _inflexible(type_, spot.element and type_.kind == "string")
        )


class StructElementsWithoutTags(Mutant, breaks="compact.struct-elements-end-with-tags"):
    """Has no tag section at the end of the elements of arrays."""

    def change(self, form: Form) -> Form:
        def retype(type_: WireType, spot: Spot) -> WireType:
            if not spot.element or type_.struct is None:
                return type_
            return replace(type_, struct=replace(type_.struct, flexible=False))

        return retyped(form, retype)


class PrimitiveElementsWithTags(Mutant, breaks="compact.primitive-elements-without-tags"):
    """Has an empty tag section after each number, string or uuid of an array."""

    class Reads(Reader):
        flexible = False

        def struct(self, layout: Layout, path: str = "") -> dict[str, Any]:
            self.flexible = layout.flexible
            return super().struct(layout, path)

        def value(self, type_: WireType, path: str) -> Any:
            value = super().value(type_, path)
            if self.flexible and path.endswith("]") and type_.kind != "struct":
                self.uvarint(path)
            return value

    class Writes(Writer):
        flexible = False

        def struct(self, layout: Layout, value: Any, path: str = "") -> None:
            self.flexible = layout.flexible
            super().struct(layout, value, path)

        def value(self, type_: WireType, value: Any, path: str) -> None:
            super().value(type_, value, path)
            if self.flexible and path.endswith("]") and type_.kind != "struct":
                self.uvarint(0)


class NeverFlexibleTakenForFlexible(Mutant, breaks="compact.inflexible-never-compact"):
    """Takes the messages that no version of is flexible for flexible."""

    def change(self, form: Form) -> Form:
        return flexible(form, True) if _first_flexible(form.message) is None else form


class FlexibleOneVersionLate(Mutant, breaks="compact.first-flexible-version"):
    """Takes the first flexible version of each message for inflexible."""

    def change(self, form: Form) -> Form:
        return flexible(form, False) if form.version == _first_flexible(form.message) else form


class FlexibleOneVersionEarly(Mutant, breaks="compact.first-flexible-version"):
    """Takes the last version before the first flexible one of each message for flexible."""

    def change(self, form: Form) -> Form:
        first = _first_flexible(form.message)
        return flexible(form, True) if first and form.version == first - 1 else form


@cache
def _first_flexible(message: str) -> int | None:
    return min((v for v, forms in wire_forms(message).items() if forms[0].flexible), default=None)


def flexible(form: Form, is_so: bool) -> Form:
    """The form as if its version were flexible, or were not."""

    def retype(type_: WireType, _spot: Spot) -> WireType:
        if type_.struct is not None:
            return replace(type_, struct=replace(type_.struct, flexible=is_so))
        return replace(type_, compact=is_so and type_.width is None)

    found = retyped(form, retype)
    return replace(found, layout=replace(found.layout, flexible=is_so))


def _inflexible(type_: WireType, meant: bool) -> WireType:
    return replace(type_, compact=False) if meant else type_
