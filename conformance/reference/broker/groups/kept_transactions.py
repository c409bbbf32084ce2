"""Transactions that are kept: fenced producers, partitions, offsets, and an end (KIP-98, KIP-890).

The coordinator leads every partition, so a transaction is over as soon as its end is asked for. A
broker that keeps no logs grants everything, and keeps nothing.
"""

from __future__ import annotations

import base64
import struct

from conformance import error_codes
from conformance.reference.broker.cluster import (
    Aborted,
    Batch,
    Committed,
    Request,
    Topic,
    Transaction,
    Value,
)
from conformance.reference.broker.errors import Refused
from conformance.reference.broker.groups.members import Members
from conformance.reference.broker.groups.transactions import (
    EPOCH_SINCE,
    IDS_SINCE,
    OF_BROKERS_SINCE,
    Transactions,
)
from conformance.reference.broker.records.producers import ONGOING, TRANSACTIONAL_BIT
from conformance.reference.codec import PlainCodec
from conformance.schema.record_batch import LAYOUT, MAGIC, RECORD_BATCH

CONTROL_BIT = 1 << 5
FENCED_SINCE = 2
"""The first version of these requests that knows PRODUCER_FENCED."""
LONGEST_MS = 900_000
"""Apache Kafka's default of transaction.max.timeout.ms."""
MOST_TRANSACTIONS = 1_000
COMMITTED, ABORTED = "CompleteCommit", "CompleteAbort"
EMPTY = "Empty"
STATES = (EMPTY, ONGOING, COMMITTED, ABORTED)
NONE: Value = {"throttleTimeMs": 0, "errorCode": error_codes.NONE}


