"""One record written to whoever leads: a batch, from a producer with an id where they have any."""

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
    """Writes a record. `acks` is who has to answer, `timeout_ms` how long brokers may take."""

    acks = -1
    timeout_ms = 3000

    def produce(self) -> Course:
        """Write one record."""
        yield from self.report()
        yield from self.trying(self.write, f"the topic {TOPIC}")

    def write(self) -> Generator[Step, Received | None, int]:
        """Write to whoever leads now; the error code of the partition."""
        topic_id = yield from self.reach_leader()
        return (yield from self.write_here(topic_id))

    def write_here(self, topic_id: str) -> Trying:
        """The same on the connection that there is."""
        producer = yield from self.producer()
        if producer["errorCode"]:
            return int(producer["errorCode"])
        version = self.version_with(PRODUCE, topic_id)
        return (yield from self.send_records(version, self.request_of(topic_id, producer)))

    def request_of(self, topic_id: str, producer: Value) -> Value:
        """A Produce of what is to be written."""
        records = base64.b64encode(self.batch(producer)).decode()
        data = {"index": 0, "records": records}
        topic = {"name": self.named, "topicId": topic_id, "partitionData": [data]}
        return {"acks": self.acks, "timeoutMs": self.timeout_ms, "topicData": [topic]}

    def send_records(self, version: int, wanted: Value) -> Trying:
        """Send a Produce; the error code of the partition."""
        answer = yield from self.ask(PRODUCE, version, wanted)
        partitions = [each for item in answer["responses"] for each in item["partitionResponses"]]
        self.stored(partitions)
        codes = [each["errorCode"] for each in partitions]
        return codes[0] if codes else -1

    def stored(self, partitions: list[Value]) -> None:
        """Look at what brokers say of where records are now."""

    def producer(self) -> Asking:
        """Our id as a producer, where brokers give some: none is as good, but for duplicates."""
        if INIT_PRODUCER_ID not in self.served:
            return {"errorCode": error_codes.NONE, "producerId": -1, "producerEpoch": -1}
        version = self.version_of(INIT_PRODUCER_ID)
        wanted = {"transactionalId": None, "transactionTimeoutMs": 60_000}
        return (yield from self.ask(INIT_PRODUCER_ID, version, wanted))

    def batch(self, producer: Value) -> bytes:
        """The record, in a batch of its own."""
        return self.codec.write(self.codec.form(RECORD_BATCH, MAGIC), self.batch_value(producer))

    def batch_value(self, producer: Value) -> Value:
        """The same as a value."""
        value = self.codec.form(RECORD_BATCH, MAGIC).layout.default_value()
        record = {"attributes": 0, "timestampDelta": 0, "offsetDelta": 0, "headers": []}
        value["records"] = [{**record, "key": "aw==", "value": "dg=="}]
        if producer["producerId"] >= 0:
            value |= {key: producer[key] for key in ("producerId", "producerEpoch")}
            value["baseSequence"] = 0
        return value
