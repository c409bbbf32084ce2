"""The parts of a rule of evolution: its id, and a function that yields breaches."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from conformance.definitions.evolution.pairing import Matched, Pair, Step
from conformance.definitions.evolution.release import Definition


@dataclass(frozen=True)
class Breach:
    """A change that breaks a rule, and its place.

    `old_place` and `place` are the field's in the older and the newer release, dotted names of the
    JSON form, "" for the message; `gone` says that the newer release lacks the field. `key` is the
    key of the definition that states it. `step` is a version in which bytes can show it, `versions`
    are all versions that it holds for. With `by_name`, tags that have other names are other fields.
    """

    reason: str
    old_place: str = ""
    place: str = ""
    gone: bool = False
    key: str = ""
    step: Step | None = None
    versions: tuple[int, ...] = ()
    by_name: bool = False


Finder = Callable[[Pair], Iterator[Breach]]


@dataclass(frozen=True)
class Evolving:
    """A rule about a message in two releases, and its function."""

    rule: str
    find: Finder

    def __call__(self, pair: Pair) -> list[Breach]:
        """Return the breaches of this message, each once with all its versions."""
        found: dict[tuple[str, str, str], Breach] = {}
        versions: dict[tuple[str, str, str], list[int]] = {}
        for each in self.find(pair):
            what = each.old_place, each.place, each.reason
            found.setdefault(what, each)
            if each.step is not None:
                versions.setdefault(what, []).append(each.step.old.version)
        return [
            replace(each, versions=tuple(versions.get(what, ()))) for what, each in found.items()
        ]


def evolving(rule: str) -> Callable[[Finder], Evolving]:
    """Return a decorator that makes a function which yields breaches the rule with this id."""
    return lambda find: Evolving(rule, find)


ReleaseFinder = Callable[[Matched], Iterator[tuple[Definition, Breach]]]
"""The function of a rule about whole releases: it yields each breach with the newer definition."""
