"""Addresses through a proxy that changes them: a client that follows them never leaves it."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from conformance.dialogue import Broken, Dialogue, Follow, Received, Reconnect, Step
from conformance.error_codes import COORDINATOR_NOT_AVAILABLE, NONE, NOT_LEADER_OR_FOLLOWER
from conformance.proxies.dialogues import dialogue
from conformance.proxies.dialogues.talk import (
    ANSWERS_WELL_FORMED,
    Address,
    ProxyTalk,
    differences,
    number_of,
)
from conformance.testee_protocol import Value

IN_METADATA = "proxy-addresses.in-metadata"
IN_COORDINATORS = "proxy-addresses.in-coordinators"
IN_CLUSTER = "proxy-addresses.in-cluster-description"
IN_ENDPOINTS = "proxy-addresses.in-node-endpoints"
LEAD = "proxy-addresses.lead-to-their-broker"
ERRORS = "proxy-addresses.errors-name-nobody"
REST = "proxy-addresses.rest-stays"
MOVED = "proxy-addresses.moved-broker-is-followed"
UNUSUAL = "proxy-addresses.unusual-hosts"
NOBODY = {"nodeId": -1, "host": "", "port": -1}


@dialogue(ANSWERS_WELL_FORMED, IN_METADATA, REST, api="Metadata", versions=True, rewrites=True)
def _all_brokers(talk: ProxyTalk, version: int) -> Dialogue:
    yield from _rewritten(talk, "Metadata", version, _metadata(talk, version), IN_METADATA)


@dialogue(
    ANSWERS_WELL_FORMED, IN_COORDINATORS, REST, api="FindCoordinator", versions=True, rewrites=True
)
def _coordinators(talk: ProxyTalk, version: int) -> Dialogue:
    """One, or where the version has them, one for each key, with null messages."""
    yield from _all_of_them(talk)
    value = _coordinators_of(talk, version, list(talk.facts.brokers))
    yield from _rewritten(talk, "FindCoordinator", version, value, IN_COORDINATORS)


@dialogue(ERRORS, api="FindCoordinator", versions=True, rewrites=True)
def _no_coordinator(talk: ProxyTalk, version: int) -> Dialogue:
    """An error names nobody: broker -1, no host, port -1. Beside others where that can be."""
    yield from _all_of_them(talk)
    nobody = {**NOBODY, "errorCode": COORDINATOR_NOT_AVAILABLE, "errorMessage": "not yet"}
    value = _coordinators_of(talk, version, [1])
    if version >= 4:
        value["coordinators"].append({**nobody, "key": "group-of-nobody"})
    else:
        known = {name for name in value if name != "throttleTimeMs"}
        value |= {name: each for name, each in nobody.items() if name in known}
    after, _, frame = yield from _sent_through(talk, "FindCoordinator", version, value, ERRORS)
    entry = after["coordinators"][-1] if version >= 4 else after
    found = {name: entry[name] for name in ("nodeId", "host", "port", "errorCode")}
    expected = {**NOBODY, "errorCode": COORDINATOR_NOT_AVAILABLE}
    if found != expected:
        raise Broken("an error comes as something else", f"{expected}", frame)


@dialogue(
    ANSWERS_WELL_FORMED, IN_CLUSTER, REST, api="DescribeCluster", versions=True, rewrites=True
)
def _cluster(talk: ProxyTalk, version: int) -> Dialogue:
    value = talk.plain_answer("DescribeCluster", version)
    value |= {"clusterId": "a-cluster", "controllerId": 2}
    value["brokers"] = [
        {"brokerId": node, "host": host, "port": port, "rack": "r1"}
        | ({"isFenced": False} if version >= 2 else {})
        for node, (host, port) in talk.facts.brokers.items()
    ]
    yield from _rewritten(talk, "DescribeCluster", version, value, IN_CLUSTER)


@dialogue(ANSWERS_WELL_FORMED, IN_ENDPOINTS, REST, api="Produce", versions=True, rewrites=True)
def _new_leader_in_produce(talk: ProxyTalk, version: int) -> Dialogue:
    """From version 10 on an answer may name the leader that a partition has now."""
    if version >= 10:
        partition = {
            "index": 0,
            "errorCode": NOT_LEADER_OR_FOLLOWER,
            "baseOffset": -1,
            "currentLeader": {"leaderId": 2, "leaderEpoch": 7},
        }
        value = talk.plain_answer("Produce", version)
        value["responses"] = [{**_topic(version, 13, "name"), "partitionResponses": [partition]}]
        yield from _with_endpoints(talk, "Produce", version, value)


@dialogue(ANSWERS_WELL_FORMED, IN_ENDPOINTS, REST, api="Fetch", versions=True, rewrites=True)
def _new_leader_in_fetch(talk: ProxyTalk, version: int) -> Dialogue:
    """From version 16 on."""
    if version >= 16:
        partition = {
            "partitionIndex": 0,
            "errorCode": NOT_LEADER_OR_FOLLOWER,
            "highWatermark": -1,
            "abortedTransactions": None,
            "records": None,
            "currentLeader": {"leaderId": 2, "leaderEpoch": 7},
        }
        value = talk.plain_answer("Fetch", version)
        value["responses"] = [{**_topic(version, 13, "topic"), "partitions": [partition]}]
        yield from _with_endpoints(talk, "Fetch", version, value)


@dialogue(ANSWERS_WELL_FORMED, IN_ENDPOINTS, REST, api="ShareFetch", versions=True, rewrites=True)
def _new_leader_in_share_fetch(talk: ProxyTalk, version: int) -> Dialogue:
    yield from _with_endpoints(
        talk, "ShareFetch", version, talk.plain_answer("ShareFetch", version)
    )


@dialogue(
    ANSWERS_WELL_FORMED, IN_ENDPOINTS, REST, api="ShareAcknowledge", versions=True, rewrites=True
)
def _new_leader_in_share_acknowledge(talk: ProxyTalk, version: int) -> Dialogue:
    yield from _with_endpoints(
        talk, "ShareAcknowledge", version, talk.plain_answer("ShareAcknowledge", version)
    )


@dialogue(LEAD, api="Metadata", rewrites=True)
def _each_broker_is_reached(talk: ProxyTalk) -> Dialogue:
    """Who connects to the address of a broker is connected with that broker."""
    told = yield from _told(talk, _metadata(talk, _version(talk)))
    for node in talk.facts.brokers:
        yield from _leads_to(talk, told, node, node, LEAD)


@dialogue(MOVED, api="Metadata", rewrites=True)
def _a_broker_that_moves(talk: ProxyTalk) -> Dialogue:
    """Broker 2 is where broker 3 was: who follows the new answer comes there."""
    if len(talk.facts.brokers) < 3:
        return
    yield from _told(talk, _metadata(talk, _version(talk)))
    moved = dict(talk.facts.brokers)
    moved[2] = moved.pop(3)
    told = yield from _told(talk, _metadata(talk, _version(talk), moved))
    yield from _leads_to(talk, told, 2, 3, MOVED)


@dialogue(UNUSUAL, api="Metadata", rewrites=True)
def _a_host_of_255_letters(talk: ProxyTalk) -> Dialogue:
    """The longest name that DNS has, and an address of IPv6, beside others."""
    unusual = {**talk.facts.brokers, 3: ("a" * 60 + ".b" * 97 + "c", 65535)}
    yield from _unusual(talk, unusual)
    yield from _unusual(talk, {**talk.facts.brokers, 3: ("2001:db8::ffff:1", 1)})
    yield from _all_of_them(talk)


def _unusual(talk: ProxyTalk, brokers: dict[int, Address]) -> Dialogue:
    told = yield from _told(talk, _metadata(talk, _version(talk), brokers), UNUSUAL)
    left = [node for node, address in brokers.items() if told.get(node) in (None, address)]
    if left:
        raise Broken(f"the address of broker {left[0]} is not the proxy's", "another", f"{told}")
    if talk.facts.tls or talk.facts.mechanism:
        return  # where nobody is behind it, a proxy may end a handshake or a login
    yield Follow(*told[3])
    yield Reconnect()


def _version(talk: ProxyTalk) -> int:
    return talk.facts.range_of("Metadata")[1]


def _metadata(talk: ProxyTalk, version: int, brokers: Any = None) -> Value:
    """An answer that names all brokers."""
    value = talk.plain_answer("Metadata", version)
    rack = {"rack": "r1"} if version >= 1 else {}
    value["brokers"] = [
        {"nodeId": node, "host": host, "port": port, **rack}
        for node, (host, port) in (brokers or talk.facts.brokers).items()
    ]
    if version >= 1:
        value["controllerId"] = 1
    return value


def _coordinators_of(talk: ProxyTalk, version: int, nodes: list[int]) -> Value:
    brokers = talk.facts.brokers
    value = talk.plain_answer("FindCoordinator", version)
    if version < 4:
        host, port = brokers[nodes[-1]]
        value |= {"errorCode": NONE, "nodeId": nodes[-1], "host": host, "port": port}
        return value | ({"errorMessage": None} if version >= 1 else {})
    value["coordinators"] = [
        {
            "key": f"group-{node}",
            "nodeId": node,
            "host": brokers[node][0],
            "port": brokers[node][1],
            "errorCode": NONE,
            "errorMessage": None,
        }
        for node in nodes
    ]
    return value


def _topic(version: int, by_id_from: int, name: str) -> Value:
    return {"topicId": "AAAAAAAAAAAAAAAAAAAAKg"} if version >= by_id_from else {name: "events"}


def _with_endpoints(talk: ProxyTalk, api: str, version: int, value: Value) -> Dialogue:
    yield from _all_of_them(talk)
    value["nodeEndpoints"] = [
        {"nodeId": node, "host": host, "port": port, "rack": None}
        for node, (host, port) in talk.facts.brokers.items()
    ]
    yield from _rewritten(talk, api, version, value, IN_ENDPOINTS)


def _all_of_them(talk: ProxyTalk) -> Dialogue:
    """Have the proxy see where all brokers are, as every client does that has asked Metadata."""
    yield from _told(talk, _metadata(talk, _version(talk)))


def _told(
    talk: ProxyTalk, value: Value, rule: str = IN_METADATA
) -> Generator[Step, Received | None, dict[int, Address]]:
    """The address of each broker as a client is told it. Raises Broken."""
    after, _, _ = yield from _sent_through(talk, "Metadata", _version(talk), value, rule)
    return {each["nodeId"]: (each["host"], each["port"]) for each in after["brokers"]}


def _leads_to(
    talk: ProxyTalk, told: dict[int, Address], node: int, place: int, rule: str
) -> Dialogue:
    """A request to the told address of a broker comes where that broker is. Raises Broken."""
    if node not in told:
        raise Broken(f"broker {node} is not in the answer", f"{node}", f"{told}")
    yield Follow(*told[node])
    arrived = yield from talk.forwarded(talk.metadata(), judged_by=rule)
    if arrived.node != place:
        what = f"the address that is told of broker {node} leads to broker {arrived.node}"
        raise Broken(what, f"broker {place}", f"broker {arrived.node}")


def _sent_through(
    talk: ProxyTalk, api: str, version: int, value: Value, rule: str
) -> Generator[Step, Received | None, tuple[Value, Value, bytes]]:
    """An answer as it comes to the client, what it was, and its bytes. Raises Broken."""
    request = talk.request(api, version)
    arrived = yield from talk.forwarded(request, judged_by=rule)
    sent = talk.answer_frame(api, version, value, arrived.number)
    got = yield from talk.answered(sent, number_of(request), judged_by=rule)
    form = talk.codec.form(f"{api}Response", version)
    _, before = talk.read_answer(sent[4:], form, sent)
    _, after = talk.read_answer(got, form, sent)
    return after, before, got


def _rewritten(talk: ProxyTalk, api: str, version: int, value: Value, rule: str) -> Dialogue:
    """No address from behind the proxy is left, and nothing else is changed. Raises Broken."""
    after, before, got = yield from _sent_through(talk, api, version, value, rule)
    behind = {*talk.facts.brokers.values()}
    left = [address for address in _addresses(after) if address in behind]
    if left:
        host, port = left[0]
        what = f"the answer tells the client to go to {host}:{port}, past the proxy"
        raise Broken(what, "an address of the proxy", got, judged_by=rule)
    if len(_addresses(after)) != len(_addresses(before)):
        raise Broken(
            "the answer names another number of brokers", f"{before}", f"{after}", judged_by=rule
        )
    places = differences(_without_addresses(before), _without_addresses(after))
    if places:
        what = f"beside addresses it changes {', '.join(places[:3])}"
        raise Broken(what, f"{before}", f"{after}", judged_by=REST)


def _addresses(value: Any) -> list[Address]:
    """Every host with its port, however deep."""
    if isinstance(value, list):
        return [address for each in value for address in _addresses(each)]
    if not isinstance(value, dict):
        return []
    own = [(value["host"], value["port"])] if "host" in value else []
    return own + [address for each in value.values() for address in _addresses(each)]


def _without_addresses(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_addresses(each) for each in value]
    if not isinstance(value, dict):
        return value
    kept = value.keys() - {"host", "port"}
    return {name: _without_addresses(each) for name, each in value.items() if name in kept}
