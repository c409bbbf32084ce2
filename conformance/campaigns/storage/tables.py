"""The tables of a campaign: their columns, the paths of their files, and how one is written.

    cases         what was asked: the bytes or the value, and the legal outcomes
    observations  the outcome of a case
    verdicts      a case, a rule and what the judge says; a results file's lines, in columns
    findings      one cause each
    runs          a target of a run: versions, suite, selection, figures
    counts        how many cases of a rule, message and version got a verdict, kept or not
    coverage      of the definitions: a message's field that had a value of some class
    set_aside     chunks of cases that could not be judged, and why
    answers       a number for a target's answer to a case, where targets are compared
    disagreements cases that targets answer differently, one cause each

and of triage, which is about many runs, in one file:

    triage        a cause in one target: its cases in all runs, and the smallest, made short

Fuzzing on a cluster shares `coverage` and `set_aside`, where `first` is a shard's number, by round,
and in the end `verdicts`, `findings` and `runs`. It adds:

    shards        a fuzzing process each: its messages and seed, and how far it came
    inputs        what a shard found that reaches something new
    corpus        what was kept of all shards' inputs, for each target: the next round's start
    suspects      inputs to be looked at, why, and how they ended the process, if they did

A file is Parquet under `TABLE/run=…/target=…/round=…/`, as Spark finds partitions, and states the
version of its columns. It appears whole or not at all, under a name that identifies its part of the
run: a task that is done twice leaves one file. Values, which differ from message to message, are
text in JSON.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote, unquote

import pyarrow as pa
import pyarrow.parquet as pq

from conformance.errors import ConformanceError

SCHEMA_VERSION: Final = 1
"""The version of the columns, raised with any change; readers refuse newer ones."""
VERSION_KEY: Final = b"kafka_conformance.schema_version"
NAME_KEY: Final = b"kafka_conformance.table"

ROWS_AT_ONCE: Final = 10_000

_TEXT = pa.string()
_ANNOTATED = pa.struct(
    [
        pa.field("offset", pa.int64(), nullable=False),
        pa.field("bytes", _TEXT, nullable=False),
        pa.field("actual", _TEXT),
        pa.field("path", _TEXT, nullable=False),
        pa.field("type", _TEXT, nullable=False),
        pa.field("value", _TEXT, nullable=False),
        pa.field("differs", pa.bool_(), nullable=False),
    ]
)
_SIDE = pa.struct(
    [
        pa.field("answer", _TEXT, nullable=False),
        pa.field("targets", pa.list_(_TEXT), nullable=False),
    ]
)


def _columns(needed: Mapping[str, pa.DataType], may_lack: Mapping[str, pa.DataType]) -> pa.Schema:
    return pa.schema(
        [pa.field(name, type_, nullable=False) for name, type_ in needed.items()]
        + [pa.field(name, type_) for name, type_ in may_lack.items()]
    )


_CASE = {"message": _TEXT, "version": pa.int32(), "op": _TEXT}

_INPUT = {"message": pa.string(), "sha1": pa.string(), "bytes": pa.binary()}


def _needed(**columns: pa.DataType) -> pa.Schema:
    return pa.schema([pa.field(name, type_, nullable=False) for name, type_ in columns.items()])


FUZZ_SCHEMAS: Final[Mapping[str, pa.Schema]] = {
    "shards": _needed(
        shard=pa.int64(),
        messages=pa.list_(pa.string()),
        seed=pa.int64(),
        executions=pa.int64(),
        edges=pa.int64(),
        features=pa.int64(),
        restarts=pa.int64(),
        seconds=pa.float64(),
    ),
    "inputs": _needed(**_INPUT),
    "corpus": _needed(**_INPUT),
    "suspects": _needed(**_INPUT, why=pa.string(), ended=pa.string()),
}
"""The columns of each table; none of them may be missing."""


SCHEMAS: Final[Mapping[str, pa.Schema]] = {
    "cases": _columns(
        {"id": _TEXT, "rules": pa.list_(_TEXT), **_CASE, "expects": _TEXT, "origin": _TEXT},
        {"bytes": pa.binary(), "value": _TEXT, "header": _TEXT, "expected": _TEXT},
    ),
    "observations": _columns(
        {"case": _TEXT, "outcome": _TEXT, "microseconds": pa.int64()},
        {
            "bytes": pa.binary(),
            "value": _TEXT,
            "header": _TEXT,
            "remaining": pa.int64(),
            "version": pa.int32(),
            "text": _TEXT,
            "error": _TEXT,
            "stage": _TEXT,
            "peak_memory": pa.int64(),
            "then": _TEXT,
        },
    ),
    "verdicts": _columns(
        {
            "position": pa.int64(),
            "rule": _TEXT,
            "class": _TEXT,
            "case": _TEXT,
            **_CASE,
            "outcome": _TEXT,
            "verdict": _TEXT,
            "annotated": pa.list_(_ANNOTATED),
            "step": pa.list_(_TEXT),
            "detail": _TEXT,
        },
        {
            "input": _TEXT,
            "expected": _TEXT,
            "actual": _TEXT,
            "first_difference": _TEXT,
            "control_case": _TEXT,
        },
    ),
    "findings": _columns(
        {
            "position": pa.int64(),
            "cause": _TEXT,
            "rules": pa.list_(_TEXT),
            "case": _TEXT,
            "count": pa.int64(),
            "reproduce": _TEXT,
            "diagnosis": _TEXT,
            "harm": _TEXT,
        },
        {
            "first_seen": pa.int64(),
            "last_seen": pa.int64(),
            "kind": _TEXT,
            "ends": _TEXT,
            "led": pa.int64(),
            "what": _TEXT,
            "remedy": _TEXT,
            "unproven": pa.list_(_TEXT),
        },
    ),
    "runs": _columns(
        {
            "target": _TEXT,
            "target_version": _TEXT,
            "language": _TEXT,
            "definitions": _TEXT,
            "suite_version": _TEXT,
            "profile": _TEXT,
            "started": _TEXT,
            "selection": _TEXT,
        },
        {
            "cases": pa.int64(),
            "verdicts": _TEXT,
            "seconds": pa.float64(),
            "exit_code": pa.int32(),
            "notes": pa.list_(_TEXT),
            "unasked": pa.int64(),
            "asked": pa.int64(),
            "cpu_seconds": pa.float64(),
        },
    ),
    "counts": _columns({"rule": _TEXT, **_CASE, "verdict": _TEXT, "count": pa.int64()}, {}),
    "coverage": _columns(
        {"message": _TEXT, "version": pa.int32(), "field": _TEXT, "value_class": _TEXT}, {}
    ),
    "set_aside": _columns({"first": pa.int64(), "count": pa.int64(), "reason": _TEXT}, {}),
    "answers": _columns({"case": pa.int64(), "answer": pa.int64()}, {}),
    "disagreements": _columns(
        {
            "position": pa.int64(),
            "message": _TEXT,
            "op": _TEXT,
            "rule": _TEXT,
            "field": _TEXT,
            "sides": pa.list_(_SIDE),
            "count": pa.int64(),
            "case": _TEXT,
            "version": pa.int32(),
        },
        {"input": _TEXT, "expected": _TEXT, "said": _TEXT},
    ),
    "triage": _columns(
        {
            "position": pa.int64(),
            "cause": _TEXT,
            "rules": pa.list_(_TEXT),
            "class": _TEXT,
            "diagnosis": _TEXT,
            "target": _TEXT,
            "target_version": _TEXT,
            "cases": pa.int64(),
            "runs": pa.list_(_TEXT),
            "first_seen": _TEXT,
            "last_seen": _TEXT,
            "case": _TEXT,
            "rule": _TEXT,
            **_CASE,
            "verdict": _TEXT,
            "profile": _TEXT,
            "detail": _TEXT,
            "minimised": _TEXT,
            "why": _TEXT,
            "shortest_rule": _TEXT,
            "reproduce": _TEXT,
        },
        {
            "input": _TEXT,
            "first_difference": _TEXT,
            "shortest": pa.binary(),
            "fuzz_input": pa.binary(),
        },
    ),
}
"""The columns of each table; in Spark, partitions are columns as well."""
EVERY_SCHEMA: Final[Mapping[str, pa.Schema]] = {**SCHEMAS, **FUZZ_SCHEMAS}


class TableError(ConformanceError):
    """A table's file that can't be written, or that is not a table of ours."""


Row = dict[str, Any]


def partition(root: Path, table: str, run: str, target: str, round_: int | None = None) -> Path:
    """Return the folder of a table's files for one target, and for one round if given."""
    folder = root / table / f"run={_name(run)}" / f"target={_name(target)}"
    return folder if round_ is None else folder / f"round={round_}"


