"""Advertised means implemented: whatever ApiVersions lists is asked once in each version (KIP-35).

What is asked is harmless, so that its answer is an error as a rule; that it is a whole answer in
the version that was asked for is what counts. That the answer has the request's correlation id is
another rule's business, and is asked of each API, since each may be answered by a handler of its
own. An error that says the broker has the API and not
the feature behind it, as Apache Kafka 3.9 does of the new group protocol, is an answer too.
"""

from __future__ import annotations

from collections.abc import Callable

from conformance.brokers.dialogues import question
from conformance.brokers.dialogues.configs.requests import BROKER, KEY, described, listed
from conformance.brokers.dialogues.coordinators import creating_nothing
from conformance.brokers.dialogues.harmless import LEFT_OUT, REQUESTS, harmless
from conformance.brokers.dialogues.talk import CORRELATED, Talk, first_error
from conformance.dialogue import Broken, Dialogue, NotApplicable, Send, Tell

RULE = "api-versions.advertised-is-served"
ANY = range(100)
LARGE = 0x5EED_0100
"""Correlation ids from here on differ in each of their bytes from those that are counted up."""
PRODUCE_SERVED_SINCE = 3
LISTS_OLD_PRODUCE = 12
"""The version of Produce whose brokers list those below 3 only for the sake of old clients."""


def _asks(api: str) -> Callable[[Talk, int], Dialogue]:
    """The question about one API."""

    def _valid_request(talk: Talk, version: int) -> Dialogue:
        yield from _is_to_be_asked(talk, api, version)
        reply = yield from talk.ask_for_any(api, version, harmless(talk, api, version))
        yield Tell(f"error {error}" if (error := first_error(reply.value)) else "no error")

    return _valid_request


def _echoes(api: str) -> Callable[[Talk, int], Dialogue]:
    """The question about the correlation id of the answers to one API."""

    def _correlation_id_of_a_request(talk: Talk, version: int) -> Dialogue:
        try:
            yield from _is_to_be_asked(talk, api, version)
        except Broken as broken:  # of another API, whose answers are judged by themselves
            broken.judged_by = RULE
            raise
        number = LARGE + version
        yield Send(talk.frame(api, version, harmless(talk, api, version), number))
        yield from talk.echo(api, version, number)

    return _correlation_id_of_a_request


def _is_to_be_asked(talk: Talk, api: str, version: int) -> Dialogue:
    """Go on if the request is harmless, and listed in order to be served. Raises NotApplicable."""
    if api == "Produce" and version < PRODUCE_SERVED_SINCE and _lists_old_produce(talk):
        raise NotApplicable(
            "Apache Kafka lists Produce below version 3 for old clients' sake alone"
        )
    if api == "FindCoordinator":
        yield from creating_nothing(talk)


def _lists_old_produce(talk: Talk) -> bool:
    return talk.facts.range_of("Produce")[1] >= LISTS_OLD_PRODUCE


@question(RULE, "DescribeConfigs", ANY, needs=("Metadata",))
def _valid_request_about_brokers(talk: Talk, version: int) -> Dialogue:
    ids = yield from listed(talk)
    yield from described(talk, version, *((BROKER, each, [KEY]) for each in ids))


for _api in (*REQUESTS, *LEFT_OUT):
    question(RULE, _api, ANY)(_asks(_api))
for _api in REQUESTS:
    question(CORRELATED, _api, ANY)(_echoes(_api))
