"""The workers: they get our code, and say what they lack before anything is asked of them.

On this machine they import what is installed. Workers of a cluster are sent the package as a zip,
laid out as in a wheel, with its data; what it needs from others is installed there already.
"""

from __future__ import annotations

import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from conformance import __version__
from conformance.campaigns.chunk import ChunkSettings, target_of
from conformance.data import data_root
from conformance.errors import UNREACHABLE, ConformanceError
from conformance.spark.jobs.faults import explained
from conformance.spark.jobs.session import quiet

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

DATA = ("vectors", "schemas", "adapters", "LICENSE")
_SAID = pa.schema([("said", pa.string())])
_LEFT_OUT = frozenset({"__pycache__", "_data", "node_modules", "target", ".venv"})
Batches = Iterator[pa.RecordBatch]


class Unfit(ConformanceError):
    """The workers can't open a target, or have another release of this suite."""

    exit_code = UNREACHABLE


def ship_code(session: SparkSession) -> None:
    """Send the package to the workers of a cluster."""
    folder = Path(tempfile.mkdtemp(prefix="kafka-conformance-"))
    path = folder / f"kafka_conformance-{__version__}.zip"
    write_zip(path)
    session.sparkContext.addPyFile(str(path))


def write_zip(path: Path) -> None:
    """The package and its data as a zip that can be imported."""
    package = Path(__file__).resolve().parents[2]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file, name in _files(package, "conformance"):
            archive.writestr(name, file.read_bytes())
        for item in DATA:
            for file, name in _files(data_root() / item, f"conformance/_data/{item}"):
                archive.writestr(name, file.read_bytes())


def _files(item: Traversable, name: str) -> Iterator[tuple[Traversable, str]]:
    if item.is_dir():
        for inner in item.iterdir():
            if inner.name not in _LEFT_OUT:
                yield from _files(inner, f"{name}/{inner.name}")
    elif item.is_file():
        yield item, name


def check_workers(session: SparkSession, settings: ChunkSettings, targets: tuple[str, ...]) -> None:
    """Raises JobFailed, Unfit where the workers can't judge these targets."""
    places = session.sparkContext.defaultParallelism
    numbers = session.range(0, places, 1, places)
    try:
        with quiet():
            asked = numbers.mapInArrow(_check(settings, targets), "said string")
        said = {row["said"] for row in asked.collect()}
    except Exception as error:
        raise explained(error) from None
    if wrong := sorted(text for text in said if text):
        raise Unfit(wrong[0], "every worker needs what the driver has: the target, and this suite")


def _check(settings: ChunkSettings, targets: tuple[str, ...]) -> Callable[[Batches], Batches]:
    release, python = __version__, sys.version_info[:2]

    def check(batches: Batches) -> Batches:
        for _ in batches:
            said = _unfit(settings, targets, release, python)
            yield pa.RecordBatch.from_pylist([{"said": said}], schema=_SAID)

    return check


def _unfit(
    settings: ChunkSettings, targets: tuple[str, ...], release: str, python: tuple[int, ...]
) -> str:
    if sys.version_info[:2] != python:
        return f"the workers run Python {sys.version_info[0]}.{sys.version_info[1]}"
    if __version__ != release:
        return f"the workers have release {__version__} of this suite, the driver {release}"
    for name in targets:
        try:
            target_of(name, settings)
        except ConformanceError as error:
            return f"the workers can't open {name}: {error.message}"
    return ""
