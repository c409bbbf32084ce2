"""Others' definitions compared with Kafka's: the differences on the wire, each at its line.

A message is looked up by its name, else by its api key, and each of its versions in the release
that was asked for; a version that this release dropped, in the newest older one that still has it.
A difference of several versions is one finding that names them all, and is shown in the oldest of
them. A hostile definition may differ in every field and version: versions with one layout are
compared once, and only so many differences of a message are shown by bytes, while all are reported.

Definitions that leave open how bytes are written are not compared. The loader of definitions
refuses them too, by the same rules.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace

from conformance.definitions.foreign.findings import (
    COVERED,
    KNOWN,
    SAME_KEY,
    FieldPlace,
    FieldsByName,
    Parting,
    parting,
    ranges,
)
from conformance.definitions.foreign.interface import Imported
from conformance.definitions.foreign.kafka import OF_API, Kafka
from conformance.schema.differing import Difference, differences
from conformance.schema.finding import NOT_UNDERSTOOD, BrokenRule, Examined, Proof
from conformance.schema.layout import Form, form
from conformance.schema.model import Message
from conformance.schema.text.decisive import decisive
from conformance.schema.text.problem import Problem
from conformance.schema.text.reading import unique

_KEY = FieldPlace("apiKey", ("apiKey",))
_VALID = FieldPlace("validVersions", ("validVersions",))
_MOST_SHOWN = 32
"""Differences of one message that are shown by bytes; real libraries have a few at most."""

Prover = Callable[[Difference, Form, Form], Proof | None]
"""A function that shows a difference of Kafka's form and theirs in bytes, if it can."""


_Seen = tuple[Difference, Form, Form]
"""A difference, and the forms that it was seen in: Kafka's and theirs."""


@dataclass
class _Told:
    """The versions of a parting, and its difference in the first of them."""

    seen: _Seen
    versions: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class _Stretch:
    """Versions with one layout on either side, and their partings."""

    ours: Form
    theirs: Form
    partings: dict[Parting, _Seen]

    def goes_on(self, ours: Form, theirs: Form) -> bool:
        """True if these forms, of the next version, have the same partings."""
        return (
            (self.ours.releases, self.ours.unstable) == (ours.releases, ours.unstable)
            and self.ours.layout == ours.layout
            and self.theirs.layout == theirs.layout
        )


def compare(
    imported: Iterable[Imported],
    kafka: Kafka,
    where: str,
    prove: Prover = lambda *_: None,
    whole: bool = True,
) -> list[Examined]:
    """Return the definitions of another project, each with how it differs from Kafka's.

    If `imported` is the `whole` of them, messages of Kafka that are missing are reported too.
    """
    found, seen = [], set()
    for each in imported:
        name = kafka.name_of(each.name, each.message) if each.message else each.name
        seen.add(name)
        if each.message is None or name is not None or each.message.type in OF_API:
            one = decided(each)
            found.append(_examined(one, _Comparison(one, name, kafka, where, prove)))
    return found + (list(_lacking(kafka, seen, where)) if whole else [])


def _examined(each: Imported, comparison: _Comparison) -> Examined:
    message = each.message
    unread = [replace(one, rule=NOT_UNDERSTOOD) for one in each.findings]
    findings = [*unread, *comparison]
    return Examined(
        file=each.file,
        name=comparison.name or each.name,
        version=message.valid.high if message and not each.open_ended else -1,
        findings=tuple(sorted(findings, key=lambda one: one.line)),
        whole=message is not None,
    )


def _lacking(kafka: Kafka, seen: Collection[str | None], where: str) -> Iterator[Examined]:
    """Yield the requests and responses of the release that are missing among theirs."""
    for message in kafka.newest:
        stable = kafka.stable(message.name) if message.type in OF_API else []
        if stable and message.name not in seen:
            reason = f"not here; Kafka {kafka.release} has version {ranges(stable)}"
            finding = BrokenRule(COVERED, where, 0, message.name, reason)
            yield Examined(where, message.name, stable[-1], (finding,))


