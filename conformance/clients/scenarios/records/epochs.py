"""Leaders whose epoch grows while a client reads, and that are asked where it ended (KIP-320).

A leader refuses who names another epoch than its own, as Apache Kafka does.
"""

from __future__ import annotations

from typing import Any, ClassVar

from conformance import error_codes
from conformance.clients.scenarios.actions import FILLED, FIRST, Action
from conformance.clients.scenarios.judging import where_asked
from conformance.clients.scenarios.records.given import GIVEN, batch_of, end, gives, held
from conformance.clients.scenarios.records.leaders import (
    EPOCHS_SINCE,
    LEADS,
    LED,
    NO_EPOCH,
    NO_OFFSET,
    READ_ON,
    of_epoch,
)
from conformance.clients.scenarios.records.logs import SECOND
from conformance.clients.scenarios.records.reading import PlainRecords
from conformance.clients.scenarios.scenario import Scenario, id_of
from conformance.clients.scenarios.visit import Visit, succeeds, survives
from conformance.dialogue import Broken
from conformance.reference.broker.cluster import Request, Topic, Value
from conformance.reference.broker.connections.session import Session
from conformance.reference.broker.records.fetch import Batch
from conformance.reference.broker.releases import FOR_EPOCHS, stored_versions

REFUSED = 2
"""The Fetch that is refused."""
EPOCHS_IN = 7
"""The first version of Metadata that has epochs of leaders."""
RELIED_ON_SINCE = 9
"""The first one whose epochs are relied on."""
NEXT, BEFORE = LEADS + 1, LEADS - 1
"""The epochs of the leaders after and before the one that leads now."""
OF_LEADERS = ("ListOffsets", "Fetch", "OffsetForLeaderEpoch")
LOG = [*held(0, 1, 2), end(3)]
NO_LEADER = -1
SLOW_S = 0.3
SLOW_LOG = [*held(*range(6)), end(6)]
"""A log that takes longer to read than the interval after which clients ask Metadata again."""


class _Led(Scenario):
    """A broker of a partition that is led in an epoch, which none else may be named to it."""

    about = "OffsetForLeaderEpochRequest"
    action: ClassVar[Action] = "read"
    control_case: ClassVar[type[Scenario] | None] = PlainRecords
    is_long = True
    asked = False
    is_stale = False

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.versions = {**self.versions, **stored_versions(names=FOR_EPOCHS)}

    @property
    def first(self) -> _Led:
        """The broker that led first."""
        found = self.company[0]
        assert isinstance(found, _Led)
        return found

    @property
    def leads(self) -> tuple[int, int]:
        """Return the id and the epoch of the present leader."""
        return FIRST, LED

    def refusal(self, wanted: Value) -> int:
        """Return the error code for a partition that is asked for, or NONE."""
        leader, epoch = self.first.leads
        named = wanted.get("currentLeaderEpoch", NO_EPOCH)
        if self.node_id != leader:
            return error_codes.NOT_LEADER_OR_FOLLOWER
        if named in (NO_EPOCH, epoch):
            return error_codes.NONE
        if named < epoch:
            return error_codes.FENCED_LEADER_EPOCH
        return error_codes.UNKNOWN_LEADER_EPOCH

    def records(self) -> list[Batch]:
        return [of_epoch(batch_of([each]), LED) for each in LOG]

    def records_from(self, topic: Topic, index: int, offset: int) -> bytes:
        return next((each.data for each in self.batches(topic, index) if each.end > offset), b"")

    def fetched_of(self, request: Request, item: Value, wanted: Value) -> Value:
        found = super().fetched_of(request, item, wanted)
        code = self.refusal(wanted)
        return {**found, "errorCode": code, "records": ""} if code else found

    def offset_of(self, request: Request, item: Value, wanted: Value) -> Value:
        found = super().offset_of(request, item, wanted)
        if code := self.refusal(wanted):
            return {**found, "errorCode": code, "offset": NO_OFFSET}
        return {**found, "leaderEpoch": LED} if request.version >= EPOCHS_SINCE else found

    def epoch_of(self, request: Request, item: Value, wanted: Value) -> Value:
        if code := self.refusal(wanted):
            return self.refused_epoch(wanted, code)
        return super().epoch_of(request, item, wanted)

    def refused_epoch(self, wanted: Value, code: int) -> Value:
        """Return a result of OffsetForLeaderEpoch with an error and without an end."""
        none = {"leaderEpoch": NO_EPOCH, "endOffset": NO_OFFSET}
        return {"partition": wanted["partition"], "errorCode": code, **none}

    def described_topic(self, topic: Topic) -> Value:
        """Return the topic with its present leader."""
        return self.led(super().described_topic(topic), *self.first.leads)

    def led(self, told: Value, leader: int, epoch: int) -> Value:
        """A topic of Metadata with that leader."""
        both = self.nodes
        led = {"leaderId": leader, "leaderEpoch": epoch, "replicaNodes": both, "isrNodes": both}
        return {**told, "partitions": [{**each, **led} for each in told["partitions"]]}


class _Grows(_Led):
    """Leads in a higher epoch when it has given a record."""

    given = False

    @property
    def leads(self) -> tuple[int, int]:
        return FIRST, LEADS if self.given else LED

    def fetched_of(self, request: Request, item: Value, wanted: Value) -> Value:
        found = super().fetched_of(request, item, wanted)
        self.given = self.given or bool(found["records"])
        return found


class EpochGrowsOnTheWay(_Grows):
    """Gives a record, and leads in a higher epoch from then on."""

    decides: ClassVar = {**READ_ON, GIVEN: gives(LOG)}


