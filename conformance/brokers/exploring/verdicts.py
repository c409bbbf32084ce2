"""The verdicts on what exploring a broker came to.

Each conversation that was found is held again as a case, twice where it differs again: what differs
once is a note. Where none differs, one verdict says how much was asked.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from conformance.brokers.converse import converse
from conformance.brokers.exchange import Control, Peer
from conformance.brokers.exploring.cases import EXPLORING, as_case
from conformance.brokers.exploring.machine import Exploration, Found
from conformance.brokers.exploring.storing import store
from conformance.results.lines import BROKEN, EXCHANGE, Verdict
from conformance.results.text import counted
from conformance.rules import Rule

ASKED_OF_ALL = "ApiVersionsRequest"


def verdicts_of_exploring(
    exploration: Exploration,
    limits: tuple[float, int],
    endpoint: Peer,
    rule: Rule,
    profile: str,
    control: Control | None,
) -> Iterator[Verdict]:
    """Yield a verdict for each difference, or one that none was found.

    `limits` are the seconds and the seed. Raises TargetError where the endpoint can't be reached.
    """
    seconds, seed = limits
    if len(exploration.facts.nodes) > 1:
        yield _verdict(rule, "unsupported", "conversations are held with a single broker")
        return
    exploration.learn()
    for found in exploration.for_seconds(seconds, seed):
        yield from _of_found(exploration, found, endpoint, rule, profile, control)
    done = exploration.explored
    told = (
        f"{counted(done.conversations, 'conversation')} with {counted(done.requests, 'request')}, "
        f"made up by --seed {seed}"
    )
    exploration.notes.append(f"explored: {told}")
    if not done.found:
        yield _verdict(rule, "pass", told)


def _of_found(
    exploration: Exploration,
    found: Found,
    endpoint: Peer,
    rule: Rule,
    profile: str,
    control: Control | None,
) -> Iterator[Verdict]:
    with suppress(OSError):  # a folder that can't be written: the case can't be played again
        store(found.conversation)
    item = as_case(exploration.facts, found.conversation)
    for verdict in converse([item], endpoint, {rule.id: rule}, profile, control):
        if verdict.verdict not in BROKEN:
            exploration.notes.append(f"{item.id}: {verdict.detail}")
        yield verdict


def _verdict(rule: Rule, name: str, detail: str) -> Verdict:
    return Verdict(
        rule=rule.id,
        class_=rule.class_,
        case=f"{ASKED_OF_ALL}/{EXPLORING}",
        message=ASKED_OF_ALL,
        version=0,
        op=EXCHANGE,
        outcome="reply",
        verdict="pass" if name == "pass" else "unsupported",
        detail=detail,
    )