class KeptTransactions(Transactions, Members):
    """The handlers of the requests of producers, if the broker keeps logs."""

    writes: PlainCodec

    def init_producer_id(self, request: Request) -> Value:
        """Return a fresh producer id, or the one of a transactional id with the next epoch."""
        name = request.value["transactionalId"]
        if not self.keeps_logs or name is None:
            return super().init_producer_id(request)
        try:
            self.check_timeout(request.value["transactionTimeoutMs"])
            found = self.transactions.get(name)
            if found is None:
                found = self.new_transaction(request)
            else:
                self.fence(found)
        except Refused as refused:
            return {**NONE, "errorCode": refused.code, "producerId": -1, "producerEpoch": -1}
        return {**NONE, "producerId": found.producer_id, "producerEpoch": found.epoch}

    def check_timeout(self, timeout_ms: int) -> None:
        """Raise Refused for a transaction that might last too long."""
        if not 0 < timeout_ms <= LONGEST_MS:
            raise Refused(error_codes.INVALID_TRANSACTION_TIMEOUT)

    def new_transaction(self, request: Request) -> Transaction:
        """Return the state of a new transactional id."""
        asked = request.value
        self.producers += 1
        made = Transaction(self.producers, 0, asked["transactionTimeoutMs"])
        self.transactions[asked["transactionalId"]] = made
        if len(self.transactions) > MOST_TRANSACTIONS:
            del self.transactions[next(iter(self.transactions))]
        return made

    def fence(self, found: Transaction) -> None:
        """Raise the epoch, so that an older producer is refused; its transaction is aborted."""
        if found.state == ONGOING:
            self.finish(found, committed=False)
        found.epoch += 1
        found.state = EMPTY

    def transaction_of(self, request: Request, name: str = "transactionalId") -> Transaction:
        """Return the transaction of a request. Raises Refused for another producer."""
        asked = request.value
        found = self.transactions.get(asked[name])
        if found is None or found.producer_id != asked["producerId"]:
            raise Refused(error_codes.INVALID_PRODUCER_ID_MAPPING)
        if found.epoch != asked["producerEpoch"]:
            self.refuse_epoch(request)
        return found

    def refuse_epoch(self, request: Request) -> None:
        """Raise Refused, with an error that the version knows."""
        if request.version >= FENCED_SINCE:
            raise Refused(error_codes.PRODUCER_FENCED)
        raise Refused(error_codes.INVALID_PRODUCER_EPOCH)

    def add_partitions_to_txn(self, request: Request) -> Value:
        """Add partitions to the transaction of a producer: all of them, or none."""
        if not self.keeps_logs or request.version >= OF_BROKERS_SINCE:
            return super().add_partitions_to_txn(request)
        asked = request.value
        names = {"transactionalId": asked["v3AndBelowTransactionalId"]}
        ids = {
            "producerId": asked["v3AndBelowProducerId"],
            "producerEpoch": asked["v3AndBelowProducerEpoch"],
        }
        producer = Request(request.api_key, request.version, request.header, {**names, **ids})
        topics = asked["v3AndBelowTopics"]
        answer = self.added(topics)
        results = [
            (topic["name"], each) for topic in answer for each in topic["resultsByPartition"]
        ]
        try:
            if not self.have_unknown(results):
                self.add(self.transaction_of(producer), results)
        except Refused as refused:
            for _, each in results:
                each["partitionErrorCode"] = refused.code
        return {"throttleTimeMs": 0, "resultsByTopicV3AndBelow": answer}

    def have_unknown(self, results: list[tuple[str, Value]]) -> bool:
        """True if one of these partitions does not exist; then set the errors of all."""
        are_there = [self.has(name, each["partitionIndex"]) for name, each in results]
        if all(are_there):
            return False
        for (_, each), is_there in zip(results, are_there, strict=True):
            each["partitionErrorCode"] = (
                error_codes.OPERATION_NOT_ATTEMPTED
                if is_there
                else error_codes.UNKNOWN_TOPIC_OR_PARTITION
            )
        return True

    def add(self, found: Transaction, results: list[tuple[str, Value]]) -> None:
        """Add partitions to a transaction."""
        for name, each in results:
            found.state = ONGOING
            found.partitions[name, each["partitionIndex"]] = None

    def has(self, name: str, index: int) -> bool:
        """True if a partition exists."""
        return name in self.topics and 0 <= index < len(self.topics[name].replicas)

    def add_offsets_to_txn(self, request: Request) -> Value:
        """Add the offsets of a group to a transaction."""
        if not self.keeps_logs:
            return super().add_offsets_to_txn(request)
        try:
            found = self.transaction_of(request)
        except Refused as refused:
            return {**NONE, "errorCode": refused.code}
        found.state = ONGOING
        found.offsets.setdefault(request.value["groupId"], {})
        return dict(NONE)

    def txn_offset_commit(self, request: Request) -> Value:
        """Keep offsets until the end of the transaction."""
        answer = super().txn_offset_commit(request)
        if not self.keeps_logs:
            return answer
        code = error_codes.NONE
        try:
            found = self.transaction_of(request)
            for topic in request.value["topics"]:
                for each in topic["partitions"]:
                    self.keep_offset(request, found, topic, each)
        except Refused as refused:
            code = refused.code
        for each in (each for topic in answer["topics"] for each in topic["partitions"]):
            each["errorCode"] = code
        return answer

    def keep_offset(
        self, request: Request, found: Transaction, topic: Value, wanted: Value
    ) -> None:
        """Keep an offset of one partition until the end of the transaction."""
        name = topic.get("name") or ""
        if request.version >= IDS_SINCE and (named := self.topic_of_id(topic["topicId"])):
            name = named.name
        epoch = wanted.get("committedLeaderEpoch", -1)
        kept = Committed(wanted["committedOffset"], epoch, wanted["committedMetadata"] or "")
        found.state = ONGOING
        offsets = found.offsets.setdefault(request.value["groupId"], {})
        offsets[name, wanted["partitionIndex"]] = kept

    def end_txn(self, request: Request) -> Value:
        """End a transaction, whose epoch rises by that from some version on."""
        if not self.keeps_logs:
            return super().end_txn(request)
        raises = request.version >= EPOCH_SINCE
        try:
            if raises and (ended := self.ended_before(request)):
                return {**NONE, "producerId": ended.producer_id, "producerEpoch": ended.epoch}
            found = self.transaction_of(request)
            self.check_ongoing(request, found)
        except Refused as refused:
            ids = {"producerId": -1, "producerEpoch": -1} if raises else {}
            return {**NONE, "errorCode": refused.code, **ids}
        if found.state == ONGOING or raises:
            self.finish(found, request.value["committed"])
        if not raises:
            return dict(NONE)
        found.epoch += 1
        return {**NONE, "producerId": found.producer_id, "producerEpoch": found.epoch}

    def ended_before(self, request: Request) -> Transaction | None:
        """Return the transaction that was ended so already, if its producer asks again (KIP-890).

        The epoch that it asks with is the one before its end. Raises Refused if it was ended
        otherwise.
        """
        asked = request.value
        found = self.transactions.get(asked["transactionalId"])
        if found is None or found.producer_id != asked["producerId"]:
            return None
        if found.epoch != asked["producerEpoch"] + 1 or found.state not in (COMMITTED, ABORTED):
            return None
        if found.state != (COMMITTED if asked["committed"] else ABORTED):
            raise Refused(error_codes.INVALID_TXN_STATE)
        return found

    def check_ongoing(self, request: Request, found: Transaction) -> None:
        """Raise Refused without a transaction; one without partitions may be aborted (KIP-890).

        Before KIP-890, one may be ended as it was ended already.
        """
        committed, raises = request.value["committed"], request.version >= EPOCH_SINCE
        is_over = found.state == (COMMITTED if committed else ABORTED)
        if found.state != ONGOING and (committed if raises else not is_over):
            raise Refused(error_codes.INVALID_TXN_STATE)

    def finish(self, found: Transaction, committed: bool) -> None:
        """Write the end to each partition, and commit the offsets or drop them."""
        for name, index in found.partitions:
            if topic := self.topics.get(name):
                self.write_end(topic, index, found, committed)
        for group, offsets in found.offsets.items() if committed else ():
            if offsets:  # a group to which none were given does not come to be
                self.committed.setdefault(group, {}).update(offsets)
        found.partitions.clear()
        found.offsets.clear()
        found.state = COMMITTED if committed else ABORTED

    def write_end(self, topic: Topic, index: int, found: Transaction, committed: bool) -> None:
        """Append a control record, and close the transaction in this log."""
        offset = topic.ends.get(index, 0)
        data = self.as_marker(found, offset, committed)
        topic.ends[index] = offset + 1
        topic.logs.setdefault(index, []).append(Batch(offset, offset + 1, data))
        producer = topic.producers.get(index, {}).get(found.producer_id)
        if producer is None or producer.since is None:
            return
        if not committed:
            ended = Aborted(found.producer_id, producer.since, offset)
            topic.aborted.setdefault(index, []).append(ended)
        producer.since = None

    def as_marker(self, found: Transaction, offset: int, committed: bool) -> bytes:
        """Return the batch of a control record: version 0, type 1 for a commit and 0 else."""
        key, value = struct.pack(">hh", 0, int(committed)), struct.pack(">hi", 0, 0)
        record = {
            "attributes": 0,
            "timestampDelta": 0,
            "offsetDelta": 0,
            "key": base64.b64encode(key).decode(),
            "value": base64.b64encode(value).decode(),
            "headers": [],
        }
        batch = {
            **LAYOUT.default_value(),
            "baseOffset": offset,
            "partitionLeaderEpoch": 0,
            "attributes": CONTROL_BIT | TRANSACTIONAL_BIT,
            "producerId": found.producer_id,
            "producerEpoch": found.epoch,
            "records": [record],
        }
        return bytes(self.writes.encode(RECORD_BATCH, MAGIC, batch))

    def describe_transactions(self, request: Request) -> Value:
        """Return the state of each transactional id."""
        states = [self.described(name) for name in request.value["transactionalIds"]]
        return {"throttleTimeMs": 0, "transactionStates": states}

    def described(self, name: str) -> Value:
        """Return the state of a transactional id, or that it does not exist."""
        found = self.transactions.get(name)
        code = error_codes.NONE if found else error_codes.TRANSACTIONAL_ID_NOT_FOUND
        started_ms = -1 if found and found.state != ONGOING else 0
        indexes: dict[str, list[int]] = {}
        for topic, index in found.partitions if found else ():
            indexes.setdefault(topic, []).append(index)
        return {
            "errorCode": code,
            "transactionalId": name,
            "transactionState": found.state if found else "",
            "transactionTimeoutMs": found.timeout_ms if found else 0,
            "transactionStartTimeMs": started_ms,
            "producerId": found.producer_id if found else 0,
            "producerEpoch": found.epoch if found else 0,
            "topics": [{"topic": key, "partitions": found} for key, found in indexes.items()],
        }

    def list_transactions(self, request: Request) -> Value:
        """Return the transactional ids that the filters let through."""
        asked = request.value
        states = [
            {
                "transactionalId": name,
                "producerId": each.producer_id,
                "transactionState": each.state,
            }
            for name, each in self.transactions.items()
            if self.is_wanted(each, asked)
        ]
        unknown = [each for each in asked["stateFilters"] if each not in STATES]
        return {**NONE, "unknownStateFilters": unknown, "transactionStates": states}

    def is_wanted(self, found: Transaction, asked: Value) -> bool:
        """True if a transaction has one of the states and one of the producers asked for."""
        states, producers = asked["stateFilters"], asked["producerIdFilters"]
        return (not states or found.state in states) and (
            not producers or found.producer_id in producers
        )
