"""Addresses through a proxy that changes them: a client that follows them never bypasses it."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import Any

from conformance.dialogue import (
    Broken,
    Dialogue,
    Follow,
    NotApplicable,
    Received,
    Reconnect,
    Step,
)
from conformance.error_codes import COORDINATOR_NOT_AVAILABLE, NONE, NOT_LEADER_OR_FOLLOWER
from conformance.proxies.dialogues import ONE_TO_ONE, dialogue
from conformance.proxies.dialogues.partitions import request_for
from conformance.proxies.dialogues.talk import (
    ANSWERS_MEAN,
    ANSWERS_PASS,
    ANSWERS_WELL_FORMED,
    Address,
    ProxyTalk,
    differences,
    number_of,
)
from conformance.reference.proxy.node_ids import renumbered
from conformance.reference.proxy.translation import ADDRESSES, NODE_IDS, PORTS
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


@dialogue(
    ANSWERS_WELL_FORMED,
    IN_METADATA,
    REST,
    ONE_TO_ONE,
    api="Metadata",
    versions=True,
    changes=ADDRESSES,
)
def _all_brokers(talk: ProxyTalk, version: int) -> Dialogue:
    value = _metadata(talk, version)
    partition = {"leaderId": 2, "replicaNodes": [1, 2, 3], "isrNodes": [1, 2]}
    value["topics"] = [{"name": "events", "partitions": [partition]}]
    yield from _rewritten(talk, "Metadata", version, value, IN_METADATA)


@dialogue(
    ANSWERS_WELL_FORMED,
    IN_COORDINATORS,
    REST,
    ONE_TO_ONE,
    api="FindCoordinator",
    versions=True,
    changes=ADDRESSES,
)
def _coordinators(talk: ProxyTalk, version: int) -> Dialogue:
    """Answer with one coordinator, or in newer versions one for each key, with null messages."""
    yield from _all_of_them(talk)
    value = _coordinators_of(talk, version, list(talk.facts.brokers))
    yield from _rewritten(talk, "FindCoordinator", version, value, IN_COORDINATORS)


@dialogue(ERRORS, api="FindCoordinator", versions=True, changes=ADDRESSES)
def _no_coordinator(talk: ProxyTalk, version: int) -> Dialogue:
    """Answer with an error that names no coordinator: broker -1, no host, port -1.

    From version 4 on a coordinator that exists is beside it.
    """
    yield from _all_of_them(talk)
    nobody = {**NOBODY, "errorCode": COORDINATOR_NOT_AVAILABLE, "errorMessage": "not yet"}
    value = _coordinators_of(talk, version, [1])
    if version >= 4:
        value["coordinators"].append({**nobody, "key": "group-of-nobody"})
    else:
        known = {name for name in value if name != "throttleTimeMs"}
        value |= {name: each for name, each in nobody.items() if name in known}
    after, _, frame = yield from sent_through(talk, "FindCoordinator", version, value, ERRORS)
    entry = after["coordinators"][-1] if version >= 4 else after
    found = {name: entry[name] for name in ("nodeId", "host", "port", "errorCode")}
    expected = {**NOBODY, "errorCode": COORDINATOR_NOT_AVAILABLE}
    if found != expected:
        raise Broken("an error comes as something else", f"{expected}", frame)


@dialogue(
    ANSWERS_WELL_FORMED,
    IN_CLUSTER,
    REST,
    ONE_TO_ONE,
    api="DescribeCluster",
    versions=True,
    changes=ADDRESSES,
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


@dialogue(
    ANSWERS_WELL_FORMED,
    IN_ENDPOINTS,
    REST,
    ONE_TO_ONE,
    api="Produce",
    versions=True,
    changes=ADDRESSES,
)
def _new_leader_in_produce(talk: ProxyTalk, version: int) -> Dialogue:
    """Answer with the leader that a partition has now, which is possible from version 10 on."""
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


@dialogue(
    ANSWERS_WELL_FORMED,
    IN_ENDPOINTS,
    REST,
    ONE_TO_ONE,
    api="Fetch",
    versions=True,
    changes=ADDRESSES,
)
def _new_leader_in_fetch(talk: ProxyTalk, version: int) -> Dialogue:
    """Answer with the leader that a partition has now, which is possible from version 16 on."""
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


@dialogue(
    ANSWERS_WELL_FORMED,
    IN_ENDPOINTS,
    REST,
    ONE_TO_ONE,
    api="ShareFetch",
    versions=True,
    changes=ADDRESSES,
)
def _new_leader_in_share_fetch(talk: ProxyTalk, version: int) -> Dialogue:
    yield from _with_endpoints(
        talk, "ShareFetch", version, talk.plain_answer("ShareFetch", version)
    )


@dialogue(
    ANSWERS_WELL_FORMED,
    IN_ENDPOINTS,
    REST,
    ONE_TO_ONE,
    api="ShareAcknowledge",
    versions=True,
    changes=ADDRESSES,
)
def _new_leader_in_share_acknowledge(talk: ProxyTalk, version: int) -> Dialogue:
    yield from _with_endpoints(
        talk, "ShareAcknowledge", version, talk.plain_answer("ShareAcknowledge", version)
    )


@dialogue(ANSWERS_WELL_FORMED, ANSWERS_MEAN, unless=ADDRESSES, versions=True)
def _brokers_stay(talk: ProxyTalk, version: int) -> Dialogue:
    """Check that a proxy that does not declare addresses leaves those of all brokers alone."""
    value = _metadata(talk, version)
    after, before, got = yield from sent_through(talk, "Metadata", version, value)
    places = _changed(talk, "Metadata", before, after)
    if places:
        what = f"it says something else of {', '.join(places[:3])}"
        raise Broken(what, f"{before}", got, judged_by=ANSWERS_MEAN)


@dialogue(LEAD, api="Metadata", changes=ADDRESSES, unless=PORTS)
def _each_broker_is_reached(talk: ProxyTalk) -> Dialogue:
    """Check that a client which connects to the address of a broker reaches that broker."""
    told = yield from _told(talk, _metadata(talk, _version(talk)))
    for node in talk.facts.brokers:
        yield from _leads_to(talk, told, node, node, LEAD)


@dialogue(
    MOVED, api="Metadata", changes=ADDRESSES, unless=PORTS, rests_on=[_each_broker_is_reached]
)
def _a_broker_that_moves(talk: ProxyTalk) -> Dialogue:
    """Move broker 2 to the place of broker 3: a client of the new answer has to get there."""
    if len(talk.facts.brokers) < 3:
        return
    yield from _told(talk, _metadata(talk, _version(talk)))
    moved = dict(talk.facts.brokers)
    moved[2] = moved.pop(3)
    told = yield from _told(talk, _metadata(talk, _version(talk), moved))
    yield from _leads_to(talk, told, 2, 3, MOVED)


@dialogue(UNUSUAL, api="Metadata", changes=ADDRESSES, unless=PORTS)
def _a_host_of_255_letters(talk: ProxyTalk) -> Dialogue:
    """Answer with the longest name that DNS has, and with an address of IPv6, beside others."""
    told = yield from _told(talk, _metadata(talk, _version(talk)))
    if any(told.get(node) == address for node, address in talk.facts.brokers.items()):
        raise NotApplicable("usual addresses are not changed either")
    unusual = {**talk.facts.brokers, 3: ("a" * 60 + ".b" * 97 + "c", 65535)}
    yield from _unusual(talk, unusual)
    yield from _unusual(talk, {**talk.facts.brokers, 3: ("2001:db8::ffff:1", 1)})
    yield from _all_of_them(talk)


def _unusual(talk: ProxyTalk, brokers: dict[int, Address]) -> Dialogue:
    told = yield from _told(talk, _metadata(talk, _version(talk), brokers), UNUSUAL)
    left = [node for node, address in brokers.items() if told.get(node) in (None, address)]
    if left:
        raise Broken(
            f"the address of broker {left[0]} is not the proxy's",
            "an address of the proxy",
            f"{told}",
        )
    if talk.facts.tls or talk.facts.mechanism:
        return  # without a broker behind it, a proxy may end a handshake or a login
    yield Follow(*told[3])
    yield Reconnect()


def _version(talk: ProxyTalk) -> int:
    return talk.facts.range_of("Metadata")[1]


def _metadata(talk: ProxyTalk, version: int, brokers: Any = None) -> Value:
    """Return an answer that names all brokers."""
    value = talk.plain_answer("Metadata", version)
    value["brokers"] = [
        {"nodeId": node, "host": host, "port": port}
        | ({"rack": f"r{node}"} if version >= 1 else {})
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
    """Show the proxy the addresses of all brokers, as every client does that has asked Metadata."""
    yield from _told(talk, _metadata(talk, _version(talk)))


def _told(
    talk: ProxyTalk, value: Value, rule: str = ANSWERS_PASS
) -> Generator[Step, Received | None, dict[int, Address]]:
    """Return the address of each broker in the client's Metadata, by its real id. Raises Broken."""
    told = yield from _brokers(talk, value, rule)
    return {node: (each["host"], each["port"]) for node, each in told.items()}


