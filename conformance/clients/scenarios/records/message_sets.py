"""Messages as they were before record batches (magic 0 and 1), which no broker writes any more.

Logs that are old enough hold them still, and every version of Fetch hands them out as they are; in
versions 0 to 3 there is nothing else.
"""

from __future__ import annotations

from typing import ClassVar

from conformance.api_keys import FETCH
from conformance.clients.scenarios.answers.response_headers import INFLEXIBLE
from conformance.clients.scenarios.batches import batch, message, message_set
from conformance.clients.scenarios.groups.committing import CommittedBefore
from conformance.clients.scenarios.judging import where_asked
from conformance.clients.scenarios.records.logs import CutBatch, NullsInRecords
from conformance.clients.scenarios.scenario import Scenario
from conformance.clients.scenarios.visit import succeeds
from conformance.reference.broker.cluster import Batch, Topic

BATCHES_SINCE = 4
"""The first version of Fetch that may hand out record batches."""
CUT_BYTES = 10

_READ = {
    "client-records.messages-read": where_asked("Fetch", succeeds, range(BATCHES_SINCE, 100)),
}
_READ_BEFORE = {"client-records.messages-read": where_asked("Fetch", succeeds, range(4))}


class _Messages(Scenario, is_known=False, about="FetchRequest", action="consume"):
    """Holds messages."""

    decides: ClassVar = _READ

    magic: ClassVar[int] = 1

    def records(self) -> list[Batch]:
        return [message(0, "k", "v", self.magic), message(1, "k", "v", self.magic)]


class MessagesOfMagic0(_Messages):
    """Holds messages of magic 0, which have no timestamp, and serves Fetch as ever."""

    magic = 0


class MessagesOfMagic1(_Messages):
    """Holds messages of magic 1, and serves Fetch as ever."""


class MessageWithoutKey(_Messages):
    """Holds a message of magic 1 that has no key."""

    control_case = NullsInRecords

    def records(self) -> list[Batch]:
        return [message(0, None, "v", self.magic)]


class CutMessage(_Messages):
    """Holds messages of magic 1, and ends its answers in the middle of one."""

    control_case = CutBatch

    def records_from(self, topic: Topic, index: int, offset: int) -> bytes:
        """Return the messages without the end of the last, on the first Fetch."""
        whole = super().records_from(topic, index, offset)
        return whole[:-CUT_BYTES] if offset == 0 else whole


class CommittedInMessageSet(CommittedBefore, about="FetchRequest"):
    """Has an offset of the group in the midst of messages of magic 1 that are compressed in one."""

    decides: ClassVar = _READ
    contents: ClassVar = [message_set(0, 4, "gzip"), batch(4, ("k", "v"))]


class FetchUpTo1(_Messages):
    """Serves Fetch in versions 0 and 1, which have messages of magic 0."""

    control_case = INFLEXIBLE[FETCH]
    magic = 0
    served: ClassVar = {FETCH: (0, 1)}
    decides: ClassVar = _READ_BEFORE


class FetchUpTo3(_Messages):
    """Serves Fetch up to version 3, which has messages of magic 1."""

    control_case = INFLEXIBLE[FETCH]
    served: ClassVar = {FETCH: (0, 3)}
    decides: ClassVar = _READ_BEFORE
