"""The choice of the rule that is charged with a failed trial: the one that judges it, and no other.

A failure is always reported. A failure that a dialogue does not decide itself is charged in the
same case, and a plain request that no case reports is charged in the first case that it broke.
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
    """The evidence for one rule: an exchange, and the rule that broke `first`, if any.

    `noted` is a failure that is not charged, for the reason `why`.
    """

    item: ProxyCase
    rule: str
    found: Exchange
    first: str = ""
    noted: Broken | None = None
    why: str = ""


def charges(
    item: ProxyCase, trial: Trial, rules: Collection[str], known: Known
) -> Iterator[Charge]:
    """Yield a charge for each of these rules that a trial decides."""
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
    """Return the trial with another exchange."""
    return replace(trial, found=found)


def _passed(item: ProxyCase, trial: Trial) -> Iterator[Charge]:
    """Yield charges if nothing failed, not twice, or the proxy died, which counts for each rule."""
    noted = trial.noted
    judge = noted.judged_by if noted and noted.judged_by in item.rules else item.rules[0]
    for rule in item.rules:
        yield Charge(item, rule, trial.found, noted=noted if rule == judge else None, why=trial.why)


def _broken_first(item: ProxyCase, trial: Trial, known: Known) -> Iterator[Charge]:
    """Yield charges if a rule that is not the dialogue's own is broken.

    That rule is charged as well if no other case does so.
    """
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
    """Yield charges if the dialogue itself failed.

    Rules in front of the guilty one hold, and those after it could not be checked.
    """
    guilty = trial.guilty(item)
    at = item.rules.index(guilty) if guilty in item.rules else -1
    for index, rule in enumerate(item.rules):
        if index < at:
            yield Charge(item, rule, replace(trial.found, broken=None))
        else:
            yield Charge(item, rule, trial.found, "" if rule == guilty else guilty)
    if guilty not in item.rules:
        yield Charge(item, guilty, trial.found)
