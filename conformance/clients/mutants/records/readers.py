"""Clients that fail on lost records, changed leaders and older epochs, or report a wrong
position.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import Any

from conformance.api_keys import DESCRIBE_GROUPS, LIST_OFFSETS, OFFSET_FETCH
from conformance.clients.mutants.mutant import ClientMutant
from conformance.dialogue import Received
from conformance.reference.client import Asking, Course, Failed, Lost, Step, Trying
from conformance.testee_protocol import Value

MOST_BYTES = 1_000_000
OF_READERS = {LIST_OFFSETS, OFFSET_FETCH}


class GivesUpOnOffsets(ClientMutant, breaks="client-answers.lost-is-asked-again"):
    """Gives up when the answer to a question about offsets is lost."""

    implies = ("client-records.leader-followed",)

    def exchange(
        self, api_key: int, version: int, wanted: Mapping[str, Any]
    ) -> Generator[Step, Received | None, bytes]:
        try:
            return (yield from super().exchange(api_key, version, wanted))
        except Lost as lost:
            if api_key in OF_READERS:
                raise Failed(str(lost)) from None
            raise


class TellsThatItsOffsetIsGone(ClientMutant, breaks="client-records.out-of-range-reset"):
    """Tells the caller that its offset is out of range, wherever it was to begin without one."""

    implies = ("client-records.preferred-replica-left",)

    def is_gone(self, found: Value) -> bool:
        return False


class ForgetsNoEpoch(ClientMutant, breaks="client-records.topic-made-anew-is-read"):
    """Keeps what it was told of a topic by the highest epoch, also where its id is another."""

    implies = ("client-records.leader-followed",)

    def __init__(self) -> None:
        super().__init__()
        self.kept: Value = {}

    def metadata(self, *names: str) -> Asking:
        answer = yield from super().metadata(*names)
        topics = [self.newest(each) for each in answer["topics"]]
        return {**answer, "topics": topics}

    def newest(self, topic: Value) -> Value:
        old = self.kept.get(topic["name"], topic)
        self.kept[topic["name"]] = topic if _epoch(topic) >= _epoch(old) else old
        kept: Value = self.kept[topic["name"]]
        return kept


def _epoch(topic: Value) -> int:
    return max((each.get("leaderEpoch", -1) for each in topic["partitions"]), default=-1)


class StaysAtItsReplica(ClientMutant, breaks="client-records.preferred-replica-left"):
    """Asks the replica that it was named again, whatever that answers."""

    preferred = -1

    def go_to_replica(self, node_id: int) -> Course:
        if node_id >= 0:
            self.preferred = node_id
        yield from super().go_to_replica(node_id)

    def read_from(self, topic_id: str, offset: int) -> Trying:
        yield from super().go_to_replica(self.preferred)
        return (yield from super().read_from(topic_id, offset))


class AsksForEpochsWithoutEnd(ClientMutant, breaks="client-records.epoch-grown-read-on"):
    """Asks for the end of an epoch until it is that of the leader."""

    implies = ("client-records.each-leader-read",)

    def end_of_epoch(self) -> Asking:
        for _ in range(1000):
            found = yield from super().end_of_epoch()
            if found["leaderEpoch"] == self.leader_epoch or found["errorCode"]:
                return found
        raise Failed("the epoch of the leader has no end")


class UndefinedIsAnOffset(ClientMutant, breaks="client-records.epoch-grown-read-on"):
    """Begins at offset -1 where the end of an epoch is not known."""

    def still_there(self, offset: int, end: Value) -> Trying:
        yield from ()
        if end["endOffset"] < 0:
            raise Failed("there is no offset -1")
        return min(offset, int(end["endOffset"]))


class KnowsOnePartition(ClientMutant, breaks="client-records.each-leader-read"):
    """Reads the first partition of a topic alone."""

    def leader_in(self, topic: Value) -> int:
        first = topic["partitions"][:1]
        return super().leader_in({**topic, "partitions": first})


class AsksOfAllPartitions(ClientMutant, breaks="client-requests.leader-asked"):
    """Asks whoever leads one partition for the offsets of all."""

    def exchange(
        self, api_key: int, version: int, wanted: Mapping[str, Any]
    ) -> Generator[Step, Received | None, bytes]:
        if api_key == LIST_OFFSETS:
            wanted = {**wanted, "topics": [self.widened(each) for each in wanted["topics"]]}
        return (yield from super().exchange(api_key, version, wanted))

    def widened(self, topic: Value) -> Value:
        (own,) = topic["partitions"]
        others = [each for each in self.indices if each != own["partitionIndex"]]
        return {**topic, "partitions": [own, *({**own, "partitionIndex": each} for each in others)]}


class RefusesLargeAnswers(ClientMutant, breaks="client-records.large-answer-read"):
    """Refuses answers of more than a million bytes."""

    implies = ("client-records.given-as-held",)

    def answer_to(self, number: int, received: Received) -> bytes:
        if received.kind == "reply" and len(received.frame) > MOST_BYTES:
            raise Failed(f"an answer of {len(received.frame)} bytes")
        return super().answer_to(number, received)


class GivesWhatWasAborted(ClientMutant, breaks="client-records.aborted-not-given"):
    """Gives the records of transactions that were aborted."""

    implies = ("client-records.aborted-in-any-order",)

    def is_aborted(self, batch: Value) -> bool:
        return False


class AbortsAreOfKnownTransactions(ClientMutant, breaks="client-records.control-passed"):
    """Looks up the transaction that a marker aborts, without a thought that there may be none."""

    implies = ("client-records.given-as-held", "client-records.uncommitted-read")

    def ended(self, batch: Value) -> None:
        if batch["producerId"] not in self.aborted:
            raise Failed("an end of no transaction")
        super().ended(batch)


class AsksForAllTopics(ClientMutant, breaks="client-requests.topics-named"):
    """Asks for all topics, whichever it needs."""

    def metadata(self, *names: str) -> Asking:
        return (yield from super().metadata())


class AsksForAnotherTopic(ClientMutant, breaks="client-requests.topics-named"):
    """Asks for a topic that nobody named as well."""

    def metadata(self, *names: str) -> Asking:
        more = ("orders.v2",) if names else ()
        return (yield from super().metadata(*names, *more))


class AllGroupsAreOfConsumers(ClientMutant, breaks="client-groups.other-types-survived"):
    """Stumbles over a group that is none of consumers."""

    def read(self, api_key: int, version: int, frame: bytes) -> Value:
        value: Value = super().read(api_key, version, frame)
        if api_key == DESCRIBE_GROUPS:
            for each in value["groups"]:
                {"consumer": 0, "": 0}[each["protocolType"]]
        return value


class AsksTwiceForOffsets(ClientMutant, breaks="client-requests.offsets-asked-once"):
    """Asks for each offset a second time."""

    def offset_at(self, timestamp: int) -> Asking:
        yield from super().offset_at(timestamp)
        return (yield from super().offset_at(timestamp))


class NothingIsTheBegin(ClientMutant, breaks="client-records.no-offset-not-read-from"):
    """Begins at offset 0 where it was told of none."""

    def offset_at(self, timestamp: int) -> Asking:
        found = yield from super().offset_at(timestamp)
        return {**found, "offset": max(found["offset"], 0)}


class StaysAtTheLeader(ClientMutant, breaks="client-records.preferred-replica-read"):
    """Asks the leader again, whatever replica that names."""

    def go_to_replica(self, node_id: int) -> Course:
        yield from ()


class FollowsOldMetadata(ClientMutant, breaks="client-records.stale-leader-not-followed"):
    """Goes to the leader that Metadata names last, also where its epoch is lower than another."""

    def is_old(self, topic: Value) -> bool:
        return False


class KnowsItsFirstPartitions(ClientMutant, breaks="client-records.added-partition-read"):
    """Takes the partitions that Metadata told first for all that a topic ever has."""

    def __init__(self) -> None:
        super().__init__()
        self.first: dict[str, frozenset[int]] = {}

    def leader_in(self, topic: Value) -> int:
        leader = super().leader_in(topic)
        known = self.first.setdefault(topic["name"], frozenset(self.indices))
        return leader if self.partition in known else -1


class TheEndIsTheEndOfRecords(ClientMutant, breaks="client-records.broken-off-not-given"):
    """Takes the end of a connection for the end of the records, and what it has of one for all."""

    def consume(self) -> Course:
        try:
            yield from super().consume()
        except Lost:
            return


class TellsThePositionOfItsFetch(ClientMutant, breaks="client-records.position-told"):
    """Tells the position behind all that it was sent, whatever it has handed out of that."""

    def position_behind(self, record: Value) -> int:
        del record
        return self.position