def _name(text: str) -> str:
    return quote(text, safe=" ")


def target_of(folder: Path) -> str:
    """Return the target whose files a partition's folder holds."""
    name = next(part for part in folder.parts if part.startswith("target="))
    return unquote(name.removeprefix("target="))


def write_rows(folder: Path, name: str, table: str, rows: Iterable[Row]) -> None:
    """Write one file of a table, in place of an earlier one of its name; no file for no rows.

    Raises TableError.
    """
    rows = list(rows)
    if not rows:
        return
    schema = EVERY_SCHEMA[table]
    about = {VERSION_KEY: str(SCHEMA_VERSION).encode(), NAME_KEY: table.encode()}
    content = pa.Table.from_pylist(rows, schema=schema.with_metadata(about))
    path = folder / f"{name}.parquet"
    scratch = folder / f".{name}-{uuid.uuid4().hex}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        pq.write_table(content, scratch, compression="zstd")
        os.replace(scratch, path)
    except OSError as error:
        with suppress(OSError):
            scratch.unlink()
        why = error.strerror or str(error)
        raise TableError(f"{path}: {why}", "free some room, then go on with --resume") from None


def read_rows(folder: Path, table: str) -> Iterator[Row]:
    """Yield every row below a folder, file by file in order of the names. Raises TableError."""
    for path in sorted(folder.rglob("*.parquet"), key=_in_order):
        yield from read_file(path, table)


