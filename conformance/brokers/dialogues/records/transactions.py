"""Transactions: who may take part in them, what readers see of them, and how they end (KIP-98)."""

from __future__ import annotations

from base64 import b64decode
from typing import Any

from conformance.brokers.dialogues import question
from conformance.brokers.dialogues.records.logs import (
    LATEST,
    Steps,
    expect_no_error,
    offset_of,
    split,
)
from conformance.brokers.dialogues.records.producers import (
    ANY,
    OLD_EPOCH,
    expect_one_of,
    init,
    initialised,
)
from conformance.brokers.dialogues.records.transacting import (
    COMMITTED,
    NEEDS,
    OF_CLIENTS,
    Producer,
    added,
    begun,
    ended,
    left,
    produced,
    producer,
    stable,
    write,
    written,
)
from conformance.brokers.dialogues.talk import Talk, judged_by
from conformance.brokers.dialogues.topics.lifecycle import newest
from conformance.brokers.dialogues.topics.requests import WRITES
from conformance.dialogue import Broken, Dialogue
from conformance.error_codes import (
    INVALID_PRODUCER_ID_MAPPING,
    INVALID_TRANSACTION_TIMEOUT,
    INVALID_TXN_STATE,
    OPERATION_NOT_ATTEMPTED,
    TRANSACTION_ABORTABLE,
    UNKNOWN_TOPIC_OR_PARTITION,
)
from conformance.schema.record_batch import MAGIC, RECORD_BATCH
from conformance.wire.errors import DecodeError

READ = (*NEEDS, "Fetch")
ISOLATED = range(4, 100)
ISOLATED_LISTS = range(2, 100)
"""The versions of Fetch and of ListOffsets that have an isolation level."""
BEFORE_ADDING = range(3, 12)
"""The versions of Produce that need partitions to be added first (KIP-890)."""
LONGEST_MS = 2**31 - 1
CONTROL = 1 << 5


@question("transactions.same-producer", "InitProducerId", ANY, needs=NEEDS, wants=WRITES)
def _producer_that_begins_again(talk: Talk, version: int) -> Dialogue:
    """Expect the same producer id for a transactional id, and the next epoch."""
    made = yield from producer(talk)
    code, producer_id, epoch = yield from initialised(talk, version, made.name)
    due = (0, made.producer_id, made.epoch + 1)
    talk.expect("the error, the producer id and the epoch", due, (code, producer_id, epoch))
    yield from left(made)


@question("transactions.timeout-limited", "InitProducerId", ANY, needs=NEEDS, wants=WRITES)
def _time_that_no_transaction_may_take(talk: Talk, version: int) -> Dialogue:
    made = yield from producer(talk)
    for time in (LONGEST_MS, 0):
        code, *_ = yield from init(talk, version, made.name, transactionTimeoutMs=time)
        talk.expect(f"the error for a timeout of {time} ms", INVALID_TRANSACTION_TIMEOUT, code)
    yield from left(made)


@question(
    "transactions.partitions-added", "AddPartitionsToTxn", OF_CLIENTS, needs=NEEDS, wants=WRITES
)
def _partitions_in_a_transaction(talk: Talk, version: int) -> Dialogue:
    """Expect no error, and a batch to be taken for each partition."""
    made = yield from producer(talk, 2)
    yield from added(made, version, [0, 1])
    for index in (0, 1):
        yield from written(made, 0, "a", "b", index=index)
    yield from abandoned(made)
    yield from left(made)


def abandoned(made: Producer) -> Dialogue:
    """End what would stay open until its time is up; other dialogues judge how that is answered."""
    yield from made.end(newest(made.talk, "EndTxn"), committed=False)


@question(
    "transactions.unknown-partition-refused",
    "AddPartitionsToTxn",
    OF_CLIENTS,
    needs=NEEDS,
    wants=WRITES,
)
def _partition_to_add_that_is_not_there(talk: Talk, version: int) -> Dialogue:
    """Expect an error for it, and that no other partition of the request is added."""
    made = yield from producer(talk)
    absent = talk.facts.name("absent")
    found = yield from made.add(version, {made.log.name: [0], absent: [0]})
    talk.expect("the error of what is not there", UNKNOWN_TOPIC_OR_PARTITION, found[absent, 0])
    what = "the error of a partition beside it"
    talk.expect(what, OPERATION_NOT_ATTEMPTED, found[made.log.name, 0])
    yield from left(made)


@question(
    "transactions.old-epoch-fenced", "AddPartitionsToTxn", OF_CLIENTS, needs=NEEDS, wants=WRITES
)
def _old_producer_that_adds(talk: Talk, version: int) -> Dialogue:
    made = yield from _replaced(talk)
    found = yield from made.add(version, {made.log.name: [0]})
    expect_one_of("the error for an epoch that is over", OLD_EPOCH, found[made.log.name, 0])
    yield from left(made)


