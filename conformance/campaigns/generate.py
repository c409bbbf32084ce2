"""Generated cases: each results from a seed and its number alone, and can be made again alone.

A message to start from and some changes of its value are drawn, the reference codec writes them,
and the legal outcomes for the bytes are known without asking another program. As cases serve as
controls of each other, a message is asked in six ways; six numbers in a row are one family:

    0 read     1 cut short     2 written     3 read and written again     4 the same of bytes with
    one more after them     5 something broken: by one of the gate's faults, or blindly

Broken bytes are read by the reference codec's strict and lenient readers, as a fuzzer's finds are.
Whole frames are cut short in the places of 3 to 5. The draw does not depend on the target, so that
all targets of a campaign are asked the same.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import islice
from random import Random
from typing import Any

from conformance.api_keys import API_VERSIONS
from conformance.codecs.cases.mutate.fault import FAULTS, Subject
from conformance.codecs.cases.mutate.faults import shape_of
from conformance.codecs.cases.mutate.sites import find_sites
from conformance.codecs.cases.vectors import Vector, read_vectors
from conformance.data import vector_messages
from conformance.errors import ConformanceError
from conformance.fuzzing.values import changed
from conformance.reference.codec import ReferenceCodec
from conformance.schema.layout import Form
from conformance.schema.releases import UNDEFINED
from conformance.targets.errors import did_you_mean
from conformance.wire.errors import EncodeError, WireError

SLOTS = 6
"""The number of cases of a family."""
MOST_BYTES = 8192
SHAPES = frozenset({"defaults", "filled", "two"})
"""The shapes of vectors to start from: other shapes result from a change to one of these."""
_FRAMES = 0.1
_CHANGES = (1, 1, 2, 2, 3, 4)
_MOST_EDITS = 32


class NothingToGenerate(ConformanceError):
    """A selection without a message."""


@dataclass(frozen=True, slots=True)
class CaseSource:
    """A golden vector to start from, with the form that it is written in."""

    id: str
    form: Form
    header: Form | None
    value: dict[str, Any]
    codec: ReferenceCodec


@dataclass(frozen=True)
class Drawn:
    """The subject of a family of cases, for any target. `header` is None for a body.

    `cuts` are lengths of beginnings of the bytes; `broken` is a body with something wrong in it.
    """

    index: int
    source: CaseSource
    value: dict[str, Any]
    header: dict[str, Any] | None
    data: bytes
    body_at: int
    cuts: tuple[int, ...]
    broken: bytes
    how: str


class Generator:
    """A generator that draws families. Raises NothingToGenerate, VectorError."""

    def __init__(
        self, seed: int, messages: tuple[str, ...] = (), versions: tuple[int, ...] = ()
    ) -> None:
        self.seed = seed
        self._messages = messages
        self._versions = frozenset(versions)

    @cached_property
    def sources(self) -> list[CaseSource]:
        """All vectors to start from, in the order of the vectors' files."""
        known = vector_messages()
        unknown = [name for name in self._messages if not can_be_generated(name)]
        if unknown:
            hint = did_you_mean(unknown[0], known) or "see `kafka-conformance vectors list`"
            raise NothingToGenerate(f"no message {unknown[0]!r} to generate", hint)
        found = [
            source
            for name in known
            if name not in UNDEFINED and (not self._messages or name in self._messages)
            for vector in read_vectors(name)
            if (source := self._source(vector)) is not None
        ]
        if not found:
            raise NothingToGenerate("no message has these versions", "choose others")
        return found

    def _source(self, vector: Vector) -> CaseSource | None:
        if vector.header is not None or shape_of(vector).rpartition("-")[2] not in SHAPES:
            return None
        if self._versions and vector.version not in self._versions:
            return None
        codec = codec_of(vector.releases[0])
        form = codec.form(vector.message, vector.version)
        if not form.layout.least:
            return None  # nothing is ever written, so there is nothing to cut
        header = codec.header_form(form) if form.type in ("request", "response") else None
        return CaseSource(vector.id, form, header, vector.value, codec)

    def draw(self, index: int) -> Drawn:
        """Return the family of this index: cases `index * SLOTS` and those that follow."""
        rng = Random((self.seed << 64) | index)
        source = self.sources[int(rng.random() * len(self.sources))]
        value, body = _written(source, rng)
        header, front = None, b""
        if source.header is not None and rng.random() < _FRAMES and _framed(source, value):
            header, front = _header(source, source.header, rng)
        data = front + body
        cuts = tuple(int(rng.random() * len(data)) for _ in range(4))
        how, broken = ("", b"") if header else _broken(source, data, rng)
        return Drawn(index, source, value, header, data, len(front), cuts, broken, how)


