"""CreateTopics and DeleteTopics in earnest: topics that come to be, are looked at, and go again.

What was done is seen in Metadata, which may take a moment. Each dialogue deletes what it made where
it passes, and leaves the rest to the sweep at the end of the run.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

from conformance.brokers.dialogues import question
from conformance.brokers.dialogues.frames.framing import topic
from conformance.brokers.dialogues.talk import Talk, judged_by
from conformance.brokers.dialogues.topics.metadata import asking as metadata
from conformance.brokers.dialogues.topics.requests import (
    ANY,
    ASKED_WITHOUT_CREATING,
    BY_ID,
    DEFAULT,
    UNKNOWN,
    WRITES,
    absent,
    answered_creation,
    answered_deletion,
    assigned,
    created,
    deleted,
    errors,
    expect_deletion,
    new,
    nodes,
    removed,
)
from conformance.dialogue import (
    Broken,
    Dialogue,
    NotApplicable,
    Received,
    Reconnect,
    Send,
    Step,
    Tell,
)
from conformance.error_codes import (
    INVALID_PARTITIONS,
    INVALID_REPLICATION_FACTOR,
    INVALID_REQUEST,
    NOT_CONTROLLER,
    REQUEST_TIMED_OUT,
)
from conformance.schema.filling import filled

CREATION = ("Metadata", "DeleteTopics")
DELETION = ("Metadata", "CreateTopics")
BEFORE_DEFAULTS = range(4)
IDS_TOLD = range(7, 100)
TOPIC_IDS = 10
DESCRIBES_TOPICS = 2
"""The type of resource."""

Topics = Generator[Step, Received | None, dict[str, Any]]


def existing_topics(talk: Talk, *names: str) -> Topics:
    """Return those of these topics that exist, by name, as the newest Metadata lists them."""
    high = talk.facts.range_of("Metadata")[1]
    asked: list[Any] | None = None if high else []
    if high >= ASKED_WITHOUT_CREATING:
        asked = [topic(talk, high, name, whole=True) for name in names]
    reply = yield from talk.ask("Metadata", high, metadata(talk, high, asked))
    found = (item for item in reply.value["topics"] if item["name"] in names)
    return {item["name"]: item for item in found if not item["errorCode"]}


def names_there(
    talk: Talk, *names: str
) -> Callable[[], Generator[Step, Received | None, list[str]]]:
    """Return a function that asks which of these topics exist."""

    def ask() -> Generator[Step, Received | None, list[str]]:
        found = yield from existing_topics(talk, *names)
        return sorted(found)

    return ask


def partition_leaders(
    talk: Talk, name: str
) -> Callable[[], Generator[Step, Received | None, dict[int, list[int]]]]:
    """Return a function that asks for the replicas of a topic's partitions with a leader."""

    def ask() -> Generator[Step, Received | None, dict[int, list[int]]]:
        found = yield from existing_topics(talk, name)
        partitions = found[name]["partitions"] if found else []
        return {
            item["partitionIndex"]: item["replicaNodes"]
            for item in sorted(partitions, key=lambda each: int(each["partitionIndex"]))
            if not item["errorCode"] and item["leaderId"] >= 0
        }

    return ask


def leaders(
    talk: Talk, name: str
) -> Callable[[], Generator[Step, Received | None, dict[int, int]]]:
    """Return a function that asks for the leader of each partition of a topic."""

    def ask() -> Generator[Step, Received | None, dict[int, int]]:
        found = yield from existing_topics(talk, name)
        partitions = found[name]["partitions"] if found else []
        return {item["partitionIndex"]: item["leaderId"] for item in partitions}

    return ask


@judged_by("topics.created-has-leaders")
def create_topics(talk: Talk, version: int, *topics: Any) -> Dialogue:
    """Create topics, and wait until they are there; leaves it open whether they have leaders yet.

    Raises Broken, and NotApplicable as `created` does.
    """
    results = yield from created(talk, version, *topics)
    names = [item["name"] for item in topics]
    talk.expect("the errors", {name: [0] for name in names}, errors(results))
    yield from talk.eventually(
        "the topics that are there", sorted(names), names_there(talk, *names)
    )


