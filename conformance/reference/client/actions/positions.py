"""Records that are handed out one by one, with the client's position after each."""

from __future__ import annotations

from conformance.reference.client.actions.consuming import LATEST
from conformance.reference.client.actions.reading import Reading
from conformance.reference.client.cluster import TOPIC
from conformance.reference.client.steps import Course, Trying
from conformance.testee_protocol import Value


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
