"""Producers that may send again: their ids, their epochs and the sequences of their batches.

A batch carries the producer's id and epoch, and the sequence of its first record, so that a broker
can tell one that is sent again from the next one (KIP-98, Idempotent Producer Guarantees).
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from conformance.brokers.dialogues import question
from conformance.brokers.dialogues.records.logs import (
    PRODUCED,
    TOPICS,
    Log,
    Steps,
    append,
    batch,
    new_log,
)
from conformance.brokers.dialogues.talk import Talk, judged_by
from conformance.brokers.dialogues.topics.lifecycle import newest
from conformance.brokers.dialogues.topics.requests import WRITES, removed
from conformance.dialogue import Broken, Dialogue, Received, Step
from conformance.error_codes import (
    CONCURRENT_TRANSACTIONS,
    COORDINATOR_LOAD_IN_PROGRESS,
    COORDINATOR_NOT_AVAILABLE,
    DUPLICATE_SEQUENCE_NUMBER,
    INVALID_PRODUCER_EPOCH,
    NOT_COORDINATOR,
    OUT_OF_ORDER_SEQUENCE_NUMBER,
    PRODUCER_FENCED,
)
from conformance.schema.filling import filled

ANY = range(100)
WRITTEN = (*TOPICS, "InitProducerId", "ListOffsets")
NOT_READY = (COORDINATOR_LOAD_IN_PROGRESS, COORDINATOR_NOT_AVAILABLE, NOT_COORDINATOR)
OLD_EPOCH = (INVALID_PRODUCER_EPOCH, PRODUCER_FENCED)
HIGHEST = 2**31 - 1
"""The highest sequence; 0 follows it."""
TIMEOUT_MS = 60_000


def init(talk: Talk, version: int, name: str | None = None, **fields: Any) -> Steps:
    """Return the error, the producer id and the epoch of InitProducerId. Raises Broken."""
    wanted = {
        "transactionalId": name,
        "transactionTimeoutMs": TIMEOUT_MS,
        "producerId": -1,
        "producerEpoch": -1,
        **fields,
    }
    layout = talk.codec.form("InitProducerIdRequest", version).layout
    reply = yield from talk.ask("InitProducerId", version, filled(layout, wanted))
    found = reply.value
    return found["errorCode"], found["producerId"], found["producerEpoch"]


def initialised(talk: Talk, version: int, name: str | None = None) -> Steps:
    """Return the error, the id and the epoch once the coordinator is ready. Raises Broken."""
    found: list[tuple[int, int, int]] = []

    def ready() -> Steps:
        found[:] = [(yield from init(talk, version, name))]
        return found[0][0] not in (*NOT_READY, CONCURRENT_TRANSACTIONS)

    yield from talk.eventually("whether there are producer ids", True, ready)
    return found[0]


@judged_by("producers.fresh-id")
def _producer_id(talk: Talk) -> Generator[Step, Received | None, int]:
    code, producer_id, _ = yield from initialised(talk, newest(talk, "InitProducerId"))
    talk.expect("the error of InitProducerId", 0, code)
    return int(producer_id)


def of_producer(producer_id: int, epoch: int, sequence: int, attributes: int = 0) -> dict[str, int]:
    """Return the fields of a batch that a producer sets."""
    return {
        "producerId": producer_id,
        "producerEpoch": epoch,
        "baseSequence": sequence,
        "attributes": attributes,
    }


@judged_by("producers.sequence-taken")
def _begun(
    talk: Talk, sequence: int = 0, *values: str, epoch: int = 0
) -> Generator[Step, Received | None, tuple[Log, int, bytes]]:
    """Return a log, a producer, and its first batch, which was written to it."""
    producer_id = yield from _producer_id(talk)
    made = yield from new_log(talk)
    data = batch(talk, 0, *values or ("a",), **of_producer(producer_id, epoch, sequence))
    yield from append(made, data, 0)
    return made, producer_id, data


@question("producers.fresh-id", "InitProducerId", ANY, wants=WRITES)
def _producers_without_a_transaction(talk: Talk, version: int) -> Dialogue:
    """Expect an id for each of two producers, and epoch 0."""
    ids = []
    for _ in range(2):
        code, producer_id, epoch = yield from initialised(talk, version)
        talk.expect("the error and the epoch", (0, 0), (code, epoch))
        if producer_id < 0:
            raise Broken(f"the producer id is {producer_id}", "0 or more", str(producer_id))
        ids.append(producer_id)
    if ids[0] == ids[1]:
        raise Broken(f"two producers have the id {ids[0]}", "two ids", str(ids[0]))


@question("producers.sequence-taken", "Produce", PRODUCED, needs=WRITTEN, wants=WRITES)
def _batches_in_sequence(talk: Talk, version: int) -> Dialogue:
    producer_id = yield from _producer_id(talk)
    made = yield from new_log(talk)
    yield from append(made, batch(talk, 0, "a"), 0)
    for first, values in ((0, ("b", "c")), (2, ("d",)), (3, ("e", "f"))):
        data = batch(talk, first + 1, *values, **of_producer(producer_id, 0, first))
        found = yield from made.produce(version, data)
        what = f"the error and the base offset of the batch of sequence {first}"
        talk.expect(what, (0, first + 1), found)
    yield from made.expect_end(6)
    yield from removed(talk, made.name)


@question("producers.repeat-written-once", "Produce", PRODUCED, needs=WRITTEN, wants=WRITES)
def _batch_that_is_sent_again(talk: Talk, version: int) -> Dialogue:
    """Expect the offset of the first time, also with a batch in between, and one batch each."""
    made, producer_id, first = yield from _begun(talk, 0, "a", "b")
    yield from _expect_repetition(made, version, first, 0)
    second = batch(talk, 2, "c", **of_producer(producer_id, 0, 2))
    yield from append(made, second, 2)
    yield from _expect_repetition(made, version, first, 0)
    yield from _expect_repetition(made, version, second, 2)
    yield from made.expect_end(3)
    yield from removed(talk, made.name)


def _expect_repetition(made: Log, version: int, data: bytes, offset: int) -> Dialogue:
    code, found = yield from made.produce(version, data)
    if code != DUPLICATE_SEQUENCE_NUMBER:
        what = "the error and the base offset of a batch that is sent again"
        made.talk.expect(what, (0, offset), (code, found))


@question("producers.gap-refused", "Produce", PRODUCED, needs=WRITTEN, wants=WRITES)
def _sequence_that_is_not_the_next(talk: Talk, version: int) -> Dialogue:
    made, producer_id, _ = yield from _begun(talk)
    code, _ = yield from made.produce(
        version, batch(talk, 1, "b", **of_producer(producer_id, 0, 5))
    )
    talk.expect("the error for sequence 5 after 0", OUT_OF_ORDER_SEQUENCE_NUMBER, code)
    yield from made.expect_end(1)
    yield from removed(talk, made.name)


@question("producers.old-epoch-refused", "Produce", PRODUCED, needs=WRITTEN, wants=WRITES)
def _epoch_that_is_over(talk: Talk, version: int) -> Dialogue:
    made, producer_id, _ = yield from _begun(talk, epoch=1)
    code, _ = yield from made.produce(
        version, batch(talk, 1, "b", **of_producer(producer_id, 0, 1))
    )
    expect_one_of("the error for epoch 0 after 1", OLD_EPOCH, code)
    yield from made.expect_end(1)
    yield from removed(talk, made.name)


@question("producers.new-epoch-from-zero", "Produce", PRODUCED, needs=WRITTEN, wants=WRITES)
def _sequences_of_a_new_epoch(talk: Talk, version: int) -> Dialogue:
    """Expect the next sequence to be refused in a new epoch, and 0 to be taken."""
    made, producer_id, _ = yield from _begun(talk)
    code, _ = yield from made.produce(
        version, batch(talk, 1, "b", **of_producer(producer_id, 1, 1))
    )
    talk.expect("the error for sequence 1 of a new epoch", OUT_OF_ORDER_SEQUENCE_NUMBER, code)
    data = batch(talk, 1, "b", **of_producer(producer_id, 1, 0))
    found = yield from made.produce(version, data)
    talk.expect("the error and the base offset for sequence 0 of a new epoch", (0, 1), found)
    yield from removed(talk, made.name)


@question("producers.sequences-wrap", "Produce", PRODUCED, needs=WRITTEN, wants=WRITES)
def _sequences_after_the_highest(talk: Talk, version: int) -> Dialogue:
    """Expect 0 after the highest sequence, in the midst of a batch as well."""
    made, producer_id, _ = yield from _begun(talk, HIGHEST - 2)
    within = batch(talk, 1, "b", "c", "d", **of_producer(producer_id, 0, HIGHEST - 1))
    found = yield from made.produce(version, within)
    talk.expect("the error and the base offset of a batch across the highest", (0, 1), found)
    after = batch(talk, 4, "e", **of_producer(producer_id, 0, 1))
    found = yield from made.produce(version, after)
    talk.expect("the error and the base offset of the batch after it", (0, 4), found)
    yield from removed(talk, made.name)


def expect_one_of(what: str, due: tuple[int, ...], found: int) -> None:
    """Raise Broken unless an error code is one of several."""
    if found not in due:
        one = " or ".join(map(str, due))
        raise Broken(f"{what}: expected {one}, got {found}", one, str(found))
