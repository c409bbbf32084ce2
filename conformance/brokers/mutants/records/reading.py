"""Brokers that return other records than were written, too many of them, or none."""

from __future__ import annotations

import base64
from dataclasses import replace
from typing import Any

from conformance import error_codes
from conformance.brokers.mutants.records.log import OfLogs
from conformance.reference.broker.cluster import Request, Topic, Value
from conformance.reference.broker.errors import Refused, Unanswered
from conformance.reference.broker.records.fetch_sessions import FetchSession, FetchSessions
from conformance.schema.record_batch import MAGIC, RECORD_BATCH


class ReadsFailTogether(OfLogs, breaks="log.partitions-read-apart"):
    """Gives every partition of a topic the error of the one that failed."""

    def fetched_of_topic(self, request: Request, item: Value) -> Value:
        found = super().fetched_of_topic(request, item)
        codes = [each["errorCode"] for each in found["partitions"] if each["errorCode"]]
        for each in found["partitions"] if codes else ():
            each.update(errorCode=codes[0], records="")
        return found


class UnknownIsEmpty(OfLogs, breaks="log.partitions-read-apart"):
    """Takes a topic or partition that does not exist for an empty one."""

    def fetched_of(self, request: Request, item: Value, wanted: Value) -> Value:
        found = super().fetched_of(request, item, wanted)
        unknown = (error_codes.UNKNOWN_TOPIC_OR_PARTITION, error_codes.UNKNOWN_TOPIC_ID)
        return {**found, "errorCode": 0} if found["errorCode"] in unknown else found


class FirstPartitionForAll(OfLogs, breaks="log.partitions-read-apart"):
    """Returns the records of partition 0 for each partition above it as well."""

    def records_from(self, topic: Topic, index: int, offset: int) -> bytes:
        del index
        return super().records_from(topic, 0, offset)


class Rewrites(OfLogs):
    """A broker that reads each batch that it is given, and writes it again."""

    is_listed = False

    def as_appended(self, raw: bytes, offset: int) -> bytes:
        batch, _ = self.writes.read(self.writes.form(RECORD_BATCH, MAGIC), raw)
        return super().as_appended(self.rewritten(raw, batch), offset)

    def rewritten(self, raw: bytes, batch: Value) -> bytes:
        """Return the batch as bytes: as it came, until a mutant puts something else in it."""
        del batch
        return raw

    def written(self, batch: Value) -> bytes:
        """Return a batch as bytes."""
        return bytes(self.writes.encode(RECORD_BATCH, MAGIC, batch))


class StoresUncompressed(Rewrites, breaks="log.compressed-as-written"):
    """Stores compressed batches uncompressed, and says that they are compressed."""

    is_listed = True

    def rewritten(self, raw: bytes, batch: Value) -> bytes:
        if not batch["attributes"] & 7:
            return raw
        plain = self.written({**batch, "attributes": batch["attributes"] & ~7})
        return plain[:22] + raw[22:23] + plain[23:]


class StoresAllAsGzip(Rewrites, breaks="log.compressed-as-written"):
    """Stores batches of every codec as gzip."""

    is_listed = True

    def rewritten(self, raw: bytes, batch: Value) -> bytes:
        return self.written({**batch, "attributes": 1}) if batch["attributes"] & 7 else raw


class NullsAreEmpty(Rewrites, breaks="log.nulls-kept"):
    """Stores null values as empty ones."""

    is_listed = True

    def rewritten(self, raw: bytes, batch: Value) -> bytes:
        if all(each["value"] is not None for each in batch["records"]):
            return raw
        return self.written(_with(batch, value=lambda each: each["value"] or ""))


class EmptyKeysAreNull(Rewrites, breaks="log.nulls-kept"):
    """Stores empty keys as null."""

    is_listed = True

    def rewritten(self, raw: bytes, batch: Value) -> bytes:
        if all(each["key"] != "" for each in batch["records"]):
            return raw
        return self.written(_with(batch, key=lambda each: each["key"] or None))


class NullHeadersLost(Rewrites, breaks="log.nulls-kept"):
    """Loses headers whose value is null."""

    is_listed = True

    def rewritten(self, raw: bytes, batch: Value) -> bytes:
        def headers(each: Value) -> list[Value]:
            return [header for header in each["headers"] if header["value"] is not None]

        if all(headers(each) == each["headers"] for each in batch["records"]):
            return raw
        return self.written(_with(batch, headers=headers))


def _with(batch: Value, **changes: Any) -> Value:
    """Return a batch with fields of each record changed."""
    records = [
        {**each, **{name: change(each) for name, change in changes.items()}}
        for each in batch["records"]
    ]
    return {**batch, "records": records}


class LimitOfPartitionsAlone(OfLogs, breaks="log.max-bytes-kept"):
    """Knows no limit of an answer as a whole."""

    def limit(self, request: Request, topics: list[Value]) -> None:
        del request, topics


class LimitForEachPartition(OfLogs, breaks="log.max-bytes-kept"):
    """Takes the limit of an answer for that of each of its partitions."""

    def limit(self, request: Request, topics: list[Value]) -> None:
        asked = [each for topic in request.value["topics"] for each in topic["partitions"]]
        found = [each for topic in topics for each in topic["partitions"]]
        for wanted, each in zip(asked, found, strict=True):
            alone = {**request.value, "topics": [{"partitions": [wanted]}]}
            super().limit(replace(request, value=alone), [{"partitions": [each]}])


