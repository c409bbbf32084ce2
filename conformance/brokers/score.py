"""The score of the dialogues: which defects of a broker they catch, each by the rule it breaks.

A mutant is judged by its own rule alone and in this process: a dialogue talks to a session and to
no socket, so that silence is known at once and nothing waits.
`python -m conformance.brokers.score` prints the table.
"""

from __future__ import annotations

import sys
from functools import cache
from typing import Any

from conformance.brokers.converse import converse
from conformance.brokers.dialogues import asked_of, ends, questions
from conformance.brokers.dialogues.controls import Controls
from conformance.brokers.dialogues.talk import Facts
from conformance.brokers.exploring.cases import RULE as EXPLORED
from conformance.brokers.in_process import OTHER, SessionEndpoint, SessionLine
from conformance.brokers.mutants import BrokerMutant, broker_mutants, stocked
from conformance.codecs.score import Score, show, wrong
from conformance.reference.broker.broker import Broker
from conformance.reference.broker.releases import stored_versions
from conformance.reference.codec import ReferenceCodec
from conformance.results.lines import Verdict
from conformance.rules import catalogue

__all__ = ["SessionEndpoint", "SessionLine", "score", "verdicts_of"]


@cache
def _codec() -> ReferenceCodec:
    """Return one codec for all brokers, since it compiles each form once."""
    return ReferenceCodec()


def verdicts_of(broker: Broker, *rules: str, quick: bool = False) -> list[Verdict]:
    """The verdicts of some rules on a broker, by every dialogue that decides them.

    `quick` holds each in its lowest and its highest version alone.
    """
    selected = {rule: catalogue()[rule] for rule in rules}
    facts = Facts(
        broker.versions,
        codec=_codec(),
        writes=True,
        other=OTHER,
        explores=rules == (EXPLORED,),
        authenticates=broker.users is not None,
        mechanism="PLAIN" if broker.users is not None else "",
        session_lifetime_ms=broker.session_lifetime_ms,
    )
    every = asked_of(facts, selected)
    asked = ends(every) if quick else every
    endpoint, controls = SessionEndpoint(broker), Controls(facts)
    return list(converse(asked, endpoint, selected, "kafka", controls=controls))


def score() -> list[Score]:
    """Return the score of every mutant on its own rule, in the order of the rules."""
    order = list(catalogue())
    by_rule = sorted(broker_mutants().values(), key=lambda mutant: order.index(mutant.breaks))
    return [score_of(mutant) for mutant in by_rule]


def made_with(rule: str) -> dict[str, Any]:
    """The settings of a broker that a rule is about, as its mutants have them.

    It serves all APIs that any of them serves.
    """
    about = [mutant for mutant in broker_mutants().values() if mutant.breaks == rule]
    settings = {name: value for mutant in about for name, value in mutant.made_with.items()}
    if "versions" in settings:
        each = [mutant.made_with.get("versions", stored_versions()) for mutant in about]
        settings["versions"] = {key: versions[key] for versions in each for key in versions}
    return settings


def rules_with_questions() -> list[str]:
    """Return the ids of the rules that dialogues decide, in the order of the dialogues."""
    return list(dict.fromkeys(item.rule for item in questions()))


def score_of(mutant: type[BrokerMutant]) -> Score:
    """Return the score of one mutant on its own rule."""
    verdicts = verdicts_of(stocked(mutant()), mutant.breaks)
    found = wrong(verdicts)
    return Score(mutant.__name__, mutant.breaks, bool(found), len(verdicts), len(found))


if __name__ == "__main__":
    sys.exit(show(score()))