@question("transactions.old-epoch-fenced", "EndTxn", ANY, needs=NEEDS, wants=WRITES)
def _old_producer_that_ends(talk: Talk, version: int) -> Dialogue:
    made = yield from _replaced(talk)
    code = yield from made.end(version, committed=True)
    expect_one_of("the error for an epoch that is over", OLD_EPOCH, code)
    yield from left(made)


@judged_by("transactions.same-producer")
def _replaced(talk: Talk) -> Steps:
    """Return a producer of a transactional id that another one has taken over since."""
    made = yield from producer(talk)
    code, *_ = yield from initialised(talk, newest(talk, "InitProducerId"), made.name)
    talk.expect("the error of InitProducerId", 0, code)
    return made


@question(
    "transactions.other-producer-refused",
    "AddPartitionsToTxn",
    OF_CLIENTS,
    needs=NEEDS,
    wants=WRITES,
)
def _other_producer_that_adds(talk: Talk, version: int) -> Dialogue:
    made = yield from producer(talk)
    other = made.producer_id + 1000
    found = yield from made.add(version, {made.log.name: [0]}, producerId=other)
    what = "the error for another producer's id"
    talk.expect(what, INVALID_PRODUCER_ID_MAPPING, found[made.log.name, 0])
    yield from left(made)


@question("transactions.other-producer-refused", "EndTxn", ANY, needs=NEEDS, wants=WRITES)
def _other_producer_that_ends(talk: Talk, version: int) -> Dialogue:
    made = yield from begun(talk, "a")
    code = yield from made.end(version, committed=True, producerId=made.producer_id + 1000)
    talk.expect("the error for another producer's id", INVALID_PRODUCER_ID_MAPPING, code)
    yield from abandoned(made)
    yield from left(made)


@question("transactions.none-to-commit", "EndTxn", ANY, needs=NEEDS, wants=WRITES)
def _end_without_a_transaction(talk: Talk, version: int) -> Dialogue:
    made = yield from producer(talk)
    code = yield from made.end(version, committed=True)
    talk.expect("the error for a commit of nothing", INVALID_TXN_STATE, code)
    yield from left(made)


@question(
    "transactions.unadded-refused",
    "Produce",
    BEFORE_ADDING,
    needs=(*READ, "ListOffsets"),
    wants=WRITES,
)
def _batch_for_a_partition_that_was_not_added(talk: Talk, version: int) -> Dialogue:
    made = yield from begun(talk, "a")
    epoch = made.epoch
    yield from ended(made, newest(talk, "EndTxn"), committed=True)
    yield from stable(made, 2)
    data = made.batch(2, "b", sequence=1 if made.epoch == epoch else 0)
    code, _ = yield from produced(made, version, data)
    due = (INVALID_TXN_STATE, TRANSACTION_ABORTABLE)
    expect_one_of("the error for a partition that was not added", due, code)
    yield from made.log.expect_end(2)
    yield from left(made)


@question("transactions.commit-read", "EndTxn", ANY, needs=READ, wants=WRITES)
def _transaction_that_is_committed(talk: Talk, version: int) -> Dialogue:
    """Expect readers of committed records to get them, and no aborted transaction."""
    made = yield from begun(talk, "a", "b", partitions=2)
    yield from ended(made, version, committed=True)
    for index in (0, 1):
        yield from stable(made, 3, index)
        found = yield from _committed(made, newest(talk, "Fetch"), index)
        talk.expect("the base offset of the first batch", [0], _offsets(found)[:1])
        talk.expect("the aborted transactions", [], found["abortedTransactions"] or [])
    yield from left(made)


@question("transactions.ends-marked", "EndTxn", ANY, needs=READ, wants=WRITES)
def _marks_at_the_ends_of_transactions(talk: Talk, version: int) -> Dialogue:
    """Expect a control record of the producer after each: type 1 for a commit, 0 for an abort."""
    made = yield from begun(talk, "a")
    marks = [(1, 1, made.producer_id)]
    yield from ended(made, version, committed=True)
    yield from stable(made, 2)
    producer_id = made.producer_id
    yield from _next(made, 2)
    yield from ended(made, version, committed=False)
    yield from stable(made, 4)
    marks.append((3, 0, producer_id))
    found = yield from made.log.fetch(newest(talk, "Fetch"), 0)
    expect_no_error(found)
    came = [_mark(talk, each) for each in split(b64decode(found["records"] or ""))]
    talk.expect(
        "the offset, type and producer of each mark", marks, [each for each in came if each]
    )
    yield from left(made)


