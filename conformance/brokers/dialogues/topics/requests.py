"""CreateTopics and DeleteTopics, as far as they can be asked without creating or deleting any.

What is to be created is only validated, which requests can ask for from version 1 on, and what is
to be deleted is not there. So the answers are those of a broker that checked everything and then
stopped. In version 0 what is created is deleted again at once, so that takes the right to write.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import suppress
from typing import Any

from conformance.brokers.dialogues import Want, question
from conformance.brokers.dialogues.frames.framing import topic
from conformance.brokers.dialogues.harmless import NO_SUCH_ID
from conformance.brokers.dialogues.talk import Talk, judged_by
from conformance.brokers.dialogues.topics.metadata import asking as metadata
from conformance.dialogue import Broken, Dialogue, NotApplicable, Received, Step, Tell
from conformance.error_codes import (
    INVALID_CONFIG,
    INVALID_PARTITIONS,
    INVALID_REPLICA_ASSIGNMENT,
    INVALID_REPLICATION_FACTOR,
    INVALID_REQUEST,
    INVALID_TOPIC_EXCEPTION,
    NOT_CONTROLLER,
    TOPIC_ALREADY_EXISTS,
    TOPIC_DELETION_DISABLED,
    UNKNOWN_TOPIC_ID,
    UNKNOWN_TOPIC_OR_PARTITION,
)
from conformance.schema.filling import filled

CLUSTER_METADATA = "__cluster_metadata"
FIRST = range(1)
VALIDATING = range(1, 100)
WITH_DEFAULTS = range(4, 100)
TELLING_NUMBERS = 5
DESCRIBED = range(TELLING_NUMBERS, 100)
DISABLED_SINCE = 3
ANY = range(100)
BY_ID = range(6, 100)
ASKED_WITHOUT_CREATING = 4
DEFAULT = -1
NO_BROKER = 2**31 - 1
TOO_MANY = 100
"""The number of replicas beyond the number of brokers. A broker that makes such a topic lists each
one in every answer about it, so the number is kept small.
"""
LONGEST_NAME = 249
PATIENCE_MS = 10_000
OTHER_ID = "y" * 21 + "A"
NODES = ("Metadata",)
UNKNOWN = (UNKNOWN_TOPIC_OR_PARTITION, INVALID_TOPIC_EXCEPTION)
"""The allowed errors for deleting a name that no topic has: the second by KIP-4."""
WRITES: tuple[Want, ...] = ("writes",)

Fields = Mapping[str, Any]
Results = Generator[Step, Received | None, list[Any]]


def new(name: str, **fields: Any) -> Fields:
    """A topic that could be created, but for `fields`."""
    return {"name": name, "numPartitions": 1, "replicationFactor": 1, **fields}


def validated(talk: Talk, version: int, *topics: Fields) -> Results:
    """Return the results for topics that are only to be validated.

    Version 0 can't ask for that: it creates them, and they are deleted before this returns.
    """
    results = yield from created(talk, version, *topics, validateOnly=True)
    if version == 0:
        yield from removed(talk, *(item["name"] for item in results if not item["errorCode"]))
    return results


def created(talk: Talk, version: int, *topics: Fields, **fields: Any) -> Results:
    """Return the results for topics that are to be created; `fields` are others of the request.

    Raises NotApplicable if another broker does that.
    """
    results = yield from answered_creation(talk, version, *topics, **fields)
    expect_controller(results)
    return results


def answered_creation(talk: Talk, version: int, *topics: Fields, **fields: Any) -> Results:
    """Return the results for topics to be created, also if another broker has to do that."""
    value = {"topics": list(topics), "timeoutMs": PATIENCE_MS, **fields}
    layout = talk.codec.form("CreateTopicsRequest", version).layout
    reply = yield from talk.ask("CreateTopics", version, filled(layout, value))
    return list(reply.value["topics"])


def removed(talk: Talk, *names: str) -> Dialogue:
    """Delete topics of ours, whatever became of them."""
    if names and talk.facts.has("DeleteTopics"):
        high = talk.facts.newest("DeleteTopics")
        with suppress(NotApplicable):
            yield from deleted(talk, high, *({"name": name} for name in names))
            yield from gone(talk, *names)


def gone(talk: Talk, *names: str) -> Dialogue:
    """Wait until topics are listed no more, so that no later dialogue finds them; not for ever."""
    if not talk.facts.has("Metadata"):
        return

    def listed() -> Results:
        high = talk.facts.range_of("Metadata")[1]
        asked: list[Any] | None = None if high else []
        if high >= ASKED_WITHOUT_CREATING:
            asked = [topic(talk, high, name, whole=True) for name in names]
        reply = yield from talk.ask("Metadata", high, metadata(talk, high, asked))
        topics = [each for each in reply.value["topics"] if not each["errorCode"]]
        return [each["name"] for each in topics if each["name"] in names]

    with suppress(Broken):
        yield from talk.eventually("the topics deleted", [], listed)


def deleted(talk: Talk, version: int, *topics: Fields) -> Results:
    """Return the results for topics to be deleted, by `name` or, from version 6 on, `topicId`.

    Raises NotApplicable if the broker deletes none.
    """
    results = yield from answered_deletion(talk, version, *topics)
    expect_controller(results)
    yield from expect_deletion(talk, version, results)
    return results


def expect_deletion(talk: Talk, version: int, results: list[Any]) -> Dialogue:
    """Raises NotApplicable where the broker deletes no topics.

    Below version 3 it says so by INVALID_REQUEST, which has other causes: then its newest version
    is asked about a name that is not there.
    """
    codes = {item["errorCode"] for item in results}
    is_unclear = version < DISABLED_SINCE and INVALID_REQUEST in codes
    if TOPIC_DELETION_DISABLED in codes or (is_unclear and (yield from deletes_none(talk))):
        raise NotApplicable("the broker deletes no topics")


def deletes_none(talk: Talk) -> Generator[Step, Received | None, bool]:
    """Return True if the newest version says that the broker deletes no topics."""
    high = talk.facts.newest("DeleteTopics")
    results = yield from answered_deletion(
        talk, high, *({"name": name} for name in absent(talk, 1))
    )
    return [item["errorCode"] for item in results] == [disabled_code(high)]


def disabled_code(version: int) -> int:
    """The error of a broker that deletes no topics."""
    return TOPIC_DELETION_DISABLED if version >= DISABLED_SINCE else INVALID_REQUEST


def expect_controller(results: list[Any]) -> None:
    """Raise NotApplicable if the broker is not the controller, and hands nothing on."""
    if results and all(item["errorCode"] == NOT_CONTROLLER for item in results):
        raise NotApplicable("the broker is not the controller")


def answered_deletion(talk: Talk, version: int, *topics: Fields, **fields: Any) -> Results:
    """Return the results of a deletion, whatever they are; `fields` are others of the request."""
    names = [item.get("name") for item in topics]
    value = {"topics": list(topics), "topicNames": names, "timeoutMs": PATIENCE_MS, **fields}
    layout = talk.codec.form("DeleteTopicsRequest", version).layout
    reply = yield from talk.ask("DeleteTopics", version, filled(layout, value))
    return list(reply.value["responses"])


@judged_by("metadata.empty-asks-for-none")
def nodes(talk: Talk) -> Generator[Step, Received | None, list[int]]:
    """The ids of the brokers, the least first."""
    low = max(1, talk.facts.range_of("Metadata")[0])
    reply = yield from talk.ask("Metadata", low, metadata(talk, low, []))
    found = sorted(item["nodeId"] for item in reply.value["brokers"])
    if not found:
        raise Broken("no broker is listed", "at least one broker", reply.frame)
    return found


def assigned(*replicas: list[int]) -> Fields:
    """The fields of a topic whose partitions are assigned, from 0 on."""
    each = [{"partitionIndex": index, "brokerIds": ids} for index, ids in enumerate(replicas)]
    return {"numPartitions": DEFAULT, "replicationFactor": DEFAULT, "assignments": each}


def errors(results: list[Any], key: str = "name") -> dict[str, list[int]]:
    """The error codes of each topic; there should be one."""
    found: dict[str, list[int]] = {}
    for item in results:
        found.setdefault(item[key], []).append(item["errorCode"])
    return found


def absent(talk: Talk, number: int) -> list[str]:
    """Return this many names that no topic has."""
    return [talk.facts.name(f"absent-{index}") for index in range(number)]


@question("topics.duplicate-to-create-refused", "CreateTopics", VALIDATING)
@question("topics.duplicate-to-create-refused", "CreateTopics", FIRST, wants=WRITES)
def _name_to_create_twice(talk: Talk, version: int) -> Dialogue:
    twice, once = absent(talk, 2)
    results = yield from validated(talk, version, new(twice), new(once), new(twice))
    talk.expect("the errors", {twice: [INVALID_REQUEST], once: [0]}, errors(results))


@question("topics.assignments-exclude-counts", "CreateTopics", VALIDATING, needs=NODES)
@question("topics.assignments-exclude-counts", "CreateTopics", FIRST, needs=NODES, wants=WRITES)
def _assignments_together_with_counts(talk: Talk, version: int) -> Dialogue:
    [node, *_] = yield from nodes(talk)
    given = assigned([node])
    counts = {"both": (1, 1), "partitions": (1, DEFAULT), "factor": (DEFAULT, 1)}
    counts["none"] = (DEFAULT, DEFAULT)
    for which, (partitions, factor) in counts.items():
        item = {**given, "numPartitions": partitions, "replicationFactor": factor}
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


@question("topics.validate-only-creates-nothing", "CreateTopics", VALIDATING, needs=NODES)
def _topic_that_was_validated(talk: Talk, version: int) -> Dialogue:
    """Ask for all topics, since a broker may create those that Metadata is asked for by name."""
    [name] = absent(talk, 1)
    results = yield from validated(talk, version, new(name))
    if errors(results).get(name, [0]) != [0]:  # it is refused, perhaps for lack of rights
        talk.expect("the errors", {name: [0]}, errors(results))
    high = talk.facts.range_of("Metadata")[1]
    every: list[Any] | None = None if high else []
    reply = yield from talk.ask("Metadata", high, metadata(talk, high, every))
    listed = [each["name"] for each in reply.value["topics"] if each["name"] == name]
    if listed:
        what = "a topic that was to be validated alone came to be, and is listed"
        raise Broken(f"{what}: {name}", "no such topic", name, by_itself=True)
    talk.expect("the errors", {name: [0]}, errors(results))


@question("topics.existing-name-refused", "CreateTopics", VALIDATING, needs=NODES)
@question("topics.existing-name-refused", "CreateTopics", FIRST, needs=NODES, wants=WRITES)
def _name_that_is_taken(talk: Talk, version: int) -> Dialogue:
    high = talk.facts.range_of("Metadata")[1]
    every: list[Any] | None = None if high else []
    reply = yield from talk.ask("Metadata", high, metadata(talk, high, every))
    names = [item["name"] for item in reply.value["topics"]]
    is_validated = version in VALIDATING  # else it is created, and what is created is deleted
    names = [each for each in names if is_validated and not each.startswith(talk.facts.prefix)]
    ours = talk.facts.name("taken")
    if not names and talk.facts.writes:
        yield from created(talk, talk.facts.newest("CreateTopics"), new(ours))
        names.append(ours)
    if not names:
        raise NotApplicable("the broker has no topic")
    results = yield from validated(talk, version, new(names[0]))
    talk.expect("the errors", {names[0]: [TOPIC_ALREADY_EXISTS]}, errors(results))
    if ours in names:
        yield from removed(talk, ours)


def odd_names(talk: Talk) -> tuple[str, ...]:
    """Return names that Apache Kafka refuses; those a broker may take have the run's prefix."""
    long = talk.facts.prefix.ljust(LONGEST_NAME + 1, "x")
    return ("", ".", "..", talk.facts.prefix + "no/such", talk.facts.prefix + "ü", long)


