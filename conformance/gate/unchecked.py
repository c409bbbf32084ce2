"""A handler that checks nothing of what it is asked: many rules broken, and one cause.

Each rule about what an API refuses is broken by itself where one check is missing. Where none of
them is kept, and all that should be refused is taken, the handler has no checks at all: to say so
once tells more than as many findings.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Protocol

LEAST = 2
"""One rule that is broken is told by itself."""

_GOT = re.compile(r".*\bgot (.*)", re.DOTALL)
_ERROR = re.compile(r"[\[{]-?[1-9]\d*[\]}]")


class What(Protocol):
    """What came of a case, as far as it matters here."""

    @property
    def verdict(self) -> str:
        """How it was judged."""
        ...

    @property
    def said(self) -> str:
        """What is said of it."""
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
    """Return what is said of each rule that a handler without any check breaks.

    `seen` is what came of the cases of a broker, by rule and case.
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
    """What came of the cases of one API that could be judged."""
    for case, what in cases.items():
        if case.startswith(f"{api}Request") and (what.is_broken or what.verdict == "pass"):
            yield what


def _takes(what: What) -> bool:
    """True if a case was taken that had to be refused: it has an answer, and no error in that."""
    got = _GOT.fullmatch(what.said)
    return what.is_broken and got is not None and not _ERROR.search(got[1])


def _families(found: Mapping[str, list[str]]) -> dict[str, str]:
    """The APIs of each rule, with those that break some of the same rules."""
    whole: dict[str, str] = {}
    for rule, apis in found.items():
        near = {each for others in found.values() if {*others} & {*apis} for each in others}
        whole[rule] = " and ".join(sorted(near))
    return whole