class NoAnswerAtTheEnd(OfLogs, breaks="log.waits-for-records"):
    """Forgets a Fetch that has to wait."""

    def fetch(self, request: Request) -> Value:
        found = super().fetch(request)
        records = [each["records"] for topic in found["responses"] for each in topic["partitions"]]
        if request.value["maxWaitMs"] > 0 and request.value["topics"] and not any(records):
            raise Unanswered
        return found


class TimeOutIsAnError(OfLogs, breaks="log.waits-for-records"):
    """Answers a Fetch whose time is up with REQUEST_TIMED_OUT."""

    def fetched_of(self, request: Request, item: Value, wanted: Value) -> Value:
        found = super().fetched_of(request, item, wanted)
        if request.value["maxWaitMs"] and not found["records"] and not found["errorCode"]:
            return {**found, "errorCode": error_codes.REQUEST_TIMED_OUT}
        return found


class FewerBytesHeldBack(OfLogs, breaks="log.waits-for-records"):
    """Returns no records where there are fewer bytes than were to be waited for."""

    def fetched_of(self, request: Request, item: Value, wanted: Value) -> Value:
        found = super().fetched_of(request, item, wanted)
        has_enough = len(base64.b64decode(found["records"])) >= request.value["minBytes"]
        return found if has_enough else {**found, "records": ""}


class StartStays(OfLogs, breaks="log.start-after-deletion"):
    """Says in a Fetch that each log begins at 0."""

    def held(self, topic: Topic, wanted: Value) -> Value:
        return {**super().held(topic, wanted), "logStartOffset": 0}


class DeletedAreRead(OfLogs, breaks="log.start-after-deletion"):
    """Goes on reading records that were deleted."""

    def held(self, topic: Topic, wanted: Value) -> Value:
        index = wanted["partition"]
        begin = self.log_begin(topic, index)
        starts, topic.starts = topic.starts, {}
        try:
            return {**super().held(topic, wanted), "logStartOffset": begin}
        finally:
            topic.starts = starts


class EpochEndsAtItsBegin(OfLogs, breaks="log.epoch-ends"):
    """Returns the begin of an epoch for its end."""

    def end_of_epoch(self, topic: Topic, index: int, epoch: int) -> Value:
        found = super().end_of_epoch(topic, index, epoch)
        return {**found, "endOffset": 0} if found else found


class EpochToComeEnds(OfLogs, breaks="log.epoch-ends"):
    """Returns the log's end for an epoch to come."""

    def end_of_epoch(self, topic: Topic, index: int, epoch: int) -> Value:
        found = super().end_of_epoch(topic, index, epoch)
        return found or super().end_of_epoch(topic, index, 0)


class OfSessions(FetchSessions, OfLogs):
    """A broker that makes fetch sessions."""

    is_listed = False


class WholeSessionEachTime(OfSessions, breaks="log.session-has-changes-alone"):
    """Returns every partition of a session each time."""

    is_listed = True

    def answered(self, request: Request, session: FetchSession) -> Value:
        epoch = request.value["sessionEpoch"]
        request.value["sessionEpoch"] = 0
        found = super().answered(request, session)
        request.value["sessionEpoch"] = epoch
        return found


class ChangesForgotten(OfSessions, breaks="log.session-has-changes-alone"):
    """Returns no partition that a Fetch in a session does not name."""

    is_listed = True

    def answered(self, request: Request, session: FetchSession) -> Value:
        if request.value["sessionEpoch"] and not request.value["topics"]:
            return self.fetched([])
        return super().answered(request, session)


class AnyEpochOfSessions(OfSessions, breaks="log.session-epoch-refused"):
    """Takes any epoch of a session."""

    is_listed = True

    def session_of(self, value: Value, by_id: bool) -> FetchSession:
        session = self.fetch_sessions.get(value["sessionId"])
        if session and value["sessionEpoch"] > 0:
            value = {**value, "sessionEpoch": session.epoch}
        return super().session_of(value, by_id)


class WrongEpochIsNoSession(OfSessions, breaks="log.session-epoch-refused"):
    """Says of a session at another epoch that it does not exist."""

    is_listed = True

    def session_of(self, value: Value, by_id: bool) -> FetchSession:
        try:
            return super().session_of(value, by_id)
        except Refused:
            raise Refused(error_codes.FETCH_SESSION_ID_NOT_FOUND) from None


class UnknownSessionIsEmpty(OfSessions, breaks="log.unknown-session-refused"):
    """Answers a Fetch in a session that it does not have with no partitions."""

    is_listed = True

    def fetch(self, request: Request) -> Value:
        found = super().fetch(request)
        is_unknown = found["errorCode"] == error_codes.FETCH_SESSION_ID_NOT_FOUND
        return {**found, "errorCode": 0} if is_unknown else found


class NoSessionsAtAll(OfLogs, breaks="log.unknown-session-refused"):
    """Makes no sessions, and refuses those of others as a wrong epoch."""

    def fetch(self, request: Request) -> Value:
        found = super().fetch(request)
        is_unknown = found["errorCode"] == error_codes.FETCH_SESSION_ID_NOT_FOUND
        code = error_codes.INVALID_FETCH_SESSION_EPOCH
        return {**found, "errorCode": code} if is_unknown else found
