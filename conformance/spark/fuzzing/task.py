"""The tasks of a round on Spark: each does one thing by its number, and hands back a few figures.

As with a campaign's chunks, what raises or kills its worker is tried again, and set aside with
its reason after the last attempt that counts; then `leave` does what is left to do without it. A
full disk is no matter of the task: nothing is tried again, and the driver ends the run.
"""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import msgspec
import pyarrow as pa

from conformance.campaigns.fuzzing.description import Fuzzed
from conformance.campaigns.storage.tables import TableError
from conformance.errors import ConformanceError
from conformance.fuzzing.campaign import DiskFull
from conformance.spark.jobs.faults import explained
from conformance.spark.jobs.progress import watched
from conformance.spark.jobs.session import ATTEMPTS, quiet

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Work = Callable[[int], Fuzzed]
Came = tuple[Fuzzed, str]
"""The result of a task, and why it is incomplete, "" if it is not."""

COLUMNS = "number bigint, unwritten string, reason string, fuzzed binary"
_SCHEMA = pa.schema(
    [
        ("number", pa.int64()),
        ("unwritten", pa.string()),
        ("reason", pa.string()),
        ("fuzzed", pa.binary()),
    ]
)
Batches = Iterator[pa.RecordBatch]


def done_on_spark(
    session: SparkSession, what: str, tasks: int, work: Work, leave: Work = lambda _: Fuzzed()
) -> list[Came]:
    """Run so many tasks; return their results in order. Raises JobFailed, TableError."""
    numbers = session.range(0, tasks, 1, tasks)
    with quiet():
        frame = numbers.mapInArrow(_task(work, leave), COLUMNS)
    try:
        rows = watched(session.sparkContext, what, frame.collect, lambda _: None)
    except Exception as error:
        raise explained(error) from None
    if unwritten := [row["unwritten"] for row in rows if row["unwritten"]]:
        raise TableError(unwritten[0], "free some room, then go on with --resume")
    return [
        (msgspec.msgpack.decode(row["fuzzed"], type=Fuzzed), row["reason"])
        for row in sorted(rows, key=lambda row: row["number"])
    ]


def _task(work: Work, leave: Work) -> Callable[[Batches], Batches]:
    def run(batches: Batches) -> Batches:
        for batch in batches:
            for number in batch.column(0).to_pylist():
                row = {"number": number, **_attempt(work, leave, number)}
                yield pa.RecordBatch.from_pylist([row], schema=_SCHEMA)

    return run


def _attempt(work: Work, leave: Work, number: int) -> dict[str, Any]:
    """Return the row of a task. Raises the errors after which it is tried again."""
    from pyspark import TaskContext

    context = TaskContext.get()
    attempt = context.attemptNumber() if context else 0
    try:
        if attempt >= ATTEMPTS:
            return _row(leave(number), f"its worker died {ATTEMPTS} times")
        return _row(work(number))
    except Exception as error:
        if _is_of_a_full_disk(error):
            return {"unwritten": _said(error)}
        if attempt < ATTEMPTS - 1:
            raise
        return _row(leave(number), f"{type(error).__name__}: {_said(error)}")


def _is_of_a_full_disk(error: Exception) -> bool:
    no_room = isinstance(error, OSError) and error.errno == errno.ENOSPC
    return no_room or isinstance(error, (TableError, DiskFull))


def _said(error: Exception) -> str:
    return error.message if isinstance(error, ConformanceError) else str(error)


def _row(fuzzed: Fuzzed, reason: str = "") -> dict[str, Any]:
    return {"reason": reason, "fuzzed": msgspec.msgpack.encode(fuzzed)}
