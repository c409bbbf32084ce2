"""Fetch: records of any content, of several partitions, within limits, and after a wait."""

from __future__ import annotations

from base64 import b64decode, b64encode
from typing import Any

from conformance.brokers.dialogues import question
from conformance.brokers.dialogues.records.logs import (
    BY_ID,
    EARLIEST,
    FETCHED,
    TOPICS,
    Log,
    append,
    batch,
    batch_of,
    beyond,
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
from conformance.dialogue import Broken, Dialogue, NotApplicable
from conformance.error_codes import (
    OFFSET_OUT_OF_RANGE,
    UNKNOWN_TOPIC_ID,
    UNKNOWN_TOPIC_OR_PARTITION,
)
from conformance.schema.filling import filled
from conformance.wire.records.compression import CODECS

WRITING = (*TOPICS, "Produce")
SOON_MS = 300
START_SINCE = range(5, 100)
"""The versions of Fetch that have the log's start."""
ZSTD_SINCE = {"Produce": 7, "Fetch": 10}
NO_SUCH_ID = "x" * 21 + "A"
EPOCHS = range(2, 100)
TO_COME = 1000
"""More than the epoch of any leader of a new topic."""


@question("log.partitions-read-apart", "Fetch", FETCHED, needs=WRITING, wants=WRITES)
def _partitions_to_read_of_which_some_fail(talk: Talk, version: int) -> Dialogue:
    """Expect an error for what does not exist, and the records of each partition that does."""
    made = yield from new_log(talk, 2)
    given = {0: batch(talk, 0, "a"), 1: batch(talk, 0, "b", "c")}
    for index, data in given.items():
        yield from append(made, data, 0, index=index)
    stranger = Log(talk, talk.facts.name("absent"), NO_SUCH_ID)
    topics = [stranger.to_read({0: 0}), made.to_read({0: 0, 9: 0, 1: 0})]
    answer = yield from made.fetched(version, topics)
    by = "topicId" if version >= BY_ID else "topic"
    found: dict[str, dict[int, Any]] = {}
    for each in answer["responses"]:
        found.setdefault(each[by], {}).update(_by_index(each["partitions"]))
    unknown = UNKNOWN_TOPIC_ID if version >= BY_ID else UNKNOWN_TOPIC_OR_PARTITION
    due = {0: 0, 1: 0, 9: UNKNOWN_TOPIC_OR_PARTITION}
    asked = {made.key(version): sorted(due), stranger.key(version): [0]}
    talk.expect("the partitions by topic", asked, {each: sorted(found[each]) for each in found})
    code = found[stranger.key(version)][0]["errorCode"]
    talk.expect("the error of a topic that does not exist", unknown, code)
    ours = found[made.key(version)]
    talk.expect("the errors by partition", due, {at: ours[at]["errorCode"] for at in due})
    ends = {at: ours[at]["highWatermark"] for at in (0, 1)}
    talk.expect("the high watermarks by partition", {0: 1, 1: 2}, ends)
    for at, data in given.items():
        came = [beyond(each) for each in split(b64decode(ours[at]["records"] or ""))]
        what = f"whether the records of partition {at} are those written to it"
        talk.expect(what, True, came == [beyond(data)])
    yield from removed(talk, made.name)


def _by_index(partitions: list[Any]) -> dict[int, Any]:
    return {each["partitionIndex"]: each for each in partitions}


@question("log.compressed-as-written", "Fetch", FETCHED, needs=WRITING, wants=WRITES)
def _batches_that_are_compressed(talk: Talk, version: int) -> Dialogue:
    made = yield from new_log(talk)
    has_zstd = version >= ZSTD_SINCE["Fetch"] and newest(talk, "Produce") >= ZSTD_SINCE["Produce"]
    codecs = [code for code, name in enumerate(CODECS) if name != "zstd" or has_zstd]
    for first, codec in enumerate(codecs):
        data = batch(talk, first, CODECS[codec] * 100, attributes=codec)
        yield from append(made, data, first)
        made.written.append(data)
    came = yield from fetched_whole(made, version)
    due = list(range(len(codecs)))
    talk.expect("the base offsets of the batches", due, [offset_of(each) for each in came])
    expect_batches(made, came)
    yield from removed(talk, made.name)


@question("log.nulls-kept", "Fetch", FETCHED, needs=WRITING, wants=WRITES)
def _records_with_nulls(talk: Talk, version: int) -> Dialogue:
    """Expect null keys, values and headers' values as they were, and empty ones as well."""
    made = yield from new_log(talk)
    given = [(None, None), ("", ""), (_text("key"), None), (None, _text("value"))]
    records = [
        {
            "attributes": 0,
            "timestampDelta": 0,
            "offsetDelta": delta,
            "key": key,
            "value": value,
            "headers": [{"key": "", "value": ""}, {"key": "null", "value": None}] * (delta % 2),
        }
        for delta, (key, value) in enumerate(given)
    ]
    made.written.append(batch_of(talk, 0, records))
    yield from append(made, made.written[0], 0)
    came = yield from fetched_whole(made, version)
    talk.expect("the base offsets of the batches", [0], [offset_of(each) for each in came])
    expect_batches(made, came)
    yield from removed(talk, made.name)


def _text(text: str) -> str:
    return b64encode(text.encode()).decode()


@question("log.max-bytes-kept", "Fetch", FETCHED, needs=WRITING, wants=WRITES)
def _limit_of_a_whole_answer(talk: Talk, version: int) -> Dialogue:
    """Expect records of two partitions within the limit, and of one at least."""
    made = yield from new_log(talk, 2)
    data = batch(talk, 0, "a" * 1000)
    for index in (0, 1):
        yield from append(made, data, 0, index=index)
    limit = len(data) * 3 // 2
    answer = yield from made.fetched(version, [made.to_read({0: 0, 1: 0})], maxBytes=limit)
    found = [each for topic in answer["responses"] for each in topic["partitions"]]
    for each in found:
        expect_no_error(each)
    sizes = [len(b64decode(each["records"] or "")) for each in found]
    if not len(data) <= sum(sizes) <= limit:
        due = f"from {len(data)} to {limit}"
        what = f"the bytes of records in an answer limited to {limit}: expected {due}, got {sizes}"
        raise Broken(what, due, str(sizes))
    yield from removed(talk, made.name)


@question("log.waits-for-records", "Fetch", FETCHED, needs=WRITING, wants=WRITES)
def _fetch_that_waits_at_the_end(talk: Talk, version: int) -> Dialogue:
    """Expect an answer without records after the longest wait; how long it took is not judged."""
    made = yield from log(talk, ["a"])
    found = yield from made.fetch(version, 1, minBytes=1, maxWaitMs=SOON_MS)
    expect_no_error(found)
    talk.expect("the records at the end of the log", "", found["records"] or "")
    found = yield from made.fetch(version, 0, minBytes=1 << 20, maxWaitMs=SOON_MS)
    expect_no_error(found)
    came = split(b64decode(found["records"] or ""))
    what = "the base offsets of fewer bytes than were to be waited for"
    talk.expect(what, [0], [offset_of(each) for each in came])
    yield from removed(talk, made.name)


@question(
    "log.start-after-deletion",
    "Fetch",
    START_SINCE,
    needs=(*WRITING, "DeleteRecords", "ListOffsets"),
    wants=WRITES,
)
def _log_whose_begin_was_deleted(talk: Talk, version: int) -> Dialogue:
    """Expect the log's new start in an answer, and an error before it."""
    made = yield from log(talk, ["a", "b"], ["c"])
    yield from made.delete_before(newest(talk, "DeleteRecords"), 2)
    begin = yield from made.offset_at(newest(talk, "ListOffsets"), EARLIEST)
    if begin != (0, 2):
        what = f"the begin of the log is {begin[1]} after its records were deleted up to 2"
        raise Broken(what, "2", str(begin[1]), judged_by="log.deleted-is-gone")
    found = yield from made.fetch(version, 2)
    expect_no_error(found)
    talk.expect("the log's start", 2, found["logStartOffset"])
    found = yield from made.fetch(version, 1)
    talk.expect("the error for an offset before it", OFFSET_OUT_OF_RANGE, found["errorCode"])
    yield from removed(talk, made.name)


@question("log.epoch-ends", "OffsetForLeaderEpoch", EPOCHS, needs=WRITING, wants=WRITES)
def _ends_of_leaders_epochs(talk: Talk, version: int) -> Dialogue:
    """Expect the log's end for the epoch of its only leader, and -1 for one to come."""
    made = yield from log(talk, ["a", "b"], ["c"])
    if newest(talk, "Fetch") not in FETCHED:
        raise NotApplicable("Fetch has no version with batches")
    [first, *_] = yield from fetched_whole(made, newest(talk, "Fetch"))
    epoch = int.from_bytes(first[12:16], "big", signed=True)
    for asked, due in ((epoch, (0, epoch, 3)), (epoch + TO_COME, (0, -1, -1))):
        wanted = {"partition": 0, "currentLeaderEpoch": -1, "leaderEpoch": asked}
        topics = [{"topic": made.name, "partitions": [wanted]}]
        layout = talk.codec.form("OffsetForLeaderEpochRequest", version).layout
        value = filled(layout, {"replicaId": -1, "topics": topics})
        reply = yield from talk.ask("OffsetForLeaderEpoch", version, value)
        [topic] = reply.value["topics"]
        [found] = topic["partitions"]
        told = found["errorCode"], found["leaderEpoch"], found["endOffset"]
        talk.expect(f"the error, the epoch and its end for epoch {asked}", due, told)
    yield from removed(talk, made.name)
