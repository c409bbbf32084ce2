"""Fields of two layouts at one position, or with one tag: on the wire they are one field."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from conformance.schema.layout import Layout, WireField, json_name


@dataclass(frozen=True)
class Position:
    """A position or a tag in two layouts: the field of each, and the struct that it is in."""

    old_place: str
    place: str
    old: WireField
    new: WireField
    old_struct: Layout
    struct: Layout

    @property
    def swapped(self) -> bool:
        """True if the two are plain fields of one kind, and one replaced the other.

        That is so if the older name is in the newer struct as well, or the newer one in the older.
        """
        one, other = self.old, self.new
        alike = _kinds(one) == _kinds(other) and one.tag is None and one.name != other.name
        return alike and (one.name in _plain(self.struct) or other.name in _plain(self.old_struct))


def positions(old: Layout, new: Layout, old_place: str = "", place: str = "") -> Iterator[Position]:
    """Yield the fields of two layouts that are at the same position, or have the same tag.

    In structs with different numbers of plain fields, only plain fields of the same name count.
    """
    for one, other in _at_the_same_place(old, new):
        here = inside(old_place, one.name), inside(place, other.name)
        yield Position(*here, one, other, old, new)
        mine, yours = one.type.element or one.type, other.type.element or other.type
        if mine.struct is not None and yours.struct is not None:
            yield from positions(mine.struct, yours.struct, *here)


def _at_the_same_place(old: Layout, new: Layout) -> Iterator[tuple[WireField, WireField]]:
    if len(old.fields) == len(new.fields):
        yield from zip(old.fields, new.fields, strict=True)
    else:
        names = {item.name: item for item in new.fields}
        yield from ((item, names[item.name]) for item in old.fields if item.name in names)
    yield from ((item, new.by_tag[tag]) for tag, item in old.by_tag.items() if tag in new.by_tag)


def _kinds(item: WireField) -> tuple[str, str]:
    return item.type.kind, item.type.element.kind if item.type.element else ""


def _plain(layout: Layout) -> set[str]:
    return {item.name for item in layout.fields}


def inside(place: str, name: str) -> str:
    """Return the place of a field of the struct at `place`, in the JSON form."""
    return f"{place}.{json_name(name)}" if place else json_name(name)


def same_default(one: WireField, other: WireField) -> bool:
    """True if an unsent tag means the same to both; a struct is compared by the fields of both."""
    mine, yours = one.type.struct, other.type.struct
    if mine is None or yours is None or None in (one.default, other.default):
        return bool(one.default == other.default)
    return all(same_default(*fields) for fields in _at_the_same_place(mine, yours))


def tagged_around(layout: Layout, place: str) -> str | None:
    """Return the place of the innermost tagged field at or around a place, None without one."""
    found, here = None, ""
    for name in filter(None, place.split(".")):
        here = inside(here, name)
        item = next((i for i in (*layout.fields, *layout.tagged) if i.name == name), None)
        if item is None:
            break
        found = here if item.tag is not None else found
        inner = item.type.element or item.type
        if inner.struct is None:
            break
        layout = inner.struct
    return found
