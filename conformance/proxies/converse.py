"""The engine for proxies: it takes dialogues with two ends, and yields verdicts.

Each dialogue has a connection of its own to the proxy, and sees the result at the broker behind it.
`trials` holds it, and holds it again alone before anything is charged; `charges` decides which rule
is broken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

import msgspec

from conformance.brokers.judge import verdict_on_exchange
from conformance.dialogue import Broken
from conformance.proxies.charges import charges
from conformance.proxies.dialogues import ProxyCase
from conformance.proxies.exchanges import Control, ProxyPeer
from conformance.proxies.trials import Known, Trials
from conformance.results.lines import FORWARD, Verdict
from conformance.rules import Rule


def converse(
    asked: Iterable[ProxyCase],
    peer: ProxyPeer,
    rules: Mapping[str, Rule],
    profile: str,
    control: Control | None = None,
    without: Callable[[], ProxyPeer] | None = None,
    known: Known | None = None,
) -> Iterator[Verdict]:
    """Hold each dialogue, and judge all rules that it decides.

    `without` returns both ends with nothing in between. `known` holds the results of control cases
    in earlier calls. Raises TargetError if the proxy can't be reached any more.
    """
    asked, known = list(asked), known or Known()
    known.decided |= {each.id for each in asked}
    trials = Trials(peer, control, without, known)
    for item in asked:
        trial = trials.hold(item)
        for judged in charges(item, trial, rules, known):
            verdict = verdict_on_exchange(
                judged.item,
                rules[judged.rule],
                profile,
                judged.found,
                [trial.before, trial.after],
                trial.died,
                judged.first,
                FORWARD,
            )
            yield _noted(verdict, judged.noted, judged.why) if judged.noted else verdict
        if trial.died and control is not None:
            control.restart()


def _noted(verdict: Verdict, noted: Broken, why: str) -> Verdict:
    """Return the verdict as a note about a failure that is not charged."""
    shown = {"expected": noted.expected, "actual": noted.actual}
    return msgspec.structs.replace(verdict, verdict="note", detail=f"{why}{noted.detail}", **shown)
