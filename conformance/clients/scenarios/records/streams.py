"""Records that an idempotent producer sends before those that came before are acknowledged.

What is lost or refused in their midst takes those behind with it: the broker keeps account of the
sequence numbers, as Apache Kafka does, and takes a batch only behind the one that comes before it.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass, field
from typing import Any, ClassVar

from conformance import error_codes
from conformance.clients.scenarios.playing import RefusesOnce
from conformance.clients.scenarios.records.writing import one_batch_a_number, written_batches
from conformance.clients.scenarios.scenario import Scenario
from conformance.clients.scenarios.visit import Visit, require, succeeds
from conformance.dialogue import Broken, NotApplicable
from conformance.reference.broker.cluster import Request, Topic, Value
from conformance.reference.broker.connections.session import Session
from conformance.reference.broker.errors import Hangup, Refused
from conformance.reference.broker.records.produce import BATCHES_SINCE
from conformance.reference.broker.releases import NAMES
from conformance.reference.codec import ReferenceCodec
from conformance.schema.record_batch import MAGIC, RECORD_BATCH

SENT = 8
"""The number of records that the action sends."""
BEHIND_S = 0.05
"""The seconds by which each answer is delayed, so that more requests are sent in the meantime."""
THROTTLED_SINCE, THROTTLE_S = 6, 4
"""The first version of Produce whose throttle time is for the client to wait (KIP-219), and more of
it than the drivers give a request."""
SECOND, THIRD, NOBODY = 2, 3, -1
DELETED_BEFORE = 100
KEPT = 5
"""The number of last batches that a broker recognises if they come again."""


@dataclass(slots=True)
class Written:
    """The batches of a producer in one epoch: the next sequence number, and the last offsets."""

    epoch: int = -1
    next: int = 0
    at: dict[tuple[int, int], int] = field(default_factory=dict)


class AnswersLate(Session):
    """Keeps the answers to Produce back for a while."""

    def handle(self, request: Request) -> Value:
        body = super().handle(request)
        if NAMES[request.api_key] == "Produce":
            self.delay_s = BEHIND_S
        return body


def batch_in(data: Value) -> Value:
    """The batch that is written to a partition."""
    codec = ReferenceCodec()
    raw = base64.b64decode(data["records"] or "")
    batch, _ = codec.read(codec.form(RECORD_BATCH, MAGIC), raw)
    return batch


def each_once_in_order(visit: Visit) -> None:
    """Judge that all records are written, at offsets in the order they were given in."""
    succeeds(visit)
    told = visit.ended.text.split()
    due = [str(offset) for offset in range(SENT)]
    require(told, "it does not tell where its records are")
    if told != due:
        what = f"it tells the offsets {' '.join(told)} of the records in the order they were given"
        raise Broken(what, " ".join(due), " ".join(told))


def none_waits(visit: Visit) -> None:
    """Judge that no record waits for its outcome after a flush."""
    succeeds(visit)
    told = require(visit.ended.text.split(), "the driver does not tell of records")
    if "waiting" in told:
        what = f"of {len(told)} records {told.count('waiting')} wait behind the flush"
        raise Broken(what, "none", " ".join(told))


class TooLargeToFlush(RefusesOnce, about="ProduceRequest", action="flush"):
    """Answers the first Produce with MESSAGE_TOO_LARGE, to a client that flushes some records."""

    decides: ClassVar = {"client-produce.flush-awaits-all": none_waits}


class TakesStream(Scenario, about="ProduceRequest", action="stream"):
    """Takes eight records of an idempotent producer, and keeps each answer back for a while."""

    sessions: ClassVar[type[Session]] = AnswersLate
    decides: ClassVar = {
        "client-produce.one-batch-a-number": one_batch_a_number,
        "client-produce.stream-once-in-order": each_once_in_order,
    }
    at = 0
    """Which of Produce meets what is played; none where it is 0."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.written: dict[tuple[str, int, int], Written] = {}
        self.asked = 0

    def meet(self) -> None:
        """Treat the chosen batch before it is stored; nothing here. Raises Refused and Hangup."""

    def left(self) -> None:
        """Treat the chosen batch after it is stored; nothing here. Raises Hangup."""

    def append(self, request: Request, topic: Topic, data: Value) -> int:
        """Store a batch; treat the chosen one as the scenario says. Raises Refused and Hangup."""
        self.asked += 1
        if self.asked == self.at:
            self.meet()
        offset = self.stored(request, topic, data)
        if self.asked == self.at:
            self.left()
        return offset

    def stored(self, request: Request, topic: Topic, data: Value) -> int:
        """Return the offset of a batch, stored after its producer's others, or already there."""
        if request.version < BATCHES_SINCE:
            return super().append(request, topic, data)
        batch = batch_in(data)
        if batch["producerId"] < 0:
            return super().append(request, topic, data)
        known = self.written.setdefault((topic.name, data["index"], batch["producerId"]), Written())
        if batch["producerEpoch"] < known.epoch:
            raise Refused(error_codes.INVALID_PRODUCER_EPOCH)
        if batch["producerEpoch"] > known.epoch:
            known.epoch, known.next, known.at = batch["producerEpoch"], 0, {}
        number = batch["baseSequence"], len(batch["records"])
        if number in known.at:
            return known.at[number]
        if number[0] != known.next:
            raise Refused(error_codes.OUT_OF_ORDER_SEQUENCE_NUMBER)
        known.next += number[1]
        known.at[number] = super().append(request, topic, data)
        known.at = dict(list(known.at.items())[-KEPT:])
        return known.at[number]


