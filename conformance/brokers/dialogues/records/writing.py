"""Produce: batches to refuse, several partitions of one request, and times."""

from __future__ import annotations

from collections.abc import Iterator

from crc32c import crc32c

from conformance.brokers.dialogues import question
from conformance.brokers.dialogues.frames.connections import dropped
from conformance.brokers.dialogues.records.logs import (
    BY_ID,
    FETCHED,
    LATEST,
    PRODUCED,
    TOPICS,
    Log,
    Steps,
    append,
    batch,
    configured_log,
    fetched_whole,
    log,
    new_log,
    offset_of,
)
from conformance.brokers.dialogues.talk import Talk, judged_by
from conformance.brokers.dialogues.topics.lifecycle import newest
from conformance.brokers.dialogues.topics.requests import WRITES, removed
from conformance.dialogue import Broken, Dialogue, NotApplicable, Reconnect
from conformance.error_codes import (
    CORRUPT_MESSAGE,
    INVALID_RECORD,
    INVALID_REQUIRED_ACKS,
    MESSAGE_TOO_LARGE,
    UNKNOWN_TOPIC_ID,
    UNKNOWN_TOPIC_OR_PARTITION,
)
from conformance.schema.record_batch import MAGIC

LISTING = (*TOPICS, "ListOffsets")
READING = (*TOPICS, "Fetch")
TIMED_SINCE = range(3, 100)
NO_TIME = -1
APPEND_TIME = 1 << 3
"""The bit of a batch's attributes that says that a broker set its time."""
CONTROL = 1 << 5
MAX_BATCH = 600
LONG_AGO = 10_000
"""A time in ms that no broker has today."""
NO_SUCH_ID = "x" * 21 + "A"
_MAGIC, _CRC, _ATTRIBUTES, _LAST_DELTA, _COUNT = 16, 17, 21, 23, 57
_LENGTH = 8
"""The offsets of these fields in a batch; the checksum covers what follows it."""


@question("log.partitions-written-apart", "Produce", PRODUCED, needs=LISTING, wants=WRITES)
def _partitions_to_write_of_which_some_fail(talk: Talk, version: int) -> Dialogue:
    """Expect an error for what does not exist, and a batch in each partition that does."""
    made = yield from new_log(talk, 2)
    yield from append(made, batch(talk, 0, "a"), 0)
    yield from append(made, batch(talk, 0, "b"), 0, index=1)
    data = batch(talk, 1, "c", "d")
    stranger = Log(talk, talk.facts.name("absent"), NO_SUCH_ID)
    topics = [stranger.to_write({0: data}), made.to_write({0: data, 9: data, 1: data})]
    found = yield from made.produced_to_topics(version, topics)
    unknown = UNKNOWN_TOPIC_ID if version >= BY_ID else UNKNOWN_TOPIC_OR_PARTITION
    code = found[stranger.key(version)][0]["errorCode"]
    talk.expect("the error of a topic that does not exist", unknown, code)
    codes = {index: each["errorCode"] for index, each in found[made.key(version)].items()}
    due = {0: 0, 1: 0, 9: UNKNOWN_TOPIC_OR_PARTITION}
    talk.expect("the errors by partition", due, dict(sorted(codes.items())))
    yield from made.expect_end(3)
    yield from removed(talk, made.name)


@question("log.acks-refused", "Produce", PRODUCED, needs=LISTING, wants=WRITES)
def _acks_that_do_not_exist(talk: Talk, version: int) -> Dialogue:
    made = yield from log(talk, ["a"])
    for acks in (2, -2):
        code, _ = yield from made.produce(version, batch(talk, 1, "b"), acks=acks)
        talk.expect(f"the error for acks {acks}", INVALID_REQUIRED_ACKS, code)
    yield from made.expect_end(1)
    yield from removed(talk, made.name)


@question("log.too-large-refused", "Produce", PRODUCED, needs=LISTING, wants=WRITES)
def _batch_above_the_limit_of_a_topic(talk: Talk, version: int) -> Dialogue:
    made = yield from configured_log(talk, max_message_bytes=str(MAX_BATCH))
    yield from append(made, batch(talk, 0, "a"), 0)
    code, _ = yield from made.produce(version, batch(talk, 1, "b" * MAX_BATCH))
    talk.expect(f"the error for more than {MAX_BATCH} bytes", MESSAGE_TOO_LARGE, code)
    yield from made.expect_end(1)
    yield from removed(talk, made.name)


