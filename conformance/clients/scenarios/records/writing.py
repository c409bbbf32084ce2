"""The records that a client writes, in each way that it can: the given ones, and no others."""

from __future__ import annotations

import base64
from collections import Counter
from collections.abc import Iterator
from typing import Any, ClassVar

from conformance import error_codes
from conformance.clients.scenarios.actions import FILLED, FIRST, Action
from conformance.clients.scenarios.judging import all_of, asks_no_more_than, where_asked
from conformance.clients.scenarios.plain_brokers import ServesWriting
from conformance.clients.scenarios.playing import Closes, Rewrites
from conformance.clients.scenarios.scenario import Scenario
from conformance.clients.scenarios.visit import (
    Judgement,
    NotDone,
    Sent,
    Visit,
    fails_by_itself,
    has_run_out,
    is_of_driver,
    judgement,
    require,
    succeeds,
    survives,
)
from conformance.dialogue import Broken
from conformance.reference.broker import errors
from conformance.reference.broker.cluster import Request, Topic, Value
from conformance.reference.broker.releases import Ranges
from conformance.reference.codec import ReferenceCodec
from conformance.results.text import json_text
from conformance.schema.layout import ZERO_UUID, Form
from conformance.schema.record_batch import MAGIC, RECORD_BATCH, RECORD_SET
from conformance.wire.errors import DecodeError
from conformance.wire.records.compression import CODECS

BATCHES_SINCE, TIMES_SINCE = 3, 2
NO_PRODUCER = -1
ZSTD_SINCE = 7
ZSTD = CODECS.index("zstd")
CODEC_BITS, TIME_OF_LOG = 0x07, 0x08
MOST_ATTEMPTS = 100
ANOTHER = 2
WRITTEN_MS = 1_700_000_000_000
DAY_MS = 24 * 60 * 60 * 1000
Content = tuple[str | None, str | None, tuple[tuple[str, str | None], ...]]
Written = tuple[str | None, str | None, int, tuple[tuple[str, str | None], ...]]
GIVEN: tuple[Written, ...] = (
    ("k", "v", WRITTEN_MS, ()),
    (None, "w", WRITTEN_MS + 1000, ()),
    ("x", None, WRITTEN_MS + 30 * DAY_MS, ()),
    ("", "", WRITTEN_MS - 1000, (("h", "1"),)),
)
"""Key, value, timestamp and headers of each record that a client is given to write at once."""


def written_batches(visit: Visit) -> Iterator[tuple[Sent, Value]]:
    """Each batch written that can be read, as a value. Raises NotApplicable where none is.

    The messages of an old version of Produce are a batch that has no producer.
    """
    codec, found = ReferenceCodec(), False
    for each in visit.of("Produce"):
        if each.value is None:
            continue
        for topic in each.value["topicData"]:
            for partition in topic["partitionData"]:
                raw = base64.b64decode(partition["records"] or "")
                try:
                    batch = _batch_in(raw, each.version, codec)
                except DecodeError:
                    continue
                found = True
                yield each, batch
    require(found, "it wrote no batch of records that can be read")


def _batch_in(raw: bytes, version: int, codec: ReferenceCodec) -> Value:
    """Return the records of a partition in this version of Produce. Raises DecodeError."""
    if version >= BATCHES_SINCE:
        return codec.read(codec.form(RECORD_BATCH, MAGIC), raw)[0]
    messages, _ = codec.read(codec.form(RECORD_SET, MAGIC - 1), raw)
    records = [
        {**each, "timestampDelta": each["timestamp"], "offsetDelta": number, "headers": []}
        for number, each in enumerate(messages["records"])
    ]
    return {
        **codec.form(RECORD_BATCH, MAGIC).layout.default_value(),
        "attributes": messages["attributes"],
        "lastOffsetDelta": len(records) - 1,
        "maxTimestamp": max((each["timestamp"] for each in messages["records"]), default=-1),
        "producerId": NO_PRODUCER,
        "records": records,
    }


def as_given(visit: Visit) -> None:
    """Each record that was given is written, and nothing else: key, value and headers."""
    succeeds(visit)
    sent = list(_records(visit))
    has_headers = all(each.version >= BATCHES_SINCE for each, _ in sent)
    given = [(key, value, headers if has_headers else ()) for key, value, _, headers in GIVEN]
    for each, (key, value, _, headers) in sent:
        if (key, value, headers) not in given:
            what = f"a record was written with {_differs((key, value, headers), given)}"
            raise Broken(what, "what was given", each.frame)
    missing = Counter(given) - Counter(
        (key, value, headers) for _, (key, value, _, headers) in sent
    )
    for key, value, _ in missing:
        what = f"the record with the {_told(key, value)} was not written"
        raise NotDone(what, "what was given", sent[-1][0].frame)


