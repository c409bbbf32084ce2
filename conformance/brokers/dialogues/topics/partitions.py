"""CreatePartitions and AlterPartitionReassignments: what KIP-4 planned as AlterTopics.

Every dialogue works on topics of its own.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from conformance.brokers.dialogues import question
from conformance.brokers.dialogues.talk import Talk
from conformance.brokers.dialogues.topics.lifecycle import create_topics, newest, partition_leaders
from conformance.brokers.dialogues.topics.requests import (
    ANY,
    NO_BROKER,
    PATIENCE_MS,
    WRITES,
    Results,
    absent,
    assigned,
    errors,
    new,
    nodes,
    removed,
)
from conformance.dialogue import Broken, Dialogue, Received, Reconnect, Step, Tell
from conformance.error_codes import (
    INVALID_PARTITIONS,
    INVALID_REPLICA_ASSIGNMENT,
    INVALID_REQUEST,
    NO_REASSIGNMENT_IN_PROGRESS,
    NOT_CONTROLLER,
    UNKNOWN_TOPIC_OR_PARTITION,
)
from conformance.schema.filling import filled

NEEDS = ("Metadata", "CreateTopics", "DeleteTopics")


def grown(talk: Talk, version: int, *topics: Any, validate: bool = False) -> Results:
    """Return the results for topics that are to have more partitions."""
    value = {"topics": list(topics), "timeoutMs": PATIENCE_MS, "validateOnly": validate}
    layout = talk.codec.form("CreatePartitionsRequest", version).layout
    reply = yield from talk.ask("CreatePartitions", version, filled(layout, value))
    return list(reply.value["results"])


def to(name: str, count: int, *replicas: list[int]) -> Any:
    """A topic that is to have `count` partitions, the new ones on these replicas if given."""
    given = [{"brokerIds": each} for each in replicas]
    return {"name": name, "count": count, "assignments": given or None}


def reassigned(
    talk: Talk, version: int, asked: dict[str, dict[int, list[int] | None]]
) -> Generator[Step, Received | None, dict[str, dict[int, int]]]:
    """The error of each partition that is to have other replicas, by topic and number."""
    topics = [
        {
            "name": name,
            "partitions": [
                {"partitionIndex": index, "replicas": ids} for index, ids in each.items()
            ],
        }
        for name, each in asked.items()
    ]
    layout = talk.codec.form("AlterPartitionReassignmentsRequest", version).layout
    value = {"topics": topics, "timeoutMs": PATIENCE_MS}
    reply = yield from talk.ask("AlterPartitionReassignments", version, filled(layout, value))
    talk.expect("the error of the whole", 0, reply.value["errorCode"])
    found: dict[str, dict[int, int]] = {}
    for item in reply.value["responses"]:
        for each in item["partitions"]:
            of_topic = found.setdefault(item["name"], {})
            if each["partitionIndex"] in of_topic:
                raise Broken(f"{item['name']} has two results for one partition", "one", str(each))
            of_topic[each["partitionIndex"]] = each["errorCode"]
    return found


@question("partitions.added", "CreatePartitions", ANY, needs=NEEDS, wants=WRITES)
def _more_partitions(talk: Talk, version: int) -> Dialogue:
    name = talk.facts.name("growing")
    brokers = yield from nodes(talk)
    yield from create_topics(talk, newest(talk), new(name))
    results = yield from grown(talk, version, to(name, 3))
    talk.expect("the errors", {name: [0]}, errors(results))

    def fit() -> Generator[Step, Received | None, dict[int, bool]]:
        found = yield from partition_leaders(talk, name)()
        return {index: len(ids) == 1 and ids[0] in brokers for index, ids in found.items()}

    due = dict.fromkeys(range(3), True)
    yield from talk.eventually("whether each partition has one of the brokers", due, fit)
    yield from removed(talk, name)


@question("partitions.assignment-followed", "CreatePartitions", ANY, needs=NEEDS, wants=WRITES)
def _more_partitions_that_are_assigned(talk: Talk, version: int) -> Dialogue:
    name = talk.facts.name("growing")
    brokers = (yield from nodes(talk))[:2]
    due = [brokers, brokers[::-1], brokers]
    yield from create_topics(talk, newest(talk), new(name, **assigned(due[0])))
    results = yield from grown(talk, version, to(name, len(due), *due[1:]))
    talk.expect("the errors", {name: [0]}, errors(results))
    yield from talk.eventually("the replicas", dict(enumerate(due)), partition_leaders(talk, name))
    yield from removed(talk, name)


@question("partitions.never-fewer", "CreatePartitions", ANY, needs=NEEDS, wants=WRITES)
def _partitions_taken_away(talk: Talk, version: int) -> Dialogue:
    name = talk.facts.name("shrinking")
    yield from create_topics(talk, newest(talk), new(name, numPartitions=3))
    for count in (2, 3, 0, -1):
        results = yield from grown(talk, version, to(name, count))
        due = {name: [INVALID_PARTITIONS]}
        talk.expect(f"the errors, with {count} in place of 3", due, errors(results))

    def number() -> Generator[Step, Received | None, int]:
        found = yield from partition_leaders(talk, name)()
        return len(found)

    yield from talk.eventually("the number of partitions", 3, number)
    yield from removed(talk, name)


@question("partitions.bad-assignment-refused", "CreatePartitions", ANY, needs=NEEDS, wants=WRITES)
def _assignments_that_can_not_be(talk: Talk, version: int) -> Dialogue:
    name = talk.facts.name("growing")
    [node, *_] = yield from nodes(talk)
    yield from create_topics(talk, newest(talk), new(name, **assigned([node])))
    unfit: dict[str, list[list[int]]] = {
        "one broker twice": [[node, node]],
        "no such broker": [[NO_BROKER]],
        "an empty list": [[]],
        "two for one partition": [[node], [node]],
    }
    for what, replicas in unfit.items():
        results = yield from grown(talk, version, to(name, 2, *replicas), validate=True)
        due = {name: [INVALID_REPLICA_ASSIGNMENT]}
        talk.expect(f"the errors, with {what}", due, errors(results))
    yield from removed(talk, name)


@question("partitions.failures-spare-others", "CreatePartitions", ANY, needs=NEEDS, wants=WRITES)
def _topics_of_which_some_fail(talk: Talk, version: int) -> Dialogue:
    first, last, stays = (talk.facts.name(what) for what in ("first", "last", "stays"))
    [unknown] = absent(talk, 1)
    yield from create_topics(talk, newest(talk), new(first), new(last), new(stays))
    asked = (to(first, 2), to(unknown, 2), to(stays, 1), to(last, 2))
    results = yield from grown(talk, version, *asked)
    due = {
        first: [0],
        unknown: [UNKNOWN_TOPIC_OR_PARTITION],
        stays: [INVALID_PARTITIONS],
        last: [0],
    }
    talk.expect("the errors", due, errors(results))

    def numbers() -> Generator[Step, Received | None, list[int]]:
        found = []
        for name in (first, last, stays):
            partitions = yield from partition_leaders(talk, name)()
            found.append(len(partitions))
        return found

    yield from talk.eventually("the numbers of partitions", [2, 2, 1], numbers)
    yield from removed(talk, first, last, stays)


@question("partitions.duplicate-refused", "CreatePartitions", ANY, needs=NEEDS, wants=WRITES)
def _topic_to_grow_twice(talk: Talk, version: int) -> Dialogue:
    twice, once = talk.facts.name("twice"), talk.facts.name("once")
    yield from create_topics(talk, newest(talk), new(twice), new(once))
    asked = (to(twice, 2), to(once, 2), to(twice, 3))
    results = yield from grown(talk, version, *asked, validate=True)
    talk.expect("the errors", {twice: [INVALID_REQUEST], once: [0]}, errors(results))
    yield from removed(talk, twice, once)


@question("partitions.validate-only-adds-none", "CreatePartitions", ANY, needs=NEEDS, wants=WRITES)
def _growth_that_was_validated(talk: Talk, version: int) -> Dialogue:
    """Validate growth, then grow another topic, which shows that the first had its time."""
    still, grows = talk.facts.name("still"), talk.facts.name("grows")
    yield from create_topics(talk, newest(talk), new(still), new(grows))
    results = yield from grown(talk, version, to(still, 2), validate=True)
    talk.expect("the errors", {still: [0]}, errors(results))
    results = yield from grown(talk, version, to(grows, 2))
    talk.expect("the errors", {grows: [0]}, errors(results))

    def numbers() -> Generator[Step, Received | None, list[int]]:
        one = yield from partition_leaders(talk, still)()
        other = yield from partition_leaders(talk, grows)()
        return [len(one), len(other)]

    yield from talk.eventually("the numbers of partitions", [1, 2], numbers)
    yield from removed(talk, still, grows)


REASSIGN = "AlterPartitionReassignments"


@question("partitions.reassigned-one-by-one", REASSIGN, ANY, needs=NEEDS, wants=WRITES)
def _reassignments_of_which_some_fail(talk: Talk, version: int) -> Dialogue:
    name = talk.facts.name("moving")
    [unknown] = absent(talk, 1)
    [node, *_] = yield from nodes(talk)
    yield from create_topics(talk, newest(talk), new(name, **assigned([node], [node], [node])))
    asked: dict[str, dict[int, list[int] | None]] = {
        unknown: {0: [node]},
        name: {0: [node], 7: [node], 2: [node]},
    }
    found = yield from reassigned(talk, version, asked)
    due = {
        unknown: {0: UNKNOWN_TOPIC_OR_PARTITION},
        name: {0: 0, 7: UNKNOWN_TOPIC_OR_PARTITION, 2: 0},
    }
    talk.expect("the errors", due, found)
    yield from removed(talk, name)


@question("partitions.null-cancels", REASSIGN, ANY, needs=NEEDS, wants=WRITES)
def _nothing_to_cancel(talk: Talk, version: int) -> Dialogue:
    name = talk.facts.name("moving")
    [node, *_] = yield from nodes(talk)
    yield from create_topics(talk, newest(talk), new(name, **assigned([node], [node])))
    found = yield from reassigned(talk, version, {name: {0: None, 1: [node]}})
    talk.expect("the errors", {name: {0: NO_REASSIGNMENT_IN_PROGRESS, 1: 0}}, found)
    yield from talk.eventually(
        "the replicas", {0: [node], 1: [node]}, partition_leaders(talk, name)
    )
    yield from removed(talk, name)


@question("partitions.reassignment-followed", REASSIGN, ANY, needs=NEEDS, wants=WRITES)
def _partition_that_is_moved(talk: Talk, version: int) -> Dialogue:
    """Move a partition from one broker of a cluster to another; a single broker keeps it."""
    name = talk.facts.name("moving")
    brokers = yield from nodes(talk)
    before, after = [brokers[0]], [brokers[-1]]
    yield from create_topics(talk, newest(talk), new(name, **assigned(before, before)))
    found = yield from reassigned(talk, version, {name: {0: after}})
    talk.expect("the errors", {name: {0: 0}}, found)
    yield from talk.eventually("the replicas", {0: after, 1: before}, partition_leaders(talk, name))
    yield from removed(talk, name)


@question("topics.controller-or-handed-on", "CreatePartitions", ANY, needs=NEEDS, wants=WRITES)
def _partitions_added_through_every_broker(talk: Talk, version: int) -> Dialogue:
    name, said = talk.facts.name("handed-on"), []
    yield from create_topics(talk, newest(talk), new(name))
    count = 1
    for node in talk.facts.nodes or (None,):
        if node is not None:
            yield Reconnect(node=node)
        results = yield from grown(talk, version, to(name, count + 1))
        codes = errors(results).get(name)
        if codes not in ([0], [NOT_CONTROLLER]):
            raise Broken(f"the errors of {name} are {codes}", f"0 or {NOT_CONTROLLER}", str(codes))
        count += codes == [0]

        def number() -> Generator[Step, Received | None, int]:
            found = yield from partition_leaders(talk, name)()
            return len(found)

        yield from talk.eventually("the number of partitions", count, number)
        said.append("NOT_CONTROLLER" if codes != [0] else "done")
    yield from removed(talk, name)
    yield Tell(", ".join(said))
