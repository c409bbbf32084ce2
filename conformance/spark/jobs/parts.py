"""Work in parts on Spark: a part is a task, and its rows come back in a given order.

Tasks write nothing, so that a second attempt duplicates nothing: no row of a failed attempt is
seen. They yield rows one by one, which wait on the workers' disks, are sorted there, and reach the
driver as a stream; neither side ever has all of them in memory. A part that fails or kills its
worker again and again comes back as a reason, as a campaign sets such chunks aside.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

from conformance.spark.jobs.faults import JobFailed, explained
from conformance.spark.jobs.progress import watched
from conformance.spark.jobs.session import ATTEMPTS, is_local, open_session, quiet
from conformance.spark.jobs.workers import ship_code

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Given = tuple[int, bytes]
"""A row's place in the order of all parts, and the row."""
Work = Callable[[int], Iterable[Given]]
"""A function that yields the rows of a part, by the part's number."""

ROWS_AT_ONCE = 1000
COLUMNS = "place bigint, part bigint, number bigint, reason string, given binary"
_SCHEMA = pa.schema(
    [
        ("place", pa.int64()),
        ("part", pa.int64()),
        ("number", pa.int64()),
        ("reason", pa.string()),
        ("given", pa.binary()),
    ]
)
Batches = Iterator[pa.RecordBatch]


@dataclass(frozen=True, slots=True)
class SetAside:
    """A part that could not be done, and why."""

    part: int
    reason: str


@contextmanager
def spark(master: str, name: str, console: Console) -> Iterator[SparkSession]:
    """A session whose workers have our code, for as long as this lasts. Raises NoSpark, NoMaster.

    What its JVM says is kept where it fails.
    """
    folder = Path(tempfile.mkdtemp(prefix="kafka-conformance-"))
    session = open_session(master, name, log=folder / "spark.log")
    try:
        if address := session.sparkContext.uiWebUrl:
            console.print(f"Spark shows its work at {address}", soft_wrap=True)
        if not is_local(master):
            ship_code(session)
        yield session
    finally:
        session.stop()
    shutil.rmtree(folder, ignore_errors=True)


def in_parts(
    session: SparkSession, work: Work, parts: int, console: Console, what: str
) -> Iterator[bytes | SetAside]:
    """Yield the rows of all parts, by place, part and the order of yielding. Raises JobFailed."""
    from pyspark import StorageLevel

    numbers = session.range(0, parts, 1, parts)
    with quiet():
        frame = numbers.mapInArrow(_task(work), COLUMNS).persist(StorageLevel.DISK_ONLY)
    try:
        with _shown(console, what) as at:
            watched(session.sparkContext, what, frame.count, at)
        for row in frame.orderBy("place", "part", "number").toLocalIterator():
            yield _given(row)
    except Exception as error:
        raise _failed(error) from None
    finally:
        frame.unpersist()


def _given(row: Any) -> bytes | SetAside:
    if row["reason"] is not None:
        return SetAside(row["part"], row["reason"])
    return bytes(row["given"])


def _failed(error: Exception) -> JobFailed:
    """In one line, without what is said of campaigns, which can go on."""
    found = explained(error)
    hint = "nothing was written" if "--resume" in found.hint else found.hint
    return JobFailed(found.message, hint)


@contextmanager
def _shown(console: Console, what: str) -> Iterator[Callable[[float], None]]:
    """A bar on a terminal; the function moves it on."""
    columns = TextColumn(what), BarColumn(), TaskProgressColumn(), TimeRemainingColumn()
    bar = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
    with bar:
        task = bar.add_task(what, total=1.0)
        yield lambda done: bar.update(task, completed=done)


def _task(work: Work) -> Callable[[Batches], Batches]:
    def run(batches: Batches) -> Batches:
        for batch in batches:
            for part in batch.column(0).to_pylist():
                yield from _attempt(work, part)

    return run


def _attempt(work: Work, part: int) -> Batches:
    """Return the rows of a part, or on the last attempts the reason for their absence."""
    from pyspark import TaskContext

    context = TaskContext.get()
    attempt = context.attemptNumber() if context else 0
    if attempt >= ATTEMPTS:
        yield _aside(part, f"its worker died {ATTEMPTS} times")
        return
    try:
        yield from _rows(work, part)
    except Exception as error:
        if attempt < ATTEMPTS - 1:
            raise
        yield _aside(part, f"{type(error).__name__}: {error}")


def _rows(work: Work, part: int) -> Batches:
    rows = (
        {"place": place, "part": part, "number": number, "given": given}
        for number, (place, given) in enumerate(work(part))
    )
    while some := list(islice(rows, ROWS_AT_ONCE)):
        yield pa.RecordBatch.from_pylist(some, schema=_SCHEMA)


def _aside(part: int, reason: str) -> pa.RecordBatch:
    row = {"place": 0, "part": part, "number": 0, "reason": reason}
    return pa.RecordBatch.from_pylist([row], schema=_SCHEMA)