def read_file(path: Path, table: str) -> Iterator[Row]:
    """Yield the rows of one file. Raises TableError."""
    for batch in _read(path, table).to_batches(ROWS_AT_ONCE):
        yield from batch.to_pylist()


def read_columns(path: Path, table: str, names: Sequence[str]) -> Iterator[Row]:
    """Yield some columns of one file's rows. Raises TableError."""
    for batch in _read(path, table, names).to_batches(ROWS_AT_ONCE):
        yield from batch.to_pylist()


def _read(path: Path, table: str, names: Sequence[str] | None = None) -> pa.Table:
    try:
        found = pq.ParquetFile(path).read(names and list(names))
    except (OSError, pa.ArrowInvalid) as error:
        raise TableError(f"{path}: {error}", "is it a table of a campaign?") from None
    about = found.schema.metadata or {}
    version = about.get(VERSION_KEY, b"0").decode()
    if about.get(NAME_KEY) != table.encode() or not version.isdecimal():
        raise TableError(f"{path} is not of the table {table}", "is it of a campaign?")
    if int(version) > SCHEMA_VERSION:
        raise TableError(
            f"{path} has columns of version {version}, newer than {SCHEMA_VERSION}",
            "read it with the release that wrote it",
        )
    return found


def _in_order(path: Path) -> list[tuple[int, str]]:
    """Return a sort key for paths that puts rounds and files in the order of their numbers."""
    return [(len(part), part) for part in path.parts]
