"""The packages that workers need to fuzz: those for judging, and atheris; checked first."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from typing import TYPE_CHECKING

import pyarrow as pa

from conformance.campaigns.chunk import ChunkSettings
from conformance.spark.jobs.faults import explained
from conformance.spark.jobs.session import quiet
from conformance.spark.jobs.workers import Unfit, check_workers
from conformance.spark.triage.shortening import MUTANT

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_SAID = pa.schema([("lacks", pa.bool_())])
Batches = Iterator[pa.RecordBatch]


def check_fuzzing_workers(
    session: SparkSession, settings: ChunkSettings, targets: tuple[str, ...]
) -> None:
    """Raises JobFailed, Unfit where the workers can't fuzz these targets."""
    check_workers(session, settings, tuple(each for each in targets if MUTANT not in each))
    places = session.sparkContext.defaultParallelism
    numbers = session.range(0, places, 1, places)
    try:
        with quiet():
            rows = numbers.mapInArrow(_lacking, "lacks boolean").collect()
    except Exception as error:
        raise explained(error) from None
    if any(row["lacks"] for row in rows):
        hint = "pip install atheris for the Python that they run; Linux"
        raise Unfit("the workers have no package 'atheris'", hint)


def _lacking(batches: Batches) -> Batches:
    for _ in batches:
        row = {"lacks": find_spec("atheris") is None}
        yield pa.RecordBatch.from_pylist([row], schema=_SAID)
