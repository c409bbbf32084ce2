"""The faults of one golden vector as cases: chosen, classified, and with the allowed outcomes.

Every kind of fault is tried at every place of the versions where something changes: the lowest, the
highest, and both sides of the flexible border. In the others a few places are enough, another few
in each vector. Our lenient reader, which is tested against Apache Kafka's, computes the value that
a lenient reader reads from an edit.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from importlib import import_module
from itertools import chain, pairwise
from typing import Any, NamedTuple, TypeVar
from zlib import crc32

from conformance.codecs.cases.case import (
    Expectation,
    NotTakenFor,
    Reads,
    Refuses,
    RefusesOrReads,
    Survives,
)
from conformance.codecs.cases.mutate.fault import FAULTS, Edit, FaultRule, Scope, Subject
from conformance.codecs.cases.mutate.sites import find_sites
from conformance.codecs.cases.vectors import Vector
from conformance.reference.codec import ReferenceCodec
from conformance.schema.layout import Form, Layout
from conformance.schema.primitives import PRIMITIVES
from conformance.schema.releases import wire_forms
from conformance.wire.errors import DecodeError
from conformance.wire.lenient import Lenient

for _room in ("primitives", "tags", "frames", "versions", "zigzag"):
    import_module(f"conformance.codecs.cases.mutate.{_room}")

FAULT_RULES: frozenset[str] = frozenset(item.rule for item in FAULTS)
"""The rules that faults decide."""
FAULTS_BY_SCOPE: dict[Scope, tuple[FaultRule, ...]] = {
    scope: tuple(item for item in FAULTS if item.scope == scope and item.answer != "undeclared")
    for scope in ("body", "frame")
}
"""The rules with faults that can be made of any body or frame."""
MOST_IN_FULL = 80
MOST_ELSEWHERE = 6
"""The number of edits of a vector made for one rule in the other versions."""
NO_TAGS = b"\x00"
"""A tag section without any."""


_Any = TypeVar("_Any")


class Faulty(NamedTuple):
    """An edit as the start of a case: its rule, the edit, the version to read, the allowed
    outcomes.

    `undeclared` says that the target is asked for this version though it does not declare it.
    """

    rule: str
    edit: Edit
    version: int
    expects: Expectation
    undeclared: bool


@dataclass(frozen=True, slots=True)
class Faults:
    """Makes the faults that decide these rules, in the names of the codec's release.

    `keeps_tags` says whether the target promised to hand on the tags that it does not know.
    """

    codec: ReferenceCodec
    rules: Mapping[str, Any]
    keeps_tags: bool

    def of(self, vector: Vector) -> Iterator[Faulty]:
        """The faults of one vector."""
        makers = [item for item in _made_of(vector) if item.rule in self.rules]
        if not makers:
            return
        subject = self._subject(vector, shape_of(vector))
        most = MOST_IN_FULL if vector.version in in_full(vector.message) else MOST_ELSEWHERE
        for item in makers:
            for edit in some(list(item.make(subject)), most, vector.id):
                version = vector.version if edit.version is None else edit.version
                expects = self._expects(item, subject, edit)
                if expects is not None:
                    undeclared = item.answer == "undeclared"
                    yield Faulty(item.rule, edit, version, expects, undeclared)

    def _subject(self, vector: Vector, shape: str) -> Subject:
        form = self.codec.form(vector.message, vector.version)
        headers = () if vector.header is None else (self.codec.header_form(form).layout,)
        layouts = (*headers, form.layout)
        sites = find_sites(layouts, vector.data)
        if shape.startswith("tagged"):
            sites = sites.in_tags()
        if headers:
            sites = sites.in_part(0)
        return Subject(form, shape, layouts, vector.data, sites)

    def _layouts(self, subject: Subject, version: int | None) -> tuple[Layout, ...]:
        if version is None:
            return subject.layouts
        return (*subject.layouts[:-1], self.codec.form(subject.form.message, version).layout)

    def _expects(self, item: FaultRule, subject: Subject, edit: Edit) -> Expectation | None:
        """Return the allowed outcomes of an edit; None if it turns out not to be such a fault."""
        if item.answer in ("refused", "undeclared"):
            return Refuses(edit.why)
        if item.answer == "survived":
            return Survives(edit.why)
        version = edit.version if edit.falls_back_to is None else edit.falls_back_to
        layouts = self._layouts(subject, version)
        read = _read(layouts, edit.data)
        if item.answer == "unreadable":
            return Refuses(edit.why) if read is None else None
        if item.answer == "other-form":
            return None if read is not None else _not_taken(subject, layouts, edit)
        if read is None:
            return None
        reads = _reads(read, layouts, self.keeps_tags, edit.falls_back_to)
        return reads if item.answer == "read" else RefusesOrReads(edit.why, reads)


def _not_taken(subject: Subject, layouts: tuple[Layout, ...], edit: Edit) -> NotTakenFor | None:
    """Return the subject's own value as one not to be found in bytes that have it in another form.

    Return None if the form asked for has the same value except for a tag section at its end: a
    reader that finds the value may then use the right form, and do without the section.
    """
    own = _read(subject.layouts, subject.data)
    if own is None or own == _read(layouts, edit.data + NO_TAGS):
        return None
    return NotTakenFor(edit.why, _reads(own, subject.layouts, keeps_tags=False))


def _reads(
    values: list[Any], layouts: tuple[Layout, ...], keeps_tags: bool, version: int | None = None
) -> Reads:
    has_header = len(values) > 1
    return Reads(
        values[-1],
        layouts[-1],
        header=values[0] if has_header else None,
        header_layout=layouts[0] if has_header else None,
        keeps_tags=keeps_tags,
        version=version,
    )


def faults_decide(rule: str, vector: Vector) -> bool:
    """True if faults of this rule are made of a vector, in a version that is tried in full."""
    return vector.version in in_full(vector.message) and any(
        item.rule == rule for item in _made_of(vector)
    )


def refused_edits(form: Form, data: bytes) -> Iterator[Edit]:
    """Yield every edit of a body that Apache Kafka refuses, for whatever rule."""
    subject = Subject(form, "", (form.layout,), data, find_sites((form.layout,), data))
    makers = {item.make: item for item in FAULTS if item.answer == "refused"}
    for make, item in makers.items():
        if item.scope == "body":
            yield from make(subject)


@cache
def in_full(message: str) -> frozenset[int]:
    """The versions of a message in which every place is tried."""
    forms = wire_forms(message)
    versions = sorted(forms)
    if message == PRIMITIVES:  # each is a type of its own
        return frozenset(versions)
    borders = [pair for pair in pairwise(versions) if len({forms[v][0].flexible for v in pair}) > 1]
    return frozenset({versions[0], versions[-1], *chain.from_iterable(borders)})


def _made_of(vector: Vector) -> Sequence[FaultRule]:
    if not vector.hex:
        return ()
    return _by_shape(shape_of(vector), "body" if vector.header is None else "frame")


@cache
def _by_shape(shape: str, scope: str) -> Sequence[FaultRule]:
    return [
        item
        for item in FAULTS
        if item.scope == scope and any(fnmatchcase(shape, pattern) for pattern in item.shapes)
    ]


def shape_of(vector: Vector) -> str:
    """The question that a vector asks: its id without message, version and release."""
    return vector.id.split("-", 2)[2]


def some(edits: list[_Any], most: int, seed: str) -> list[_Any]:
    """Return at most this many of the edits, spread over all of them; the seed decides which."""
    if len(edits) <= most:
        return edits
    if not most:
        return []
    first = crc32(seed.encode()) % len(edits)
    step = len(edits) / most
    return [edits[(first + int(index * step)) % len(edits)] for index in range(most)]


def _read(layouts: tuple[Layout, ...], data: bytes) -> list[Any] | None:
    """Return the values that Apache Kafka reads from the bytes; None if it refuses them."""
    reader = Lenient(data)
    try:
        return [reader.struct(layout) for layout in layouts]
    except DecodeError:
        return None
