"""A log of one partition: what is written to it, read from it, looked up in it and deleted."""

from __future__ import annotations

from base64 import b64decode, b64encode
from typing import Any

from conformance.brokers.dialogues import question
from conformance.brokers.dialogues.records.logs import (
    EARLIEST,
    FETCHED,
    GREATEST_TIME,
    LATEST,
    LISTED,
    LISTED_BY_GREATEST_TIME,
    PRODUCED,
    TOPICS,
    append,
    batch,
    batch_of,
    expect_batches,
    expect_no_error,
    fetched_whole,
    log,
    new_log,
    offset_of,
    split,
)
from conformance.brokers.dialogues.talk import Talk
from conformance.brokers.dialogues.topics.lifecycle import newest
from conformance.brokers.dialogues.topics.requests import WRITES, removed
from conformance.dialogue import Dialogue
from conformance.error_codes import CORRUPT_MESSAGE, OFFSET_OUT_OF_RANGE


@question("log.base-offset-told", "Produce", PRODUCED, needs=TOPICS, wants=WRITES)
def _offsets_of_batches(talk: Talk, version: int) -> Dialogue:
    """Expect the offset of a batch to be the number of records before it."""
    made = yield from log(talk, ["a"])
    two = yield from made.produce(version, batch(talk, 1, "b", "c"))
    talk.expect("the error and the base offset of the second batch", (0, 1), two)
    three = yield from made.produce(version, batch(talk, 3, "d"), acks=1)
    talk.expect("the error and the base offset of the third batch", (0, 3), three)
    yield from removed(talk, made.name)


@question("log.fetched-as-written", "Fetch", FETCHED, needs=(*TOPICS, "Produce"), wants=WRITES)
def _batches_that_were_written(talk: Talk, version: int) -> Dialogue:
    """Expect each byte of two batches but for those that a broker sets."""
    made = yield from log(talk, ["first", "second"], ["third"])
    came = yield from fetched_whole(made, version)
    talk.expect("the base offsets of the batches", [0, 2], [offset_of(each) for each in came])
    expect_batches(made, came)
    yield from removed(talk, made.name)


@question("log.begins-where-asked", "Fetch", FETCHED, needs=(*TOPICS, "Produce"), wants=WRITES)
def _offsets_within_a_log(talk: Talk, version: int) -> Dialogue:
    """Expect a Fetch to begin with the batch that holds the offset."""
    made = yield from log(talk, ["a", "b"], ["c", "d", "e"], ["f"])
    due = {0: 0, 1: 0, 2: 2, 4: 2, 5: 5}
    for offset, begin in due.items():
        found = yield from made.fetch(version, offset)
        expect_no_error(found)
        came = split(b64decode(found["records"] or ""))
        first = [offset_of(each) for each in came[:1]]
        talk.expect(f"the base offset of the first batch for offset {offset}", [begin], first)
    yield from removed(talk, made.name)


@question("log.end-is-empty", "Fetch", FETCHED, needs=(*TOPICS, "Produce"), wants=WRITES)
def _end_of_a_log(talk: Talk, version: int) -> Dialogue:
    """Expect neither records nor an error at the end of a log, and the end as high watermark."""
    made = yield from log(talk, ["a", "b"])
    found = yield from made.fetch(version, 2)
    expect_no_error(found)
    talk.expect("the records at the end of the log", "", found["records"] or "")
    talk.expect("the high watermark", 2, found["highWatermark"])
    yield from removed(talk, made.name)


@question("log.out-of-range-refused", "Fetch", FETCHED, needs=(*TOPICS, "Produce"), wants=WRITES)
def _offsets_beyond_a_log(talk: Talk, version: int) -> Dialogue:
    made = yield from log(talk, ["a", "b"])
    for offset in (3, 1_000_000):
        found = yield from made.fetch(version, offset)
        what = f"the error for offset {offset} of a log of 2 records"
        talk.expect(what, OFFSET_OUT_OF_RANGE, found["errorCode"])
    yield from removed(talk, made.name)


