"""Clients of before KIP-35, which ask for no versions and have those that Kafka 4 has removed."""

from __future__ import annotations

import base64
import struct
import zlib
from collections.abc import Mapping
from typing import Any, ClassVar

from conformance.api_keys import (
    CREATE_TOPICS,
    DELETE_TOPICS,
    DESCRIBE_GROUPS,
    FETCH,
    FIND_COORDINATOR,
    HEARTBEAT,
    JOIN_GROUP,
    LEAVE_GROUP,
    LIST_GROUPS,
    LIST_OFFSETS,
    METADATA,
    OFFSET_COMMIT,
    OFFSET_FETCH,
    PRODUCE,
    SYNC_GROUP,
)
from conformance.clients.mutants.mutant import ClientMutant
from conformance.reference.broker.releases import Ranges
from conformance.reference.client import Asking, Course, Failed, Open
from conformance.reference.client.steps import Address
from conformance.schema.record_batch import RECORD_SET
from conformance.testee_protocol import Value

_GROUPS = (FIND_COORDINATOR, JOIN_GROUP, HEARTBEAT, LEAVE_GROUP, SYNC_GROUP, DESCRIBE_GROUPS)
_OTHERS = (LIST_GROUPS, CREATE_TOPICS, DELETE_TOPICS, LIST_OFFSETS)
OLDEST: Ranges = {
    PRODUCE: (0, 1),
    FETCH: (0, 1),
    METADATA: (0, 1),
    OFFSET_COMMIT: (0, 1),
    OFFSET_FETCH: (0, 0),
    **dict.fromkeys((*_GROUPS, *_OTHERS), (0, 0)),
}
OF_THEIR_AGE = (
    "client-versions.kafka-4-spoken",
    "client-versions.greets-each-connection",
    "client-coordinators.many-where-served",
    "client-requests.isolation-told",
)
"""The rules that no client keeps which has these versions alone."""
CRC_AT, MAGIC_AT = 12, 16


class Oldest(ClientMutant):
    """Asks for no versions, and writes and reads messages of magic 0."""

    versions: ClassVar[Ranges] = OLDEST
    magic: ClassVar[int] = 0

    def connect(self, address: Address | None) -> Course:
        """Open a connection, and take it to serve whatever the client speaks."""
        yield Open(address)
        self.served = dict(self.versions)

    def actions(self) -> Mapping[str, Any]:
        """Return the actions by name: an idempotent producer is unknown to these versions."""
        lacking = dict.fromkeys(("stream", "flush", "later", "twice"), self.lacks)
        return {**super().actions(), **lacking}

    def lacks(self) -> Course:
        """Do nothing. Raises Failed."""
        yield from ()
        raise Failed("it is no idempotent producer")

    def frame(self, api_key: int, version: int, number: int, wanted: Mapping[str, Any]) -> bytes:
        """Return a request with its length, with messages in place of batches."""
        if api_key == PRODUCE:
            wanted = {**wanted, "topicData": [self.with_messages(t) for t in wanted["topicData"]]}
        return super().frame(api_key, version, number, wanted)

    def with_messages(self, topic: Value) -> Value:
        """Return the data of a topic with messages in place of batches."""
        data = [
            {**each, "records": base64.b64encode(self.messages(each["records"])).decode()}
            for each in topic["partitionData"]
        ]
        return {**topic, "partitionData": data}

    def messages(self, records: str) -> bytes:
        """Return the records of a batch as messages."""
        form = self.codec.form(RECORD_SET, self.magic)
        value, _ = self.codec.read(form, base64.b64decode(records))
        return self.codec.write(form, value)

    def offset_at(self, timestamp: int) -> Asking:
        """Return the first of the offsets that version 0 of ListOffsets lists."""
        wanted = {"partitionIndex": self.partition, "timestamp": timestamp, "maxNumOffsets": 1}
        topic = {"name": self.named, "partitions": [wanted]}
        answer = yield from self.ask(LIST_OFFSETS, 0, {"replicaId": -1, "topics": [topic]})
        found = self.first_entry(answer, "topics", "partitions")
        return {**found, "offset": (found["oldStyleOffsets"] or [-1])[0]}


class Old(Oldest):
    """Asks for no versions, and writes and reads messages of magic 1."""

    versions: ClassVar[Ranges] = {**OLDEST, PRODUCE: (2, 2), FETCH: (2, 3), OFFSET_FETCH: (0, 1)}
    magic = 1


class FalseChecksumOfMessages(Oldest, breaks="client-requests.records-valid"):
    """Takes the checksum of a message of magic 0 without its magic."""

    implies = OF_THEIR_AGE

    def messages(self, records: str) -> bytes:
        first = super().messages(records)
        false = struct.pack(">I", zlib.crc32(first[MAGIC_AT + 1 :]))
        return first[:CRC_AT] + false + first[MAGIC_AT:]


class NullsOfMessagesWrittenEmpty(Old, breaks="client-produce.records-as-given"):
    """Writes an empty key or value of a message of magic 1 where there is none."""

    implies = OF_THEIR_AGE

    def text(self, text: str | None) -> str | None:
        return super().text(text or "")


class OffsetsOfMessagesFromOne(Oldest, breaks="client-records.given-as-held"):
    """Takes each message of magic 0 for the one after it."""

    implies = (
        *OF_THEIR_AGE,
        "client-groups.next-offset-committed",
        "client-records.far-times-given",
        "client-records.control-not-given",
    )

    def read_message(self, data: bytes) -> Value:
        found = super().read_message(data)
        return {**found, "baseOffset": found["baseOffset"] + 1}