@cache
def generator_of(seed: int, messages: tuple[str, ...], versions: tuple[int, ...]) -> Generator:
    """Return the generator of a selection, made once a process."""
    return Generator(seed, messages, versions)


@cache
def codec_of(release: str) -> ReferenceCodec:
    """Return the reference codec of a release; its forms are compiled once a process."""
    return ReferenceCodec(release)


def _written(source: CaseSource, rng: Random) -> tuple[dict[str, Any], bytes]:
    """Return the source's value with some changes, and its bytes.

    The value is unchanged if the changed one can't be written or gets too long.
    """
    layout, value = source.form.layout, source.value
    for _ in range(_CHANGES[int(rng.random() * len(_CHANGES))]):
        value = changed(layout, value, rng)
    try:
        data = source.codec.write(source.form, value)
    except EncodeError:  # a new element's default may be null where null can't be written
        data = bytes(MOST_BYTES + 1)
    if len(data) <= MOST_BYTES:
        return value, data
    return source.value, source.codec.write(source.form, source.value)


def _framed(source: CaseSource, value: dict[str, Any]) -> bool:
    """True if a frame of this value can be read in one way only (KIP-511)."""
    return source.form.api_key != API_VERSIONS or value.get("errorCode") != 35


def _header(source: CaseSource, form: Form, rng: Random) -> tuple[dict[str, Any], bytes]:
    header = changed(form.layout, form.layout.default_value(), rng)
    header = changed(form.layout, header, rng)
    if source.form.type == "request":
        header |= {
            "requestApiKey": source.form.api_key,
            "requestApiVersion": source.form.version,
        }
    return header, source.codec.write(form, header)


def _broken(source: CaseSource, data: bytes, rng: Random) -> tuple[str, bytes]:
    """Return the broken bytes and how: half of them by a single fault, if one fits."""
    if rng.random() < 0.5:
        found = _with_a_fault(source, data, rng)
        if found is not None:
            return found
    return "bytes", _EDITS[int(rng.random() * len(_EDITS))](data, rng)


_MAKERS = [
    item
    for item in FAULTS
    if item.scope == "body" and item.answer != "undeclared" and "filled" in item.shapes
]


def _with_a_fault(source: CaseSource, data: bytes, rng: Random) -> tuple[str, bytes] | None:
    item = _MAKERS[int(rng.random() * len(_MAKERS))]
    layouts = (source.form.layout,)
    try:
        subject = Subject(source.form, "", layouts, data, find_sites(layouts, data))
        edits = list(islice(item.make(subject), _MOST_EDITS))
    except (WireError, IndexError):
        return None
    edits = [edit for edit in edits if edit.version is None]
    if not edits:
        return None
    edit = edits[int(rng.random() * len(edits))]
    return f"{item.rule}/{edit.name}", edit.data


def _flip(data: bytes, rng: Random) -> bytes:
    at = rng.randrange(len(data))
    return data[:at] + bytes((data[at] ^ 1 << rng.randrange(8),)) + data[at + 1 :]


def _replace(data: bytes, rng: Random) -> bytes:
    at = rng.randrange(len(data))
    return data[:at] + _some(rng) + data[at + 1 :]


def _insert(data: bytes, rng: Random) -> bytes:
    at = rng.randrange(len(data) + 1)
    return data[:at] + _some(rng) + data[at:]


def _remove(data: bytes, rng: Random) -> bytes:
    at = rng.randrange(len(data))
    return data[:at] + data[at + rng.randrange(1, 5) :]


def _some(rng: Random) -> bytes:
    return (b"\0", b"\x01", b"\x7f", b"\x80", b"\xff", b"\xff\xff")[rng.randrange(6)]


_EDITS: tuple[Callable[[bytes, Random], bytes], ...] = (_flip, _replace, _insert, _remove)


def can_be_generated(message: str) -> bool:
    """True if there are golden vectors of a message to start from."""
    return message in vector_messages() and message not in UNDEFINED
