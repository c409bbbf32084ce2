"""CreateTopics and DeleteTopics, as far as they can be asked without creating or deleting any.

What is to be created is only validated, which requests can ask for from version 1 on, and what is
to be deleted is not there. So the answers are those of a broker that checked everything and then
stopped.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import Any

from conformance.cases.dialogues import question
from conformance.cases.dialogues.framing import topic
from conformance.cases.dialogues.harmless import NO_SUCH_ID, filled
from conformance.cases.dialogues.metadata import UNKNOWN_TOPIC_ID, UNKNOWN_TOPIC_OR_PARTITION
from conformance.cases.dialogues.metadata import asking as metadata
from conformance.cases.dialogues.talk import INVALID_REQUEST, Talk
from conformance.dialogue import Broken, Dialogue, Heard, NotHere, Step

INVALID_TOPIC = 17
TOPIC_ALREADY_EXISTS = 36
INVALID_PARTITIONS = 37
INVALID_REPLICATION_FACTOR = 38
INVALID_CONFIG = 40
CLUSTER_METADATA = "__cluster_metadata"
VALIDATING = range(1, 100)
WITH_DEFAULTS = range(4, 100)
TELLING_NUMBERS = 5
ANY = range(100)
BY_ID = range(6, 100)
DEFAULT = -1
MOST_REPLICAS = 2**15 - 1
LONGEST_NAME = 249
PATIENCE_MS = 10_000
OTHER_ID = "y" * 21 + "A"

Fields = Mapping[str, Any]
Results = Generator[Step, Heard | None, list[Any]]


def new(name: str, **fields: Any) -> Fields:
    """A topic that could be created, but for `fields`."""
    return {"name": name, "numPartitions": 1, "replicationFactor": 1, **fields}


def validated(talk: Talk, version: int, *topics: Fields) -> Results:
    """What becomes of topics that are only to be validated."""
    value = {"topics": list(topics), "timeoutMs": PATIENCE_MS, "validateOnly": True}
    layout = talk.codec.form("CreateTopicsRequest", version).layout
    reply = yield from talk.ask("CreateTopics", version, filled(layout, value))
    return list(reply.value["topics"])


def deleted(talk: Talk, version: int, *topics: Fields) -> Results:
    """What becomes of topics that are not there, by `name` or, from version 6 on, `topicId`."""
    names = [item.get("name") for item in topics]
    value = {"topics": list(topics), "topicNames": names, "timeoutMs": PATIENCE_MS}
    layout = talk.codec.form("DeleteTopicsRequest", version).layout
    reply = yield from talk.ask("DeleteTopics", version, filled(layout, value))
    return list(reply.value["responses"])


def errors(results: list[Any], key: str = "name") -> dict[str, list[int]]:
    """The error codes of each topic; there should be one."""
    found: dict[str, list[int]] = {}
    for item in results:
        found.setdefault(item[key], []).append(item["errorCode"])
    return found


def absent(talk: Talk, number: int) -> list[str]:
    """So many names that no topic has."""
    return [f"{talk.facts.prefix}absent-{index}" for index in range(number)]


@question("topics.duplicate-to-create-refused", "CreateTopics", VALIDATING)
def _name_to_create_twice(talk: Talk, version: int) -> Dialogue:
    twice, once = absent(talk, 2)
    results = yield from validated(talk, version, new(twice), new(once), new(twice))
    talk.expect("the errors", {twice: [INVALID_REQUEST], once: [0]}, errors(results))


@question("topics.one-result-a-created-name", "CreateTopics", VALIDATING)
def _several_names_to_create(talk: Talk, version: int) -> Dialogue:
    names = absent(talk, 5)
    results = yield from validated(talk, version, *map(new, names))
    talk.expect("the errors", {name: [0] for name in names}, errors(results))


@question("topics.assignments-exclude-counts", "CreateTopics", VALIDATING, needs=("Metadata",))
def _assignments_together_with_counts(talk: Talk, version: int) -> Dialogue:
    low = max(1, talk.facts.range_of("Metadata")[0])
    reply = yield from talk.ask("Metadata", low, metadata(talk, low, []))
    node = reply.value["brokers"][0]["nodeId"]
    assigned = [{"partitionIndex": 0, "brokerIds": [node]}]
    counts = {"both": (1, 1), "partitions": (1, DEFAULT), "factor": (DEFAULT, 1)}
    counts["none"] = (DEFAULT, DEFAULT)
    for which, (partitions, factor) in counts.items():
        item = {"numPartitions": partitions, "replicationFactor": factor, "assignments": assigned}
        [name] = absent(talk, 1)
        results = yield from validated(talk, version, new(name, **item))
        due = 0 if which == "none" else INVALID_REQUEST
        talk.expect(f"the errors, given {which}", {name: [due]}, errors(results))


@question("topics.defaults-of-the-broker", "CreateTopics", WITH_DEFAULTS)
def _numbers_left_to_the_broker(talk: Talk, version: int) -> Dialogue:
    [name] = absent(talk, 1)
    given = new(name, numPartitions=DEFAULT, replicationFactor=DEFAULT)
    results = yield from validated(talk, version, given)
    talk.expect("the errors", {name: [0]}, errors(results))
    [result] = results
    if version >= TELLING_NUMBERS and not result.get("topicConfigErrorCode"):
        for field in ("numPartitions", "replicationFactor"):
            if result[field] < 1:
                raise Broken(f"{field} is {result[field]}", "at least 1", str(result[field]))


@question("topics.validate-only-creates-nothing", "CreateTopics", VALIDATING, needs=("Metadata",))
def _topic_that_was_validated(talk: Talk, version: int) -> Dialogue:
    names = absent(talk, 2)
    results = yield from validated(talk, version, *map(new, names))
    talk.expect("the errors", {name: [0] for name in names}, errors(results))
    high = talk.facts.range_of("Metadata")[1]
    if high < 4:
        raise NotHere("Metadata below version 4 may create the topics that it is asked for")
    asked = [topic(talk, high, name, whole=True) for name in names]
    reply = yield from talk.ask("Metadata", high, metadata(talk, high, asked))
    unknown = {name: [UNKNOWN_TOPIC_OR_PARTITION] for name in names}
    talk.expect("what Metadata says of them", unknown, errors(reply.value["topics"]))


@question("topics.existing-name-refused", "CreateTopics", VALIDATING, needs=("Metadata",))
def _name_that_is_taken(talk: Talk, version: int) -> Dialogue:
    high = talk.facts.range_of("Metadata")[1]
    every: list[Any] | None = None if high else []
    reply = yield from talk.ask("Metadata", high, metadata(talk, high, every))
    names = [item["name"] for item in reply.value["topics"]]
    if not names:
        raise NotHere("the broker has no topic")
    results = yield from validated(talk, version, new(names[0]))
    talk.expect("the errors", {names[0]: [TOPIC_ALREADY_EXISTS]}, errors(results))


@question("topics.illegal-name-refused", "CreateTopics", VALIDATING)
def _names_that_no_topic_may_have(talk: Talk, version: int) -> Dialogue:
    long = talk.facts.prefix.ljust(LONGEST_NAME + 1, "x")
    names = ("", ".", "..", talk.facts.prefix + "no/such", talk.facts.prefix + "ü", long)
    [good] = absent(talk, 1)
    results = yield from validated(talk, version, new(good), *map(new, names))
    due = {good: [0], **{name: [INVALID_TOPIC] for name in names}}
    talk.expect("the errors", due, errors(results))


@question("topics.no-partitions-refused", "CreateTopics", VALIDATING)
def _partitions_below_one(talk: Talk, version: int) -> Dialogue:
    none, negative = absent(talk, 2)
    topics = (new(none, numPartitions=0), new(negative, numPartitions=-2))
    results = yield from validated(talk, version, *topics)
    due = {none: [INVALID_PARTITIONS], negative: [INVALID_PARTITIONS]}
    talk.expect("the errors", due, errors(results))


@question("topics.impossible-factor-refused", "CreateTopics", VALIDATING)
def _more_replicas_than_brokers(talk: Talk, version: int) -> Dialogue:
    many, none = absent(talk, 2)
    topics = (new(many, replicationFactor=MOST_REPLICAS), new(none, replicationFactor=0))
    results = yield from validated(talk, version, *topics)
    due = {many: [INVALID_REPLICATION_FACTOR], none: [INVALID_REPLICATION_FACTOR]}
    talk.expect("the errors", due, errors(results))


@question("topics.bad-config-refused", "CreateTopics", VALIDATING)
def _configs_that_can_not_be(talk: Talk, version: int) -> Dialogue:
    unknown, bad, null, good = absent(talk, 4)
    configs = {
        unknown: ("no.such.config", "1"),
        bad: ("retention.ms", "soon"),
        null: ("retention.ms", None),
        good: ("retention.ms", "1000"),
    }
    topics = (
        new(name, configs=[{"name": key, "value": value}]) for name, (key, value) in configs.items()
    )
    results = yield from validated(talk, version, *topics)
    due = {name: [0 if name == good else INVALID_CONFIG] for name in configs}
    talk.expect("the errors", due, errors(results))


@question("topics.cluster-metadata-refused", "CreateTopics", VALIDATING)
def _topic_of_the_controllers(talk: Talk, version: int) -> Dialogue:
    results = yield from validated(talk, version, new(CLUSTER_METADATA))
    talk.expect("the errors", {CLUSTER_METADATA: [INVALID_REQUEST]}, errors(results))


@question("topics.name-or-id", "DeleteTopics", BY_ID)
def _name_and_id_or_neither(talk: Talk, version: int) -> Dialogue:
    [name] = absent(talk, 1)
    both = {"name": name, "topicId": NO_SUCH_ID}
    for given in (both, {"name": None}):
        results = yield from deleted(talk, version, given)
        codes = [item["errorCode"] for item in results]
        talk.expect(f"the errors of {dict(given)}", [INVALID_REQUEST], codes)


@question("topics.duplicate-to-delete-refused", "DeleteTopics", ANY)
def _name_to_delete_twice(talk: Talk, version: int) -> Dialogue:
    twice, once = absent(talk, 2)
    asked = ({"name": twice}, {"name": once}, {"name": twice})
    results = yield from deleted(talk, version, *asked)
    due = {twice: [INVALID_REQUEST], once: [UNKNOWN_TOPIC_OR_PARTITION]}
    talk.expect("the errors", due, errors(results))


@question("topics.duplicate-to-delete-refused", "DeleteTopics", BY_ID)
def _id_to_delete_twice(talk: Talk, version: int) -> Dialogue:
    asked = ({"name": None, "topicId": each} for each in (NO_SUCH_ID, OTHER_ID, NO_SUCH_ID))
    results = yield from deleted(talk, version, *asked)
    due = {NO_SUCH_ID: [INVALID_REQUEST], OTHER_ID: [UNKNOWN_TOPIC_ID]}
    talk.expect("the errors", due, errors(results, "topicId"))


@question("topics.unknown-name-to-delete", "DeleteTopics", ANY)
def _name_that_is_not_there(talk: Talk, version: int) -> Dialogue:
    [name] = absent(talk, 1)
    results = yield from deleted(talk, version, {"name": name})
    talk.expect("the errors", {name: [UNKNOWN_TOPIC_OR_PARTITION]}, errors(results))


@question("topics.unknown-id-to-delete", "DeleteTopics", BY_ID)
def _id_that_is_not_there(talk: Talk, version: int) -> Dialogue:
    results = yield from deleted(talk, version, {"name": None, "topicId": NO_SUCH_ID})
    talk.expect("the errors", {NO_SUCH_ID: [UNKNOWN_TOPIC_ID]}, errors(results, "topicId"))


@question("topics.one-result-a-deleted-topic", "DeleteTopics", ANY)
def _several_names_to_delete(talk: Talk, version: int) -> Dialogue:
    names = absent(talk, 5)
    results = yield from deleted(talk, version, *({"name": name} for name in names))
    found = sorted(item["name"] for item in results)
    talk.expect("the topics that were answered", names, found)