def _brokers(
    talk: ProxyTalk, value: Value, rule: str
) -> Generator[Step, Received | None, dict[int, Value]]:
    """Return the client's entry of each broker by its real id: its rack shows it if ids change."""
    after, _, frame = yield from sent_through(talk, "Metadata", _version(talk), value, rule)
    if NODE_IDS not in talk.facts.rewrites:
        return {each["nodeId"]: each for each in after["brokers"]}
    ids = [each["nodeId"] for each in after["brokers"]]
    if len({*ids}) < len(ids) or min(ids, default=0) < 0:
        raise Broken("two brokers have one id", "an id each", frame, judged_by=ONE_TO_ONE)
    racks = {f"r{node}": node for node in talk.facts.brokers}
    return {racks.get(each["rack"], -1): each for each in after["brokers"]}


def ids_told(talk: ProxyTalk) -> Generator[Step, Received | None, dict[int, int]]:
    """Return the id of each broker in the client's Metadata, by its real id. Raises Broken."""
    told = yield from _brokers(talk, _metadata(talk, _version(talk)), ANSWERS_PASS)
    return {node: each["nodeId"] for node, each in told.items()}


def _leads_to(
    talk: ProxyTalk, told: dict[int, Address], node: int, place: int, rule: str
) -> Dialogue:
    """Check that a client's address of a broker leads to where that broker is. Raises Broken."""
    if node not in told:
        raise Broken(f"broker {node} is not in the answer", f"{node}", f"{told}")
    yield Follow(*told[node])
    arrived = yield from talk.forwarded(talk.metadata(), judged_by=rule)
    if arrived.node != place:
        what = f"the address that is told of broker {node} leads to broker {arrived.node}"
        raise Broken(what, f"broker {place}", f"broker {arrived.node}")


