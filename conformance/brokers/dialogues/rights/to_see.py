"""The right to see topics: by name, by id and among all, and what else may be done to them."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from conformance.brokers.dialogues import question
from conformance.brokers.dialogues.acls.requests import (
    ALL_VERSIONS,
    CREATE,
    DELETE,
    DESCRIBE,
    READ,
    WRITE,
)
from conformance.brokers.dialogues.frames.framing import topic
from conformance.brokers.dialogues.rights.principals import (
    ABOUT_TOPICS,
    asked_for,
    cleaned,
    grant,
    granted,
    ids_of,
    only,
    seen,
    topics_made,
)
from conformance.brokers.dialogues.talk import Talk
from conformance.brokers.dialogues.topics.metadata import NOT_ASKED
from conformance.brokers.dialogues.topics.metadata import asking as metadata
from conformance.dialogue import Dialogue, Received, Reconnect, Step
from conformance.error_codes import TOPIC_AUTHORIZATION_FAILED
from conformance.schema.layout import ZERO_UUID

IDS_ASKED_FOR = range(12, 100)
OPERATIONS_TOLD = range(8, 100)
CLUSTER_OPERATIONS = range(8, 11)


@question("acls.topics-unseen-without-a-right", "Metadata", ALL_VERSIONS, **ABOUT_TOPICS)
def _topics_that_may_not_be_seen(talk: Talk, version: int) -> Dialogue:
    """Expect topics, existing or not, in no answer, by name or among all, without a right."""
    hidden, shown, absent = (talk.facts.name(what) for what in ("hidden", "shown", "absent"))
    right = granted(talk, shown, DESCRIBE)
    yield from topics_made(talk, hidden, shown)
    yield from _expect_hidden(talk, version, hidden, shown, absent)
    yield from grant(talk, right)
    yield from seen(talk, shown)
    yield from _expect_hidden(talk, version, hidden, absent)
    listed = yield from _all_topics(talk, version)
    talk.expect("all topics of ours", [shown], [name for name in listed if name in (hidden, shown)])
    yield from cleaned(talk, [hidden, shown], right)


def _expect_hidden(talk: Talk, version: int, *names: str) -> Dialogue:
    listed = yield from _all_topics(talk, version)
    talk.expect("of ours among all topics", [], sorted(set(names) & set(listed)))
    found = yield from asked_for(talk, version, *names)
    told = {
        item["name"]: (item["errorCode"], item.get("topicId", ZERO_UUID), len(item["partitions"]))
        for item in found
    }
    due = dict.fromkeys(names, (TOPIC_AUTHORIZATION_FAILED, ZERO_UUID, 0))
    talk.expect("the errors, ids and partitions", due, told)


def _all_topics(talk: Talk, version: int) -> Generator[Step, Received | None, list[str]]:
    """Return the names of all topics that the connected principal sees."""
    every: list[Any] | None = None if version else []
    reply = yield from talk.ask("Metadata", version, metadata(talk, version, every))
    return [item["name"] for item in reply.value["topics"]]


@question("acls.id-unseen-has-no-name", "Metadata", IDS_ASKED_FOR, **ABOUT_TOPICS)
def _id_that_may_not_be_seen(talk: Talk, version: int) -> Dialogue:
    hidden, shown = talk.facts.name("hidden"), talk.facts.name("shown")
    right = granted(talk, shown, DESCRIBE)
    yield from topics_made(talk, hidden, shown)
    ids = yield from ids_of(talk, hidden, shown)
    yield from grant(talk, right)
    yield from seen(talk, shown)
    topics = [{**topic(talk, version, ""), "name": None, "topicId": each} for each in ids]
    reply = yield from talk.ask("Metadata", version, metadata(talk, version, topics))
    told = {
        item["topicId"]: (item["name"], item["errorCode"], len(item["partitions"]))
        for item in reply.value["topics"]
    }
    due = {ids[0]: (None, TOPIC_AUTHORIZATION_FAILED, 0), ids[1]: (shown, 0, 1)}
    talk.expect("the names, errors and partitions by id", due, told)
    yield from cleaned(talk, [hidden, shown], right)


@question("acls.operations-of-the-caller", "Metadata", OPERATIONS_TOLD, **ABOUT_TOPICS)
def _operations_of_both_principals(talk: Talk, version: int) -> Dialogue:
    name = talk.facts.name("operations")
    right = granted(talk, name, READ)
    yield from topics_made(talk, name)
    yield from grant(talk, right)
    yield from seen(talk, name)
    few = yield from _operations(talk, version, name)
    talk.expect("those of one who may read the topic", (1 << READ | 1 << DESCRIBE, 0), few)
    topics = yield from asked_for(talk, version, name)
    found = only(talk, topics, name)
    talk.expect("those not asked for", NOT_ASKED, found["topicAuthorizedOperations"])
    yield Reconnect("self")
    all_, of_cluster = yield from _operations(talk, version, name)
    for operation in (READ, WRITE, DELETE, DESCRIBE):
        talk.expect(f"operation {operation} of one who may do everything", 1, all_ >> operation & 1)
    if version in CLUSTER_OPERATIONS:
        talk.expect("to create topics, of the same", 1, of_cluster >> CREATE & 1)
    yield from cleaned(talk, [name], right)


def _operations(
    talk: Talk, version: int, name: str
) -> Generator[Step, Received | None, tuple[int, int]]:
    """Return the operations allowed on a topic and on the cluster; 0 if the version lacks them."""
    value = metadata(talk, version, [topic(talk, version, name, whole=True)])
    value["includeTopicAuthorizedOperations"] = True
    if version in CLUSTER_OPERATIONS:
        value["includeClusterAuthorizedOperations"] = True
    reply = yield from talk.ask("Metadata", version, value)
    found = only(talk, reply.value["topics"], name)
    of_cluster = reply.value.get("clusterAuthorizedOperations", 0)
    return found["topicAuthorizedOperations"], of_cluster
