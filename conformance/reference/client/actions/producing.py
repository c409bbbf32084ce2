"""One record written to the leader: a batch, from a producer with an id if brokers give ids."""

from __future__ import annotations

import base64
from collections.abc import Generator

from conformance import error_codes
from conformance.api_keys import INIT_PRODUCER_ID, PRODUCE
from conformance.dialogue import Received
from conformance.reference.client.cluster import TOPIC, ClientCluster
from conformance.reference.client.steps import Asking, Course, Step, Trying
from conformance.schema.record_batch import MAGIC, RECORD_BATCH
from conformance.testee_protocol import Value


class Producing(ClientCluster):
    """The action that writes a record.

    `acks` are the replicas that have to acknowledge it, `timeout_ms` is the brokers' time for that.
    """

    acks = -1
    timeout_ms = 3000

    def produce(self) -> Course:
        """Write one record."""
        yield from self.report()
        yield from self.trying(self.write, f"the topic {TOPIC}")

    def write(self) -> Generator[Step, Received | None, int]:
        """Write to the present leader; return the error code of the partition."""
        topic_id = yield from self.reach_leader()
        return (yield from self.write_here(topic_id))

    def write_here(self, topic_id: str) -> Trying:
        """Write on the present connection; return the error code of the partition."""
        producer = yield from self.producer()
        if producer["errorCode"]:
            return int(producer["errorCode"])
        version = self.version_with(PRODUCE, topic_id)
        return (yield from self.send_records(version, self.request_of(topic_id, producer)))

    def request_of(self, topic_id: str, producer: Value) -> Value:
        """Return a Produce of the records to be written."""
        records = base64.b64encode(self.batch(producer)).decode()
        data = {"index": 0, "records": records}
        topic = {"name": self.named, "topicId": topic_id, "partitionData": [data]}
        return {"acks": self.acks, "timeoutMs": self.timeout_ms, "topicData": [topic]}

    def send_records(self, version: int, wanted: Value) -> Trying:
        """Send a Produce; return the error code of the partition."""
        answer = yield from self.ask(PRODUCE, version, wanted)
        partitions = [each for item in answer["responses"] for each in item["partitionResponses"]]
        self.stored(partitions)
        codes = [each["errorCode"] for each in partitions]
        return codes[0] if codes else -1

    def stored(self, partitions: list[Value]) -> None:
        """Take the offsets of the stored records from an answer."""

    def producer(self) -> Asking:
        """Return our producer id, if brokers give any: else duplicates are not detected."""
        if INIT_PRODUCER_ID not in self.served:
            return {"errorCode": error_codes.NONE, "producerId": -1, "producerEpoch": -1}
        version = self.version_of(INIT_PRODUCER_ID)
        wanted = {"transactionalId": None, "transactionTimeoutMs": 60_000}
        return (yield from self.ask(INIT_PRODUCER_ID, version, wanted))

    def batch(self, producer: Value) -> bytes:
        """Return the record, in a batch of its own, as bytes."""
        return self.codec.write(self.codec.form(RECORD_BATCH, MAGIC), self.batch_value(producer))

    def batch_value(self, producer: Value) -> Value:
        """Return the record, in a batch of its own, as a value."""
        value = self.codec.form(RECORD_BATCH, MAGIC).layout.default_value()
        record = {"attributes": 0, "timestampDelta": 0, "offsetDelta": 0, "headers": []}
        value["records"] = [{**record, "key": "aw==", "value": "dg=="}]
        if producer["producerId"] >= 0:
            value |= {key: producer[key] for key in ("producerId", "producerEpoch")}
            value["baseSequence"] = 0
        return value
