"""Ids of brokers through a proxy that changes them: distinct, equal in all answers, reversed."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.codecs.cases.vectors import Vector
from conformance.dialogue import Broken, Dialogue
from conformance.proxies.dialogues import (
    ONE_TO_ONE,
    Held,
    ProxyCase,
    basics,
    case_of,
    cases,
    dialogue,
    names_hosts,
)
from conformance.proxies.dialogues.addresses import (
    differences_but_ids,
    expect_ids,
    ids_told,
    sent_through,
)
from conformance.proxies.dialogues.messages import golden
from conformance.proxies.dialogues.talk import (
    ANSWERS_MEAN,
    REQUESTS_MEAN,
    ProxyFacts,
    ProxyTalk,
    differences,
)
from conformance.reference.proxy.node_ids import names_follower, nodes_in, renumbered
from conformance.reference.proxy.translation import ADDRESSES, NODE_IDS
from conformance.testee_protocol import Value

TAKEN_BACK = "proxy-addresses.node-ids-taken-back"
BROKER = 4
"""The type of config resources that are brokers, which are named by their ids."""


@cases
def _golden(facts: ProxyFacts) -> Iterator[ProxyCase]:
    """Yield a case for every vector that names brokers, with our ids in place of theirs."""
    for api, vector in golden(facts) if NODE_IDS in facts.rewrites else ():
        yield from _of_vector(facts, api, vector)


def _of_vector(facts: ProxyFacts, api: str, vector: Vector) -> Iterator[ProxyCase]:
    nodes = dict.fromkeys(nodes_in(vector.message, vector.value))
    if not 0 < len(nodes) <= len(facts.brokers) or names_follower(vector.value):
        return
    if ADDRESSES in facts.rewrites and names_hosts(vector.value):
        return
    ours = dict(zip(nodes, facts.brokers, strict=False))
    value = renumbered(vector.message, vector.value, lambda node: ours[node])
    is_request = vector.message.endswith("Request")
    yield case_of(
        f"{vector.id}/node-ids",
        (TAKEN_BACK if is_request else ONE_TO_ONE,),
        vector.message,
        vector.version,
        Held(facts, _taken_back if is_request else _told, (api, vector.version, value)),
        rewrites=True,
        basics=basics(facts, api, vector.version),
    )


@dialogue(TAKEN_BACK, api="DescribeConfigs", changes=NODE_IDS)
def _configs_of_a_broker(talk: ProxyTalk) -> Dialogue:
    """Ask for a broker's configs, where its id is text."""
    _, version = talk.facts.range_of("DescribeConfigs")
    yield from _taken_back(talk, "DescribeConfigs", version, {"resources": [_named(talk)]})


@dialogue(ONE_TO_ONE, api="DescribeConfigs", changes=NODE_IDS)
def _configs_told_of_a_broker(talk: ProxyTalk) -> Dialogue:
    _, version = talk.facts.range_of("DescribeConfigs")
    yield from _told(talk, "DescribeConfigs", version, {"results": [_named(talk)]})


@dialogue(TAKEN_BACK, api="IncrementalAlterConfigs", changes=NODE_IDS)
def _configs_altered_of_a_broker(talk: ProxyTalk) -> Dialogue:
    _, version = talk.facts.range_of("IncrementalAlterConfigs")
    yield from _taken_back(talk, "IncrementalAlterConfigs", version, {"resources": [_named(talk)]})


def _named(talk: ProxyTalk) -> Value:
    return {"resourceType": BROKER, "resourceName": f"{max(talk.facts.brokers)}"}


def _told(talk: ProxyTalk, api: str, version: int, value: Value) -> Dialogue:
    """Check that an answer has the ids of brokers that Metadata has."""
    told = yield from ids_told(talk)
    after, before, got = yield from sent_through(talk, api, version, value)
    _expect_rest(f"{api}Response", before, after, got, ANSWERS_MEAN)
    expect_ids(f"{api}Response", before, after, told, got)


def _taken_back(talk: ProxyTalk, api: str, version: int, value: Value) -> Dialogue:
    """Check that a client's id of a broker arrives there as the broker's own id."""
    told = yield from ids_told(talk)
    form = talk.codec.form(f"{api}Request", version)
    sent = talk.request(api, version, renumbered(form.message, value, lambda node: told[node]))
    arrived = yield from talk.forwarded(sent)
    _, before = talk.read_request(talk.request(api, version, value)[4:], form, sent)
    _, after = talk.read_request(arrived.frame, form, sent)
    _expect_rest(form.message, before, after, arrived.frame, REQUESTS_MEAN)
    if places := differences(before, after):
        what = f"a request names other brokers than its client meant in {', '.join(places[:3])}"
        raise Broken(what, f"{before}", arrived.frame, judged_by=TAKEN_BACK)


def _expect_rest(message: str, before: Value, after: Value, got: bytes, rule: str) -> None:
    """Raise Broken if anything else than ids is changed, which another rule judges."""
    if places := differences_but_ids(message, before, after):
        what = f"it says something else of {', '.join(places[:3])}"
        raise Broken(what, f"{before}", got, judged_by=rule)
