"""The mistake in a request that can't be read: not the byte that makes no sense, but its cause.

A reader stumbles over a part that is missing or too much only when the next ones do not fit, which
is mostly at the end. So the request is read in other forms: without the tag section of one struct,
or with one more; without one field; as another version. If one of them fits to the last byte, it
shows what its client did.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from conformance.reference.codec import PlainCodec, ReferenceCodec
from conformance.schema.layout import Form, Layout, WireType
from conformance.wire.byte_reader import join
from conformance.wire.errors import DecodeError, TagError
from conformance.wire.reader import Reader

MOST_BYTES = 1024 * 1024
"""The size of requests above which only the reader's error is reported."""
_CODEC: PlainCodec = ReferenceCodec()
Changed = Iterator[tuple[str, Layout]]
"""The places where a struct was changed, each with the changed layout."""


class _Known(Reader):
    """Reads no tag that it does not know: bytes that fit no field can be taken for one."""

    def unknown_tag(self, number: int, size: int, value: dict[str, Any], here: str) -> None:
        raise TagError(f"tag {number} of {size} bytes", here, self.offset)


def mistake_in(form: Form, frame: bytes, offset: int) -> str:
    """Return the mistake in a request whose body begins at an offset; empty if no form fits.

    If a tag section is missing, and it may be any of several, all are named, the innermost first:
    elements of a list are written by code of their own.
    """
    if len(frame) > MOST_BYTES:
        return ""
    for says, changed in (
        ("{} is missing", without_tags(form.layout)),
        ("{} stands there, and this version has none", with_tags(form.layout)),
        ("{} is missing", without_field(form.layout)),
    ):
        fitting = [place for place, layout in changed if _fits(layout, frame, offset)]
        if fitting:
            return says.format(_either(fitting))
    return next((f"it is written as v{each}" for each in _as_others(form, frame, offset)), "")


def _either(places: list[str]) -> str:
    """Return the places in words: `a`, or `a, b or c`."""
    *first, last = sorted(places, key=lambda place: -place.count("."))
    return f"{', '.join(first)} or {last}" if first else last


def _fits(layout: Layout, frame: bytes, offset: int) -> bool:
    reader = _Known(frame, offset)
    try:
        reader.struct(layout)
    except DecodeError:
        return False
    return reader.offset == len(frame)


def _as_others(form: Form, frame: bytes, offset: int) -> Iterator[int]:
    """The versions that a body can be read in, the nearest first."""
    versions = sorted(_CODEC.versions(form.message), key=lambda each: abs(each - form.version))
    for version in versions:
        if _fits(_CODEC.form(form.message, version).layout, frame, offset):
            yield version


def without_tags(layout: Layout, path: str = "") -> Changed:
    """Each struct that has a tag section, without it."""
    if layout.flexible:
        yield join(path, "_tags"), replace(layout, flexible=False)
    yield from _inside(layout, path, without_tags)


def with_tags(layout: Layout, path: str = "") -> Changed:
    """Each struct that has no tag section, with one."""
    if not layout.flexible and not layout.by_hand:
        yield join(path, "_tags"), replace(layout, flexible=True)
    yield from _inside(layout, path, with_tags)


def without_field(layout: Layout, path: str = "") -> Changed:
    """Each struct without one of its fields."""
    for item in layout.fields:
        left = tuple(each for each in layout.fields if each is not item)
        yield join(path, item.name), replace(layout, fields=left)
    yield from _inside(layout, path, without_field)


def _inside(layout: Layout, path: str, change: Callable[[Layout, str], Changed]) -> Changed:
    """Yield the struct with one of its inner structs changed."""
    for at, item in enumerate(layout.fields):
        is_list = item.type.element is not None
        inner = item.type.element or item.type
        if inner.struct is None or inner.struct.by_hand:
            continue
        place = join(path, item.name) + ("[0]" if is_list else "")
        for where, struct in change(inner.struct, place):
            changed = replace(item, type=_with(item.type, struct))
            fields = (*layout.fields[:at], changed, *layout.fields[at + 1 :])
            yield where, replace(layout, fields=fields)


def _with(type_: WireType, struct: Layout) -> WireType:
    """A type with another struct in it."""
    if type_.element is None:
        return replace(type_, struct=struct)
    return replace(type_, element=replace(type_.element, struct=struct))
