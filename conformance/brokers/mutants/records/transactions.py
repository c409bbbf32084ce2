"""Brokers that mix up transactions, or show what is not committed."""

from __future__ import annotations

from types import MappingProxyType

from conformance import error_codes
from conformance.brokers.mutants.mutant import BrokerMutant
from conformance.reference.broker.cluster import Aborted, Request, Topic, Transaction, Value
from conformance.reference.broker.errors import Refused
from conformance.reference.broker.releases import (
    FOR_CLIENTS,
    FOR_TRANSACTIONS,
    IMPLEMENTED,
    OF_NOTHING,
    Feature,
    stored_versions,
)

_OF_TRANSACTIONS = (
    "Fetch",
    "ListOffsets",
    "OffsetFetch",
    "InitProducerId",
    "AddPartitionsToTxn",
    "AddOffsetsToTxn",
    "EndTxn",
    "TxnOffsetCommit",
    "DescribeTransactions",
)
_LISTED = {
    key: name for key, name in (FOR_CLIENTS | OF_NOTHING).items() if name in _OF_TRANSACTIONS
}
WITH_TRANSACTIONS = MappingProxyType(
    {
        "versions": stored_versions(names=IMPLEMENTED | _LISTED | FOR_TRANSACTIONS),
        "features": (Feature("transaction.version", 0, 2, 2),),
        "keeps_logs": True,
        "keeps_offsets": True,
    }
)


class OfTransactions(BrokerMutant):
    """A broker that lists the APIs of transactions."""

    made_with = WITH_TRANSACTIONS


class EachTimeAnotherProducer(OfTransactions, breaks="transactions.same-producer"):
    """Forgets a transactional id as soon as it has a producer."""

    def fence(self, found: Transaction) -> None:
        super().fence(found)
        self.producers += 1
        found.producer_id, found.epoch = self.producers, 0


class EpochStays(OfTransactions, breaks="transactions.same-producer"):
    """Gives the next producer of a transactional id the epoch of the one before."""

    implies = ("transactions.old-epoch-fenced",)

    def fence(self, found: Transaction) -> None:
        super().fence(found)
        found.epoch -= 1


class AnyTimeout(OfTransactions, breaks="transactions.timeout-limited"):
    """Takes any timeout of a transaction."""

    def check_timeout(self, timeout_ms: int) -> None:
        del timeout_ms


class NoTimeoutIsTaken(OfTransactions, breaks="transactions.timeout-limited"):
    """Takes a timeout of 0 for none."""

    def check_timeout(self, timeout_ms: int) -> None:
        if timeout_ms:
            super().check_timeout(timeout_ms)


class FirstPartitionAlone(OfTransactions, breaks="transactions.partitions-added"):
    """Adds the first partition of a request alone, and grants all."""

    def add(self, found: Transaction, results: list[tuple[str, Value]]) -> None:
        super().add(found, results)
        for name, each in results[1:]:
            found.partitions.pop((name, each["partitionIndex"]), None)


class AddingIsRefused(OfTransactions, breaks="transactions.partitions-added"):
    """Refuses to add partitions to a transaction that was not begun otherwise."""

    def add(self, found: Transaction, results: list[tuple[str, Value]]) -> None:
        if not found.partitions:
            raise Refused(error_codes.INVALID_TXN_STATE)
        super().add(found, results)


class AddsWhatIsThere(OfTransactions, breaks="transactions.unknown-partition-refused"):
    """Adds the partitions that exist, though another one of the request does not."""

    def have_unknown(self, results: list[tuple[str, Value]]) -> bool:
        found = super().have_unknown(results)
        for _, each in results:
            if each["partitionErrorCode"] == error_codes.OPERATION_NOT_ATTEMPTED:
                each["partitionErrorCode"] = error_codes.NONE
        return found


class AddsWhatIsNotThere(OfTransactions, breaks="transactions.unknown-partition-refused"):
    """Adds partitions without a look whether they exist."""

    def has(self, name: str, index: int) -> bool:
        del name, index
        return True


class AnyEpochOfATransaction(OfTransactions, breaks="transactions.old-epoch-fenced"):
    """Lets a producer go on that was replaced."""

    def refuse_epoch(self, request: Request) -> None:
        del request


class OldEpochIsNoProducer(OfTransactions, breaks="transactions.old-epoch-fenced"):
    """Says of a producer that was replaced that its id is another's."""

    def refuse_epoch(self, request: Request) -> None:
        del request
        raise Refused(error_codes.INVALID_PRODUCER_ID_MAPPING)


class AnyProducer(OfTransactions, breaks="transactions.other-producer-refused"):
    """Takes any producer's id for that of a transactional id."""

    def transaction_of(self, request: Request, name: str = "transactionalId") -> Transaction:
        if found := self.transactions.get(request.value[name]):
            request.value["producerId"] = found.producer_id
        return super().transaction_of(request, name)