def newest(talk: Talk, api: str = "CreateTopics") -> int:
    """The highest version of an API that both have, and that works."""
    return talk.facts.newest(api)


@question("topics.created-has-leaders", "CreateTopics", ANY, needs=CREATION, wants=WRITES)
def _partitions_of_a_new_topic(talk: Talk, version: int) -> Dialogue:
    name = talk.facts.name("created")
    results = yield from created(talk, version, new(name, numPartitions=3))
    talk.expect("the errors", {name: [0]}, errors(results))

    def partitions() -> Generator[Step, Received | None, list[int]]:
        found = yield from partition_leaders(talk, name)()
        return list(found)

    yield from talk.eventually("the partitions that have a leader", [0, 1, 2], partitions)
    yield from removed(talk, name)


@question("topics.server-chooses-brokers", "CreateTopics", ANY, needs=CREATION, wants=WRITES)
def _replicas_that_nobody_assigned(talk: Talk, version: int) -> Dialogue:
    name = talk.facts.name("chosen")
    brokers = yield from nodes(talk)
    factor = min(len(brokers), 2)
    given = new(name, numPartitions=2, replicationFactor=factor)
    yield from create_topics(talk, version, given)

    def fit() -> Generator[Step, Received | None, list[bool]]:
        found = yield from existing_topics(talk, name)
        replicas = [each["replicaNodes"] for each in found[name]["partitions"]] if found else []
        return [
            len(ids) == len(set(ids)) == factor and set(ids) <= set(brokers) for ids in replicas
        ]

    what = f"whether each partition has {factor} of the brokers {brokers}"
    yield from talk.eventually(what, [True, True], fit)
    yield from removed(talk, name)


@question("topics.assignment-followed", "CreateTopics", ANY, needs=CREATION, wants=WRITES)
def _partitions_that_are_assigned(talk: Talk, version: int) -> Dialogue:
    """Assign partitions to a single broker, or to two of a cluster, so that the order counts."""
    name = talk.facts.name("assigned")
    brokers = (yield from nodes(talk))[:2]
    due = {0: brokers[::-1], 1: brokers}
    yield from create_topics(talk, version, new(name, **assigned(*due.values())))
    yield from talk.eventually("the replicas of each partition", due, partition_leaders(talk, name))
    preferred = {index: ids[0] for index, ids in due.items()}
    yield from talk.eventually("the leaders", preferred, leaders(talk, name))
    yield from removed(talk, name)


@question(
    "topics.created-with-configs",
    "CreateTopics",
    ANY,
    needs=(*CREATION, "DescribeConfigs"),
    wants=WRITES,
)
def _configs_of_a_new_topic(talk: Talk, version: int) -> Dialogue:
    name, other = talk.facts.name("configured"), talk.facts.name("plain")
    due = {"retention.ms": "86400000", "cleanup.policy": "compact"}
    configs = [{"name": key, "value": value} for key, value in due.items()]
    yield from create_topics(talk, version, new(name, configs=configs), new(other))

    def described() -> Generator[Step, Received | None, dict[str, str]]:
        both = yield from _configs(talk, name, other)
        return {key: both[name].get(key, "") for key in due}

    yield from talk.eventually("the configs", due, described)
    both = yield from _configs(talk, name, other)
    if any(both[other].get(key) == value for key, value in due.items()):
        raise Broken(f"configs of one topic are those of another too: {both[other]}")
    yield from removed(talk, name, other)


def _configs(
    talk: Talk, *names: str
) -> Generator[Step, Received | None, dict[str, dict[str, str]]]:
    """Return the configs of topics by name, as the newest DescribeConfigs describes them."""
    high = newest(talk, "DescribeConfigs")
    layout = talk.codec.form("DescribeConfigsRequest", high).layout
    resources = [
        {"resourceType": DESCRIBES_TOPICS, "resourceName": name, "configurationKeys": None}
        for name in names
    ]
    reply = yield from talk.ask("DescribeConfigs", high, filled(layout, {"resources": resources}))
    return {
        result["resourceName"]: {item["name"]: item["value"] for item in result["configs"]}
        for result in reply.value["results"]
    }


