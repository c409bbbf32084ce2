"""The state, epoch and offsets of transactions, as their coordinator keeps and describes them."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from conformance.brokers.dialogues import question
from conformance.brokers.dialogues.coordinators import coordinators
from conformance.brokers.dialogues.records.logs import Steps
from conformance.brokers.dialogues.records.offsets import Group
from conformance.brokers.dialogues.records.producers import ANY
from conformance.brokers.dialogues.records.transacting import (
    NEEDS,
    PASSING,
    RAISES_SINCE,
    Producer,
    at_coordinator,
    begun,
    end_taken,
    ended,
    left,
    produced,
    producer,
    write,
)
from conformance.brokers.dialogues.records.transactions import abandoned
from conformance.brokers.dialogues.talk import SOFTWARE, Talk, judged_by
from conformance.brokers.dialogues.topics.lifecycle import newest
from conformance.brokers.dialogues.topics.requests import WRITES
from conformance.dialogue import Dialogue, NotApplicable, Received, Reconnect, Step
from conformance.error_codes import TRANSACTIONAL_ID_NOT_FOUND
from conformance.schema.filling import filled

OFFSETS = (*NEEDS, "AddOffsetsToTxn", "OffsetFetch")
ADDING = range(12, 100)
"""The versions of Produce that add partitions by themselves, in a cluster set to that (KIP-890)."""
RAISING = range(RAISES_SINCE, 100)
FEATURE, SECOND = "transaction.version", 2
FEATURES_SINCE = 3
ONGOING = "Ongoing"


@question("transactions.offsets-with-commit", "TxnOffsetCommit", ANY, needs=OFFSETS, wants=WRITES)
def _offsets_in_a_transaction(talk: Talk, version: int) -> Dialogue:
    """Expect offsets from the commit on, and never those of a transaction that was aborted."""
    made = yield from begun(talk, "a")
    name = talk.facts.name("group")
    found = yield from coordinators(talk, newest(talk, "FindCoordinator"), [name])
    node = found[0]["nodeId"]
    group = Group(talk, name, made.log.name, made.log.topic_id)
    yield from _commit_in(made, group, version, 5, node)
    yield from _expect_offset(group, "before the transaction ends", -1)
    yield from at_coordinator(made)
    yield from ended(made, newest(talk, "EndTxn"), committed=True)
    yield from _at(talk, node)
    yield from _expect_offset(group, "after the transaction is committed", 5)
    yield from at_coordinator(made)
    yield from _commit_in(made, group, version, 8, node)
    yield from at_coordinator(made)
    yield from ended(made, newest(talk, "EndTxn"), committed=False)
    yield from _at(talk, node)
    yield from _expect_offset(group, "after another one is aborted", 5)
    yield from at_coordinator(made)
    yield from left(made)


def _at(talk: Talk, node: int) -> Dialogue:
    """Go on with a broker, if there are several."""
    if len(talk.facts.nodes) > 1:
        yield Reconnect(node=node)


def _commit_in(made: Producer, group: Group, version: int, offset: int, node: int) -> Dialogue:
    """Add a group to the transaction, and commit an offset in it, at the group's coordinator."""
    talk, found = made.talk, [0]

    def is_added() -> Steps:
        added = newest(talk, "AddOffsetsToTxn")
        layout = talk.codec.form("AddOffsetsToTxnRequest", added).layout
        value = filled(layout, {**made.ids(), "groupId": group.name})
        reply = yield from talk.ask("AddOffsetsToTxn", added, value)
        found[0] = reply.value["errorCode"]
        return found[0] not in PASSING

    yield from talk.eventually("whether the coordinator is ready", True, is_added)
    talk.expect("the error of AddOffsetsToTxn", 0, found[0])
    yield from _at(talk, node)

    def is_taken() -> Steps:
        layout = talk.codec.form("TxnOffsetCommitRequest", version).layout
        reply = yield from talk.ask("TxnOffsetCommit", version, filled(layout, wanted))
        [topic] = reply.value["topics"]
        found[0] = topic["partitions"][0]["errorCode"]
        return found[0] not in PASSING

    partition = {
        "partitionIndex": 0,
        "committedOffset": offset,
        "committedLeaderEpoch": -1,
        "committedMetadata": "",
    }
    wanted: dict[str, Any] = {
        **made.ids(),
        "groupId": group.name,
        "generationId": -1,
        "memberId": "",
        "groupInstanceId": None,
        "topics": [{"name": group.topic, "topicId": group.topic_id, "partitions": [partition]}],
    }
    yield from talk.eventually("whether the group's coordinator is ready", True, is_taken)
    talk.expect("the error of TxnOffsetCommit", 0, found[0])


