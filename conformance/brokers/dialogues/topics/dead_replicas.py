"""Brokers that are down, as Metadata lists them: in version 0 otherwise than later (KIP-4).

All partitions that a broker has are checked. If brokers may be ended, one is, to have an
example: a partition that it had alone, and one that others have too.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from conformance.brokers.dialogues import question
from conformance.brokers.dialogues.talk import Talk
from conformance.brokers.dialogues.topics.lifecycle import create_topics, newest, partition_leaders
from conformance.brokers.dialogues.topics.metadata import asking
from conformance.brokers.dialogues.topics.requests import assigned, new, nodes, removed
from conformance.dialogue import Broken, Dialogue, NotApplicable, Received, Reconnect, Step, Stop
from conformance.error_codes import LEADER_NOT_AVAILABLE, LISTENER_NOT_FOUND, REPLICA_NOT_AVAILABLE

ANY = range(100)
RULE = "metadata.dead-replica-by-version"
LISTENERS_SINCE = 6
OFFLINE_TOLD = 5
NOBODY = -1

Partitions = Generator[Step, Received | None, tuple[set[int], dict[tuple[str, int], Any]]]


def partitions(talk: Talk, version: int) -> Partitions:
    """Return the brokers' ids, and each partition by topic and number, as Metadata lists them."""
    every: list[Any] | None = None if version else []
    reply = yield from talk.ask("Metadata", version, asking(talk, version, every))
    brokers = {item["nodeId"] for item in reply.value["brokers"]}
    found = {
        (item["name"], each["partitionIndex"]): each
        for item in reply.value["topics"]
        for each in item["partitions"]
    }
    return brokers, found


def check(talk: Talk, version: int, brokers: set[int], which: Any, partition: Any) -> None:
    """Check that replicas that are down are listed as the version demands. Raises Broken."""
    replicas, code = partition["replicaNodes"], partition["errorCode"]
    dead = [node for node in replicas if node not in brokers]
    if version == 0:
        talk.expect(f"the replicas of {which} that are no brokers", [], dead)
    else:
        if code == REPLICA_NOT_AVAILABLE:
            raise Broken(f"{which} has REPLICA_NOT_AVAILABLE in version {version}", "no such error")
        if version >= OFFLINE_TOLD:
            found = sorted(partition["offlineReplicas"])
            if not set(dead) <= set(found):
                raise Broken(f"{which}: {dead} are no brokers, and {found} offline", f"{dead}")
    if not set(partition["isrNodes"]) <= set(replicas):
        raise Broken(f"{which}: in sync is what is no replica: {partition['isrNodes']}")


@question(RULE, "Metadata", ANY)
def _replicas_that_are_down(talk: Talk, version: int) -> Dialogue:
    """Expect, in version 0, the newest version's replicas without those that are down."""
    high = newest(talk, "Metadata")
    brokers, newly = yield from partitions(talk, high)
    listed, found = yield from partitions(talk, version)
    for which, partition in found.items():
        check(talk, version, listed, which, partition)
        told = newly.get(which)
        if told is None or not high or brokers != listed:
            continue
        alive = [node for node in told["replicaNodes"] if node in brokers]
        due = alive if version == 0 else told["replicaNodes"]
        talk.expect(f"the replicas of {which}", due, partition["replicaNodes"])
        if version == 0 and len(alive) < len(told["replicaNodes"]):
            expected = REPLICA_NOT_AVAILABLE if alive else LEADER_NOT_AVAILABLE
            talk.expect(f"the error of {which}", expected, partition["errorCode"])
    if not found:
        raise NotApplicable("the broker has no partition")


@question(RULE, "Metadata", needs=("CreateTopics", "DeleteTopics"), wants=("writes", "stops"))
def _broker_that_was_ended(talk: Talk) -> Dialogue:
    """Ask the first broker about the last, ended one in all versions: ending takes time."""
    brokers = yield from nodes(talk)
    here, there = brokers[0], brokers[-1]
    yield Reconnect(node=here)
    shared, alone = talk.facts.name("shared"), talk.facts.name("alone")
    both = new(shared, **assigned([there, here]))
    yield from create_topics(talk, newest(talk), both, new(alone, **assigned([there])))
    yield from talk.eventually("the replicas", {0: [there, here]}, partition_leaders(talk, shared))
    yield Stop(there)
    low, high = talk.facts.range_of("Metadata")
    for version in range(low, high + 1):
        yield from _expect_ended(talk, version, here, there, shared, alone)
    yield from removed(talk, shared, alone)


def _expect_ended(
    talk: Talk, version: int, here: int, there: int, shared: str, alone: str
) -> Dialogue:
    """Expect one broker down, which has a partition alone, and one that it shared and led."""
    low = version == 0

    def told() -> Generator[Step, Received | None, dict[str, Any]]:
        listed, found = yield from partitions(talk, version)
        ours = {name: found.get((name, 0)) for name in (shared, alone)}
        keys = ("errorCode", "leaderId", "replicaNodes")
        seen = {name: tuple((each or {}).get(key) for key in keys) for name, each in ours.items()}
        return {"listed": there in listed, **seen}

    due = {
        "listed": False,
        shared: (REPLICA_NOT_AVAILABLE if low else 0, here, [here] if low else [there, here]),
        alone: (LEADER_NOT_AVAILABLE, NOBODY, [] if low else [there]),
    }
    what = f"in version {version}, whether it is listed, and error, leader, replicas"
    yield from talk.eventually(what, due, told)
    listed, found = yield from partitions(talk, version)
    for name in (shared, alone):
        check(talk, version, listed, name, found[name, 0])


@question("metadata.listener-error-by-version", "Metadata", ANY)
def _errors_of_leaders(talk: Talk, version: int) -> Dialogue:
    _, found = yield from partitions(talk, version)
    if not found:
        raise NotApplicable("the broker has no partition")
    for which, partition in found.items():
        if version < LISTENERS_SINCE and partition["errorCode"] == LISTENER_NOT_FOUND:
            words = f"{LEADER_NOT_AVAILABLE} (LEADER_NOT_AVAILABLE)"
            raise Broken(f"{which} has LISTENER_NOT_FOUND in version {version}", words)
