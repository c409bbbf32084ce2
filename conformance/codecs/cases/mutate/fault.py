"""A fault: one edit of golden bytes, and the registry of possible faults.

A function makes the faults of one rule: it goes through a subject's sites and yields the edited
bytes. The allowed outcomes are the same for all faults of a function:

    refused     no reader may take the bytes
    unreadable  no reader may take the bytes; only edits in which Apache Kafka's reader finds no
                message count
    other-form  edits in which Apache Kafka's reader finds no message may be refused or misread, but
                not be read as if they were of the form that was asked for
    lenient     Apache Kafka reads them, a stricter peer may refuse: both are legal
    read        every reader has to read them as Apache Kafka does
    survived    reading or refusing are as good; crashing, hanging or taking much memory is not
    undeclared  they are read as a version that no release has, which has to be refused

The size of a tagged field counts the bytes inside it. An edit corrects that size, so that
one fault does not become two.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

from conformance.codecs.cases.mutate.sites import EditSite, Entry, Section, Sites
from conformance.schema.layout import Form, Layout

Answer = Literal["refused", "unreadable", "other-form", "lenient", "read", "survived", "undeclared"]
Scope = Literal["body", "frame"]


class Edit(NamedTuple):
    """Edited bytes: `name` is unique for one subject and rule, `why` says what is wrong.

    `version` is the one that they are read as, None for the subject's own; `falls_back_to` is the
    one that a reader finds them to have (KIP-511).
    """

    name: str
    data: bytes
    why: str
    version: int | None = None
    falls_back_to: int | None = None


@dataclass(frozen=True)
class Subject:
    """Golden bytes to be edited: a body, or a frame's header, whose layout comes first then."""

    form: Form
    shape: str
    layouts: tuple[Layout, ...]
    data: bytes
    sites: Sites

    def replace(self, start: int, end: int, new: bytes, inside: tuple[Entry, ...] = ()) -> bytes:
        """Return the bytes with those from `start` to `end` replaced, and the sizes around them
        mended.
        """
        data, more = self.data[:start] + new + self.data[end:], len(new) - (end - start)
        for entry in reversed(inside):
            size = uvarint(entry.end - entry.value_at + more)
            data = data[: entry.size_at] + size + data[entry.value_at :]
            more += len(size) - (entry.value_at - entry.size_at)
        return data

    def with_length(self, site: EditSite, length: int) -> bytes:
        """The bytes with another length before the same content."""
        return self.replace(site.start, site.end, length_bytes(site, length), site.inside)

    def with_nothing(self, site: EditSite, length: int) -> bytes:
        """Return the bytes with a length that stands for no content, and without the content."""
        return self.replace(site.start, site.until, length_bytes(site, length), site.inside)

    def with_entries(self, section: Section, *entries: bytes) -> bytes:
        """The bytes with more tagged fields at the end of a section."""
        count = uvarint(len(section.entries) + len(entries))
        old = self.data[section.entries_at : section.end]
        new = count + old + b"".join(entries)
        return self.replace(section.start, section.end, new, section.inside)

    def with_count(self, section: Section, count: int) -> bytes:
        """The bytes with another count before the same tagged fields."""
        return self.replace(section.start, section.entries_at, uvarint(count), section.inside)

    def after(self, offset: int) -> int:
        """Return the number of bytes after an offset."""
        return len(self.data) - offset


Maker = Callable[[Subject], Iterator[Edit]]


@dataclass(frozen=True, slots=True)
class FaultRule:
    """The function that makes a rule's faults, of bodies or of frames, and the allowed outcomes.

    `shapes` are the shapes of vectors that it edits, as patterns.
    """

    rule: str
    answer: Answer
    scope: Scope
    shapes: tuple[str, ...]
    make: Maker


FAULTS: list[FaultRule] = []


def fault(
    rule: str, answer: Answer, *shapes: str, scope: Scope = "body"
) -> Callable[[Maker], Maker]:
    """The function under this makes faults that decide a rule; by default of filled messages."""

    def register(make: Maker) -> Maker:
        default = ("filled",) if scope == "body" else ("frame",)
        FAULTS.append(FaultRule(rule, answer, scope, shapes or default, make))
        return make

    return register


def uvarint(value: int, width: int = 0) -> bytes:
    """Return an UNSIGNED_VARINT, padded to `width` bytes if it is shorter."""
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    while len(out) < width:
        out[-1] |= 0x80
        out.append(0)
    return bytes(out)


def length_bytes(site: EditSite, length: int) -> bytes:
    """A length as it stands before a value of this site's type; cut to the bits that it has."""
    type_ = site.type
    assert type_ is not None
    if type_.compact:
        return uvarint((length + 1) & 0xFFFF_FFFF)
    bits = 16 if type_.kind == "string" else 32
    return (length & ((1 << bits) - 1)).to_bytes(bits // 8, "big")


def tag(number: int, size: int, value: bytes) -> bytes:
    """A tagged field."""
    return uvarint(number) + uvarint(size) + value
