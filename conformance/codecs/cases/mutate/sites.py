"""The sites for faults: places in a vector's bytes that say something about other bytes.

The plain reader knows at every byte of a vector what it reads. This one notes what it meets:
lengths with the type that they belong to, varints, markers, booleans, text, tag sections with their
entries. A fault is an edit of one such site, so it needs no search and knows what it breaks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from conformance.schema.layout import Layout, WireType
from conformance.wire.reader import Reader


@dataclass(frozen=True, slots=True)
class Entry:
    """One tagged field of a section: where its tag, its size and its value begin, and its end."""

    number: int
    known: bool
    start: int
    size_at: int
    value_at: int
    end: int


@dataclass(frozen=True, slots=True)
class EditSite:
    """Bytes from `start` to `end` of one kind: "length", "uvarint", "varint", "varlong", "marker",
    "bool", "text".

    `until` is where what a length counts ends, or what a marker says is there. `part` counts the
    layouts that the bytes consist of. `inside` are the tagged fields around it, the outermost
    first, whose sizes count these bytes.
    """

    kind: str
    start: int
    end: int
    path: str
    value: Any
    part: int
    until: int
    type: WireType | None = None
    inside: tuple[Entry, ...] = ()


@dataclass(frozen=True, slots=True)
class Section:
    """A tag section: where its count is, and where its entries begin and end."""

    start: int
    entries_at: int
    end: int
    path: str
    layout: Layout
    entries: tuple[Entry, ...]
    part: int
    inside: tuple[Entry, ...] = ()


@dataclass(frozen=True, slots=True)
class Sites:
    """Everything found in one vector's bytes.

    `begins` are the offsets where the layouts begin, `ends` those where a value ends.
    """

    found: tuple[EditSite, ...]
    sections: tuple[Section, ...]
    begins: tuple[int, ...]
    ends: tuple[int, ...]

    def in_tags(self) -> Sites:
        """Return the sites in tagged fields, and the sections that have some."""
        found = tuple(site for site in self.found if site.inside)
        sections = tuple(one for one in self.sections if one.inside or one.entries)
        return replace(self, found=found, sections=sections)

    def in_part(self, part: int) -> Sites:
        """Return the sites in one of the layouts."""
        end = self.begins[part + 1]
        return replace(
            self,
            found=tuple(site for site in self.found if site.part == part),
            sections=tuple(one for one in self.sections if one.part == part),
            ends=tuple(offset for offset in self.ends if offset <= end),
        )

    def of(self, kind: str) -> Iterator[EditSite]:
        """The sites of one kind."""
        return (site for site in self.found if site.kind == kind)


_Found = TypeVar("_Found", EditSite, Section)


def find_sites(layouts: Sequence[Layout], data: bytes) -> Sites:
    """Return the sites of golden bytes that consist of these structs, one after another."""
    finder = _Finder(data)
    begins = []
    for part, layout in enumerate(layouts):
        finder.part = part
        begins.append(finder.offset)
        finder.struct(layout)
    return Sites(
        tuple(_inside(finder.found, finder.entries)),
        tuple(_inside(finder.sections, finder.entries)),
        tuple(begins),
        tuple(sorted(finder.ends)),
    )


def _inside(found: Iterable[_Found], entries: Sequence[Entry]) -> Iterator[_Found]:
    for site in found:
        around = [entry for entry in entries if entry.value_at <= site.start < entry.end]
        yield replace(site, inside=tuple(sorted(around, key=_start))) if around else site


def _start(entry: Entry) -> int:
    return entry.start


class _Finder(Reader):
    """The strict reader, which notes the sites that it meets."""

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self.found: list[EditSite] = []
        self.sections: list[Section] = []
        self.entries: list[Entry] = []
        self.ends: set[int] = set()
        self.part = 0
        self._lengths: list[tuple[int, int | None]] = []
        self._counted: list[int] = []
        self._sized: list[tuple[int, int]] = []
        self._entered: list[list[Entry]] = []

    def _add(self, kind: str, start: int, path: str, value: Any, end: int | None = None) -> None:
        end = self.offset if end is None else end
        self.found.append(EditSite(kind, start, end, path, value, self.part, self.offset))

    def value(self, type_: WireType, path: str) -> Any:
        start = self.offset
        value = super().value(type_, path)
        if type_.kind in ("array", "string", "bytes", "records"):
            end, length = self._lengths.pop()
            self.found.append(
                EditSite("length", start, end, path, length, self.part, self.offset, type_)
            )
        return value

    def length(self, type_: WireType, path: str) -> int | None:
        length = super().length(type_, path)
        self._lengths.append((self.offset, length))
        return length

    def uvarint(self, path: str) -> int:
        start = self.offset
        value = super().uvarint(path)
        self._add("uvarint", start, path, value)
        return value

    def zigzag(self, path: str, kind: str, bits: int) -> int:
        start = self.offset
        value = super().zigzag(path, kind, bits)
        self._add(kind, start, path, value)
        return value

    def struct_value(self, type_: WireType, path: str) -> dict[str, Any] | None:
        start = self.offset
        value = super().struct_value(type_, path)
        if type_.nullable:
            self._add("marker", start, path, value is not None, start + 1)
        return value

    def fixed(self, kind: str, path: str) -> Any:
        start = self.offset
        value = super().fixed(kind, path)
        if kind == "bool":
            self._add("bool", start, path, value)
        return value

    def text(self, raw: bytes, path: str, begin: int) -> str:
        text = super().text(raw, path, begin)
        self._add("text", begin, path, text)
        return text

    def note(self, length: int, path: str, kind: str, value: Any) -> Any:
        self.ends.add(self.offset)
        return super().note(length, path, kind, value)

    # Values, sections and tags hold others: what is known of an open one waits on a stack.

    def tag_section(self, layout: Layout, value: dict[str, Any], path: str) -> None:
        start = self.offset
        self._entered.append([])
        super().tag_section(layout, value, path)
        entries = tuple(self._entered.pop())
        self.entries += entries
        counted = self._counted.pop()
        self.sections.append(Section(start, counted, self.offset, path, layout, entries, self.part))

    def tag_count(self, here: str) -> int:
        count = super().tag_count(here)
        self._counted.append(self.offset)
        return count

    def tag_size(self, here: str) -> int:
        start = self.offset
        size = super().tag_size(here)
        self._sized.append((start, self.offset))
        return size

    def tag(self, layout: Layout, value: dict[str, Any], previous: int, path: str) -> int:
        start = self.offset
        number = super().tag(layout, value, previous, path)
        size_at, value_at = self._sized.pop()
        known = number in layout.by_tag
        self._entered[-1].append(Entry(number, known, start, size_at, value_at, self.offset))
        return number
