"""Ids of brokers through a proxy that changes them: one each, in all answers, and back again."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.codecs.cases.vectors import Vector, read_vectors, vector_messages
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
from conformance.proxies.dialogues.addresses import expect_ids, ids_told
from conformance.proxies.dialogues.messages import is_settled
from conformance.proxies.dialogues.talk import (
    ANSWERS_PASS,
    REQUESTS_PASS,
    ProxyFacts,
    ProxyTalk,
    differences,
    number_of,
)
from conformance.reference.proxy.node_ids import (
    has_nodes,
    names_follower,
    nodes_in,
    renumbered,
)
from conformance.reference.proxy.translation import ADDRESSES, NODE_IDS
from conformance.testee_protocol import Value

TAKEN_BACK = "proxy-addresses.node-ids-taken-back"
BROKER = 4
"""The type of config resources that are brokers, which are named by their ids."""


@cases
def _golden(facts: ProxyFacts) -> Iterator[ProxyCase]:
    """Every vector that names some brokers, with the ids of ours for theirs."""
    if NODE_IDS not in facts.rewrites:
        return
    for message in vector_messages():
        api = message.removesuffix("Request").removesuffix("Response")
        if message == api or not facts.has(api) or not has_nodes(message):
            continue
        low, high = facts.range_of(api)
        for vector in read_vectors(message):
            if vector.header is None and low <= vector.version <= high:
                yield from _of_vector(facts, api, vector)


def _of_vector(facts: ProxyFacts, api: str, vector: Vector) -> Iterator[ProxyCase]:
    nodes = dict.fromkeys(nodes_in(vector.message, vector.value))
    if not 0 < len(nodes) <= len(facts.brokers) or names_follower(vector.value):
        return
    if not is_settled(api, vector.version) or facts.codec.release not in vector.releases:
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
    """A broker is named by its id where its configs are asked for, as text."""
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
    """An answer calls each broker as Metadata does."""
    told = yield from ids_told(talk)
    request = talk.request(api, version)
    arrived = yield from talk.forwarded(request, judged_by=REQUESTS_PASS)
    sent = talk.answer_frame(api, version, value, arrived.number)
    got = yield from talk.answered(sent, number_of(request), judged_by=ANSWERS_PASS)
    form = talk.codec.form(f"{api}Response", version)
    _, before = talk.read_answer(sent[4:], form, sent)
    _, after = talk.read_answer(got, form, sent)
    expect_ids(form.message, before, after, told, got)


def _taken_back(talk: ProxyTalk, api: str, version: int, value: Value) -> Dialogue:
    """A request that names a broker as clients are told comes to it by that broker's own id."""
    told = yield from ids_told(talk)
    form = talk.codec.form(f"{api}Request", version)
    sent = talk.request(api, version, renumbered(form.message, value, lambda node: told[node]))
    arrived = yield from talk.forwarded(sent)
    _, before = talk.read_request(talk.request(api, version, value)[4:], form, sent)
    _, after = talk.read_request(arrived.frame, form, sent)
    if places := differences(before, after):
        what = f"a request names other brokers than its client meant in {', '.join(places[:3])}"
        raise Broken(what, f"{before}", arrived.frame, judged_by=TAKEN_BACK)
