"""What a rule of evolution is made of: a function that yields breaches, and its rule's id."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from conformance.definitions.evolution.pairing import Matched, Pair, Step
from conformance.definitions.evolution.release import Definition


@dataclass(frozen=True)
class Breach:
    """What changed against a rule, and where.

    `old_place` and `place` are the field's in the older and the newer release, dotted names of the
    JSON form, "" for the message; `gone` says that the newer one has it no more. `key` is what of
    the definition says it. `step` is a version by which bytes can show it, `versions` are all that
    it holds for. With `by_name`, tags that bear other names are other fields.
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
        """What this message broke; a breach of several versions is one."""
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
    """Make a function that yields breaches the one that decides this rule."""
    return lambda find: Evolving(rule, find)


ReleaseFinder = Callable[[Matched], Iterator[tuple[Definition, Breach]]]
"""A rule that needs both releases as a whole: each breach with the newer definition."""
