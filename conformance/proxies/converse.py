"""The engine for proxies: it takes dialogues with two ends, and yields verdicts.

Each dialogue has a connection of its own to the proxy, and sees the result at the broker behind it.
`trials` holds it, and holds it again alone before anything is charged; `charges` decides which rule
is broken.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

import msgspec

from conformance.brokers.judge import verdict_on_exchange
from conformance.dialogue import Broken
from conformance.proxies.charges import Charge, charges
from conformance.proxies.dialogues import ProxyCase
from conformance.proxies.exchanges import Control, ProxyPeer
from conformance.proxies.trials import SUSPECTS, Known, Trial, Trials
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
    judged = Judged(rules, profile, known)
    held: deque[tuple[ProxyCase, list[Verdict]]] = deque()
    for item in asked:
        trial = trials.hold(item)
        held.append((item, judged.verdicts(item, trial)))
        yield from _corrected(held, trials, judged)
        while len(held) > SUSPECTS + 1:
            yield from held.popleft()[1]
        if trial.died and control is not None:
            control.restart()
    trials.check()
    yield from _corrected(held, trials, judged)
    for _, verdicts in held:
        yield from verdicts


def _corrected(
    held: Iterable[tuple[ProxyCase, list[Verdict]]], trials: Trials, judged: Judged
) -> Iterator[Verdict]:
    """Charge cases with the ends of the proxy that showed late; yield the verdicts not held back.

    A case whose end shows late was given another verdict, which is held back for that reason.
    """
    for item, trial in trials.late:
        found = judged.verdicts(item, trial)
        for each, verdicts in held:
            if each.id == item.id:
                verdicts[:] = found
                break
        else:
            yield from found
    trials.late.clear()


@dataclass(frozen=True)
class Judged:
    """The verdicts on trials, by these rules."""

    rules: Mapping[str, Rule]
    profile: str
    known: Known

    def verdicts(self, item: ProxyCase, trial: Trial) -> list[Verdict]:
        """Return a verdict for each rule that a trial decides."""
        return [self._verdict(each, trial) for each in charges(item, trial, self.rules, self.known)]

    def _verdict(self, charge: Charge, trial: Trial) -> Verdict:
        verdict = verdict_on_exchange(
            charge.item,
            self.rules[charge.rule],
            self.profile,
            charge.found,
            [trial.before, trial.after],
            trial.died,
            charge.first,
            FORWARD,
        )
        return _noted(verdict, charge.noted, charge.why) if charge.noted else verdict


def _noted(verdict: Verdict, noted: Broken, why: str) -> Verdict:
    """Return the verdict as a note about a failure that is not charged."""
    shown = {"expected": noted.expected, "actual": noted.actual}
    return msgspec.structs.replace(verdict, verdict="note", detail=f"{why}{noted.detail}", **shown)
