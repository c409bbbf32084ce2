"""Records that are handed out one by one, and where the client says it is behind each."""

from __future__ import annotations

from conformance.reference.client.actions.consuming import LATEST
from conformance.reference.client.actions.reading import Reading
from conformance.reference.client.cluster import TOPIC
from conformance.reference.client.steps import Course, Trying
from conformance.testee_protocol import Value


class Positions(Reading):
    """Tells of each record its offset and the position behind it, where that is asked for."""

    tells_positions = False

    def tell_positions(self) -> Course:
        """Look up where the partition ends, for the lag, and read all that it holds."""
        self.tells_positions = True
        yield from self.trying(self.look_up_lag, f"the topic {TOPIC}")
        yield from self.read_records()

    def look_up_lag(self) -> Trying:
        """Ask whoever leads now where the partition begins and ends; the error code."""
        yield from self.reach_leader()
        begin = yield from self.begin()
        if begin["errorCode"]:
            return int(begin["errorCode"])
        return int((yield from self.offset_at(LATEST))["errorCode"])

    def tell_records(self) -> None:
        """Say what has come, and where it is behind each."""
        if not self.tells_positions:
            super().tell_records()
            return
        self.told += [f"{each['offset']}/{self.position_behind(each)}" for each in self.got]

    def position_behind(self, record: Value) -> int:
        """The offset of the next record, once this one was handed out."""
        return int(record["offset"]) + 1
