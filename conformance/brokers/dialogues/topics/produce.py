"""Produce without acknowledgement, after which the connection says nothing of it."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Generator
from typing import Any

from conformance.brokers.dialogues import question
from conformance.brokers.dialogues.talk import CORRELATED, Talk, describe_received, judged_by
from conformance.brokers.dialogues.topics.lifecycle import (
    create_topics,
    ids,
    newest,
    partition_leaders,
)
from conformance.brokers.dialogues.topics.requests import WRITES, assigned, new, nodes, removed
from conformance.brokers.dialogues.versions.advertised import PRODUCE_SERVED_SINCE
from conformance.dialogue import Broken, Dialogue, Receive, Received, Reconnect, Send, Step
from conformance.schema.filling import filled
from conformance.schema.record_batch import LAYOUT, RECORD_BATCH
from conformance.schema.record_batch import MAGIC as BATCHES

NEEDS = ("Metadata", "CreateTopics", "DeleteTopics")
WITH_BATCHES = range(PRODUCE_SERVED_SINCE, 100)
BY_ID = 13
PATIENCE_MS = 10_000
UNANSWERED = 5


@question("produce.unanswered-without-acks", "Produce", WITH_BATCHES, needs=NEEDS, wants=WRITES)
def _records_that_nobody_acknowledges(talk: Talk, version: int) -> Dialogue:
    """Expect the next answer to be for the next request, and all records to be stored."""
    name = talk.facts.name("written")
    [leader, *others] = yield from nodes(talk)
    yield from create_topics(talk, newest(talk), new(name, **assigned([leader])))
    if others:
        yield Reconnect(node=leader)
    yield from _is_led(talk, name)
    topic_id = ""
    if version >= BY_ID:
        topic_id = (yield from ids(talk, name)())[name]

    def acknowledged() -> Generator[Step, Received | None, list[Any]]:
        value = _records(talk, version, name, topic_id, acks=1)
        reply = yield from talk.ask("Produce", version, value)
        [found] = reply.value["responses"]
        return [(each["errorCode"], each["baseOffset"]) for each in found["partitionResponses"]]

    yield from _takes_records(talk, acknowledged)
    numbers = [talk.number() for _ in range(UNANSWERED)]
    value = _records(talk, version, name, topic_id, acks=0)
    for number in numbers:
        yield Send(talk.frame("Produce", version, value, number))
    yield from _expect_next_answered(talk, numbers)
    found = yield from acknowledged()
    wanted = [(0, 1 + UNANSWERED)]
    talk.expect("error and offset of a record that is acknowledged", wanted, found)
    yield from removed(talk, name)


@judged_by("topics.assignment-followed")
def _is_led(talk: Talk, name: str) -> Dialogue:
    yield from talk.eventually("the partitions that have a leader", 1, _number(talk, name))


@judged_by("topics.assignment-followed")
def _takes_records(
    talk: Talk, acknowledged: Callable[[], Generator[Step, Received | None, Any]]
) -> Dialogue:
    """A leader that does not know yet that it leads closes on a Produce with acks 0, and may."""
    yield from talk.eventually("error and offset of the first record", [(0, 0)], acknowledged)


def _expect_next_answered(talk: Talk, numbers: list[int]) -> Dialogue:
    """The next request has its answer, and none of these correlation ids has one. Raises Broken."""
    next_number = talk.number()
    yield Send(talk.served_request(next_number))
    received = yield Receive()
    assert received is not None
    if received.kind != "reply":
        raise Broken(
            f"no answer behind Produce with acks 0: {describe_received(received)}",
            "an answer",
            received.frame,
        )
    found = int.from_bytes(received.frame[:4], "big")
    if found in numbers:
        raise Broken("Produce with acks 0 has an answer", "none", received.frame)
    if found != next_number:
        raise Broken("another correlation id", str(next_number), judged_by=CORRELATED)


def _number(talk: Talk, name: str) -> Any:
    def number() -> Generator[Step, Received | None, int]:
        found = yield from partition_leaders(talk, name)()
        return len(found)

    return number


def _records(talk: Talk, version: int, name: str, topic_id: str, acks: int) -> dict[str, Any]:
    """Return a request with one record for the first partition of a topic."""
    record: dict[str, Any] = {
        "attributes": 0,
        "timestampDelta": 0,
        "offsetDelta": 0,
        "key": None,
        "value": "AAE=",
        "headers": [],
    }
    batch = {**LAYOUT.default_value(), "records": [record]}
    data = b64encode(talk.codec.encode(RECORD_BATCH, BATCHES, batch)).decode()
    topic = {
        "name": name,
        "topicId": topic_id,
        "partitionData": [{"index": 0, "records": data}],
    }
    layout = talk.codec.form("ProduceRequest", version).layout
    wanted = {"acks": acks, "timeoutMs": PATIENCE_MS, "topicData": [topic]}
    return filled(layout, {**wanted, "transactionalId": None})
