"""A codec with lines of a message's definition in another form, one or several of them.

An edit is a change of the definition, or of the layout that follows from it. So two edits of one
message can be made one after another, as a codec that has both defects has them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import replace
from typing import Any, ClassVar, NamedTuple, TypeVar

from conformance.codecs.mutants.mutant import Mutant
from conformance.reference.codec import PlainCodec
from conformance.schema.layout import Form, Layout, form
from conformance.schema.model import Message
from conformance.schema.releases import definitions_of
from conformance.wire.reader import UNKNOWN_TAGS, Reader
from conformance.wire.writer import Writer

MORE = "_more"
"""The name of a field that no definition has."""
T = TypeVar("T")


def _same(one: T) -> T:
    return one


class LineChange(NamedTuple):
    """The change of a definition, of the version whose form is taken, and of the layout."""

    definition: Callable[[Message], Message] = _same
    version: Callable[[int], int] = _same
    layout: Callable[[Layout], Layout] = _same


def redefined(change: Callable[[Message], Message]) -> LineChange:
    """Return a change of the definition."""
    return LineChange(definition=change)


def taken_from(version: Callable[[int], int]) -> LineChange:
    """Return a change of the version whose form each version has."""
    return LineChange(version=version)


def reshaped(change: Callable[[Layout], Layout]) -> LineChange:
    """Return a change of the layout."""
    return LineChange(layout=change)


class Line(NamedTuple):
    """What an edit does wrong, the rule that tells most of it, and the change it makes."""

    says: str
    led_by: str
    change: LineChange
    remedy: str = ""
    hurts: str = ""


class _Forgiving(Writer):
    def struct(self, layout: Layout, value: Any, path: str = "") -> None:
        if isinstance(value, dict):
            given = {item.name: deepcopy(item.default) for item in layout.fields} | value
            known = {UNKNOWN_TAGS, *(item.name for item in (*layout.fields, *layout.tagged))}
            value = {name: each for name, each in given.items() if name in known}
        super().struct(layout, value, path)

    def native(self, kind: str, value: Any) -> Any:
        """Return the value as `struct` takes it: any number is a truth value."""
        return bool(value) if kind == "bool" else super().native(kind, value)


class _Dropping(Reader):
    def struct(self, layout: Layout, path: str = "") -> dict[str, Any]:
        found = super().struct(layout, path)
        found.pop(MORE, None)
        return found


class Edit(Mutant):
    """The reference codec with one line of one message's definition in another form.

    It drops a value that it has no field for, and writes the default of a field without a value.
    `led_by` is the rule that tells most of it. `line` is what it makes of so many `definitions`,
    the newest first, in `versions_alone` where there are any.
    """

    is_listed = False
    led_by: ClassVar[str] = ""
    line: ClassVar[LineChange] = LineChange()
    definitions: ClassVar[int] = 1
    versions_alone: ClassVar[tuple[int, ...]] = ()
    Reads, Writes = _Dropping, _Forgiving

    def change(self, form: Form) -> Form:
        """Return the form with the line of this edit."""
        return changed_by((type(self),), self.release, form)

    def header_form(self, form: Form) -> Form:
        """Return the header of the form as it is edited, if its headers have the defect as well."""
        return PlainCodec.header_form(self, form) if self.in_headers else super().header_form(form)


def changed_by(kinds: Sequence[type[Edit]], release: str, true: Form) -> Form:
    """Return a form as several edits of its message make it together."""
    known = definitions_of(release, true.message)
    at = next((at for at, each in enumerate(known) if true.version in each.valid), len(known))
    lines = [
        kind.line
        for kind in kinds
        if at < kind.definitions
        and (not kind.versions_alone or true.version in kind.versions_alone)
    ]
    if at == len(known) or not lines:
        return true
    message, version = known[at], true.version
    for line in lines:
        message, version = line.definition(message), line.version(version)
    layout = form(message, version).layout
    for line in lines:
        layout = line.layout(layout)
    return replace(true, layout=layout)
