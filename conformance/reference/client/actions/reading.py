"""Records of a partition read up to the one that marks the end, reported all at once or one by one
with the client's position.
"""

from __future__ import annotations

import base64

from conformance import error_codes
from conformance.reference.client.actions.consuming import LATEST
from conformance.reference.client.actions.joining import QUIET, Joining
from conformance.reference.client.cluster import TOPIC
from conformance.reference.client.steps import Course, Trying, Wait
from conformance.testee_protocol import Value

END = "end"
"""The key of the last record."""
NULL = "null"
OTHER = "orders.v2"
READ_UNCOMMITTED = 0


PAUSE_S = 0.5


class Reading(Joining):
    """A reader that reports each record's offset, timestamp, key and value.

    `following` are the offsets to read on at, by topic and partition.
    """

    def __init__(self) -> None:
        super().__init__()
        self.following: dict[tuple[str, int], int] = {}

    def read_uncommitted(self) -> Course:
        """Read all records of the partition, even those of aborted transactions."""
        self.isolation = READ_UNCOMMITTED
        yield from self.read_records()

    def drops_aborted(self) -> bool:
        """True if it asked for committed records alone."""
        return self.isolation != READ_UNCOMMITTED

    def pause(self) -> Course:
        """Read two partitions, then one, then none, and then both again."""
        self.named = OTHER
        for indices in ((0, 1), (1,), (), (0, 1)):
            for self.partition in indices:
                yield from self.trying(self.read_next, f"the topic {OTHER}")
            if not indices:
                yield from self.rest()

    def set_aside(self) -> Course:
        """Read two topics, one of them alone, and both again."""
        both = ((OTHER, 0), (OTHER, 1), (TOPIC, 0))
        for self.named, self.partition in (*both, *both[-1:], *both):
            yield from self.trying(self.read_next, f"the topic {self.named}")

    def widen(self) -> Course:
        """Read one partition, and then another beside it."""
        self.named = OTHER
        for self.partition in (0, 0, 1):
            yield from self.trying(self.read_next, f"the topic {OTHER}")
        self.told = [QUIET]

    def read_next(self) -> Trying:
        """Read on in a partition, from its present leader; return the error code."""
        topic_id = yield from self.reach_leader()
        at = self.named, self.partition
        if at not in self.following:
            begin = yield from self.begin()
            if begin["errorCode"]:
                return int(begin["errorCode"])
            self.following[at] = int(begin["offset"])
        code = yield from self.read_from(topic_id, self.following[at])
        if not code:
            self.following[at] = self.position
        return code

    def rest(self) -> Course:
        """Send no requests while nothing is to be read."""
        yield Wait(PAUSE_S)

    def read_records(self) -> Course:
        """Read all records of the partition."""
        yield from self.trying(self.read_all, f"the topic {TOPIC}")

    def read_all(self) -> Trying:
        """Read from the present leader; return the error code of the partition."""
        self.told = []
        topic_id = yield from self.reach_leader()
        begin = yield from self.begin()
        if begin["errorCode"]:
            return int(begin["errorCode"])
        offset = int(begin["offset"])
        while not self.is_at_end():
            self.got = ()
            code = yield from self.read_valid(topic_id, offset)
            if code:
                return code
            if not self.got:
                yield Wait(self.backoff_s)
            self.tell_records()
            offset = self.position
        return error_codes.NONE

    def is_at_end(self) -> bool:
        """True if the last record has come."""
        return any(text(each["key"]) == END for each in self.got)

    def tell_records(self) -> None:
        """Report the records that have come."""
        self.told += [told_of(each) for each in self.got]


def told_of(record: Value) -> str:
    """Return a record in the form in which it is reported."""
    key, value = text(record["key"]), text(record["value"])
    return f"{record['offset']}/{record['timestamp']}/{key}/{value}"


def text(raw: str | None) -> str:
    """Return a key or value in the form in which it is reported."""
    return NULL if raw is None else base64.b64decode(raw).decode()


class Positions(Reading):
    """A reader that reports each record's offset and the position after it, if asked for."""

    tells_positions = False

    def tell_positions(self) -> Course:
        """Look up where the partition ends, for the lag, and read all its records."""
        self.tells_positions = True
        yield from self.trying(self.look_up_lag, f"the topic {TOPIC}")
        yield from self.read_records()

    def look_up_lag(self) -> Trying:
        """Ask the present leader where the partition begins and ends; return the error code."""
        yield from self.reach_leader()
        begin = yield from self.begin()
        if begin["errorCode"]:
            return int(begin["errorCode"])
        return int((yield from self.offset_at(LATEST))["errorCode"])

    def tell_records(self) -> None:
        """Report the records, and the position after each."""
        if not self.tells_positions:
            super().tell_records()
            return
        self.told += [f"{each['offset']}/{self.position_behind(each)}" for each in self.got]

    def position_behind(self, record: Value) -> int:
        """Return the offset of the next record, once this one was handed out."""
        return int(record["offset"]) + 1