def _differs(written: Content, given: list[Content]) -> str:
    """Return a part of a record that differs, if the other two are those of one that was given."""
    parts = ("key", "value", "headers")
    for record in given:
        pairs = zip(parts, written, record, strict=True)
        wrong = [(part, have, want) for part, have, want in pairs if have != want]
        if len(wrong) == 1:
            [(part, have, want)] = wrong
            return f"the {part} {json_text(have)} in place of {json_text(want)}"
    return f"the {_told(*written[:2])} and the headers {json_text(written[2])}"


def _told(key: str | None, value: str | None) -> str:
    return f"key {json_text(key)} and the value {json_text(value)}"


def times_as_given(far: bool) -> Judgement:
    """Each record has the timestamp that it was given, near that of the first one or far from it.

    A null that was written as empty is a matter of another rule.
    """
    given = {
        (key or "", value or ""): at_ms
        for key, value, at_ms, _ in GIVEN
        if (abs(at_ms - WRITTEN_MS) > DAY_MS) == far
    }

    def judge(visit: Visit) -> None:
        has_times = any(each.version >= TIMES_SINCE for each in visit.of("Produce"))
        require(has_times, "it asked Produce in versions whose records have no time")
        for each, (key, value, at_ms, _) in _records(visit):
            due = given.get((key or "", value or ""), at_ms)
            if at_ms != due:
                what = f"a record that was given the timestamp {due} was written with {at_ms}"
                raise Broken(what, f"{due}", each.frame)

    return judge


def _records(visit: Visit) -> Iterator[tuple[Sent, Written]]:
    for sent, batch in written_batches(visit):
        for each in batch["records"]:
            headers = tuple((header["key"], _text(header["value"])) for header in each["headers"])
            at_ms = batch["baseTimestamp"] + each["timestampDelta"]
            yield sent, (_text(each["key"]), _text(each["value"]), at_ms, headers)


def _text(data: str | None) -> str | None:
    return None if data is None else base64.b64decode(data).decode("utf-8", "replace")


def latest_told(visit: Visit) -> None:
    """Judge that a batch states the highest timestamp of its records."""
    for each, batch in written_batches(visit):
        times = [batch["baseTimestamp"] + one["timestampDelta"] for one in batch["records"]]
        if times and not batch["attributes"] & TIME_OF_LOG and batch["maxTimestamp"] != max(times):
            what = f"a batch has the maxTimestamp {batch['maxTimestamp']}"
            raise Broken(what, f"{max(times)}, the highest of its records", each.frame)


def zstd_where_known(visit: Visit) -> None:
    """Judge that no batch compressed with zstd is sent in a version that may not hold one."""
    for each, batch in written_batches(visit) if visit.of("Produce") else ():
        if batch["attributes"] & CODEC_BITS == ZSTD and each.version < ZSTD_SINCE:
            what = f"Produce v{each.version} holds a batch that is compressed with zstd"
            raise Broken(what, f"v{ZSTD_SINCE} or above", each.frame)


@judgement
def sequence_goes_on(visit: Visit, lost: int) -> None:
    """Each batch of a producer goes on where one that came before has ended, or repeats it.

    So many of Produce have been `lost` at first, and are to the broker as if they had never come.
    """
    ends: dict[tuple[int, int], set[int]] = {}
    never_came = visit.of("Produce")[:lost]
    for each, batch in written_batches(visit):
        if batch["producerId"] < 0:
            continue
        known = ends.setdefault((batch["producerId"], batch["producerEpoch"]), {0})
        begin = batch["baseSequence"]
        if begin not in known:
            what = f"a batch of a producer begins with the sequence number {begin}"
            raise Broken(what, f"{max(known)}, as none came before", each.frame)
        if each not in never_came:
            known.add(begin + len(batch["records"]))
    require(ends, "it wrote nothing as an idempotent producer")


def one_batch_a_number(visit: Visit) -> None:
    """Judge that only one batch is sent under a producer's sequence number, however often.

    One that is given new times is the same to a broker, which looks at its numbers alone.
    """
    sent: dict[tuple[int, int, int], list[Value]] = {}
    for each, batch in written_batches(visit):
        if batch["producerId"] < 0:
            continue
        number = batch["producerId"], batch["producerEpoch"], batch["baseSequence"]
        records = [{**each, "timestampDelta": 0} for each in batch["records"]]
        if sent.setdefault(number, records) != records:
            what = f"another batch was sent under the sequence number {number[2]}"
            raise Broken(what, "the same, or another number or producer epoch", each.frame)
    require(sent, "it wrote nothing as an idempotent producer")


