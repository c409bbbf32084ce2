"""Mutations that know what the bytes say: exactly one thing is broken, or all is well again.

For each input that is mutated again and again the places are found once: the single faults that the
gate makes of golden bytes, each of which is tried once, and the value, of which a field is changed
and written again. What is left over is done by bytes, blindly, as libFuzzer does it.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from conformance.cases.mutate.fault import Subject as Golden
from conformance.cases.mutate.fault import uvarint
from conformance.cases.mutate.faults import refused_edits
from conformance.cases.mutate.sites import find_sites
from conformance.fuzzing.inputs import HEAD_BYTES, Subject, split
from conformance.fuzzing.values import changed
from conformance.reference import ReferenceCodec
from conformance.schema.releases import UnknownDefinition
from conformance.wire.errors import WireError

Blindly = Callable[[bytes, int], bytes]
"""libFuzzer's own mutation of bytes to at most so many."""
MOST_KEPT = 2048
_MOST_EDITS = 512
_NUMBERS = (0, 1, 2, 127, 128, 255, 256, 16383, 16384, 2**21, 2**28, 2**31 - 1, 2**31, 2**32 - 1)


@dataclass(slots=True)
class _Known:
    """What is known of an input that was seen before."""

    subject: Subject
    golden: Golden | None = None
    header: bytes = b""
    value: Any = None
    faults: list[bytes] = field(default_factory=list)


class Mutator:
    """Makes a new input of an old one. `rng` decides, so that a seed repeats a run."""

    def __init__(self, codec: ReferenceCodec, blindly: Blindly, rng: random.Random) -> None:
        self._codec = codec
        self._blindly = blindly
        self._rng = rng
        self._known: dict[bytes, _Known | None] = {}

    def __call__(self, data: bytes, most: int) -> bytes:
        """Another input, of at most so many bytes."""
        known = self._known[data] if data in self._known else self._learn(data)
        if known is None:
            return self._blindly(data, most)
        made = self._made(known, data[HEAD_BYTES:], most - HEAD_BYTES)
        return known.subject.head + made[: max(most - HEAD_BYTES, 0)]

    def _made(self, known: _Known, data: bytes, most: int) -> bytes:
        dice = self._rng.random()
        if known.golden is None or dice < 0.3:
            return self._blindly(data, most)
        if known.faults and dice < 0.6:
            return known.faults.pop()
        if dice < 0.75 or known.value is None:
            return self._with_a_number(known.golden)
        return self._with_another_value(known) or self._blindly(data, most)

    def _with_another_value(self, known: _Known) -> bytes:
        form = self._codec.form(known.subject.message, known.subject.version)
        value = changed(form.layout, known.value, self._rng)
        try:
            return known.header + self._codec.write(form, value)
        except WireError:
            return b""

    def _with_a_number(self, golden: Golden) -> bytes:
        """Some length, count or tag says something else."""
        sites = golden.sites.found
        if not sites:
            return golden.data + b"\0"
        site = sites[self._rng.randrange(len(sites))]
        number = _NUMBERS[self._rng.randrange(len(_NUMBERS))]
        size = site.end - site.start
        if site.kind == "uvarint" or (site.type is not None and site.type.compact):
            new = uvarint(number)
        else:
            new = (number & ((1 << 8 * size) - 1)).to_bytes(size, "big")
        return golden.replace(site.start, site.end, new, site.inside)

    def _learn(self, data: bytes) -> _Known | None:
        if len(self._known) > MOST_KEPT:
            self._known.clear()
        found = self._known[data] = self._look_at(data)
        return found

    def _look_at(self, data: bytes) -> _Known | None:
        parted = split(data)
        if parted is None:
            return None
        subject, body = parted
        try:
            layouts = tuple(form.layout for form in subject.forms(self._codec))
        except UnknownDefinition:
            return None
        form = self._codec.form(subject.message, subject.version)
        known = _Known(subject)
        try:
            sites = find_sites(layouts, body)
            known.golden = Golden(form, "", layouts, body, sites)
            known.header = body[: sites.begins[-1]]
            known.value, _ = self._codec.read(form, body, sites.begins[-1])
            if not subject.framed:
                known.faults = [edit.data for edit in refused_edits(form, body)]
                self._rng.shuffle(known.faults)
                del known.faults[_MOST_EDITS:]
        except WireError:
            pass
        return known