def _stretch(fields: FieldsByName, ours: Form, theirs: Form) -> _Stretch:
    told = f"Kafka {ours.releases[0]}{', not stable yet' if ours.unstable else ''}"
    partings: dict[Parting, _Seen] = {}
    for each in differences(ours.layout, theirs.layout):
        words = parting(fields, each, ours.version, told)
        partings.setdefault(words, (each, ours, theirs))
    return _Stretch(ours, theirs, partings)


@dataclass(frozen=True)
class _Comparison:
    """One message compared with Kafka's, called `name` there; iterating yields its findings."""

    each: Imported
    name: str | None
    kafka: Kafka
    where: str
    prove: Prover

    def __iter__(self) -> Iterator[BrokenRule]:
        if self.each.message is None:
            return
        if self.name is None:
            yield self.finding(KNOWN, _KEY, "Kafka has no message of this name, nor of its api key")
            return
        yield from self.api_key(self.each.message, self.name)
        yield from self.differences(self.each.message, self.name)
        yield from self.versions_apart(self.each.message, self.name)

    def api_key(self, message: Message, name: str) -> Iterator[BrokenRule]:
        kafka = self.kafka.message(name)
        ours, theirs = kafka.api_key if kafka else None, message.api_key
        if message.type in OF_API and ours != theirs:
            yield self.finding(SAME_KEY, _KEY, f"{theirs} here, {ours} in Kafka")

    def differences(self, message: Message, name: str) -> Iterator[BrokenRule]:
        told: dict[Parting, _Told] = {}
        for version, chunk in self.chunks(message, name):
            for each, seen in chunk.partings.items():
                told.setdefault(each, _Told(seen)).versions.append(version)
        for number, (each, what) in enumerate(told.items()):
            proof = self.prove(*what.seen) if number < _MOST_SHOWN else None
            yield self.finding(each.rule, each.place, each.describe(what.versions), proof)

    def versions(self, message: Message, name: str) -> Iterable[int]:
        """Return the versions that both may have."""
        if not self.each.open_ended:
            return message.valid
        kafka = self.kafka.message(name)
        return kafka.valid & message.valid if kafka else ()

    def chunks(self, message: Message, name: str) -> Iterator[tuple[int, _Stretch]]:
        """Yield each version that both have, with the stretch that it is in."""
        last: _Stretch | None = None
        fields = FieldsByName(message)
        for version in self.versions(message, name):
            ours = self.kafka.form(name, version)
            if ours is None:
                continue
            theirs = form(message, version, self.where)
            if last is None or not last.goes_on(ours, theirs):
                last = _stretch(fields, ours, theirs)
            yield version, last

    def versions_apart(self, message: Message, name: str) -> Iterator[BrokenRule]:
        """Yield findings for versions that only one side has; open-ended definitions have all."""
        if self.each.open_ended or message.type not in OF_API:
            return
        own = message.valid
        other = [each for each in own if self.kafka.form(name, each) is None]
        if other:
            reason = f"version {ranges(other)} is not in Kafka {self.kafka.release}"
            yield self.finding(KNOWN, _VALID, reason)
        missing = [each for each in self.kafka.stable(name) if each not in own]
        if missing:
            reason = f"version {ranges(missing)} of Kafka {self.kafka.release} is not here"
            yield self.finding(COVERED, _VALID, reason)

    def finding(
        self, rule: str, at: FieldPlace, reason: str, proof: Proof | None = None
    ) -> BrokenRule:
        line = self.each.line_of(at.path)
        return BrokenRule(rule, self.each.file, line, at.name, reason, proof)


def decided(each: Imported) -> Imported:
    """Return a definition; one that leaves bytes open has findings in place of its message."""
    problems = unique(decisive(each.message)) if each.message else []
    if not problems:
        return each
    found = tuple(_finding(each, problem) for problem in problems)
    return replace(each, message=None, findings=(*each.findings, *found))


def _finding(each: Imported, problem: Problem) -> BrokenRule:
    line = each.line_of(problem.path)
    return BrokenRule(NOT_UNDERSTOOD, each.file, line, problem.place, problem.reason)
