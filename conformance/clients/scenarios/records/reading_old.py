"""Logs of messages of magic 0 and 1 of which a client gives its application every record."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from conformance.clients.scenarios.batches import APPEND_TIME
from conformance.clients.scenarios.records.delivery import (
    GIVEN,
    Held,
    as_appended,
    as_held,
    end,
    gives,
    held,
    messages_of,
    set_of,
)
from conformance.clients.scenarios.records.logs import COMPRESSED
from conformance.clients.scenarios.records.message_sets import MessagesOfMagic0, MessagesOfMagic1
from conformance.clients.scenarios.records.reading import (
    APPENDED,
    APPENDED_MS,
    PLAIN,
    Log,
    plain_beside,
)
from conformance.clients.scenarios.scenario import Scenario
from conformance.reference.broker.cluster import Batch, Topic


class OldMessages(Log):
    """Holds messages of magic 1."""

    control_case = plain_beside(MessagesOfMagic1)
    holds = staticmethod(gives(PLAIN))
    decides: ClassVar = as_held(PLAIN)

    def records(self) -> list[Batch]:
        return messages_of(PLAIN, 1)


class OldestMessages(Log):
    """Holds messages of magic 0, which have no time."""

    control_case = plain_beside(MessagesOfMagic0)
    holds = staticmethod(gives(PLAIN))
    decides: ClassVar = {GIVEN: gives(PLAIN)}

    def records(self) -> list[Batch]:
        return messages_of(PLAIN, 0)


class AppendTimeOfOldMessages(Log):
    """Holds messages of magic 1 that say that their time is that of the log."""

    control_case = plain_beside(MessagesOfMagic1)
    decides: ClassVar = as_appended(PLAIN)

    def records(self) -> list[Batch]:
        return messages_of(PLAIN, 1, APPEND_TIME)


class OldMessagesBesideGzip(OldMessages):
    """Holds messages of magic 1, to a client that reads what is compressed with gzip."""

    control_case = plain_beside(COMPRESSED["gzip"])
    decides: ClassVar = {}


class OldestMessagesBesideGzip(OldestMessages):
    """Holds messages of magic 0, to a client that reads what is compressed with gzip."""

    control_case = plain_beside(COMPRESSED["gzip"])
    decides: ClassVar = {}


class _Set(Log):
    """Holds old messages that are compressed in one."""

    control_case: ClassVar[type[Scenario] | None] = OldMessagesBesideGzip
    magic: ClassVar[int] = 1
    log: ClassVar[Sequence[Held]] = PLAIN

    def records(self) -> list[Batch]:
        return [set_of(self.log, self.magic)]


class OldMessagesInGzip(_Set):
    """Holds messages of magic 1 that are compressed in one, with offsets from 0 on."""

    log: ClassVar = [*held(5, 6, 7), end(8)]
    decides: ClassVar = as_held(log)


class OldestMessagesInGzip(_Set):
    """Holds messages of magic 0 that are compressed in one, with the offsets that they have."""

    control_case = OldestMessagesBesideGzip
    magic = 0
    log: ClassVar = [*held(5, 6, 7), end(8)]
    decides: ClassVar = {GIVEN: gives(log)}


class GapsInOldMessages(_Set):
    """Holds messages of magic 1 in one, between which compaction took others."""

    log: ClassVar = [*held(5, 8, 9), end(12)]
    decides: ClassVar = as_held(log)


class GapsInOldestMessages(_Set):
    """Holds messages of magic 0 in one, between which compaction took others."""

    control_case = OldestMessagesBesideGzip
    magic = 0
    log: ClassVar = [*held(5, 8, 9), end(12)]
    decides: ClassVar = {GIVEN: gives(log)}


class AppendTimeAroundOldMessages(_Set):
    """Holds messages of magic 1 in one that says that its time is that of the log."""

    decides: ClassVar = as_appended([*APPENDED, Held(3, APPENDED_MS, "end", "e")])

    def records(self) -> list[Batch]:
        return [set_of(PLAIN, 1, attributes=APPEND_TIME, written_ms=APPENDED_MS)]


class BeginsInOldMessages(_Set):
    """Begins at an offset in the midst of messages of magic 1 that are compressed in one."""

    log: ClassVar = [*held(*range(6)), end(6)]
    decides: ClassVar = as_held(log[3:])

    def log_begin(self, topic: Topic, index: int) -> int:
        return 3


class BeginsInOldestMessages(BeginsInOldMessages):
    """Begins at an offset in the midst of messages of magic 0 that are compressed in one."""

    control_case = OldestMessagesBesideGzip
    magic = 0
    decides: ClassVar = {GIVEN: gives(BeginsInOldMessages.log[3:])}
