"""Advertised means implemented: whatever ApiVersions lists is asked once in each version (KIP-35).

What is asked is harmless, so that its answer is an error as a rule; that it is a whole answer in
the version that was asked for is what counts. An error that says the broker has the API and not
the feature behind it, as Apache Kafka 3.9 does of the new group protocol, is an answer too.
"""

from __future__ import annotations

from collections.abc import Callable

from conformance.brokers.dialogues import question
from conformance.brokers.dialogues.configs.requests import BROKER, KEY, described, listed
from conformance.brokers.dialogues.coordinators import creating_nothing
from conformance.brokers.dialogues.harmless import LEFT_OUT, REQUESTS, harmless
from conformance.brokers.dialogues.talk import Talk, first_error
from conformance.dialogue import Dialogue, NotApplicable, Tell

RULE = "api-versions.advertised-is-served"
ANY = range(100)
PRODUCE_SERVED_SINCE = 3
LISTS_OLD_PRODUCE = 12
"""Who lists this version of Produce lists those below 3 for old clients' sake alone."""


def _asks(api: str) -> Callable[[Talk, int], Dialogue]:
    """The question about one API."""

    def _valid_request(talk: Talk, version: int) -> Dialogue:
        if api == "Produce" and version < PRODUCE_SERVED_SINCE and _lists_old_produce(talk):
            raise NotApplicable(
                "Apache Kafka lists Produce below version 3 for old clients' sake alone"
            )
        if api == "FindCoordinator":
            yield from creating_nothing(talk)
        reply = yield from talk.ask_for_any(api, version, harmless(talk, api, version))
        yield Tell(f"error {error}" if (error := first_error(reply.value)) else "no error")

    return _valid_request


def _lists_old_produce(talk: Talk) -> bool:
    return talk.facts.range_of("Produce")[1] >= LISTS_OLD_PRODUCE


@question(RULE, "DescribeConfigs", ANY, needs=("Metadata",))
def _valid_request_about_brokers(talk: Talk, version: int) -> Dialogue:
    ids = yield from listed(talk)
    yield from described(talk, version, *((BROKER, each, [KEY]) for each in ids))


for _api in (*REQUESTS, *LEFT_OUT):
    question(RULE, _api, ANY)(_asks(_api))
