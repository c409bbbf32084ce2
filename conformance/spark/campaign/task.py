"""The task that Spark gives to a worker: one chunk, judged, and a row with the result.

A chunk that raises is tried again, as is one whose worker died; Spark does both. The last attempt
that counts sets the chunk aside, so that the run goes on. If its rows can't be written for want of
space, nothing is tried again or set aside: the driver gets the error and ends the run.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from conformance.campaigns.chunk import (
    Chunk,
    ChunkResults,
    ChunkSettings,
    GatheredCauses,
    judge,
    target_of,
)
from conformance.campaigns.storage.tables import TableError
from conformance.fuzzing.field_coverage import Feature
from conformance.spark.jobs.session import ATTEMPTS

if TYPE_CHECKING:
    from pyspark import Broadcast

COLUMNS = "index bigint, unwritten string, reason string, judged binary, causes binary"
_SCHEMA = pa.schema(
    [
        ("index", pa.int64()),
        ("unwritten", pa.string()),
        ("reason", pa.string()),
        ("judged", pa.binary()),
        ("causes", pa.binary()),
    ]
)
Batches = Iterator[pa.RecordBatch]


def task(
    settings: ChunkSettings, chunks: list[Chunk], known: Broadcast[frozenset[Feature]]
) -> Callable[[Batches], Batches]:
    """The function that judges those of the chunks whose numbers it is given."""

    def work(batches: Batches) -> Batches:
        for batch in batches:
            for index in batch.column(0).to_pylist():
                row = {"index": index, **_row(settings, chunks[index], known.value)}
                yield pa.RecordBatch.from_pylist([row], schema=_SCHEMA)

    return work


def _row(settings: ChunkSettings, chunk: Chunk, known: frozenset[Feature]) -> dict[str, Any]:
    from pyspark import TaskContext

    context = TaskContext.get()
    attempt = context.attemptNumber() if context else 0
    if attempt >= ATTEMPTS:
        return {"reason": f"its worker died {ATTEMPTS} times"}
    try:
        judged, causes = judge(settings, chunk, target_of(chunk.target, settings), known)
    except TableError as error:
        return {"unwritten": str(error)}
    except Exception as error:
        if attempt < ATTEMPTS - 1:
            raise
        return {"reason": f"{type(error).__name__}: {error}"}
    return {"judged": pickle.dumps(judged), "causes": pickle.dumps(causes)}


def outcome(row: Any) -> tuple[ChunkResults, GatheredCauses] | str:
    """Return the result of a chunk from its row, or the reason why it is set aside.

    Raises TableError if its rows could not be written.
    """
    if row["unwritten"] is not None:
        raise TableError(row["unwritten"])
    if row["reason"] is not None:
        return str(row["reason"])
    return pickle.loads(row["judged"]), pickle.loads(row["causes"])