def not_invented(visit: Visit) -> None:
    """Judge that the client does not report success for a record that it never sent."""
    if visit.ended.outcome == "ok" and not visit.of("Produce"):
        raise Broken("it says that all is well, and sent no record", "an error", "ok")


def no_time_below_zero(visit: Visit) -> None:
    """Judge that no timeout in a request is negative."""
    for each in visit.sent:
        for name, value in (each.value or {}).items():
            if name.endswith("imeoutMs") and value < 0:
                what = f"{each.api} v{each.version} has the {name} {value}"
                raise Broken(what, "0 or more", each.frame)


class GivenSeveral(Scenario, about="ProduceRequest", action="batch"):
    """Takes what a client writes that was given several records at once."""

    decides: ClassVar = {"client-produce.records-as-given": as_given}


class GivenTimes(GivenSeveral):
    """Takes several records at once, and looks at their times."""

    holds = staticmethod(times_as_given(far=False))
    decides: ClassVar = {"client-produce.times-as-given": times_as_given(far=False)}


class GivenFarTimes(GivenSeveral):
    """Takes several records at once, and looks at a time that is far from the others."""

    control_case = GivenTimes
    decides: ClassVar = {"client-produce.far-times-as-given": times_as_given(far=True)}


class GivenTimesToTell(GivenSeveral):
    """Takes several records at once, and looks at what their batch says of their times."""

    control_case = GivenTimes
    decides: ClassVar = {"client-produce.latest-time-told": latest_told}


_OF_SEVERAL: dict[str, Judgement] = {
    **GivenSeveral.decides,
    **GivenTimes.decides,
    **GivenFarTimes.decides,
    **GivenTimesToTell.decides,
}
_WAYS: dict[str, tuple[Action, dict[str, Judgement]]] = {
    "gzip": ("gzip", {}),
    "snappy": ("snappy", {}),
    "lz4": ("lz4", {}),
    "zstd": ("zstd", {"client-produce.zstd-where-known": zstd_where_known}),
}
for _codec, (_action, _more) in _WAYS.items():
    GivenSeveral.variant(
        f"GivenTo{_codec.capitalize()}",
        f"Takes what a client writes that compresses several records with {_codec}.",
        action=_action,
        decides={**_more, **_OF_SEVERAL},
    )


class ZstdUnknown(Scenario, about="ProduceRequest", action="zstd"):
    """Serves Produce up to version 6, the last before zstd."""

    answers = ""
    control_case = ServesWriting
    decides: ClassVar = {"client-produce.zstd-where-known": zstd_where_known}

    @classmethod
    def beside(cls) -> Ranges:
        return {}

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.versions = {**self.versions, 0: (BATCHES_SINCE, ZSTD_SINCE - 1)}


def awaits_no_answer(visit: Visit) -> None:
    """A write with acks 0 is done once it is sent.

    Where all else was answered, the client waits for nothing else. If a limit of its own ends it
    then, and most of the visit went by since the write, it waited for an answer to that.
    """
    written = [each for each in visit.of("Produce") if (each.value or {}).get("acks") == 0]
    others = (each for each in visit.sent if each not in written)
    is_all_answered = all(visit.answer_to(each) is not None for each in others)
    is_own_limit = has_run_out(visit.ended) and not is_of_driver(visit.ended)
    if written and is_all_answered and is_own_limit:
        first = written[0]
        if 2 * first.at_s < visit.ended.seconds:
            what = f"Produce v{first.version} with acks 0 was awaited, and all else was answered"
            raise Broken(what, "no wait for an answer", first.frame)
    succeeds(visit)


class NobodyAnswers(Scenario, about="ProduceRequest", action="unacknowledged"):
    """Gives no answer to a record that is to have none."""

    control_case = ServesWriting
    decides: ClassVar = {
        "client-produce.no-answer-awaited": where_asked("Produce", awaits_no_answer)
    }


class GivesLong(Scenario, about="ProduceRequest", action="patient"):
    """Takes a record from a client that gives it as long as it can."""

    answers = ""
    control_case = ServesWriting
    decides: ClassVar = {"client-produce.no-time-below-zero": no_time_below_zero}


class TakesTwo(Scenario, about="ProduceRequest", action="idempotent"):
    """Takes two records from one idempotent producer."""

    decides: ClassVar = {"client-produce.sequence-goes-on": sequence_goes_on(lost=0)}