class OtherProducerIsFenced(OfTransactions, breaks="transactions.other-producer-refused"):
    """Says of another producer that it was replaced."""

    def transaction_of(self, request: Request, name: str = "transactionalId") -> Transaction:
        found = self.transactions.get(request.value[name])
        if found and found.producer_id != request.value["producerId"]:
            raise Refused(error_codes.PRODUCER_FENCED)
        return super().transaction_of(request, name)


class CommitsNothing(OfTransactions, breaks="transactions.none-to-commit"):
    """Commits a transaction that was not begun."""

    def check_ongoing(self, request: Request, found: Transaction) -> None:
        del request, found


class NothingIsFenced(OfTransactions, breaks="transactions.none-to-commit"):
    """Says of a producer without a transaction that it was replaced."""

    def check_ongoing(self, request: Request, found: Transaction) -> None:
        try:
            super().check_ongoing(request, found)
        except Refused:
            raise Refused(error_codes.PRODUCER_FENCED) from None


class UnaddedIsWritten(OfTransactions, breaks="transactions.unadded-refused"):
    """Appends batches for partitions that were not added."""

    def refuse_unadded(self, request: Request) -> None:
        del request


class UnaddedIsUnknown(OfTransactions, breaks="transactions.unadded-refused"):
    """Says of a partition that was not added that it does not exist."""

    def refuse_unadded(self, request: Request) -> None:
        del request
        raise Refused(error_codes.UNKNOWN_TOPIC_OR_PARTITION)


class EndsInOnePartition(OfTransactions, breaks="transactions.commit-read"):
    """Ends a transaction in the first of its partitions alone."""

    def finish(self, found: Transaction, committed: bool) -> None:
        for each in list(found.partitions)[1:]:
            del found.partitions[each]
        super().finish(found, committed)


class CommitsAreAborts(OfTransactions, breaks="transactions.commit-read"):
    """Lists the transactions that were committed for aborted."""

    def write_end(self, topic: Topic, index: int, found: Transaction, committed: bool) -> None:
        since = {at: producer.since for at, producer in topic.producers.get(index, {}).items()}
        super().write_end(topic, index, found, committed)
        first = since.get(found.producer_id)
        if committed and first is not None:
            ended = Aborted(found.producer_id, first, topic.ends[index] - 1)
            topic.aborted.setdefault(index, []).append(ended)


class MarksAreSwapped(OfTransactions, breaks="transactions.ends-marked"):
    """Writes the mark of a commit for an abort, and the other way round."""

    def as_marker(self, found: Transaction, offset: int, committed: bool) -> bytes:
        return super().as_marker(found, offset, not committed)


class MarksOfNoProducer(OfTransactions, breaks="transactions.ends-marked"):
    """Writes marks without the producer's id."""

    def as_marker(self, found: Transaction, offset: int, committed: bool) -> bytes:
        return super().as_marker(Transaction(-1, -1, 0), offset, committed)


class OpenIsRead(OfTransactions, breaks="transactions.open-unread"):
    """Returns the records of open transactions to every reader."""

    def stable(self, records: bytes, end: int) -> bytes:
        del end
        return records


class OpenIsReadByNone(OfTransactions, breaks="transactions.open-unread"):
    """Returns the records of open transactions to no reader."""

    def fetched_of(self, request: Request, item: Value, wanted: Value) -> Value:
        level = request.value["isolationLevel"]
        request.value["isolationLevel"] = 1
        found = super().fetched_of(request, item, wanted)
        request.value["isolationLevel"] = level
        return found if level else {**found, "abortedTransactions": None}


class AbortedUnlisted(OfTransactions, breaks="transactions.aborted-listed"):
    """Lists no aborted transaction."""

    implies = ("transactions.open-ends-at-next-producer",)

    def aborted_from(self, topic: Topic, index: int, offset: int) -> list[Aborted]:
        del topic, index, offset
        return []


class AbortedForEver(OfTransactions, breaks="transactions.aborted-listed"):
    """Lists each aborted transaction of a log, whatever offset is read."""

    def aborted_from(self, topic: Topic, index: int, offset: int) -> list[Aborted]:
        del offset
        return super().aborted_from(topic, index, 0)


class AbortedFromTheirEnds(OfTransactions, breaks="transactions.aborted-listed"):
    """Lists the offset of the mark for the first offset of an aborted transaction."""

    implies = ("transactions.open-ends-at-next-producer",)

    def aborted_from(self, topic: Topic, index: int, offset: int) -> list[Aborted]:
        found = super().aborted_from(topic, index, offset)
        return [Aborted(each.producer_id, each.last, each.last) for each in found]


