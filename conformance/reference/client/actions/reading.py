"""All records of a partition, up to the one that is the end, and each of them told."""

from __future__ import annotations

import base64

from conformance import error_codes
from conformance.reference.client.actions.joining import Joining
from conformance.reference.client.cluster import TOPIC
from conformance.reference.client.steps import Course, Trying
from conformance.testee_protocol import Value

END = "end"
"""The key of the last record."""
NULL = "null"


class Reading(Joining):
    """Tells of each record its offset, timestamp, key and value."""

    def read_records(self) -> Course:
        """Read all that the partition holds."""
        yield from self.trying(self.read_all, f"the topic {TOPIC}")

    def read_all(self) -> Trying:
        """Read from whoever leads now; the error code of the partition."""
        self.told = []
        topic_id = yield from self.reach_leader()
        begin = yield from self.begin()
        if begin["errorCode"]:
            return int(begin["errorCode"])
        offset = int(begin["offset"])
        while not self.is_at_end():
            code = yield from self.read_valid(topic_id, offset)
            if code:
                return code
            self.tell_records()
            offset = self.position
        return error_codes.NONE

    def is_at_end(self) -> bool:
        """Whether the last record has come."""
        return any(text(each["key"]) == END for each in self.got)

    def tell_records(self) -> None:
        """Say what has come."""
        self.told += [told_of(each) for each in self.got]


def told_of(record: Value) -> str:
    """A record as it is told."""
    key, value = text(record["key"]), text(record["value"])
    return f"{record['offset']}/{record['timestamp']}/{key}/{value}"


def text(raw: str | None) -> str:
    """A key or value as it is told."""
    return NULL if raw is None else base64.b64decode(raw).decode()