@question("topics.failures-spare-the-created", "CreateTopics", ANY, needs=CREATION, wants=WRITES)
def _topics_to_create_of_which_some_fail(talk: Talk, version: int) -> Dialogue:
    first, last = talk.facts.name("first"), talk.facts.name("last")
    empty, lonely = talk.facts.name("empty"), talk.facts.name("lonely")
    failing = (new(empty, numPartitions=0), new(lonely, replicationFactor=0))
    results = yield from created(talk, version, new(first), *failing, new(last))
    due = {first: [True], empty: [False], lonely: [False], last: [True]}
    talk.expect("what has no error", due, _done(results))
    exist = names_there(talk, first, empty, lonely, last)
    yield from talk.eventually("the topics that are there", sorted([first, last]), exist)
    yield from removed(talk, first, last)


@question("topics.no-time-to-create", "CreateTopics", ANY, needs=CREATION, wants=WRITES)
def _no_time_for_creation(talk: Talk, version: int) -> Dialogue:
    for timeout_ms in (0, -1):
        name, unfit = talk.facts.name("hasty"), talk.facts.name("unfit")
        topics = (new(name), new(unfit, replicationFactor=0))
        results = yield from created(talk, version, *topics, timeoutMs=timeout_ms)
        found = errors(results)
        _expect_one_of(found, name, 0, REQUEST_TIMED_OUT)
        _expect_one_of(found, unfit, INVALID_REPLICATION_FACTOR, REQUEST_TIMED_OUT)
        exists = yield from existing_topics(talk, name)
        yield Tell(f"error {found[name][0]}, and {_whether(exists)}")
        yield from removed(talk, name)


@question(
    "topics.counts-or-defaults", "CreateTopics", BEFORE_DEFAULTS, needs=CREATION, wants=WRITES
)
def _neither_assignment_nor_counts(talk: Talk, version: int) -> Dialogue:
    name = talk.facts.name("countless")
    given = new(name, numPartitions=DEFAULT, replicationFactor=DEFAULT)
    results = yield from created(talk, version, given)
    refused = (INVALID_REQUEST, INVALID_PARTITIONS, INVALID_REPLICATION_FACTOR)
    _expect_one_of(errors(results), name, 0, *refused)
    code = results[0]["errorCode"]
    exist = names_there(talk, name)
    yield from talk.eventually("the topics that are there", [] if code else [name], exist)
    if not code:

        def partitions() -> Generator[Step, Received | None, bool]:
            found = yield from partition_leaders(talk, name)()
            return bool(found) and all(found.values())

        yield from talk.eventually("whether it has partitions with replicas", True, partitions)
    yield Tell(f"error {code}" if code else "created with the broker's defaults")
    yield from removed(talk, name)


@question("topics.id-as-metadata-has-it", "CreateTopics", IDS_TOLD, needs=CREATION, wants=WRITES)
def _id_of_a_new_topic(talk: Talk, version: int) -> Dialogue:
    if newest(talk, "Metadata") < TOPIC_IDS:
        raise NotApplicable("Metadata below version 10 tells no ids")
    one, other = talk.facts.name("one"), talk.facts.name("other")
    results = yield from created(talk, version, new(one), new(other))
    talk.expect("the errors", {one: [0], other: [0]}, errors(results))
    due = {item["name"]: item["topicId"] for item in results}
    if len(set(due.values())) < len(due):
        raise Broken("two topics have one id", "two ids", str(due))
    yield from talk.eventually("the ids that Metadata tells", due, ids(talk, one, other))
    yield from removed(talk, one, other)


def ids(talk: Talk, *names: str) -> Callable[[], Generator[Step, Received | None, dict[str, str]]]:
    """Return a function that asks for the ids of topics, by name."""

    def ask() -> Generator[Step, Received | None, dict[str, str]]:
        found = yield from existing_topics(talk, *names)
        return {name: found[name].get("topicId") for name in names if name in found}

    return ask


