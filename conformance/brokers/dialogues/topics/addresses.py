"""The addresses that clients are given are those where a broker answers.

A client keeps the address that it got at first for its first questions alone. All else goes to
the addresses that answers have. Another address than the one where the broker was reached is legal,
as with ports that are forwarded; one where no broker answers ends the way of each client there.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from typing import Any

from conformance.brokers.dialogues import question
from conformance.brokers.dialogues.coordinators import coordinators_of, creating_nothing, keys
from conformance.brokers.dialogues.talk import Talk, judged_by
from conformance.brokers.dialogues.topics.metadata import asking
from conformance.dialogue import Broken, Dialogue, Follow, NotApplicable, Received, Step
from conformance.schema.filling import filled

RULE = "metadata.listed-address-answers"

Where = tuple[str, int]
Places = Generator[Step, Received | None, list[Where]]


@judged_by("metadata.empty-asks-for-none")
def _listed(talk: Talk) -> Places:
    """Return the addresses of the brokers that Metadata lists."""
    high = talk.facts.range_of("Metadata")[1]
    reply = yield from talk.ask("Metadata", high, asking(talk, high, []))
    return [(each["host"], each["port"]) for each in reply.value["brokers"]]


@question(RULE, "Metadata")
def _brokers_of_metadata(talk: Talk) -> Dialogue:
    listed = yield from _listed(talk)
    yield from _expect_answer(talk, "Metadata lists", listed)


@question(RULE, "FindCoordinator", needs=("Metadata",))
def _coordinator_of_a_group(talk: Talk) -> Dialogue:
    yield from creating_nothing(talk)
    high = talk.facts.range_of("FindCoordinator")[1]
    found = yield from coordinators_of(talk, high, keys(talk, 1))
    named = [(each["host"], each["port"]) for each in found if not each["errorCode"]]
    yield from _expect_others(talk, "FindCoordinator names", named)


@question(RULE, "DescribeCluster", needs=("Metadata",))
def _brokers_of_the_cluster(talk: Talk) -> Dialogue:
    high = talk.facts.range_of("DescribeCluster")[1]
    layout = talk.codec.form("DescribeClusterRequest", high).layout
    reply = yield from talk.ask("DescribeCluster", high, filled(layout, {}))
    listed = [(each["host"], each["port"]) for each in reply.value["brokers"]]
    yield from _expect_others(talk, "DescribeCluster lists", listed)


def _expect_others(talk: Talk, what: str, named: Iterable[Where]) -> Dialogue:
    """Check the addresses that Metadata does not list: those are judged where it does."""
    listed = yield from _listed(talk)
    others = [each for each in named if each not in listed]
    if others:
        yield from _expect_answer(talk, what, others)


def _expect_answer(talk: Talk, what: str, places: Iterable[Where]) -> Dialogue:
    """Raise Broken unless a broker answers at one of these addresses.

    A broker that has just ended is listed for a while beside the others.
    """
    why: dict[str, Any] = {}
    for host, port in dict.fromkeys(places):
        heard = yield Follow(host, port)
        if heard is None:
            try:
                yield from talk.is_served()
            except Broken as broken:
                why[f"{host}:{port}"] = broken.detail
                continue
            return
        why[f"{host}:{port}"] = heard.text
    if not why:
        raise NotApplicable("no address is named")
    [first, *others] = why
    more = f" and {len(others)} more" if others else ""
    said = why[first].removeprefix(f"{first}: ")
    raise Broken(
        f"{what} the address {first}{more}, and no broker answers there: {said}",
        "an address where a broker answers",
        first,
    )