@question("topics.illegal-name-refused", "CreateTopics", VALIDATING)
@question("topics.illegal-name-refused", "CreateTopics", FIRST, wants=WRITES)
def _names_that_are_refused(talk: Talk, version: int) -> Dialogue:
    """Accept any set of refused names: other rules judge which of them have to be."""
    [good] = absent(talk, 1)
    names = odd_names(talk)
    results = yield from validated(talk, version, new(good), *map(new, names))
    found = errors(results)
    talk.expect("the error of a legal name", [0], found.get(good))
    refused = {name: found[name] for name in names if found.get(name, [0]) != [0]}
    if not refused:
        raise NotApplicable("the broker refuses none of these names")
    talk.expect("the errors", {name: [INVALID_TOPIC_EXCEPTION] for name in refused}, refused)


@question("topics.names-limited", "CreateTopics", VALIDATING)
@question("topics.names-limited", "CreateTopics", FIRST, wants=WRITES)
def _names_that_no_topic_may_have(talk: Talk, version: int) -> Dialogue:
    names = odd_names(talk)
    results = yield from validated(talk, version, *map(new, names))
    taken = sorted(item["name"] for item in results if not item["errorCode"])
    talk.expect("the names that are taken", [], taken)


@question("topics.no-partitions-refused", "CreateTopics", VALIDATING)
@question("topics.no-partitions-refused", "CreateTopics", FIRST, wants=WRITES)
def _partitions_below_one(talk: Talk, version: int) -> Dialogue:
    none, negative = absent(talk, 2)
    topics = (new(none, numPartitions=0), new(negative, numPartitions=-2))
    results = yield from validated(talk, version, *topics)
    due = {none: [INVALID_PARTITIONS], negative: [INVALID_PARTITIONS]}
    talk.expect("the errors", due, errors(results))


