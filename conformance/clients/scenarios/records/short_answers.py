"""Answers to Fetch in which nothing comes at the end of the log, or less than a batch."""

from __future__ import annotations

from typing import ClassVar

from conformance.clients.scenarios.actions import FILLED
from conformance.clients.scenarios.judging import gets_nothing
from conformance.clients.scenarios.playing import Cuts, EndingSession
from conformance.clients.scenarios.records.delivery import batch_of, end, gives, held
from conformance.clients.scenarios.records.reading import Log
from conformance.clients.scenarios.scenario import Scenario
from conformance.reference.broker.cluster import Batch, Topic, Value

EMPTY_ANSWERS = 2
IN_HEAD = 50
"""Bytes of a batch that end within its head, which has 61."""


class NothingAtTheEnd(Log):
    """Holds three records, has no more for the first two Fetch at their end, and then some."""

    log: ClassVar = [*held(*range(6)), end(6)]
    decides: ClassVar = {"client-records.nothing-yet": gives(log)}
    asked_at_end = 0

    def records(self) -> list[Batch]:
        known = [batch_of(self.log[:3])]
        return known if self.asked_at_end <= EMPTY_ANSWERS else [*known, batch_of(self.log[3:])]

    def held(self, topic: Topic, wanted: Value) -> Value:
        self.asked_at_end += topic.name == FILLED and wanted["fetchOffset"] == 3
        return super().held(topic, wanted)


class _CutInHead(EndingSession):
    """Ends an answer within the head of a batch, where it has one."""

    def left_of(self, answer: bytes) -> int:
        assert isinstance(self.broker, Scenario)
        (only,) = self.broker.records()
        begin = answer.find(only.data)
        return super().left_of(answer) if begin < 0 else begin + IN_HEAD


class BatchNeverComes(Cuts, about="FetchRequest", action="consume"):
    """Closes the connection within the head of the only batch in every answer to Fetch."""

    sessions = _CutInHead
    decides: ClassVar = {"client-records.broken-off-not-given": gets_nothing}