@question("log.append-time", "Produce", TIMED_SINCE, needs=READING, wants=WRITES)
def _time_of_appending(talk: Talk, version: int) -> Dialogue:
    """Expect the broker's time in the answer and in the batch, and the producer's in no answer."""
    if newest(talk, "Fetch") not in FETCHED:
        raise NotApplicable("Fetch has no version with batches")
    plain = yield from log(talk, ["a"])
    found = yield from plain.produced(version, {0: batch(talk, 1, "b")})
    talk.expect("logAppendTimeMs of a producer's time", NO_TIME, found[0]["logAppendTimeMs"])
    yield from removed(talk, plain.name)
    made = yield from configured_log(talk, message_timestamp_type="LogAppendTime")
    yield from append(made, batch(talk, 0, "a"), 0)
    old = batch(talk, 1, "b", "c", baseTimestamp=LONG_AGO, maxTimestamp=LONG_AGO + 1000)
    found = yield from made.produced(version, {0: old})
    at = found[0]["logAppendTimeMs"]
    if at <= batch_time(old):
        raise Broken(f"logAppendTimeMs is {at}, which is no time of today", "a time", str(at))
    came = yield from fetched_whole(made, newest(talk, "Fetch"))
    [second] = [each for each in came if offset_of(each) == 1]
    has_bit = bool(second[_ATTRIBUTES + 1] & APPEND_TIME)
    talk.expect("the bit of the batch that says LogAppendTime", True, has_bit)
    talk.expect("the time of the batch", at, batch_time(second))
    yield from removed(talk, made.name)


def batch_time(data: bytes) -> int:
    """Return the highest time of a batch."""
    return int.from_bytes(data[35:43], "big", signed=True)


@question(
    "log.wrong-batches-refused",
    "Produce",
    PRODUCED,
    needs=LISTING,
    wants=WRITES,
    malformed=True,
)
def _batches_that_contradict_themselves(talk: Talk, version: int) -> Dialogue:
    """Expect an error for each, and that nothing is appended."""
    made = yield from log(talk, ["a"])
    for what, data in _wrong_batches(talk):
        yield from _expect_refusal(made, version, what, data)
    yield from made.expect_end(1)
    yield from removed(talk, made.name)


def _expect_refusal(made: Log, version: int, what: str, data: bytes) -> Steps:
    code, _ = yield from made.produce(version, data)
    if code not in (INVALID_RECORD, CORRUPT_MESSAGE):
        due = f"{INVALID_RECORD} or {CORRUPT_MESSAGE}"
        raise Broken(f"the error for {what}: expected {due}, got {code}", due, str(code))


def _wrong_batches(talk: Talk) -> Iterator[tuple[str, bytes]]:
    """Yield batches that no producer may send, each with what is wrong with it."""
    data = batch(talk, 1, "b", "c")
    yield "two batches in one partition", data + data
    yield "a count above the number of records", _signed(data, _COUNT, (3).to_bytes(4, "big"))
    yield "a last offset that disagrees", _signed(data, _LAST_DELTA, (5).to_bytes(4, "big"))
    yield "a base offset other than 0", batch(talk, 1, "b", baseOffset=7)
    yield "a batch of control records", batch(talk, 1, "b", attributes=CONTROL)
    yield "a batch of magic 1", data[:_MAGIC] + bytes([MAGIC - 1]) + data[_MAGIC + 1 :]


def _signed(data: bytes, at: int, new: bytes) -> bytes:
    """Return a batch with other bytes at an offset, and a checksum that fits them."""
    changed = data[:at] + new + data[at + len(new) :]
    checksum = crc32c(changed[_ATTRIBUTES:]).to_bytes(4, "big")
    return changed[:_CRC] + checksum + changed[_ATTRIBUTES:]


@question("log.without-batch-refused", "Produce", PRODUCED, needs=LISTING, wants=WRITES)
def _records_that_are_empty(talk: Talk, version: int) -> Dialogue:
    made = yield from log(talk, ["a"])
    yield from _expect_refusal(made, version, "records without a batch", b"")
    yield from made.expect_end(1)
    yield from removed(talk, made.name)


@question("framing.cut-frame-dropped", "Produce", needs=LISTING, wants=WRITES, malformed=True)
def _batch_cut_short_by_the_end(talk: Talk) -> Dialogue:
    """Expect that nothing is appended of a Produce that did not come whole."""
    made = yield from log(talk, ["a"])
    version = newest(talk, "Produce")
    value = made.to_produce(version, [made.to_write({0: batch(talk, 1, "b")})])
    yield from dropped("Produce", talk.frame("Produce", version, value, talk.number()), 1)
    yield Reconnect()
    found = yield from _end_of(made)
    talk.expect("the error and the offset after the last record", (0, 1), found)
    yield from removed(talk, made.name)


@judged_by("log.ends-listed")
def _end_of(made: Log) -> Steps:
    found = yield from made.offset_at(newest(made.talk, "ListOffsets"), LATEST)
    return found