@question("log.first-batch-whole", "Fetch", FETCHED, needs=(*TOPICS, "Produce"), wants=WRITES)
def _batch_above_the_limit(talk: Talk, version: int) -> Dialogue:
    """Expect the first batch even if it is longer than the partition's limit (KIP-74)."""
    made = yield from log(talk, ["a" * 1000], ["b"])
    found = yield from made.fetch(version, 0, max_bytes=100)
    expect_no_error(found)
    came = split(b64decode(found["records"] or ""))
    talk.expect("the base offset of the first batch", [0], [offset_of(each) for each in came[:1]])
    yield from removed(talk, made.name)


@question("log.ends-listed", "ListOffsets", LISTED, needs=(*TOPICS, "Produce"), wants=WRITES)
def _begin_and_end(talk: Talk, version: int) -> Dialogue:
    made = yield from log(talk, ["a", "b"], ["c"])
    for time, offset in ((EARLIEST, 0), (LATEST, 3)):
        found = yield from made.offset_at(version, time)
        talk.expect(f"the error and the offset for timestamp {time}", (0, offset), found)
    yield from removed(talk, made.name)


@question("log.first-as-young", "ListOffsets", LISTED, needs=(*TOPICS, "Produce"), wants=WRITES)
def _offsets_at_times(talk: Talk, version: int) -> Dialogue:
    """Expect the first record of a time or later, within a batch as well, and none after all."""
    made = yield from log(talk, ["a", "b"], ["c"])
    begin = talk.facts.time_ms
    last = begin + 2000
    due = {0: 0, begin + 1: 1, begin + 1000: 1, last: 2, last + 1: -1}
    for time, offset in due.items():
        found = yield from made.offset_at(version, time)
        talk.expect(f"the error and the offset for timestamp {time}", (0, offset), found)
    yield from removed(talk, made.name)


@question(
    "log.greatest-time-listed",
    "ListOffsets",
    LISTED_BY_GREATEST_TIME,
    needs=(*TOPICS, "Produce"),
    wants=WRITES,
)
def _greatest_time(talk: Talk, version: int) -> Dialogue:
    """Expect the record of the greatest time, which is the last neither of its batch nor of all."""
    made = yield from new_log(talk)
    records: list[Any] = [
        {
            "attributes": 0,
            "timestampDelta": seconds * 1000,
            "offsetDelta": at,
            "key": None,
            "value": b64encode(b"of some time").decode(),
            "headers": [],
        }
        for at, seconds in enumerate((0, 5, 2))
    ]
    yield from append(made, batch_of(talk, 0, records), 0)
    yield from append(made, batch(talk, 3, "d"), 3)
    found = yield from made.listed(version, GREATEST_TIME)
    talk.expect(
        f"the error, the offset and the timestamp for timestamp {GREATEST_TIME}",
        (0, 1, talk.facts.time_ms + 5000),
        (found["errorCode"], found["offset"], found["timestamp"]),
    )
    yield from removed(talk, made.name)


@question(
    "log.corrupt-refused",
    "Produce",
    PRODUCED,
    needs=(*TOPICS, "ListOffsets"),
    wants=WRITES,
    malformed=True,
)
def _batch_of_a_wrong_checksum(talk: Talk, version: int) -> Dialogue:
    """Expect an error, and that nothing is appended."""
    made = yield from log(talk, ["a"])
    data = batch(talk, 1, "b")
    code, _ = yield from made.produce(version, data[:-1] + bytes([data[-1] ^ 1]))
    talk.expect("the error for a batch whose checksum is wrong", CORRUPT_MESSAGE, code)
    yield from made.expect_end(1)
    yield from removed(talk, made.name)


@question(
    "log.deleted-is-gone",
    "DeleteRecords",
    range(100),
    needs=(*TOPICS, "Produce", "ListOffsets"),
    wants=WRITES,
)
def _records_that_are_deleted(talk: Talk, version: int) -> Dialogue:
    made = yield from log(talk, ["a", "b"], ["c"])
    found = yield from made.delete_before(version, 1)
    talk.expect("the error and the low watermark", (0, 1), found)
    listed = newest(talk, "ListOffsets")
    begin = yield from made.offset_at(listed, EARLIEST)
    talk.expect("the error and the first offset", (0, 1), begin)
    beyond, _ = yield from made.delete_before(version, 4)
    talk.expect("the error for an offset after the end", OFFSET_OUT_OF_RANGE, beyond)
    every = yield from made.delete_before(version, -1)
    talk.expect("the error and the low watermark for offset -1", (0, 3), every)
    yield from removed(talk, made.name)