class LeaderMovesAtEpoch(_Grows):
    """The same; when it is asked where the old epoch ended, another broker leads, in a next one."""

    control_case = EpochGrowsOnTheWay
    others: ClassVar = {SECOND: _Led}
    decides: ClassVar = EpochGrowsOnTheWay.decides

    @property
    def leads(self) -> tuple[int, int]:
        return (SECOND, NEXT) if self.asked else super().leads

    def epoch_of(self, request: Request, item: Value, wanted: Value) -> Value:
        self.asked = True
        return super().epoch_of(request, item, wanted)


class _FetchesSlowly(Session):
    """Takes a while over each Fetch."""

    def fetch(self, request: Request) -> Value:
        body = super().fetch(request)
        self.delay_s = max(self.delay_s, SLOW_S)
        return body


class EpochGrowsMeanwhile(_Led):
    """Takes a while over each Fetch, tells of higher epochs meanwhile, and fences nobody yet."""

    decides: ClassVar = {**READ_ON, GIVEN: gives(SLOW_LOG)}
    given = False
    epoch = BEFORE

    sessions = _FetchesSlowly

    def __init__(self, **settings: Any) -> None:
        """Add a partition without a leader, for which some clients ask Metadata again."""
        super().__init__(**settings)
        self.add_topic(Topic(FILLED, id_of(FILLED), [[FIRST], [FIRST]]))

    @property
    def leads(self) -> tuple[int, int]:
        return FIRST, self.epoch

    def described_topic(self, topic: Topic) -> Value:
        self.epoch = min(self.epoch + self.given, NEXT)
        return super().described_topic(topic)

    def refusal(self, wanted: Value) -> int:
        return error_codes.NONE

    def batches(self, topic: Topic, index: int) -> list[Batch]:
        return super().batches(topic, index) if index == 0 else []

    def records(self) -> list[Batch]:
        return [of_epoch(batch_of([each]), LED) for each in SLOW_LOG]

    def fetched_of(self, request: Request, item: Value, wanted: Value) -> Value:
        self.given = self.given or wanted["fetchOffset"] > 0
        return super().fetched_of(request, item, wanted)

    def led(self, told: Value, leader: int, epoch: int) -> Value:
        one, *others = super().led(told, leader, epoch)["partitions"]
        nobody = {"errorCode": error_codes.LEADER_NOT_AVAILABLE, "leaderId": NO_LEADER}
        return {**told, "partitions": [one, *({**each, **nobody} for each in others)]}


def stays_with_its_leader(visit: Visit) -> None:
    """Judge that no broker that led in an earlier epoch is asked."""
    asked = [each for api in OF_LEADERS for each in visit.of(api) if each.value]
    for each in asked:
        if each.node == SECOND:
            what = f"{each.api} asks a broker of epoch {BEFORE}, and {LEADS} had been told"
            raise Broken(what, "the leader of the highest epoch", each.frame)
    survives(visit)


class StaleLeaderTold(_Grows):
    """The same; when it is asked where the old epoch ended, Metadata names a leader of before."""

    control_case = EpochGrowsOnTheWay
    others: ClassVar = {SECOND: _Led}
    decides: ClassVar = {
        "client-records.stale-leader-not-followed": where_asked(
            "Metadata",
            where_asked("OffsetForLeaderEpoch", stays_with_its_leader),
            range(RELIED_ON_SINCE, 100),
        )
    }
    has_told = False

    def described_topic(self, topic: Topic) -> Value:
        told = super().described_topic(topic)
        self.has_told = self.has_told or self.given
        stale, self.is_stale = self.is_stale, False
        return self.led(told, SECOND, BEFORE) if stale else told

    def epoch_of(self, request: Request, item: Value, wanted: Value) -> Value:
        if self.asked or not self.has_told:
            return super().epoch_of(request, item, wanted)
        self.asked = self.is_stale = True
        return self.refused_epoch(wanted, error_codes.KAFKA_STORAGE_ERROR)


class _Refuses(_Led):
    """Refuses the second Fetch as a broker whose disk fails."""

    sessions = _FetchesSlowly
    fetches = 0

    def refusal(self, wanted: Value) -> int:
        code = super().refusal(wanted)
        self.fetches += "fetchOffset" in wanted
        if code or self.fetches != REFUSED or "fetchOffset" not in wanted:
            return code
        self.first.is_stale = True
        return error_codes.KAFKA_STORAGE_ERROR

    def metadata(self, request: Request) -> Value:
        """Return an old answer once, after the second Fetch was refused."""
        told = super().metadata(request)
        stale, self.first.is_stale = self.first.is_stale, False
        return self.before(told) if stale else told

    def before(self, told: Value) -> Value:
        """Return Metadata from the time when the first broker was alone."""
        brokers = [each for each in told["brokers"] if each["nodeId"] == FIRST]
        topics = [self.led(each, FIRST, BEFORE) for each in told["topics"]]
        return {**told, "brokers": brokers, "topics": topics}


class LeaderLeftOut(_Refuses):
    """Leads no more; when the leader fails for a moment, Metadata is told once as it was before
    there was that broker."""

    about = "MetadataRequest"
    control_case = EpochGrowsOnTheWay
    others: ClassVar = {SECOND: _Refuses}
    decides: ClassVar = {
        "client-records.leader-followed": where_asked("Metadata", succeeds, range(EPOCHS_IN, 100))
    }

    @property
    def leads(self) -> tuple[int, int]:
        return SECOND, LEADS