def _next(made: Producer, first: int) -> Dialogue:
    """Write another transaction, with a fresh epoch so that sequences begin at 0 again."""
    talk = made.talk
    found = yield from initialised(talk, newest(talk, "InitProducerId"), made.name)
    code, made.producer_id, made.epoch = found
    talk.expect("the error of InitProducerId", 0, code)
    yield from write(made, "b", first=first)


def _mark(talk: Talk, data: bytes) -> tuple[int, int, int] | None:
    """Return the offset, the type and the producer of a control batch, None for any other."""
    try:
        found, _ = talk.codec.read(talk.codec.form(RECORD_BATCH, MAGIC), data)
    except DecodeError as error:
        raise Broken(f"a batch can not be read: {error}", "a batch", data) from None
    if not found["attributes"] & CONTROL:
        return None
    key = b64decode(found["records"][0]["key"] or "")
    return found["baseOffset"], int.from_bytes(key[2:4], "big"), found["producerId"]


def _committed(made: Producer, version: int, index: int = 0, offset: int = 0) -> Steps:
    """Return a partition of a Fetch for committed records alone. Raises Broken."""
    found = yield from made.log.fetch(version, offset, index=index, isolationLevel=COMMITTED)
    expect_no_error(found)
    return found


def _offsets(found: Any) -> list[int]:
    return [offset_of(each) for each in split(b64decode(found["records"] or ""))]


@question("transactions.open-unread", "Fetch", ISOLATED, needs=NEEDS, wants=WRITES)
def _transaction_that_is_open(talk: Talk, version: int) -> Dialogue:
    """Expect all records for some readers, and for others those before the transaction."""
    made = yield from begun(talk, "a")
    yield from ended(made, newest(talk, "EndTxn"), committed=True)
    yield from stable(made, 2)
    yield from _next(made, 2)
    found = yield from made.log.fetch(version, 0)
    expect_no_error(found)
    talk.expect("the base offsets of all batches", [0, 1, 2], _offsets(found))
    found = yield from _committed(made, version)
    talk.expect("the base offsets of committed batches", [0, 1], _offsets(found))
    ends = found["lastStableOffset"], found["highWatermark"]
    talk.expect("the last stable offset and the high watermark", (2, 3), ends)
    found = yield from _committed(made, version, offset=2)
    talk.expect("the base offsets from the open transaction on", [], _offsets(found))
    yield from abandoned(made)
    yield from left(made)


@question("transactions.aborted-listed", "Fetch", ISOLATED, needs=NEEDS, wants=WRITES)
def _transaction_that_is_aborted(talk: Talk, version: int) -> Dialogue:
    """Expect its producer and first offset, among the committed, and not beyond its end."""
    made = yield from begun(talk, "a")
    yield from ended(made, newest(talk, "EndTxn"), committed=True)
    yield from stable(made, 2)
    yield from _next(made, 2)
    aborted = {"producerId": made.producer_id, "firstOffset": 2}
    yield from ended(made, newest(talk, "EndTxn"), committed=False)
    yield from stable(made, 4)
    for offset, due in ((0, [aborted]), (2, [aborted]), (4, [])):
        found = yield from _committed(made, version, offset=offset)
        what = f"the aborted transactions from offset {offset} on"
        talk.expect(what, due, found["abortedTransactions"] or [])
    found = yield from made.log.fetch(version, 0)
    expect_no_error(found)
    what = "the aborted transactions for readers of all records"
    talk.expect(what, [], found["abortedTransactions"] or [])
    yield from left(made)


@question(
    "transactions.stable-end-listed", "ListOffsets", ISOLATED_LISTS, needs=NEEDS, wants=WRITES
)
def _end_of_a_log_with_an_open_transaction(talk: Talk, version: int) -> Dialogue:
    made = yield from begun(talk, "a", "b")
    for level, due in ((COMMITTED, 0), (0, 2)):
        found = yield from made.log.offset_at(version, LATEST, isolationLevel=level)
        what = f"the error and the end of the log at isolation level {level}"
        talk.expect(what, (0, due), found)
    yield from abandoned(made)
    yield from left(made)


@question(
    "transactions.open-ends-at-next-producer", "InitProducerId", ANY, needs=READ, wants=WRITES
)
def _open_transaction_that_is_taken_over(talk: Talk, version: int) -> Dialogue:
    """Expect the transaction of a producer that was replaced to be aborted."""
    made = yield from begun(talk, "a")
    code, *_ = yield from initialised(talk, version, made.name)
    talk.expect("the error of InitProducerId", 0, code)
    yield from stable(made, 2)
    found = yield from _committed(made, newest(talk, "Fetch"))
    firsts = [each["firstOffset"] for each in found["abortedTransactions"] or []]
    talk.expect("the first offsets of aborted transactions", [0], firsts)
    yield from left(made)
