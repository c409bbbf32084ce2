"""The base of mutants: the reference codec, and four places to put a defect in.

    Reads, Writes   nested classes: the plain reader or writer with a method overridden
    change          the form that a body or header is read and written in
    header_form     which header a frame has
    read, write     a message as a whole

Headers have rules of their own. So `Reads` and `Writes` are for bodies alone, and a body whose form
was changed keeps the header of the true form: a defect stays in the room of its rule. A codec that
is held against it may have one reader and one writer for both, so a diagnosis asks it as such a
codec as well (`in_headers`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, ClassVar

from conformance.codecs.cases.values.unknown_tags import without_unknown_tags
from conformance.mutants import Breaks
from conformance.reference.codec import PlainCodec, Value
from conformance.schema.layout import Form, Layout, WireField, WireType
from conformance.wire.reader import Reader
from conformance.wire.writer import Writer


class Mutant(Breaks, PlainCodec):
    """The reference codec with one defect.

    `hurts` and `remedy` are said of a codec that looks like it, where those of the rule do not fit.
    `messages` are those that the defect is in, none for all. A mutant that a diagnosis compares
    with a codec which drops unknown tags `drops_tags` as well. `in_headers` is True if it reads
    and writes headers as bodies.
    """

    hurts: ClassVar[str] = ""
    remedy: ClassVar[str] = ""
    messages: ClassVar[tuple[str, ...]] = ()
    drops_tags: bool = False
    in_headers: bool = False

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        cls.name = f"mutant {cls.__name__}"
        cls.reader = vars(cls).get("Reads", cls.reader)
        cls.writer = vars(cls).get("Writes", cls.writer)

    def change(self, form: Form) -> Form:
        """The form that is taken for the true one."""
        return form

    def form(self, message: str, version: int) -> Form:
        if (message, version) not in self._forms:
            found = _form(self.release, message, version)
            changed = not self.messages or message in self.messages
            self._forms[message, version] = self.change(found) if changed else found
        return self._forms[message, version]

    def header_form(self, form: Form) -> Form:
        """The header of the true form."""
        return super().header_form(PlainCodec.form(_TRUE, form.message, form.version))

    def read(self, form: Form, data: bytes, offset: int = 0) -> tuple[Value, int]:
        """Return a message's value and the offset after it. Raises DecodeError."""
        reader = (self.reader if self._bites(form) else Reader)(data, offset)
        return reader.struct(form.layout), reader.offset

    def write(self, form: Form, value: Value) -> bytes:
        if self.drops_tags:
            value, _ = without_unknown_tags(value)
        writer = (self.writer if self._bites(form) else Writer)()
        writer.struct(form.layout, value)
        return bytes(writer.out)

    def _bites(self, form: Form) -> bool:
        if form.type == "header" and not self.in_headers:
            return False
        return not self.messages or form.message in self.messages


_TRUE = PlainCodec()


@cache
def _form(release: str, message: str, version: int) -> Form:
    """The true form, made once for all mutants. Raises UnknownDefinition."""
    return PlainCodec(release).form(message, version)


class PathWriter(Writer):
    """A writer that knows where it is, also in methods that aren't told."""

    path = ""

    def value(self, type_: WireType, value: Any, path: str) -> None:
        """A value of any type. Raises EncodeError."""
        self.path = path
        super().value(type_, value, path)


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a type stands: below how many structs, in an array, in a tag, of a flexible version."""

    item: WireField
    depth: int
    element: bool
    in_tag: bool
    flexible: bool


Retype = Callable[[WireType, Spot], WireType]


def retyped(form: Form, retype: Retype) -> Form:
    """The form with every type in it replaced by what `retype` makes of it, inner ones first."""
    return replace(form, layout=_layout(form.layout, retype, 0, in_tag=False))


def with_fields(form: Form, *names: str) -> Form:
    """The form with its plain fields in this order; those that are not named come to `absent`."""
    by_name = {item.name: item for item in form.layout.fields}
    fields = tuple(by_name.pop(name) for name in names)
    layout = replace(form.layout, fields=fields, absent=(*form.layout.absent, *by_name.values()))
    return replace(form, layout=layout)


def at_top(path: str) -> bool:
    """True if a path is that of a field of the message itself."""
    return "." not in path and "[" not in path


def _layout(layout: Layout, retype: Retype, depth: int, in_tag: bool) -> Layout:
    def field(item: WireField) -> WireField:
        spot = Spot(item, depth, False, in_tag or item.tag is not None, layout.flexible)
        return replace(item, type=_type(item.type, retype, spot))

    return replace(
        layout, fields=tuple(map(field, layout.fields)), tagged=tuple(map(field, layout.tagged))
    )


def _type(type_: WireType, retype: Retype, spot: Spot) -> WireType:
    if type_.element is not None:
        type_ = replace(type_, element=_type(type_.element, retype, replace(spot, element=True)))
    if type_.struct is not None:
        inner = _layout(type_.struct, retype, spot.depth + 1, spot.in_tag)
        type_ = replace(type_, struct=inner)
    return retype(type_, spot)