@question("topics.deleted-is-gone", "DeleteTopics", ANY, needs=DELETION, wants=WRITES)
def _topic_that_is_deleted(talk: Talk, version: int) -> Dialogue:
    """Expect a topic to be deleted, and its neighbour to stay."""
    gone, kept = talk.facts.name("gone"), talk.facts.name("gone-not")
    yield from create_topics(talk, newest(talk), new(gone), new(kept))
    results = yield from deleted(talk, version, {"name": gone})
    talk.expect("the errors", {gone: [0]}, errors(results))
    exist = names_there(talk, gone, kept)
    yield from talk.eventually("the topics that are there", [kept], exist)
    yield from removed(talk, kept)


@question("topics.deleted-by-id", "DeleteTopics", BY_ID, needs=DELETION, wants=WRITES)
def _id_that_is_deleted(talk: Talk, version: int) -> Dialogue:
    if newest(talk, "Metadata") < TOPIC_IDS:
        raise NotApplicable("Metadata below version 10 tells no ids")
    gone, kept = talk.facts.name("gone"), talk.facts.name("kept")
    yield from create_topics(talk, newest(talk), new(gone), new(kept))
    known = yield from ids(talk, gone, kept)()
    results = yield from deleted(talk, version, {"name": None, "topicId": known[gone]})
    found = [(item["name"], item["topicId"], item["errorCode"]) for item in results]
    talk.expect("the names, ids and errors", [(gone, known[gone], 0)], found)
    exist = names_there(talk, gone, kept)
    yield from talk.eventually("the topics that are there", [kept], exist)
    yield from removed(talk, kept)


@question("topics.failures-spare-the-deleted", "DeleteTopics", ANY, needs=DELETION, wants=WRITES)
def _topics_to_delete_of_which_one_is_not_there(talk: Talk, version: int) -> Dialogue:
    first, last = talk.facts.name("first"), talk.facts.name("last")
    [unknown] = absent(talk, 1)
    yield from create_topics(talk, newest(talk), new(first), new(last))
    asked = ({"name": name} for name in (first, unknown, last))
    results = yield from deleted(talk, version, *asked)
    due = {first: [True], unknown: [False], last: [True]}
    talk.expect("what has no error", due, _done(results))
    exist = names_there(talk, first, last)
    yield from talk.eventually("the topics that are there", [], exist)


@question("topics.no-time-to-delete", "DeleteTopics", ANY, needs=DELETION, wants=WRITES)
def _no_time_for_deletion(talk: Talk, version: int) -> Dialogue:
    name = talk.facts.name("hasty")
    [unknown] = absent(talk, 1)
    yield from create_topics(talk, newest(talk), new(name))
    for timeout_ms in (-1, 0):
        results = yield from answered_deletion(
            talk, version, {"name": name}, {"name": unknown}, timeoutMs=timeout_ms
        )
        yield from expect_deletion(talk, version, results)
        found = errors(results)
        _expect_one_of(found, name, 0, REQUEST_TIMED_OUT, *UNKNOWN)
        _expect_one_of(found, unknown, *UNKNOWN, REQUEST_TIMED_OUT)
        exists = yield from existing_topics(talk, name)
        yield Tell(f"error {found[name][0]}, and {_whether(exists)}")
    yield from removed(talk, name)


@question(
    "topics.twice-to-delete-has-one-result", "DeleteTopics", ANY, needs=DELETION, wants=WRITES
)
def _topic_to_delete_twice(talk: Talk, version: int) -> Dialogue:
    """Expect a deletion or a refusal, and the topic's state to fit the result."""
    name = talk.facts.name("twice")
    yield from create_topics(talk, newest(talk), new(name))
    results = yield from deleted(talk, version, {"name": name}, {"name": name})
    found = errors(results)
    _expect_one_of(found, name, 0, INVALID_REQUEST)
    [code] = found[name]
    yield from talk.eventually(
        "the topics that are there", [name] if code else [], names_there(talk, name)
    )
    yield Tell("refused with INVALID_REQUEST" if code else "deleted, the second mention ignored")
    yield from removed(talk, name)


