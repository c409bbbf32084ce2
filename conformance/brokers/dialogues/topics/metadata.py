"""Metadata: which topics were asked for, and which are answered (KIP-4, Metadata version 1)."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from typing import Any

from conformance.brokers.dialogues import question
from conformance.brokers.dialogues.frames.framing import all_topics, topic
from conformance.brokers.dialogues.talk import Talk
from conformance.dialogue import Broken, Dialogue, NotApplicable, Received, Step
from conformance.error_codes import (
    INVALID_REQUEST,
    INVALID_TOPIC_EXCEPTION,
    UNKNOWN_TOPIC_ID,
    UNKNOWN_TOPIC_OR_PARTITION,
)

NOT_ASKED = -(2**31)
"""The value of authorized operations that were not asked for: the lowest INT32."""
ILLEGAL = ("no/such", "no such", "ünicode", ".", "..", "x" * 250)
ANY = range(100)


def asking(talk: Talk, version: int, topics: Any) -> dict[str, Any]:
    """A request that creates nothing, as far as its version lets it say so."""
    value: dict[str, Any] = {**all_topics(talk, version), "topics": topics}
    if version >= 4:
        value["allowAutoTopicCreation"] = False
    return value


@question("metadata.empty-asks-for-none", "Metadata", range(1, 100))
def _no_topics(talk: Talk, version: int) -> Dialogue:
    reply = yield from talk.ask("Metadata", version, asking(talk, version, []))
    talk.expect("the topics", [], reply.value["topics"])
    if not reply.value["brokers"]:
        raise Broken("no broker is listed", "at least one broker", reply.frame)


@question("metadata.null-asks-for-all", "Metadata", range(1, 100))
def _all_topics(talk: Talk, version: int) -> Dialogue:
    """Expect all topics of the lowest version, which asks for all without null if it is 0."""
    low, _ = talk.facts.range_of("Metadata")
    every: list[Any] | None = None if low else []
    names = yield from _all_told(talk, (low, every), (version, None))
    if version == 12:
        some = [topic(talk, version, names[0], whole=True)]
        one = yield from talk.ask("Metadata", version, asking(talk, version, some))
        talk.expect("one of them alone", names[:1], [item["name"] for item in one.value["topics"]])


@question("metadata.version-0-empty-asks-for-all", "Metadata", range(1))
def _all_topics_without_null(talk: Talk, version: int) -> Dialogue:
    _, high = talk.facts.range_of("Metadata")
    if not high:
        raise NotApplicable("the broker has no version with null, to hold this one against")
    yield from _all_told(talk, (high, None), (version, []))


def _all_told(
    talk: Talk, one: tuple[int, list[Any] | None], other: tuple[int, list[Any] | None]
) -> Generator[Step, Received | None, list[str]]:
    """Return the names in the answer to `other`, which must hold all names of the answer to `one`.

    `one` is asked before and after it: other clients may create topics meanwhile.
    """
    due, names, later = yield from _names_told(talk, (one, other, one))
    if due != later:
        raise NotApplicable("the broker's topics change all the time")
    missing = sorted(set(due) - set(names))
    talk.expect(f"what version {one[0]} lists, and version {other[0]} not", [], missing)
    if not names:
        raise NotApplicable("the broker has no topic")
    return names


def _names_told(
    talk: Talk, asked: Iterable[tuple[int, list[Any] | None]]
) -> Generator[Step, Received | None, list[list[str]]]:
    """The names in the answer to each request."""
    told = []
    for version, topics in asked:
        reply = yield from talk.ask("Metadata", version, asking(talk, version, topics))
        told.append(sorted(item["name"] for item in reply.value["topics"]))
    return told


@question("metadata.unknown-topic-error", "Metadata", range(4, 100))
def _topics_that_do_not_exist(talk: Talk, version: int) -> Dialogue:
    names = [talk.facts.name(end) for end in ("absent", "absent-too")]
    topics = [topic(talk, version, name, whole=True) for name in names]
    reply = yield from talk.ask("Metadata", version, asking(talk, version, topics))
    found = {item["name"]: item["errorCode"] for item in reply.value["topics"]}
    talk.expect("the topics' errors", dict.fromkeys(names, UNKNOWN_TOPIC_OR_PARTITION), found)


@question("metadata.illegal-name-error", "Metadata", range(4, 100))
def _illegal_name_beside_a_legal_one(talk: Talk, version: int) -> Dialogue:
    legal = talk.facts.name("absent")
    topics = [topic(talk, version, name, whole=True) for name in (*ILLEGAL, legal)]
    reply = yield from talk.ask("Metadata", version, asking(talk, version, topics))
    found = {item["name"]: item["errorCode"] for item in reply.value["topics"]}
    illegal = sorted(name for name, error in found.items() if error == INVALID_TOPIC_EXCEPTION)
    talk.expect("the names that are said to be illegal", sorted(ILLEGAL), illegal)


@question("metadata.unknown-topic-id-error", "Metadata", range(12, 100))
def _topic_id_that_does_not_exist(talk: Talk, version: int) -> Dialogue:
    unknown = {**topic(talk, version, ""), "name": None, "topicId": "x" * 21 + "A"}
    reply = yield from talk.ask("Metadata", version, asking(talk, version, [unknown]))
    found = [(item["topicId"], item["name"], item["errorCode"]) for item in reply.value["topics"]]
    due = [(unknown["topicId"], None, UNKNOWN_TOPIC_ID)]
    talk.expect("the topics' ids, names and errors", due, found)


@question("metadata.ids-from-version-12", "Metadata", range(10, 12))
def _topic_id_before_its_time(talk: Talk, version: int) -> Dialogue:
    """Ask by id in versions that have the fields, and do not serve requests by them."""
    plain = topic(talk, version, "absent")
    unfit = {"an id": {**plain, "topicId": "x" * 21 + "A"}, "no name": {**plain, "name": None}}
    for what, given in unfit.items():
        reply = yield from talk.ask("Metadata", version, asking(talk, version, [given]))
        codes = [item["errorCode"] for item in reply.value["topics"]]
        talk.expect(f"the errors, with {what}", [INVALID_REQUEST], codes)


@question("metadata.operations-only-if-asked", "Metadata", range(8, 100))
def _operations_not_asked_for(talk: Talk, version: int) -> Dialogue:
    reply = yield from talk.ask("Metadata", version, asking(talk, version, None))
    for item in reply.value["topics"]:
        talk.expect(f"of {item['name']}", NOT_ASKED, item["topicAuthorizedOperations"])
    if version <= 10:
        found = reply.value["clusterAuthorizedOperations"]
        talk.expect("of the cluster", NOT_ASKED, found)


@question("metadata.leaders-are-listed", "Metadata", ANY)
def _leaders_among_the_brokers(talk: Talk, version: int) -> Dialogue:
    topics: list[Any] | None = None if version else []
    reply = yield from talk.ask("Metadata", version, asking(talk, version, topics))
    brokers = {item["nodeId"] for item in reply.value["brokers"]}
    for item in reply.value["topics"]:
        for partition in item["partitions"]:
            leader = partition["leaderId"]
            if not partition["errorCode"] and leader not in brokers | {-1}:
                raise Broken(f"{item['name']}: leader {leader} is no broker of the list")
    if not any(item["partitions"] for item in reply.value["topics"]):
        raise NotApplicable("the broker has no partition")