@question("topics.impossible-factor-refused", "CreateTopics", VALIDATING)
@question("topics.impossible-factor-refused", "CreateTopics", FIRST, wants=WRITES)
def _topic_of_no_replicas(talk: Talk, version: int) -> Dialogue:
    yield from _factor_refused(talk, version, 0)


@question("topics.factor-above-brokers-refused", "CreateTopics", VALIDATING, needs=NODES)
@question("topics.factor-above-brokers-refused", "CreateTopics", FIRST, needs=NODES, wants=WRITES)
def _more_replicas_than_brokers(talk: Talk, version: int) -> Dialogue:
    yield from _factor_refused(talk, version, len(talk.facts.nodes) + TOO_MANY)


def _factor_refused(talk: Talk, version: int, factor: int) -> Dialogue:
    [name] = absent(talk, 1)
    results = yield from validated(talk, version, new(name, replicationFactor=factor))
    due = {name: [INVALID_REPLICATION_FACTOR]}
    talk.expect(f"the errors, with a factor of {factor}", due, errors(results))


@question("topics.bad-config-refused", "CreateTopics", VALIDATING)
@question("topics.bad-config-refused", "CreateTopics", FIRST, wants=WRITES)
def _configs_that_can_not_be(talk: Talk, version: int) -> Dialogue:
    unknown, bad, good = absent(talk, 3)
    topics = (
        configured(unknown, "no.such.config", "1"),
        configured(bad, "retention.ms", "soon"),
        configured(good, "retention.ms", "1000"),
    )
    results = yield from validated(talk, version, *topics)
    due = {unknown: [INVALID_CONFIG], bad: [INVALID_CONFIG], good: [0]}
    talk.expect("the errors", due, errors(results))