@question("topics.duplicate-to-delete-refused", "DeleteTopics", BY_ID, needs=DELETION, wants=WRITES)
def _name_and_its_own_id_to_delete(talk: Talk, version: int) -> Dialogue:
    if newest(talk, "Metadata") < TOPIC_IDS:
        raise NotApplicable("Metadata below version 10 tells no ids")
    name = talk.facts.name("twice")
    yield from create_topics(talk, newest(talk), new(name))
    known = yield from ids(talk, name)()
    by_id = {"name": None, "topicId": known[name]}
    results = yield from deleted(talk, version, {"name": name}, by_id)
    codes = [item["errorCode"] for item in results]
    talk.expect("the errors", [INVALID_REQUEST], codes)
    yield from talk.eventually("the topics that are there", [name], names_there(talk, name))
    yield from removed(talk, name)


@question("topics.deleted-while-deleted", "DeleteTopics", ANY, needs=DELETION, wants=WRITES)
def _two_deletions_at_once(talk: Talk, version: int) -> Dialogue:
    """Send both on one connection: the order is certain, and the second does not wait."""
    name = talk.facts.name("at-once")
    yield from create_topics(talk, newest(talk), new(name))
    layout = talk.codec.form("DeleteTopicsRequest", version).layout
    value = {"topics": [{"name": name}], "topicNames": [name], "timeoutMs": 10_000}
    numbers = (talk.number(), talk.number())
    frames = (
        talk.frame("DeleteTopics", version, filled(layout, value), number) for number in numbers
    )
    yield Send(b"".join(frames))
    results = []
    for number in numbers:
        reply = yield from talk.answer("DeleteTopics", version, number)
        results.append(list(reply.value["responses"]))
    yield from expect_deletion(talk, version, results[0])
    first, second = map(errors, results)
    talk.expect("the errors of the first", {name: [0]}, first)
    _expect_one_of(second, name, 0, *UNKNOWN)
    yield Tell(f"the second has error {second[name][0]}")


@question("topics.controller-or-handed-on", "CreateTopics", ANY, needs=CREATION, wants=WRITES)
def _topics_created_through_every_broker(talk: Talk, version: int) -> Dialogue:
    said = []
    for node in talk.facts.nodes or (None,):
        if node is not None:
            yield Reconnect(node=node)
        name = talk.facts.name("handed-on")
        results = yield from answered_creation(talk, version, new(name))
        _expect_one_of(errors(results), name, 0, NOT_CONTROLLER)
        code = results[0]["errorCode"]
        exist = names_there(talk, name)
        yield from talk.eventually("the topics that are there", [] if code else [name], exist)
        said.append("NOT_CONTROLLER" if code else "done")
        yield from removed(talk, name)
    yield Tell(", ".join(said))


@question("topics.controller-or-handed-on", "DeleteTopics", ANY, needs=DELETION, wants=WRITES)
def _topics_deleted_through_every_broker(talk: Talk, version: int) -> Dialogue:
    said = []
    for node in talk.facts.nodes or (None,):
        name = talk.facts.name("handed-on")
        if node is not None:
            yield Reconnect(node=node)
        results = yield from answered_creation(talk, newest(talk), new(name))
        if results[0]["errorCode"] == NOT_CONTROLLER:
            yield Reconnect()
            yield from create_topics(talk, newest(talk), new(name))
            yield Reconnect(node=node)
        exist = names_there(talk, name)
        yield from talk.eventually("the topics that are there", [name], exist)
        results = yield from answered_deletion(talk, version, {"name": name})
        yield from expect_deletion(talk, version, results)
        _expect_one_of(errors(results), name, 0, NOT_CONTROLLER)
        code = results[0]["errorCode"]
        yield from talk.eventually("the topics that are there", [name] if code else [], exist)
        said.append("NOT_CONTROLLER" if code else "done")
    yield Tell(", ".join(said))


def _expect_one_of(found: dict[str, list[int]], name: str, *due: int) -> None:
    """A topic has one result, with one of these errors. Raises Broken."""
    codes = found.get(name, [])
    if len(codes) != 1 or codes[0] not in due:
        words = " or ".join(map(str, due))
        raise Broken(f"the errors of {name}: expected {words}, got {codes}", words, f"{codes}")


def _done(results: list[Any]) -> dict[str, list[bool]]:
    """Return, for each topic, True per result without error; there should be one result."""
    return {name: [not code for code in codes] for name, codes in errors(results).items()}


def _whether(exists: Any) -> str:
    return "the topic is there" if exists else "the topic is not there"
