"""Every target against every other: where answers to the same cases differ, and what they are.

Chunks write a number a case for the answer (`campaigns.differential.answers`). A task here
takes the files that all targets have of one chunk, and looks only at the cases whose numbers
differ. These are made again, as they are functions of seed and number, and counted by cause; so
what reaches the driver grows with the sorts of disagreement. Of each sort the smallest case is
asked of every target again, to show what it says beside what is due.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from conformance.campaigns.chunk import Chunk, ChunkSettings
from conformance.campaigns.differential.causes import Disagreements, Said
from conformance.campaigns.differential.tables import rows_of
from conformance.campaigns.families import Families
from conformance.campaigns.generate import SLOTS, generator_of
from conformance.campaigns.rounds import RunPlan
from conformance.campaigns.storage.tables import partition, read_columns, write_rows
from conformance.spark.jobs.faults import explained
from conformance.spark.jobs.progress import watched
from conformance.spark.jobs.session import quiet
from conformance.testee_protocol import Hello

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

EVERYTHING = "all"
TABLE = "disagreements"
_DONE = "_SUCCESS"
"""As other programs mark a folder whose files are all there."""
_MOST_TASKS = 1000
_SCHEMA = pa.schema([("found", pa.binary())])
Batches = Iterator[pa.RecordBatch]


def is_done(root: Path, run: str) -> bool:
    """True if the table of disagreements exists; it may be empty."""
    return (_folder(root, run) / _DONE).exists()


def compare(
    session: SparkSession,
    settings: ChunkSettings,
    plan: RunPlan,
    rounds: int,
    hellos: dict[str, Hello],
) -> None:
    """Find the disagreements of the rounds that are done, and write their table.

    Raises JobFailed, TableError, TargetError.
    """
    found = on_spark(session, settings, chunks(plan, rounds), hellos)
    folder = _folder(Path(settings.folder), settings.run)
    write_rows(folder, TABLE, TABLE, rows_of(found, settings, hellos))
    folder.mkdir(parents=True, exist_ok=True)
    (folder / _DONE).touch()


def chunks(plan: RunPlan, rounds: int) -> list[Chunk]:
    """Every chunk that all targets were asked, once; whose it is counts for nothing here."""
    one = RunPlan(plan.cases, plan.targets[:1])
    return [chunk for number in range(rounds) for chunk in one.chunks(number)]


def on_spark(
    session: SparkSession, settings: ChunkSettings, all_of: list[Chunk], hellos: dict[str, Hello]
) -> Disagreements:
    """The disagreements of these chunks. Raises JobFailed."""
    context = session.sparkContext
    numbers = session.range(0, len(all_of), 1, min(len(all_of), _MOST_TASKS))
    with quiet():
        frame = numbers.mapInArrow(_task(settings, all_of, hellos), "found binary")
    found = Disagreements()
    try:
        rows = watched(context, "differential", frame.collect, lambda _: None)
    except Exception as error:
        raise explained(error) from None
    for row in rows:
        found.add(pickle.loads(row["found"]))
    return found


def _task(
    settings: ChunkSettings, all_of: list[Chunk], hellos: dict[str, Hello]
) -> Callable[[Batches], Batches]:
    def work(batches: Batches) -> Batches:
        found = Disagreements()
        for batch in batches:
            for index in batch.column(0).to_pylist():
                take_chunk(found, settings, all_of[index], hellos)
        yield pa.RecordBatch.from_pylist([{"found": pickle.dumps(found)}], schema=_SCHEMA)

    return work


def take_chunk(
    found: Disagreements, settings: ChunkSettings, chunk: Chunk, hellos: dict[str, Hello]
) -> None:
    """Count where targets differ in one chunk. Raises TableError."""
    answers = {name: _answers(settings, chunk, name) for name in hellos}
    differing = [
        chunk.begins + at
        for at, numbers in enumerate(zip(*answers.values(), strict=True))
        if len({*numbers} - {0}) > 1
    ]
    if not differing:
        return
    others = {name: _others(settings, chunk, name) for name in hellos}
    makes = {name: Families(hello, settings.seed) for name, hello in hellos.items()}
    generator = generator_of(settings.seed, settings.messages, settings.versions)
    for number in differing:
        at = number - chunk.begins
        given = {name: answers[name][at] for name in hellos if answers[name][at]}
        family = makes[next(iter(given))].family(generator.draw(number // SLOTS))
        assert family is not None  # it was asked
        case = family.cases[number % SLOTS]
        said = {name: others[name].get(case.id, Said()) for name in given}
        found.take(case, given, said)


def _answers(settings: ChunkSettings, chunk: Chunk, target: str) -> list[int]:
    """Return the number of each case, 0 for a case that the target was not asked or lost."""
    answers = [0] * chunk.cases
    path = _file(settings, chunk, target, "answers")
    if path.exists():
        for row in read_columns(path, "answers", ("case", "answer")):
            answers[row["case"] - chunk.begins] = row["answer"]
    return answers


def _others(settings: ChunkSettings, chunk: Chunk, target: str) -> dict[str, Said]:
    """Return the judge's words about wrong answers, by case."""
    path = _file(settings, chunk, target, "verdicts")
    if not path.exists():
        return {}
    rows = read_columns(path, "verdicts", ("case", "first_difference", "detail"))
    return {row["case"]: Said(row["detail"], row["first_difference"] or "") for row in rows}


def _file(settings: ChunkSettings, chunk: Chunk, target: str, table: str) -> Path:
    root = Path(settings.folder)
    folder = partition(root, table, settings.run, target, chunk.round)
    return folder / f"{chunk.begins:012}.parquet"


def _folder(root: Path, run: str) -> Path:
    return partition(root, TABLE, run, EVERYTHING)
