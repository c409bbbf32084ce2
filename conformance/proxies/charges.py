"""Which rule is charged with what failed in a trial: the one that judges it, and no other.

A failure is never silent. What a dialogue does not decide itself is charged in the same case, and a
plain request that no case reports is charged in the first case that it broke.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

from conformance.brokers.exchange import Exchange
from conformance.dialogue import Broken
from conformance.proxies.dialogues import ProxyCase
from conformance.proxies.trials import Known, Trial


@dataclass(frozen=True, slots=True)
class Charge:
    """What one rule is to be judged by: an exchange, and what is broken `first`, if anything."""

    item: ProxyCase
    rule: str
    found: Exchange
    first: str = ""
    once: Broken | None = None


def charges(
    item: ProxyCase, trial: Trial, rules: Collection[str], known: Known
) -> Iterator[Charge]:
    """What each of these rules is judged by that a trial says something of."""
    found = trial.found
    if trial.control_broken is not None and not trial.died:
        found = replace(found, broken=trial.control_broken)
    if trial.died or not trial.guilty(item):
        every = _passed(item, trial)
    elif trial.first:
        every = _broken_first(item, replace_found(trial, found), known)
    else:
        every = _own(item, trial)
    yield from (each for each in every if each.rule in rules)


def replace_found(trial: Trial, found: Exchange) -> Trial:
    """A trial that shows another exchange."""
    return replace(trial, found=found)


def _passed(item: ProxyCase, trial: Trial) -> Iterator[Charge]:
    """Nothing failed, or not again; or the proxy died, which each rule tells."""
    once = trial.once
    noted = once.judged_by if once and once.judged_by in item.rules else item.rules[0]
    for rule in item.rules:
        yield Charge(item, rule, trial.found, once=once if rule == noted else None)


def _broken_first(item: ProxyCase, trial: Trial, known: Known) -> Iterator[Charge]:
    """Another rule than the dialogue's own is broken; it is charged if no other case does so."""
    basic = trial.basic
    charged = trial.first if known.is_unreported(basic) else ""
    for rule in item.rules:
        if rule == charged and basic is not None:
            is_shown = trial.guilty(item) == rule
            yield Charge(item, rule, trial.found if is_shown else basic.found)
        else:
            yield Charge(item, rule, trial.found, trial.first)
    if charged and basic is not None:
        basic.reported = True
        if charged not in item.rules:
            yield Charge(basic.case, charged, basic.found)


def _own(item: ProxyCase, trial: Trial) -> Iterator[Charge]:
    """The dialogue failed: rules before the guilty one hold, and those after it are not seen."""
    guilty = trial.guilty(item)
    at = item.rules.index(guilty) if guilty in item.rules else -1
    for index, rule in enumerate(item.rules):
        if index < at:
            yield Charge(item, rule, replace(trial.found, broken=None))
        else:
            yield Charge(item, rule, trial.found, "" if rule == guilty else guilty)
    if guilty not in item.rules:
        yield Charge(item, guilty, trial.found)