def sent_through(
    talk: ProxyTalk, api: str, version: int, value: Value, judged_by: str = ANSWERS_PASS
) -> Generator[Step, Received | None, tuple[Value, Value, bytes]]:
    """Return an answer as the client gets it, the answer as sent, and the client's bytes.

    Raises Broken. `judged_by` is the rule that judges a missing answer.
    """
    request = talk.request(api, version, request_for(talk, api, version, value))
    arrived = yield from talk.forwarded(request)
    sent = talk.answer_frame(api, version, value, arrived.number)
    got = yield from talk.answered(sent, number_of(request), judged_by=judged_by)
    form = talk.codec.form(f"{api}Response", version)
    _, before = talk.read_answer(sent[4:], form, sent)
    _, after = talk.read_answer(got, form, sent)
    return after, before, got


def _rewritten(talk: ProxyTalk, api: str, version: int, value: Value, rule: str) -> Dialogue:
    """Check that no address of the brokers is left, and nothing else is changed. Raises Broken."""
    changes_ids = NODE_IDS in talk.facts.rewrites
    told = (yield from ids_told(talk)) if changes_ids else {}
    after, before, got = yield from sent_through(talk, api, version, value)
    behind = {*talk.facts.brokers.values()}
    left = [address for address in _addresses(after) if address in behind]
    if left:
        host, port = left[0]
        what = f"the answer tells the client to go to {host}:{port}, past the proxy"
        raise Broken(what, "an address of the proxy", got, judged_by=rule)
    if len(_addresses(after)) != len(_addresses(before)):
        raise Broken(
            "the answer names another number of brokers", f"{before}", f"{after}", judged_by=REST
        )
    theirs = {"port"} if PORTS in talk.facts.rewrites else {"host", "port"}
    one, other = _without(theirs, before), _without(theirs, after)
    places = _changed(talk, api, one, other)
    if places:
        what = f"beside addresses it changes {', '.join(places[:3])}"
        raise Broken(what, f"{before}", f"{after}", judged_by=REST)
    if changes_ids:
        expect_ids(f"{api}Response", one, other, told, got)


def expect_ids(
    message: str, before: Value, after: Value, told: Mapping[int, int], got: bytes
) -> None:
    """Check that an answer has the ids of brokers that Metadata has. Raises Broken."""
    due = renumbered(message, before, lambda node: told.get(node, node))
    if places := differences(due, after):
        what = f"it has other ids of brokers than Metadata in {', '.join(places[:3])}"
        raise Broken(what, f"{due}", got, judged_by=ONE_TO_ONE)


def _changed(talk: ProxyTalk, api: str, before: Value, after: Value) -> list[str]:
    """Return the places where an answer is changed, except ids if the proxy changes those."""
    if NODE_IDS in talk.facts.rewrites:
        return differences_but_ids(f"{api}Response", before, after)
    return differences(before, after)


def differences_but_ids(message: str, before: Value, after: Value) -> list[str]:
    """Return the places where two messages differ, except in ids of brokers."""
    one, other = (renumbered(message, each, lambda _: 0) for each in (before, after))
    return differences(one, other)


def _addresses(value: Any) -> list[Address]:
    """Return every host with its port, at any depth."""
    if isinstance(value, list):
        return [address for each in value for address in _addresses(each)]
    if not isinstance(value, dict):
        return []
    own = [(value["host"], value["port"])] if "host" in value else []
    return own + [address for each in value.values() for address in _addresses(each)]


def _without(theirs: set[str], value: Any) -> Any:
    """Return the value without the fields that the proxy changes."""
    if isinstance(value, list):
        return [_without(theirs, each) for each in value]
    if not isinstance(value, dict):
        return value
    kept = value.keys() - theirs
    return {name: _without(theirs, each) for name, each in value.items() if name in kept}
