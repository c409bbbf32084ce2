"""Check that Spark can run here: the extra's packages, and a Java that is new enough."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from conformance.errors import ConformanceError
from conformance.targets.toolchains import OLDEST_JAVA, PIPELINE, ExtraMissing, major, version_of

_INSTALL = f"install Java {OLDEST_JAVA} or newer, or set JAVA_HOME to it"


class NoSpark(ConformanceError):
    """Spark can't run here: a package or Java is missing."""


def check_installed() -> None:
    """Raise NoSpark if packages of the extra are missing, or Java is missing or too old."""
    try:
        PIPELINE.check()
    except ExtraMissing as error:
        raise NoSpark(error.message, error.hint) from None
    version = _java_version()
    if version < OLDEST_JAVA:
        raise NoSpark(f"Java is of version {version}, which is too old for Spark", _INSTALL)


def _java_version() -> int:
    home = os.environ.get("JAVA_HOME")
    java = shutil.which(str(Path(home) / "bin" / "java") if home else "java")
    if java is None:
        raise NoSpark(f"no Java {f'in JAVA_HOME ({home})' if home else 'on the PATH'}", _INSTALL)
    told = version_of(java, "-version")
    if not told:
        raise NoSpark(f"{java} does not say which Java it is", _INSTALL)
    return major(told)
