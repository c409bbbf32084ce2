"""FindCoordinator: one key to version 3, many from version 4 on (KIP-699).

Apache Kafka makes its internal topics when the first coordinator is asked for. So without the right
to write, keys are asked for whose type there is not, or whose internal topic is there already.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from conformance.brokers.dialogues import question
from conformance.brokers.dialogues.acls.requests import DESCRIBE, Acl, authorizer, create, forget
from conformance.brokers.dialogues.acls.requests import GROUP as GROUPS
from conformance.brokers.dialogues.harmless import NO_SUCH_ID
from conformance.brokers.dialogues.talk import ONE_FOR_EACH, Talk
from conformance.brokers.dialogues.topics.metadata import ANY
from conformance.brokers.dialogues.topics.metadata import asking as metadata
from conformance.dialogue import Broken, Dialogue, NotApplicable, Received, Reconnect, Step, Tell
from conformance.error_codes import (
    GROUP_AUTHORIZATION_FAILED,
    INVALID_REQUEST,
    UNKNOWN_TOPIC_OR_PARTITION,
)
from conformance.schema.filling import filled

TYPED = range(1, 100)
FLAT = range(1, 4)
"""The versions that have a type of key, and one key."""
BATCHED = range(4, 100)
BEFORE_SHARES = range(4, 6)
GROUP, TRANSACTION, SHARE = range(3)
NO_SUCH_TYPE = 99
INTERNAL = {GROUP: "__consumer_offsets", TRANSACTION: "__transaction_state"}
ASKED_WITHOUT_CREATING = 4
NEEDS = ("Metadata",)

Found = Generator[Step, Received | None, list[dict[str, Any]]]


def keys(talk: Talk, *which: int) -> list[str]:
    """Return keys that no group has."""
    return [f"{talk.facts.prefix}group-{index}" for index in which]


def coordinators_of(talk: Talk, version: int, keys: list[str], kind: int = GROUP) -> Found:
    """Return the result for each key; for the first key alone in a version before batches."""
    layout = talk.codec.form("FindCoordinatorRequest", version).layout
    wanted = {"keyType": kind, "key": "".join(keys[:1]), "coordinatorKeys": keys}
    reply = yield from talk.ask("FindCoordinator", version, filled(layout, wanted))
    if version in BATCHED:
        return list(reply.value["coordinators"])
    return [{"key": keys[0], **reply.value}]


def creating_nothing(talk: Talk, kind: int = GROUP) -> Dialogue:
    """Go on where asking for such a coordinator makes no topic, or may. Raises NotApplicable."""
    high = talk.facts.range_of("Metadata")[1] if talk.facts.has("Metadata") else 0
    if talk.facts.writes:
        return
    if high >= ASKED_WITHOUT_CREATING:
        layout = talk.codec.form("MetadataRequest", high).layout
        topics = filled(layout, {"topics": [{"name": INTERNAL[kind]}]})["topics"]
        reply = yield from talk.ask("Metadata", high, metadata(talk, high, topics))
        if all(item["errorCode"] != UNKNOWN_TOPIC_OR_PARTITION for item in reply.value["topics"]):
            return
    raise NotApplicable(f"it may make {INTERNAL[kind]}: --allow-writes")


def coordinators(talk: Talk, version: int, keys: list[str], kind: int = GROUP) -> Found:
    """Return the results once each key has a coordinator. Raises Broken and NotApplicable."""
    yield from creating_nothing(talk, kind)
    found: list[dict[str, Any]] = []

    def codes() -> Generator[Step, Received | None, list[int]]:
        found[:] = yield from coordinators_of(talk, version, keys, kind)
        return sorted({item["errorCode"] for item in found})

    yield from talk.eventually("the errors", [0], codes)
    return found


@question(ONE_FOR_EACH, "FindCoordinator", BATCHED, needs=NEEDS)
def _several_keys_of_groups(talk: Talk, version: int) -> Dialogue:
    yield from creating_nothing(talk)
    yield from coordinators_of(talk, version, keys(talk, *range(5)))


@question("coordinators.in-order-of-keys", "FindCoordinator", BATCHED, needs=NEEDS)
def _keys_out_of_order(talk: Talk, version: int) -> Dialogue:
    yield from creating_nothing(talk)
    given = keys(talk, 3, 1, 2)
    found = yield from coordinators_of(talk, version, given)
    talk.expect("the keys", given, [item["key"] for item in found])


@question("coordinators.in-order-of-keys", "FindCoordinator", BATCHED)
def _keys_of_no_type_out_of_order(talk: Talk, version: int) -> Dialogue:
    given = keys(talk, 3, 1, 2)
    found = yield from coordinators_of(talk, version, given, NO_SUCH_TYPE)
    talk.expect("the keys", given, [item["key"] for item in found])


@question("coordinators.no-keys-no-entries", "FindCoordinator", BATCHED)
def _no_keys(talk: Talk, version: int) -> Dialogue:
    found = yield from coordinators_of(talk, version, [])
    talk.expect("the coordinators", [], found)


@question("coordinators.unknown-type-refused", "FindCoordinator", BATCHED)
def _type_that_nobody_has(talk: Talk, version: int) -> Dialogue:
    yield from _expect_refused(talk, version, NO_SUCH_TYPE, keys(talk, 0))


@question("coordinators.unknown-type-refused", "FindCoordinator", FLAT)
def _type_of_one_key_that_nobody_has(talk: Talk, version: int) -> Dialogue:
    yield from _expect_refused(talk, version, NO_SUCH_TYPE, keys(talk, 0))


@question("coordinators.unknown-type-refused", "FindCoordinator", BEFORE_SHARES)
def _share_groups_before_their_time(talk: Talk, version: int) -> Dialogue:
    given = [f"{key}:{NO_SUCH_ID}:0" for key in keys(talk, 0)]
    yield from _expect_refused(talk, version, SHARE, given)


def _expect_refused(talk: Talk, version: int, kind: int, given: list[str]) -> Dialogue:
    """The one key has INVALID_REQUEST. Raises Broken."""
    found = yield from coordinators_of(talk, version, given, kind)
    talk.expect("the errors", [INVALID_REQUEST], [item["errorCode"] for item in found])


@question("coordinators.failed-key-has-no-node", "FindCoordinator", TYPED)
def _node_of_a_failed_key(talk: Talk, version: int) -> Dialogue:
    found = yield from coordinators_of(talk, version, keys(talk, 0), NO_SUCH_TYPE)
    places = [(item["nodeId"], item["host"], item["port"]) for item in found]
    talk.expect("node, host and port", [(-1, "", -1)], places)


@question("coordinators.type-by-version", "FindCoordinator", ANY, needs=NEEDS)
def _coordinator_of_each_type(talk: Talk, version: int) -> Dialogue:
    """Expect version 0 and later ones to find the same for a group: a broker of the cluster."""
    low, high = talk.facts.range_of("Metadata")
    given = keys(talk, 0)
    for kind in (GROUP, TRANSACTION) if version else (GROUP,):
        found = yield from coordinators(talk, version, given, kind)
        places = {(item["nodeId"], item["host"], item["port"]) for item in found}
        layout = talk.codec.form("MetadataRequest", high).layout
        reply = yield from talk.ask(
            "Metadata", high, filled(layout, {"topics": [] if low else None})
        )
        brokers = {(item["nodeId"], item["host"], item["port"]) for item in reply.value["brokers"]}
        if not places <= brokers:
            raise Broken(f"the coordinator is {places}", f"one of {brokers}", f"{places}")
        newest = talk.facts.range_of("FindCoordinator")[1]
        later = yield from coordinators(talk, newest, given, kind)
        due = {(item["nodeId"], item["host"], item["port"]) for item in later}
        talk.expect(f"the coordinator for type {kind} of version {newest}", due, places)


@question("coordinators.no-key-lost", "FindCoordinator", BATCHED, needs=NEEDS)
def _keys_given_twice(talk: Talk, version: int) -> Dialogue:
    given = keys(talk, 1, 2, 1)
    yield from _expect_alike(talk, given, (yield from coordinators(talk, version, given)))


@question("coordinators.no-key-lost", "FindCoordinator", BATCHED)
def _keys_of_no_type_given_twice(talk: Talk, version: int) -> Dialogue:
    given = keys(talk, 1, 2, 1)
    found = yield from coordinators_of(talk, version, given, NO_SUCH_TYPE)
    codes = {item["errorCode"] for item in found}
    talk.expect("the errors, of one type for all keys", {INVALID_REQUEST}, codes)
    yield from _expect_alike(talk, given, found)


def _expect_alike(talk: Talk, given: list[str], found: list[dict[str, Any]]) -> Dialogue:
    """Each key has its answer, and one that was given twice has one or two alike."""
    by_key: dict[str, list[Any]] = {}
    for item in found:
        place = (item["errorCode"], item["nodeId"], item["host"], item["port"])
        by_key.setdefault(item["key"], []).append(place)
    talk.expect("the keys that were answered", sorted(set(given)), sorted(by_key))
    for key, places in by_key.items():
        if len(places) > given.count(key) or len(set(places)) > 1:
            raise Broken(f"the answers of {key} are {places}", "as many as asked, and alike")
    twice = max(map(len, by_key.values()))
    yield Tell(f"a key given twice has {'two answers' if twice > 1 else 'one answer'}")


@question(
    "coordinators.failed-key-alone",
    "FindCoordinator",
    BATCHED,
    needs=(*NEEDS, "DescribeAcls", "CreateAcls", "DeleteAcls"),
    wants=("writes", "other"),
)
def _one_group_that_may_be_seen_of_two(talk: Talk, version: int) -> Dialogue:
    """Grant the second principal one of two groups: it may not see the other."""
    seen, hidden = talk.facts.name("seen"), talk.facts.name("hidden")
    right = Acl(seen, talk.facts.other, DESCRIBE, kind=GROUPS)
    yield from authorizer(talk)
    yield from coordinators(talk, version, [seen, hidden])
    codes = yield from create(talk, talk.facts.range_of("CreateAcls")[1], right)
    talk.expect("the errors of CreateAcls", [0], codes)
    yield Reconnect("other")
    found: list[dict[str, Any]] = []

    def errors() -> Generator[Step, Received | None, dict[str, int]]:
        found[:] = yield from coordinators_of(talk, version, [hidden, seen])
        return {item["key"]: item["errorCode"] for item in found}

    due = {hidden: GROUP_AUTHORIZATION_FAILED, seen: 0}
    yield from talk.eventually("the errors", due, errors)
    [node] = [item["nodeId"] for item in found if item["key"] == seen]
    if node < 0:
        raise Broken("a key that did not fail has no node", "a node", str(node))
    yield Reconnect("self")
    yield from forget(talk, right)
