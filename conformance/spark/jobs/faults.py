"""Spark reports a failed job in pages of two languages; this finds the line that helps."""

from __future__ import annotations

import re

from conformance.errors import UNREACHABLE, USAGE, ConformanceError

_RAISED = re.compile(
    r"^(?:[a-z_]\w*\.)*([A-Z]\w*(?:Error|Exception|NotFound|Lost|Started)): (.+)$", re.M
)
_MISSING = re.compile(r"No module named '([\w.]+)'")
_OTHER_PYTHON = re.compile(r"PYTHON_VERSION_MISMATCH|different minor version")
_VERSIONS = re.compile(r"\b(3\.\d+)\b")


class JobFailed(ConformanceError):
    """A job can't be done by these workers, or the cluster is gone."""

    exit_code = UNREACHABLE


class NotWritten(JobFailed):
    """A worker has no room for its rows: the end is as where the driver has none."""

    exit_code = USAGE


def explained(error: BaseException) -> JobFailed:
    """One clear line for what Spark raised."""
    text = str(error)
    if missing := _MISSING.search(text):
        name = missing[1].partition(".")[0]
        return JobFailed(
            f"the workers have no package {name!r}", "install it for the Python that they run"
        )
    if _OTHER_PYTHON.search(text):
        versions = " and ".join(dict.fromkeys(_VERSIONS.findall(text)))
        return JobFailed(
            f"the workers run another Python than the driver: {versions}",
            "set PYSPARK_PYTHON to one of the same minor version",
        )
    raised = [found for found in _RAISED.findall(text) if found[0] not in _WRAPPERS]
    if raised:
        name, said = raised[-1]
        if name == "TableError":
            return NotWritten(said)  # with a hint of its own
        return JobFailed(said, "what is done is kept: go on with --resume")
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return JobFailed(
        f"Spark gave up: {lines[0] if lines else type(error).__name__}",
        "what is done is kept: go on with --resume",
    )


_WRAPPERS = {"PythonException", "SparkException", "Py4JJavaError", "Py4JError"}