class EndListedForCommitted(OfTransactions, breaks="transactions.stable-end-listed"):
    """Lists the end of the log to every reader."""

    def offset_of(self, request: Request, item: Value, wanted: Value) -> Value:
        request.value["isolationLevel"] = 0
        return super().offset_of(request, item, wanted)


class StableEndListedForAll(OfTransactions, breaks="transactions.stable-end-listed"):
    """Lists the last stable offset to every reader of a version that has the isolation level."""

    def offset_of(self, request: Request, item: Value, wanted: Value) -> Value:
        request.value["isolationLevel"] = 1
        return super().offset_of(request, item, wanted)


class OpenIsHandedOn(OfTransactions, breaks="transactions.open-ends-at-next-producer"):
    """Leaves an open transaction to the next producer of its id."""

    def fence(self, found: Transaction) -> None:
        found.epoch += 1


class OpenIsCommitted(OfTransactions, breaks="transactions.open-ends-at-next-producer"):
    """Commits an open transaction when another producer takes its id over."""

    def fence(self, found: Transaction) -> None:
        if found.state == "Ongoing":
            self.finish(found, committed=True)
        super().fence(found)


class OffsetsAtOnce(OfTransactions, breaks="transactions.offsets-with-commit"):
    """Commits offsets before their transaction ends."""

    def keep_offset(
        self, request: Request, found: Transaction, topic: Value, wanted: Value
    ) -> None:
        super().keep_offset(request, found, topic, wanted)
        group = request.value["groupId"]
        self.committed.setdefault(group, {}).update(found.offsets[group])


class OffsetsOfAborted(OfTransactions, breaks="transactions.offsets-with-commit"):
    """Commits the offsets of aborted transactions as well."""

    def finish(self, found: Transaction, committed: bool) -> None:
        for group, offsets in found.offsets.items():
            self.committed.setdefault(group, {}).update(offsets)
        super().finish(found, committed)


class OffsetsNever(OfTransactions, breaks="transactions.offsets-with-commit"):
    """Takes offsets in transactions, and drops them."""

    def keep_offset(
        self, request: Request, found: Transaction, topic: Value, wanted: Value
    ) -> None:
        del request, found, topic, wanted


class OpenIsEmpty(OfTransactions, breaks="transactions.described"):
    """Describes each transaction as empty."""

    def described(self, name: str) -> Value:
        found = super().described(name)
        return found if found["errorCode"] else {**found, "transactionState": "Empty"}


class UnknownIsDescribed(OfTransactions, breaks="transactions.described"):
    """Describes transactional ids that do not exist."""

    def described(self, name: str) -> Value:
        return {**super().described(name), "errorCode": error_codes.NONE}


class PartitionsUndescribed(OfTransactions, breaks="transactions.described"):
    """Describes transactions without their partitions."""

    def described(self, name: str) -> Value:
        return {**super().described(name), "topics": []}


class StatesUnfiltered(OfTransactions, breaks="transactions.listed"):
    """Lists transactions of every state."""

    def is_wanted(self, found: Transaction, asked: Value) -> bool:
        return super().is_wanted(found, {**asked, "stateFilters": []})


class NoFiltersFindNone(OfTransactions, breaks="transactions.listed"):
    """Lists no transaction where no state is asked for."""

    def is_wanted(self, found: Transaction, asked: Value) -> bool:
        return bool(asked["stateFilters"]) and super().is_wanted(found, asked)


class ProduceAddsNothing(OfTransactions, breaks="transactions.produce-adds"):
    """Wants partitions to be added before each Produce."""

    def add_to(self, transaction: Transaction, name: str, index: int) -> None:
        del transaction, name, index


class ProduceIsNeverEnded(OfTransactions, breaks="transactions.produce-adds"):
    """Takes a Produce of a partition that was not added, and does not know of it later."""

    def add_to(self, transaction: Transaction, name: str, index: int) -> None:
        super().add_to(transaction, name, index)
        transaction.state = "Empty"


class EpochOutlivesItsTransaction(OfTransactions, breaks="transactions.end-raises-epoch"):
    """Stays in an epoch when a transaction ends."""

    def end_txn(self, request: Request) -> Value:
        found = super().end_txn(request)
        if found["errorCode"] or "producerEpoch" not in found:
            return found
        self.transactions[request.value["transactionalId"]].epoch -= 1
        return {**found, "producerEpoch": found["producerEpoch"] - 1}


class NextEpochUntold(OfTransactions, breaks="transactions.end-raises-epoch"):
    """Raises the epoch when a transaction ends, and does not return it."""

    def end_txn(self, request: Request) -> Value:
        found = super().end_txn(request)
        if "producerEpoch" in found:
            found |= {"producerId": -1, "producerEpoch": -1}
        return found