class ForgetsProducer(Scenario, about="ProduceRequest", action="idempotent"):
    """Has deleted all that an idempotent producer wrote, and does not know it the second time."""

    decides: ClassVar = {"client-produce.unknown-producer-writes-on": succeeds}

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.forgotten: list[tuple[int, int]] = []

    def produced(self, request: Request, item: Value, data: Value) -> Value:
        """Nothing of who goes on in its sequence."""
        found = super().produced(request, item, data)
        batch = batch_in(data) if request.version >= BATCHES_SINCE else {"producerId": NOBODY}
        if batch["producerId"] == NOBODY:
            return found
        if not batch["baseSequence"]:
            self.forgotten.append((batch["producerId"], batch["producerEpoch"]))
            return found
        if (batch["producerId"], batch["producerEpoch"]) not in self.forgotten[:1]:
            return found
        refused = {"errorCode": error_codes.UNKNOWN_PRODUCER_ID, "baseOffset": -1}
        return {**found, **refused, "logStartOffset": DELETED_BEFORE}


class LosesOneOfStream(TakesStream):
    """Closes the connection on the third Produce of eight, of which nothing is kept."""

    at = THIRD

    def meet(self) -> None:
        raise Hangup


class LosesFirstOfStream(LosesOneOfStream):
    """Closes the connection on the first Produce of eight, of which nothing is kept."""

    at = 1


class LosesAnswerInStream(TakesStream):
    """Keeps what comes in the third Produce of eight, and closes the connection on it."""

    at = THIRD

    def left(self) -> None:
        raise Hangup


class RefusesOneOfStream(TakesStream):
    """Refuses the third Produce of eight for now, and those behind it, as they are out of order."""

    at = THIRD

    def meet(self) -> None:
        raise Refused(error_codes.NOT_ENOUGH_REPLICAS)


class LosesAndRefusesInStream(LosesOneOfStream):
    """Loses the third Produce of eight with its connection, and refuses the next one for now."""

    is_lost = False

    def append(self, request: Request, topic: Topic, data: Value) -> int:
        """Store a batch; refuse the first one after the lost one. Raises Refused."""
        if self.is_lost:
            self.is_lost = False
            raise Refused(error_codes.NOT_ENOUGH_REPLICAS)
        return super().append(request, topic, data)

    def meet(self) -> None:
        self.is_lost = True
        super().meet()


def stays(visit: Visit) -> None:
    """Judge that no batch that waits on a throttled connection is sent again on another one."""
    if not any(each.version >= THROTTLED_SINCE for each in visit.of("Produce")):
        raise NotApplicable("it wrote nothing in a version in which clients are throttled")
    at: dict[tuple[int, int, int], int] = {}
    for each, batch in written_batches(visit):
        number = batch["producerId"], batch["producerEpoch"], batch["baseSequence"]
        if batch["producerId"] >= 0 and at.setdefault(number, each.connection) != each.connection:
            what = f"the batch of number {number[2]} came again on another connection"
            raise Broken(what, "once, as it waits on one that is throttled", each.frame)
    require(len(at) >= SECOND, "nothing waited on the connection that was throttled")


class ThrottledSession(Session):
    """Throttles what is written: reads nothing more for a while behind the first answer."""

    def handle(self, request: Request) -> Value:
        """Return the answer: the first has a throttle time, and the next waits for its end."""
        body = super().handle(request)
        if NAMES[request.api_key] != "Produce" or request.version < THROTTLED_SINCE:
            return body
        assert isinstance(self.broker, ThrottlesStream)
        if self.broker.asked == 1:
            self.delay_s, self.broker.until_s = BEHIND_S, self.at_s + BEHIND_S + THROTTLE_S
            return {**body, "throttleTimeMs": int(THROTTLE_S * 1000)}
        if self.broker.asked == SECOND:
            self.delay_s = max(0.0, self.broker.until_s - self.at_s)
        return body


class ThrottlesStream(TakesStream):
    """Throttles a stream of records for longer than a request may take."""

    sessions = ThrottledSession
    is_long = True
    until_s = 0.0
    decides: ClassVar = {"client-produce.throttled-not-left": stays}