def _expect_offset(group: Group, when: str, due: int) -> Dialogue:
    def committed() -> Steps:
        found = yield from group.fetch(newest(group.talk, "OffsetFetch"), [0])
        return found[0][0]

    yield from group.talk.eventually(f"the offset of the group {when}", due, committed)


@question("transactions.described", "DescribeTransactions", ANY, needs=NEEDS, wants=WRITES)
def _states_of_transactions(talk: Talk, version: int) -> Dialogue:
    """Expect an open transaction as it was made, and an error for an unknown id."""
    made = yield from begun(talk, "a")
    absent = talk.facts.name("absent")
    layout = talk.codec.form("DescribeTransactionsRequest", version).layout
    value = filled(layout, {"transactionalIds": [made.name, absent]})
    reply = yield from talk.ask("DescribeTransactions", version, value)
    found = {each["transactionalId"]: each for each in reply.value["transactionStates"]}
    ours = found[made.name]
    due = {
        "errorCode": 0,
        "transactionState": ONGOING,
        "producerId": made.producer_id,
        "producerEpoch": made.epoch,
        "topics": [{"topic": made.log.name, "partitions": [0]}],
    }
    talk.expect("the transaction", due, {key: ours[key] for key in due})
    code = found[absent]["errorCode"]
    talk.expect("the error for an id that does not exist", TRANSACTIONAL_ID_NOT_FOUND, code)
    yield from abandoned(made)
    yield from left(made)


@question("transactions.listed", "ListTransactions", ANY, needs=NEEDS, wants=WRITES)
def _transactions_that_filters_find(talk: Talk, version: int) -> Dialogue:
    """Expect an open transaction for its state and its producer, and not for others."""
    made = yield from begun(talk, "a")
    for states, producers, due in (
        ([], [], True),
        ([ONGOING], [], True),
        (["Empty"], [], False),
        ([], [made.producer_id], True),
        ([], [made.producer_id + 1000], False),
    ):
        layout = talk.codec.form("ListTransactionsRequest", version).layout
        fields = {"stateFilters": states, "producerIdFilters": producers}
        reply = yield from talk.ask("ListTransactions", version, filled(layout, fields))
        talk.expect("the error of ListTransactions", 0, reply.value["errorCode"])
        found = [each["transactionalId"] for each in reply.value["transactionStates"]]
        what = f"whether the transaction is listed for states {states} and producers {producers}"
        talk.expect(what, due, made.name in found)
    yield from abandoned(made)
    yield from left(made)


@question("transactions.produce-adds", "Produce", ADDING, needs=NEEDS, wants=WRITES)
def _batch_that_begins_a_transaction(talk: Talk, version: int) -> Dialogue:
    """Expect a batch to be taken without AddPartitionsToTxn, and its transaction to be ended."""
    made = yield from _second(talk)
    found = yield from produced(made, version, made.batch(0, "a"))
    talk.expect("the error and the base offset", (0, 0), found)
    yield from end_taken(made, newest(talk, "EndTxn"), committed=True)
    yield from left(made)


@question("transactions.end-raises-epoch", "EndTxn", RAISING, needs=NEEDS, wants=WRITES)
def _epoch_after_a_transaction(talk: Talk, version: int) -> Dialogue:
    """Expect the next epoch of the same producer, with which it goes on."""
    made = yield from _second(talk)
    for first, committed in ((0, True), (2, False)):
        yield from write(made, "a", first=first)
        due = made.producer_id, made.epoch + 1
        yield from ended(made, version, committed)
        talk.expect("the producer id and the epoch", due, (made.producer_id, made.epoch))
    yield from left(made)


@judged_by("api-versions.features-in-tags")
def _second(talk: Talk) -> Generator[Step, Received | None, Producer]:
    """Return a producer, where transactions are in their second form. Raises NotApplicable."""
    version = newest(talk, "ApiVersions")
    level = 0
    if version >= FEATURES_SINCE:
        layout = talk.codec.form("ApiVersionsRequest", version).layout
        reply = yield from talk.ask("ApiVersions", version, filled(layout, SOFTWARE))
        features = reply.value.get("finalizedFeatures") or []
        level = max(
            [each["maxVersionLevel"] for each in features if each["name"] == FEATURE] or [0]
        )
    if level < SECOND:
        raise NotApplicable(f"{FEATURE} is not {SECOND}")
    made = yield from producer(talk)
    return made
