"""The Spark session: `local[*]` or a cluster, quiet, and one clear line if it can't start.

A master that does not listen would keep Spark waiting for minutes, so that is checked before. The
workers' Python and packages are unknown until a first small job asks for them.
"""

from __future__ import annotations

import os
import re
import socket
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from conformance.errors import UNREACHABLE, ConformanceError
from conformance.spark.jobs.requirements import check_installed

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LOCAL = "local[*]"
_BRIEF_JVM = " -XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""Most time of our jobs is Python's: a JVM that compiles little saves ten seconds of CPU."""
ATTEMPTS = 3
"""A chunk may fail so many times; the attempt that follows sets it aside."""
CONNECT_S = 5.0
_MASTER = re.compile(r"local(?:\[(\*|[0-9]+)(?:,[0-9]+)?\])?")


class NoMaster(ConformanceError):
    """No master listens at the address, or its workers can't do the work."""

    exit_code = UNREACHABLE


def is_local(master: str) -> bool:
    """True if everything runs on this machine, with the packages installed here."""
    return _MASTER.fullmatch(master) is not None


def open_session(
    master: str = LOCAL,
    name: str = "kafka-conformance",
    ui: bool = True,
    log: Path | None = None,
) -> SparkSession:
    """Start Spark, or use what was started in this process. Raises NoSpark, NoMaster.

    What its JVM and its workers say goes to `log`.
    """
    check_installed()
    _check_master(master)
    from pyspark.sql import SparkSession

    if is_local(master):
        os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    builder = SparkSession.builder.appName(name).master(_with_attempts(master))
    properties = files(__package__) / "log4j2.properties"
    with as_file(properties) as logging, _errors_to(log):
        for key, value in _settings(master, ui, logging).items():
            builder = builder.config(key, value)
        try:
            return builder.getOrCreate()
        except Exception as error:  # what Java raised comes as it is
            hint = f"see {log}" if log else ""
            raise NoMaster(f"Spark did not start: {_first_line(error)}", hint) from None


@contextmanager
def quiet() -> Iterator[None]:
    """Without what PySpark says of the packages beside it."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="PySpark does not yet fully support pandas")
        yield


@contextmanager
def _errors_to(log: Path | None) -> Iterator[None]:
    """Send the errors of programs started in the `with` block there, for as long as they live."""
    if log is None:
        yield
        return
    sys.stderr.flush()
    before = os.dup(2)
    try:
        with log.open("ab") as file:
            os.dup2(file.fileno(), 2)
        yield
    finally:
        os.dup2(before, 2)
        os.close(before)


def _settings(master: str, ui: bool, logging: Path) -> dict[str, str]:
    settings = {
        "spark.ui.enabled": str(ui).lower(),
        "spark.ui.showConsoleProgress": "false",
        "spark.task.maxFailures": str(ATTEMPTS + 1),
        "spark.driver.extraJavaOptions": f"-Dlog4j2.configurationFile={logging.as_uri()}",
        "spark.python.worker.reuse": "true",
    }
    if is_local(master):
        settings["spark.driver.extraJavaOptions"] += _BRIEF_JVM
        settings |= {"spark.driver.bindAddress": "127.0.0.1", "spark.driver.host": "127.0.0.1"}
    return settings


def _with_attempts(master: str) -> str:
    """A local master does as a cluster does: tasks that fail are tried again."""
    found = _MASTER.fullmatch(master)
    return f"local[{found[1] or 1},{ATTEMPTS + 1}]" if found else master


def _check_master(master: str) -> None:
    if is_local(master) or master.startswith(("yarn", "k8s://", "local-cluster[")):
        return
    if not master.startswith("spark://"):
        hint = "local[N], spark://HOST:PORT, yarn or k8s://…"
        raise ConformanceError(f"{master!r} is no master of Spark", hint)
    for address in master.removeprefix("spark://").split(","):
        if _listens(address):
            return
    raise NoMaster(f"no Spark master answers at {master}", "is it started, and the port right?")


def _listens(address: str) -> bool:
    place = urlsplit(f"//{address}")
    try:
        with socket.create_connection((place.hostname or "", place.port or 7077), CONNECT_S):
            return True
    except (OSError, ValueError):
        return False


def _first_line(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0] if lines else type(error).__name__
