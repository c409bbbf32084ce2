"""The score of the dialogues: which defects of a proxy they catch, each by the rule it breaks.

A mutant is judged in this process. `python -m conformance.proxies.score` prints the table.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache

from conformance.codecs.score import Score, show, wrong
from conformance.proxies.converse import converse
from conformance.proxies.dialogues import ProxyCase, asked_of, ends
from conformance.proxies.dialogues.talk import ProxyFacts
from conformance.proxies.in_process import OWN, LinkPeer, direct, facts_of
from conformance.proxies.mutants import ProxyMutant, proxy_mutants
from conformance.reference.proxy.proxy import Proxy
from conformance.reference.proxy.translation import CLIENT_IDS, USUAL
from conformance.results.lines import Verdict
from conformance.rules import catalogue


def verdicts_of(
    proxy: Proxy,
    rules: Iterable[str],
    rewrites: Iterable[str] = USUAL,
    *,
    quick: bool = False,
    messages: Collection[str] = (),
) -> list[Verdict]:
    """Return the verdicts of some rules on a proxy, by every dialogue that decides them.

    `quick` holds only those of each message's lowest and highest version; `messages` limits them to
    these, unless it is empty.
    """
    return list(_judged(proxy, rules, rewrites, quick=quick, messages=messages))


def _judged(
    proxy: Proxy,
    rules: Iterable[str],
    rewrites: Iterable[str],
    *,
    quick: bool,
    messages: Collection[str] = (),
) -> Iterator[Verdict]:
    chosen = {rule: catalogue()[rule] for rule in rules}
    control = proxy if isinstance(proxy, ProxyMutant) else None
    _, known = every_case(tuple(rewrites), logs_in=bool(proxy.users))
    every = [case for case in known if chosen.keys() & set(case.rules)]
    if messages:
        every = [case for case in every if case.message in messages]
    asked = ends(every) if quick else every
    peer = LinkPeer(proxy, renames=CLIENT_IDS in rewrites)
    return converse(asked, peer, chosen, "kafka", control, direct)


@cache
def every_case(
    rewrites: tuple[str, ...], *, logs_in: bool = False
) -> tuple[ProxyFacts, Sequence[ProxyCase]]:
    """Return the facts of a proxy with these declared changes, and all dialogues with it."""
    facts = facts_of(rewrites, logs_in=logs_in)
    return facts, list(asked_of(facts, rules_of_proxies()))


def rules_of_proxies() -> list[str]:
    """Return the rules that dialogues decide."""
    return [rule.id for rule in catalogue().values() if "proxy" in rule.applies]


def wrongly_charged(name: str) -> dict[str, str]:
    """Return the rules that a mutant is wrongly said to break, with the first case and detail."""
    mutant = proxy_mutants()[name]
    found = wrong(verdicts_of(mutant(OWN), rules_of_proxies(), mutant.rewrites, quick=True))
    own = {mutant.breaks, *mutant.implies}
    return {
        each.rule: f"{each.case}: {each.detail}" for each in reversed(found) if each.rule not in own
    }


def score() -> list[Score]:
    """Return the score of every mutant by its own rule, in the order of the rules."""
    order = list(catalogue())
    by_rule = sorted(proxy_mutants().values(), key=lambda mutant: order.index(mutant.breaks))
    return [score_of(mutant) for mutant in by_rule]


def score_of(mutant: type[ProxyMutant]) -> Score:
    """Return the score of one mutant by its own rule, up to the first case that catches it."""
    count = 0
    for verdict in _judged(mutant(OWN), [mutant.breaks], mutant.rewrites, quick=True):
        count += 1
        if wrong([verdict]):
            return Score(mutant.__name__, mutant.breaks, True, count, 1)
    return Score(mutant.__name__, mutant.breaks, False, count, 0)


if __name__ == "__main__":
    sys.exit(show(score()))
