"""Clients that write something else than they were given or to a forbidden place, or report wrong
offsets of it.
"""

from __future__ import annotations

import struct
from base64 import b64encode
from collections.abc import Generator, Mapping
from typing import ClassVar

from conformance.api_keys import ADD_PARTITIONS_TO_TXN
from conformance.clients.mutants.mutant import ClientMutant
from conformance.dialogue import Received
from conformance.error_codes import CLUSTER_AUTHORIZATION_FAILED, CONCURRENT_TRANSACTIONS
from conformance.reference.client import MAGIC_AT, Asking, Course, Failed, Step, Trying
from conformance.reference.client.actions.transacting import LAST_OF_CLIENTS
from conformance.reference.client.cluster import TOPIC
from conformance.schema.layout import ZERO_UUID
from conformance.schema.record_batch import MAGIC
from conformance.testee_protocol import Value

HEAD_OF_BATCH, ATTRIBUTES_AT = 61, 21
TIMES_32_BITS = 2**32


def _of_32_bits(number: int) -> int:
    return (number + TIMES_32_BITS // 2) % TIMES_32_BITS - TIMES_32_BITS // 2


class DeltasOf32Bits(ClientMutant, breaks="client-produce.far-times-as-given"):
    """Writes how much later a record is in 32 bits."""

    implies = ("client-produce.latest-time-told",)

    def delta(self, milliseconds: int) -> int:
        return _of_32_bits(milliseconds)


class DeltasInMicroseconds(ClientMutant, breaks="client-produce.times-as-given"):
    """Writes how much later a record is in microseconds."""

    def delta(self, milliseconds: int) -> int:
        return milliseconds * 1000


class NullsWrittenEmpty(ClientMutant, breaks="client-produce.records-as-given"):
    """Writes an empty key or value where there is none."""

    def text(self, text: str | None) -> str | None:
        return super().text(text or "")


class TellsTheFirstTime(ClientMutant, breaks="client-produce.latest-time-told"):
    """Tells the time of a batch's first record as its latest."""

    def latest(self, times: list[int]) -> int:
        return times[0]


class ZstdAnyway(ClientMutant, breaks="client-produce.zstd-where-known"):
    """Writes zstd in whatever version of Produce there is."""

    def zstd_since(self) -> int:
        return 0


class AwaitsEveryAnswer(ClientMutant, breaks="client-produce.no-answer-awaited"):
    """Waits for an answer to a record that is to have none."""

    def tell(self, api_key: int, version: int, wanted: Mapping[str, object]) -> Course:
        yield from self.ask(api_key, version, wanted)


class ManyDaysWrap(ClientMutant, breaks="client-produce.no-time-below-zero"):
    """Counts how long a record may take in milliseconds of 32 bits."""

    def patient(self) -> Course:
        self.timeout_ms = _of_32_bits(30 * 24 * 60 * 60 * 1000)
        yield from self.produce()


class CountsWhatWasLost(ClientMutant, breaks="client-produce.sequence-goes-on"):
    """Counts its sequence numbers on for records that were never acknowledged."""

    implies = (
        "client-produce.large-batch-sent-again",
        "client-produce.no-gap-after-lost",
        "client-produce.stream-once-in-order",
        "client-transactions.next-committed",
    )

    def send_records(self, version: int, wanted: Value) -> Trying:
        self.written += 1
        return (yield from super().send_records(version, wanted))


class CountsWhatWasGivenUp(ClientMutant, breaks="client-produce.no-gap-after-lost"):
    """Counts its sequence numbers on for a record that it has given up."""

    def idempotent(self) -> Course:
        self.keeps_producer = True
        try:
            yield from self.produce()
        except Failed:
            self.written += self.kept is not None
            yield from self.produce()
            raise
        yield from self.produce()


class NowhereIsWritten(ClientMutant, breaks="client-produce.not-invented"):
    """Has done with a record when it has been sent to each partition that there is."""

    def write(self) -> Trying:
        answer = yield from self.metadata(TOPIC)
        topic = next((each for each in answer["topics"] if each["name"] == TOPIC), None)
        if topic is not None and not topic["partitions"]:
            return 0
        return (yield from super().write())


class LooksForEver(ClientMutant, breaks="client-produce.hopeless-ends"):
    """Looks for a place to write to, without a pause, until there is one."""

    def write(self) -> Trying:
        while True:
            answer = yield from self.metadata(TOPIC)
            topic = next((each for each in answer["topics"] if each["name"] == TOPIC), None)
            if topic is None or topic["partitions"]:
                return (yield from super().write())


class LostRecordsPassed(ClientMutant, breaks="client-records.lost-told"):
    """Passes over what it can't read of a batch whose head it can."""

    def read_batch(self, data: bytes) -> Value:
        if len(data) > HEAD_OF_BATCH or data[MAGIC_AT] < MAGIC:
            return super().read_batch(data)
        (offset,) = struct.unpack_from(">q", data)
        attributes, last = struct.unpack_from(">hi", data, ATTRIBUTES_AT)
        head = {"baseOffset": offset, "lastOffsetDelta": last, "attributes": attributes}
        return {**head, "records": []}


class IdsStay(ClientMutant, breaks="client-produce.ids-come-and-go"):
    """Takes it for granted that a topic that had an id has one."""

    implies = ("client-records.leader-followed",)
    known_id = ZERO_UUID

    def reach_leader(self) -> Generator[Step, Received | None, str]:
        topic_id = yield from super().reach_leader()
        if topic_id == ZERO_UUID != self.known_id:
            raise KeyError(self.known_id)
        self.known_id = topic_id
        return topic_id


class AsksAsBroker(ClientMutant, breaks="client-transactions.asked-as-client"):
    """Adds partitions to a transaction in the highest version that is listed."""

    versions: ClassVar = {**ClientMutant.versions, ADD_PARTITIONS_TO_TXN: (0, 5)}

    def highest_in_transaction(self) -> dict[int, int]:
        return {**super().highest_in_transaction(), ADD_PARTITIONS_TO_TXN: 5}


class ListedIsInForce(ClientMutant, breaks="client-transactions.added-first"):
    """Takes transactions of version 2 for in force where its versions are listed."""

    def highest_in_transaction(self) -> dict[int, int]:
        return {ADD_PARTITIONS_TO_TXN: LAST_OF_CLIENTS}

    def add_partition(self) -> Trying:
        yield from ()
        return 0


class KnowsNoNewTransactions(ClientMutant, breaks="client-transactions.each-way-done"):
    """Refuses a cluster that has gone over to transactions of version 2."""

    def ask_versions(self, version: int) -> Asking:
        answer = yield from super().ask_versions(version)
        for each in answer.get("finalizedFeatures", ()):
            if each["name"] == "transaction.version":
                raise Failed("transactions of a version that there is not")
        return answer


class ConcurrentIsTheEnd(ClientMutant, breaks="client-transactions.passing-errors-pass"):
    """Gives up where another transaction is not yet at its end."""

    def passing(self) -> frozenset[int]:
        return super().passing() - {CONCURRENT_TRANSACTIONS}


class RefusedForGood(ClientMutant, breaks="client-produce.refused-id-asked-again"):
    """Keeps a refusal of its id in mind, and writes nothing from then on."""

    refusal: Value | None = None

    def producer(self) -> Asking:
        made = self.refusal or (yield from super().producer())
        if made["errorCode"] == CLUSTER_AUTHORIZATION_FAILED:
            self.refusal = made
        return made


class CountsAttemptsInKeys(ClientMutant, breaks="client-produce.one-batch-a-number"):
    """Writes another record at each attempt, under the same sequence number."""

    attempt = 0

    def batch_value(self, producer: Value) -> Value:
        value = super().batch_value(producer)
        if not self.keeps_producer or self.in_transaction:
            return value
        self.attempt += 1
        key = b64encode(str(self.attempt).encode()).decode()
        return {**value, "records": [{**each, "key": key} for each in value["records"]]}


class TellsTheBaseOffset(ClientMutant, breaks="client-produce.offsets-told"):
    """Tells the offset of a batch as that of each of its records."""

    def offset_told(self, base: int, number: int) -> str:
        return super().offset_told(base, 0)


class CountsFromNowhere(ClientMutant, breaks="client-produce.no-offset-told"):
    """Counts offsets on from the -1 that stands for none."""

    def offset_told(self, base: int, number: int) -> str:
        return str(base + number)