def configured(name: str, key: str, value: str | None) -> Fields:
    """A topic with one config."""
    return new(name, configs=[{"name": key, "value": value}])


@question("topics.null-config-refused", "CreateTopics", VALIDATING)
@question("topics.null-config-refused", "CreateTopics", FIRST, wants=WRITES)
def _config_that_is_null(talk: Talk, version: int) -> Dialogue:
    [name] = absent(talk, 1)
    results = yield from validated(talk, version, configured(name, "retention.ms", None))
    talk.expect("the errors", {name: [INVALID_CONFIG]}, errors(results))


@question("topics.cluster-metadata-refused", "CreateTopics", VALIDATING)
@question("topics.cluster-metadata-refused", "CreateTopics", FIRST, wants=WRITES)
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


@question("topics.bad-assignment-refused", "CreateTopics", VALIDATING, needs=NODES)
@question("topics.bad-assignment-refused", "CreateTopics", FIRST, needs=NODES, wants=WRITES)
def _assignments_that_can_not_be(talk: Talk, version: int) -> Dialogue:
    [node, *_] = yield from nodes(talk)
    twice, nobody, empty, gap, good = absent(talk, 5)
    behind = [{"partitionIndex": index, "brokerIds": [node]} for index in (0, 2)]
    topics = (
        new(twice, **assigned([node, node])),
        new(nobody, **assigned([NO_BROKER])),
        new(empty, **assigned([])),
        new(gap, **{**assigned(), "assignments": behind}),
        new(good, **assigned([node], [node])),
    )
    results = yield from validated(talk, version, *topics)
    due = {name: [INVALID_REPLICA_ASSIGNMENT] for name in (twice, nobody, empty, gap)}
    talk.expect("the errors", {**due, good: [0]}, errors(results))


@question("topics.result-describes-topic", "CreateTopics", DESCRIBED)
def _numbers_and_configs_of_a_topic(talk: Talk, version: int) -> Dialogue:
    [name] = absent(talk, 1)
    config = {"name": "retention.ms", "value": "86400000"}
    given = new(name, numPartitions=3, configs=[config])
    [result] = yield from validated(talk, version, given)
    talk.expect("the errors", {name: [0]}, errors([result]))
    if result.get("topicConfigErrorCode"):
        raise NotApplicable("configs of topics may not be described")
    found = (result["numPartitions"], result["replicationFactor"])
    talk.expect("partitions and factor", (3, 1), found)
    configs = {item["name"]: item["value"] for item in result["configs"] or ()}
    talk.expect("the value of retention.ms", config["value"], configs.get(config["name"]))


@question("topics.deletion-disabled-error", "DeleteTopics", ANY)
def _deletion_where_it_may_be_disabled(talk: Talk, version: int) -> Dialogue:
    """Delete a missing name: the error shows whether deletion is possible at all."""
    [name] = absent(talk, 1)
    results = yield from answered_deletion(talk, version, {"name": name})
    disabled = disabled_code(version)
    [code] = errors(results).get(name, [None])
    if code in (INVALID_REQUEST, TOPIC_DELETION_DISABLED):
        talk.expect("the error where deletion is disabled", disabled, code)
    elif code not in UNKNOWN:
        raise Broken(
            f"the error of a topic that does not exist is {code}",
            " or ".join(map(str, UNKNOWN)),
            f"{code}",
            judged_by="topics.unknown-name-to-delete",
        )
    if code == disabled:
        talk.expect(
            "deletion is disabled in the newest version", True, (yield from deletes_none(talk))
        )
    yield Tell("deletion is disabled" if code == disabled else "deletion is enabled")
