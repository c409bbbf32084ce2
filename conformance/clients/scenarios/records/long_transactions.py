"""Transactions of more records than one answer holds, and the ones listed as aborted.

An answer may hold aborted records alone: then there is nothing to give, and nothing wrong.
"""

from __future__ import annotations

from typing import ClassVar

from conformance.clients.scenarios.actions import Action
from conformance.clients.scenarios.batches import ABORT, TRANSACTIONAL, batch, marker
from conformance.clients.scenarios.groups.quiet import nothing_told
from conformance.clients.scenarios.judging import all_of
from conformance.clients.scenarios.records.given import where_committed
from conformance.clients.scenarios.scenario import Scenario
from conformance.clients.scenarios.visit import succeeds
from conformance.reference.broker.cluster import Batch, Request, Topic, Value


class AbortedForMembers(Scenario):
    """Gives a batch in an answer: an aborted one, the end of its transaction, and a record."""

    about = "FetchRequest"
    action: ClassVar[Action] = "join"
    aborted = 1

    def records(self) -> list[Batch]:
        batches = [batch(at, ("k", "v"), attributes=TRANSACTIONAL) for at in range(self.aborted)]
        return [*batches, marker(self.aborted, ABORT), batch(self.aborted + 1, ("k", "v"))]

    def records_from(self, topic: Topic, index: int, offset: int) -> bytes:
        return next((each.data for each in self.batches(topic, index) if each.end > offset), b"")

    def fetched_of(self, request: Request, item: Value, wanted: Value) -> Value:
        """Return the aborted transaction as well, if its records or its end are in the answer."""
        found = super().fetched_of(request, item, wanted)
        is_there = wanted["fetchOffset"] <= self.aborted
        told = [{"producerId": 1, "firstOffset": 0}] if is_there else []
        return {**found, "abortedTransactions": told}


class AbortedInManyAnswers(AbortedForMembers):
    """Gives a batch in an answer: the first 15 of an aborted transaction, its end, and a record."""

    aborted = 15
    control_case = AbortedForMembers
    decides: ClassVar = {
        "client-records.aborted-is-no-error": where_committed(all_of(succeeds, nothing_told))
    }