class ClosesBetween(Closes, about="ProduceRequest", action="idempotent"):
    """Closes the connection on the first Produce of an idempotent producer."""

    left = 1
    decides: ClassVar = {"client-produce.sequence-goes-on": sequence_goes_on(left)}


class ClosesOften(ClosesBetween):
    """Closes the connection on the first five of Produce of an idempotent producer."""

    left = 5
    decides: ClassVar = {
        "client-produce.no-gap-after-lost": sequence_goes_on(left),
        "client-produce.one-batch-a-number": one_batch_a_number,
    }


class RefusesTheFirst(Scenario, about="ProduceRequest", action="idempotent"):
    """Refuses the first record of an idempotent producer for good, and takes the second."""

    decides: ClassVar = {"client-produce.no-gap-after-lost": sequence_goes_on(lost=1)}
    refused = False

    def topic_to_write(self, request: Request, item: Value) -> Topic:
        """Refuse the client once. Raises Refused."""
        if not self.refused:
            self.refused = True
            raise errors.Refused(error_codes.TOPIC_AUTHORIZATION_FAILED)
        return super().topic_to_write(request, item)


class NoPartitions(Rewrites, about="MetadataRequest", action="produce"):
    """Tells of a topic that it has no error, and no partitions."""

    decides: ClassVar = {
        "client-produce.not-invented": not_invented,
        "client-produce.hopeless-ends": all_of(survives, asks_no_more_than(MOST_ATTEMPTS)),
    }

    def body(self, form: Form, body: Value) -> Value:
        return {**body, "topics": [{**each, "partitions": []} for each in body["topics"]]}


class TopicUnknown(Scenario, about="MetadataRequest", action="produce"):
    """Has no topic of the name that is written to, and makes none."""

    decides: ClassVar = {
        "client-produce.not-invented": not_invented,
        "client-produce.hopeless-ends": all_of(
            survives, asks_no_more_than(MOST_ATTEMPTS), fails_by_itself
        ),
    }
    is_long = True

    def __init__(self, **settings: Any) -> None:
        super().__init__(**{"auto_create_topics": False, **settings})
        del self.topics[FILLED]


class _Leads(Rewrites):
    """Leads the topic in the end; Metadata is as the first broker has it."""

    def body(self, form: Form, body: Value) -> Value:
        first = self.company[0]
        assert isinstance(first, IdsComeAndGo)
        return first.body(form, body)


class IdsComeAndGo(Rewrites, about="MetadataRequest", action="produce"):
    """Leaves out the topic's id in the second Metadata, and from the third on another leads it."""

    others: ClassVar = {ANOTHER: _Leads}
    decides: ClassVar = {"client-produce.ids-come-and-go": survives}
    told = 0

    def body(self, form: Form, body: Value) -> Value:
        self.told += 1
        ids = {"topicId": ZERO_UUID} if self.told == ANOTHER else {}
        leader = ANOTHER if self.told > ANOTHER else FIRST
        return {
            **body,
            "topics": [_with_leader({**each, **ids}, leader) for each in body["topics"]],
        }

    def topic_to_write(self, request: Request, item: Value) -> Topic:
        raise errors.Refused(error_codes.NOT_LEADER_OR_FOLLOWER)


def _with_leader(topic: Value, leader: int) -> Value:
    led = {"leaderId": leader, "replicaNodes": [leader], "isrNodes": [leader]}
    return {**topic, "partitions": [{**each, **led} for each in topic["partitions"]]}


def asks_again(visit: Visit) -> None:
    """The second record is written, under an id that was asked for again."""
    asked = require(visit.of("InitProducerId"), "it asked no InitProducerId")
    if not visit.of("Produce"):
        what = f"InitProducerId was asked {len(asked)} times, and no record was written"
        raise NotDone(what, "Produce behind another InitProducerId", asked[-1].frame)


class IdRefusedOnce(Scenario, about="InitProducerIdRequest", action="idempotent"):
    """Answers the first InitProducerId with CLUSTER_AUTHORIZATION_FAILED."""

    decides: ClassVar = {"client-produce.refused-id-asked-again": asks_again}
    refused = False

    def init_producer_id(self, request: Request) -> Value:
        found = super().init_producer_id(request)
        if self.refused:
            return found
        self.refused = True
        nobody = {"producerId": -1, "producerEpoch": -1}
        return {**found, **nobody, "errorCode": error_codes.CLUSTER_AUTHORIZATION_FAILED}
