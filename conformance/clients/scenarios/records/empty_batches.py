"""A batch that states a number of records, and ends before the first of them.

A batch that compaction left empty states none. This one has lost its records, and a client that
skips it as if it were empty loses them a second time.
"""

from __future__ import annotations

from typing import ClassVar

from conformance.clients.scenarios.batches import batch, head
from conformance.clients.scenarios.judging import gets_nothing
from conformance.clients.scenarios.scenario import Scenario
from conformance.reference.broker.cluster import Batch
from conformance.reference.codec import ReferenceCodec
from conformance.schema.record_batch import MAGIC, RECORD_BATCH
from conformance.wire.writer import Writer

LOST = 5


class _Claims(Writer):
    """Writes five as the number of records."""

    def record_count(self, count: int) -> None:
        del count
        super().record_count(LOST)


class RecordsNotThere(Scenario):
    """Begins with a batch that says that it has five records, and has none, and goes on behind."""

    about = "FetchRequest"
    action = "consume"
    decides: ClassVar = {"client-records.lost-told": gets_nothing}

    def records(self) -> list[Batch]:
        writer = _Claims()
        value = head(0, LOST, 0, [])
        writer.struct(ReferenceCodec().form(RECORD_BATCH, MAGIC).layout, value)
        return [Batch(0, LOST, bytes(writer.out)), batch(LOST, ("k", "v"))]
