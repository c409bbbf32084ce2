"""Mutations that know the structure of an input: exactly one part is broken, or all is valid.

An input that stays in the corpus is mutated again and again, so its places are found once. A
mutation is one of the single faults that the gate makes of golden bytes, another number in some
length, count or tag, a field's other value, written again, or the same bytes under another version.
The other mutations are those of libFuzzer, which knows bytes alone.

A mutation carries its expected outcome, if that is known without asking an oracle.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from conformance.codecs.cases.mutate.fault import FaultRule, uvarint
from conformance.codecs.cases.mutate.fault import Subject as Golden
from conformance.codecs.cases.mutate.faults import FAULTS_BY_SCOPE
from conformance.codecs.cases.mutate.sites import find_sites
from conformance.fuzzing.inputs import HEAD_BYTES, InputSubject, split
from conformance.fuzzing.values import changed
from conformance.reference.codec import ReferenceCodec
from conformance.schema.releases import UnknownDefinition
from conformance.testee_protocol import Value
from conformance.wire.errors import WireError

Blindly = Callable[[bytes, int], bytes]
"""libFuzzer's own mutation of bytes to at most so many."""
MOST_KEPT = 4096
OTHER_VERSIONS = 0.02
MOST_BLIND = 4
"""So many blind mutations may come one after another."""
_NUMBERS = (0, 1, 2, 127, 128, 255, 256, 16383, 16384, 2**21, 2**28, 2**31 - 1, 2**31, 2**32 - 1)


class Made(NamedTuple):
    """A new input and its expected outcome: `value` is read from it, if there is one.

    `is_fault` says that one part was broken on purpose.
    """

    data: bytes
    value: Value | None = None
    is_fault: bool = False


@dataclass(slots=True)
class _Known:
    """Facts about an input that was mutated before.

    `rules` are those that may have more faults; `faults` are the remaining ones of a rule.
    """

    subject: InputSubject
    golden: Golden | None = None
    header: bytes = b""
    value: Any = None
    rules: list[FaultRule] = field(default_factory=list)
    faults: dict[str, list[bytes]] = field(default_factory=dict)


class Mutator:
    """Makes a new input from an old one. `rng` decides, so that a seed repeats a run."""

    def __init__(self, codec: ReferenceCodec, blindly: Blindly, rng: random.Random) -> None:
        self._codec = codec
        self._blindly = blindly
        self._rng = rng
        self._known: dict[bytes, _Known | None] = {}

    def knows(self, data: bytes) -> bool:
        """True if the input was mutated before."""
        return data in self._known

    def __call__(self, data: bytes, most: int) -> Made:
        """Another input, of at most so many bytes."""
        known = self._known[data] if data in self._known else self._learn(data)
        if known is None:
            return Made(self._blind(data, most))
        made, subject = Made(data[HEAD_BYTES:]), known.subject
        if self._rng.random() < OTHER_VERSIONS:
            subject = self._of_another_version(subject)
        else:
            made = self._mutated(known, made.data, most - HEAD_BYTES)
        whole = subject.head + made.data
        return made._replace(data=whole) if len(whole) <= most else Made(whole[:most])

    def _mutated(self, known: _Known, data: bytes, most: int) -> Made:
        dice = self._rng.random()
        made: Made | None = None
        if known.golden is not None and dice < 0.7:
            if dice < 0.3:
                made = self._with_a_fault(known, known.golden)
            elif dice < 0.45 or known.value is None:
                made = Made(self._with_a_number(known.golden))
            else:
                made = self._with_another_value(known)
        return made or Made(self._blind(data, most))

    def _blind(self, data: bytes, most: int) -> bytes:
        for _ in range(self._rng.randrange(1, MOST_BLIND + 1)):
            data = self._blindly(data, most)
        return data

    def _of_another_version(self, subject: InputSubject) -> InputSubject:
        versions = self._codec.versions(subject.message)
        return replace(subject, version=versions[self._rng.randrange(len(versions))])

    def _with_a_fault(self, known: _Known, golden: Golden) -> Made | None:
        """One of the faults of some rule, each once."""
        if not known.rules:
            return None
        rule = known.rules[self._rng.randrange(len(known.rules))]
        name = f"{rule.rule} {rule.make.__name__}"
        if name not in known.faults:
            known.faults[name] = _faults(rule, golden)
            self._rng.shuffle(known.faults[name])
        faults = known.faults[name]
        if not faults:
            known.rules.remove(rule)
            return None
        return Made(faults.pop(), is_fault=True)

    def _with_another_value(self, known: _Known) -> Made | None:
        form = self._codec.form(known.subject.message, known.subject.version)
        value = changed(form.layout, known.value, self._rng)
        try:
            return Made(known.header + self._codec.write(form, value), value)
        except WireError:
            return None

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
            known.rules = list(FAULTS_BY_SCOPE["frame" if subject.framed else "body"])
        except WireError:
            pass
        return known


def _faults(rule: FaultRule, golden: Golden) -> list[bytes]:
    """The edits of a rule that are still of the same version; of a frame, those of its header."""
    if rule.scope == "frame":
        golden = replace(golden, sites=golden.sites.in_part(0))
    return [edit.data for edit in rule.make(golden) if edit.version is None]
