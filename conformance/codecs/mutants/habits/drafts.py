"""Draft readings: layouts that KIP-482 once had and gave up, as codecs that keep to them.

An author who reads an old revision of the KIP builds one of these, so a failing codec is compared
with them as with the mutants (`conformance.codecs.diagnosis`). They are never accepted. Unlike a
mutant, a draft names no rule that it breaks: it breaks many, and shows nothing about any of them.
The same is true of habits: mistakes that codecs make everywhere and a mutant makes in one place.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from typing import Any, ClassVar

from conformance.codecs.mutants.mutant import Mutant, Retype, Spot, retyped
from conformance.reference.codec import PlainCodec, Value
from conformance.schema.layout import Form, Layout, WireType
from conformance.schema.model import FIXED_KINDS
from conformance.schema.releases import wire_forms
from conformance.wire.errors import TagError, VarintError
from conformance.wire.reader import Reader
from conformance.wire.writer import Writer

VARLONG_BYTES = 10
_HABITS = ("headers", "lengths", "tags", "values", "misread", "varints")


class Draft(Mutant):
    """The reference codec by a text that was given up; the first sentence says which."""

    is_listed = False

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.name = f"draft {cls.__name__}"


class Habit(Mutant):
    """The reference codec with one defect in every place where it can be.

    `led_by` is the rule that tells most of it.
    """

    is_listed = False
    led_by: ClassVar[str] = ""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.name = f"habit {cls.__name__}"


def unlisted() -> dict[str, type[Mutant]]:
    """Return every draft reading and habit by its name."""
    for module in _HABITS:
        import_module(f"{__package__}.{module}")
    return {each.__name__: each for each in (*Draft.__subclasses__(), *_below(Habit))}


def _below(kind: type[Habit]) -> Iterator[type[Habit]]:
    for each in kind.__subclasses__():
        if each.led_by:
            yield each
        yield from _below(each)


class SectionBeginsStruct(Draft):
    """Has the tag section of every struct before its fields, as a draft of KIP-482 had it."""

    class Reads(Reader):
        def struct(self, layout: Layout, path: str = "") -> dict[str, Any]:
            if not layout.flexible:
                return super().struct(layout, path)
            tagged: dict[str, Any] = {}
            self.tag_section(layout, tagged, path)
            return super().struct(replace(layout, flexible=False), path) | tagged

    class Writes(Writer):
        def struct(self, layout: Layout, value: Any, path: str = "") -> None:
            if not layout.flexible or not isinstance(value, dict):
                super().struct(layout, value, path)
                return
            self.check_names(layout, value, path)
            self.tag_section(layout, value, path)
            names = {item.name for item in layout.fields}
            plain = {name: given for name, given in value.items() if name in names}
            super().struct(replace(layout, flexible=False), plain, path)


class TagHeaderInterleaved(Draft):
    """Has tag and size of a tagged field as one varint, as a draft of KIP-482 had it.

    An UNSIGNED_VARLONG whose even bits are those of the size and whose odd bits are the tag's, the
    lowest being bit 0 of the size: tag 5 and size 4 are binary 110010.
    """

    class Reads(Reader):
        size = 0

        def uvarint(self, path: str) -> int:
            if not path.endswith("_tags(tag)"):
                return super().uvarint(path)
            both = self._uvarlong(path)
            self.size = _every_second_bit(both)
            return _every_second_bit(both >> 1)

        def tag_size(self, here: str) -> int:
            return self.size

        def _uvarlong(self, path: str) -> int:
            start = self.offset
            value = 0
            for index in range(VARLONG_BYTES):
                byte = self.take(1, path)[0]
                value |= (byte & 0x7F) << (7 * index)
                if byte < 0x80:
                    return value
            raise VarintError(f"a varint of more than {VARLONG_BYTES} bytes", path, start)

    class Writes(Writer):
        def tag(self, number: int, raw: bytes) -> None:
            self.uvarint(_interleaved(len(raw), number))
            self.out += raw


class EarlyTagSection(Draft):
    """Has the tag section first and tag and size as one varint, as a draft of KIP-482 had both."""

    class Reads(TagHeaderInterleaved.Reads, SectionBeginsStruct.Reads):
        pass

    class Writes(TagHeaderInterleaved.Writes, SectionBeginsStruct.Writes):
        pass


class HeaderWithCompactClientId(Draft):
    """Has a compact client id in the header of flexible requests, as a draft of KIP-482 had it.

    The draft counted from 0 and called this request header version 1; it is 2 today.
    """

    def change(self, form: Form) -> Form:
        if (form.message, form.version) != ("RequestHeader", 2):
            return form
        return retyped(form, lambda type_, _: replace(type_, compact=type_.kind == "string"))


class FlexibleUnlessStated(Draft):
    """Has every version flexible of a message without flexible versions, as a draft of KIP-482 did.

    It said so of definitions that name no flexible versions. Those of today name `none`.
    """

    def change(self, form: Form) -> Form:
        forms = [each for group in wire_forms(form.message).values() for each in group]
        if form.type == "header" or form.layout.batch or any(each.flexible for each in forms):
            return form
        return _every_layout(form, lambda layout: replace(layout, flexible=True), _compact)

    def header_form(self, form: Form) -> Form:
        return PlainCodec.header_form(self, form)


class TaggedArraysUnknown(Draft):
    """Knows no tagged field that is an array, as a draft of KIP-482 had none."""

    def change(self, form: Form) -> Form:
        return _every_layout(form, _without_tagged_arrays, lambda type_, _: type_)


class UnknownTagsRefused(Habit):
    """Refuses an unknown tag, wherever it stands."""

    led_by = "tags.unknown-skipped"

    class Reads(Reader):
        def unknown_tag(self, number: int, size: int, value: dict[str, Any], here: str) -> None:
            raise TagError(f"tag {number} is unknown", here, self.offset)

    def read(self, form: Form, data: bytes, offset: int = 0) -> tuple[Value, int]:
        reader = self.reader(data, offset)  # of headers too
        return reader.struct(form.layout), reader.offset


class ErrorIsVersionZero(Habit):
    """Reads an ApiVersions response with any error code as one of version 0, and writes it so."""

    led_by = "api-versions.other-errors-in-own-version"

    def read(self, form: Form, data: bytes, offset: int = 0) -> tuple[Value, int]:
        if form.message == "ApiVersionsResponse" and any(data[offset : offset + 2]):
            form = self.form(form.message, 0)
        return super().read(form, data, offset)

    def roundtrip(self, message: str, version: int, data: bytes) -> bytes:
        fell_back = message == "ApiVersionsResponse" and any(data[:2])
        if not fell_back:
            return super().roundtrip(message, version, data)
        form = self.form(message, 0)
        value, _ = self.read(form, data)  # the rest is what version 0 lacks
        return self.write(form, value)


class ShortValuesTaken(Habit):
    """Takes what there is of text, bytes and unknown tags, whatever length is given before them."""

    led_by = "primitives.short-input-refused"

    class Reads(Reader):
        def length(self, type_: WireType, path: str) -> int | None:
            length = super().length(type_, path)
            if length is None or type_.kind == "array":
                return length
            return min(length, self.remaining)

        def beyond_the_end(self, size: int, known: bool, here: str, start: int) -> None:
            if known:
                super().beyond_the_end(size, known, here, start)

        def unknown_tag(self, number: int, size: int, value: dict[str, Any], here: str) -> None:
            super().unknown_tag(number, min(size, self.remaining), value, here)


def _every_second_bit(number: int) -> int:
    """The number that the bits 0, 2, 4... make."""
    return sum((number >> 2 * bit & 1) << bit for bit in range(32))


def _interleaved(even: int, odd: int) -> int:
    """The number whose even bits are those of one number and whose odd bits are another's."""
    return sum((even >> bit & 1) << 2 * bit | (odd >> bit & 1) << 2 * bit + 1 for bit in range(32))


def _compact(type_: WireType, spot: Spot) -> WireType:  # noqa: ARG001
    return replace(type_, compact=type_.kind not in FIXED_KINDS and type_.kind != "struct")


def _without_tagged_arrays(layout: Layout) -> Layout:
    arrays = tuple(item for item in layout.tagged if item.type.kind == "array")
    tagged = tuple(item for item in layout.tagged if item not in arrays)
    return replace(layout, tagged=tagged, absent=(*layout.absent, *arrays))


def _every_layout(form: Form, change: Any, retype: Retype) -> Form:
    """The form with each struct's layout changed, and each type, inner ones first."""

    def both(type_: WireType, spot: Spot) -> WireType:
        if type_.struct is not None:
            type_ = replace(type_, struct=change(type_.struct))
        return retype(type_, spot)

    form = retyped(form, both)
    return replace(form, layout=change(form.layout))
