"""The diagnosis of a handler that checks nothing of what it is asked: many rules, one cause.

Each rule about what an API refuses is broken by itself if one check is missing. If none of them is
kept, and everything that must be refused is accepted, the handler has no checks at all: one such
finding says more than many separate ones.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Protocol

LEAST = 2
"""The least broken rules for this diagnosis: a single one is reported by itself."""

_GOT = re.compile(r".*\bgot (.*)", re.DOTALL)
_ERROR = re.compile(r"[\[{]-?[1-9]\d*[\]}]")


class What(Protocol):
    """The result of a case, as far as this module needs it."""

    @property
    def verdict(self) -> str:
        """Return the verdict."""
        ...

    @property
    def said(self) -> str:
        """Return the words about the result."""
        ...

    @property
    def is_broken(self) -> bool:
        """True if it broke the rule."""
        ...


@cache
def refusals() -> Mapping[str, tuple[str, ...]]:
    """Return the rules about what each of the APIs for administrators refuses.

    They are what the mutants without checks break, which are loaded where a broker failed.
    """
    from conformance.brokers.mutants import broker_mutants
    from conformance.brokers.mutants.unchecked import UncheckedHandler

    handlers = (each for each in broker_mutants().values() if issubclass(each, UncheckedHandler))
    return {each.api: (each.breaks, *each.implies) for each in handlers}


def unchecked(seen: Mapping[str, Mapping[str, What]]) -> dict[str, str]:
    """Return the diagnosis for each rule that a handler without any check breaks.

    `seen` are the results of a broker's cases, by rule and case.
    """
    found: dict[str, list[str]] = {}
    for api, rules in refusals().items():
        judged = {rule: list(_judged(seen.get(rule, {}), api)) for rule in rules}
        broken = [rule for rule, cases in judged.items() if cases]
        if len(broken) >= LEAST and all(_takes(each) for rule in broken for each in judged[rule]):
            for rule in broken:
                found.setdefault(rule, []).append(api)
    apis = _families(found)
    return {rule: f"a broker that checks nothing of what {apis[rule]} asks" for rule in found}


def _judged(cases: Mapping[str, What], api: str) -> Iterator[What]:
    """Yield the results of the cases of one API that could be judged."""
    for case, what in cases.items():
        if case.startswith(f"{api}Request") and (what.is_broken or what.verdict == "pass"):
            yield what


def _takes(what: What) -> bool:
    """True if a case that must be refused was accepted: it has an answer without an error."""
    got = _GOT.fullmatch(what.said)
    return what.is_broken and got is not None and not _ERROR.search(got[1])


def _families(found: Mapping[str, list[str]]) -> dict[str, str]:
    """Return the APIs of each rule, with those that break some of the same rules."""
    whole: dict[str, str] = {}
    for rule, apis in found.items():
        near = {each for others in found.values() if {*others} & {*apis} for each in others}
        whole[rule] = " and ".join(sorted(near))
    return whole
