"""Two releases compared: every definition of the newer one, with its findings proven.

A finding about two definitions says that their peers misread each other, and shows it: values that
touch the change are written by the one and read by the other, both ways. Of the bytes that are read
as something else, the counter-example is the shortest that show it at the place of the change. If
no bytes do, the finding says so.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from conformance.definitions.evolution.breach import Breach
from conformance.definitions.evolution.evolving import Changed, evolved, place_of
from conformance.definitions.evolution.pairing import Matched, Step
from conformance.definitions.proofs.misreadings import Misread, Side, misreadings, strongest
from conformance.schema.finding import BrokenRule, Examined, Proof


@dataclass(frozen=True)
class Proven:
    """The strongest counter-example of each direction, None where there is none."""

    new_writer: Misread | None
    old_writer: Misread | None

    @property
    def smallest(self) -> Proof | None:
        """The stronger one; of two alike the one with the fewer bytes."""
        found = strongest(self._found())
        return found.proof if found else None

    @property
    def whom(self) -> str:
        """Return a phrase that says which readers break with which writers."""
        told = [
            words
            for found, words in (
                (self.new_writer, "an old reader with a new writer"),
                (self.old_writer, "a new reader with an old writer"),
            )
            if found
        ]
        return f"breaks {' and '.join(told)}" if told else "no value shows it"

    def _found(self) -> Iterator[Misread]:
        return (each for each in (self.new_writer, self.old_writer) if each)


def prove(breach: Breach, step: Step) -> Proven:
    """Return counter-examples in both directions, from values that touch the change."""
    old = Side(f"{step.old.releases[0]} (old)", step.old, breach.old_place)
    new = Side(f"{step.new.releases[0]} (new)", step.new, breach.place)
    return Proven(
        new_writer=strongest(misreadings(new, old, breach.by_name)),
        old_writer=strongest(misreadings(old, new, breach.by_name)),
    )


def examined(matched: Matched) -> Iterator[Examined]:
    """Yield the newer release's definitions with their breaches; not whole if unread in either."""
    unread_before = {each.name for each in matched.old.unread}
    for changed in evolved(matched):
        message = changed.new.message
        yield Examined(
            file=changed.new.source.file,
            name=message.name,
            version=message.valid.high,
            findings=tuple(sorted(_findings(changed), key=lambda each: each.line)),
            whole=message.name not in unread_before,
        )
    for each in matched.new.unread:
        yield Examined(each.file, each.name, -1, (), whole=False)


def _findings(changed: Changed) -> Iterator[BrokenRule]:
    return (_finding(changed, *broken) for broken in changed.breaches)


def _finding(changed: Changed, rule: str, breach: Breach) -> BrokenRule:
    at = place_of(changed, breach)
    proven = prove(breach, breach.step) if breach.step else None
    return BrokenRule(
        rule=rule,
        file=at.file,
        line=at.line,
        place=at.name,
        reason=_reason(breach, proven),
        proof=proven.smallest if proven else None,
    )


def _reason(breach: Breach, proven: Proven | None) -> str:
    versions = f" ({_ranges(breach.versions)})" if breach.versions else ""
    whom = f": {proven.whom}" if proven else ""
    return f"{breach.reason}{versions}{whom}"


def _ranges(versions: tuple[int, ...]) -> str:
    """Return ascending versions in words, as a range if they have no gap."""
    low, high = versions[0], versions[-1]
    if len(versions) == 1:
        return f"version {low}"
    if len(versions) == high - low + 1:
        return f"versions {low}-{high}"
    return f"versions {', '.join(map(str, versions))}"
