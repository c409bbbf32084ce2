"""Whether Spark can run here at all: the extra's packages, and a Java that is new enough."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from importlib.util import find_spec
from pathlib import Path

from conformance.errors import ConformanceError

OLDEST_JAVA = 17
_PACKAGES = ("pyspark", "pyarrow", "pandas")
_VERSION = re.compile(r'version "(?:1\.)?(\d+)')
_INSTALL = f"install Java {OLDEST_JAVA} or newer, or set JAVA_HOME to it"


class NoSpark(ConformanceError):
    """Spark can't run here: a package or Java is missing."""


def check_tables() -> None:
    """Raises NoSpark where what reads a campaign's tables is missing; they need no Java."""
    if find_spec("pyarrow") is None:
        hint = "pip install 'kafka-conformance[pipeline]'"
        raise NoSpark("pyarrow: not installed, and a campaign's tables need it", hint)


def check_installed() -> None:
    """Raises NoSpark where the extra's packages or Java are missing."""
    missing = [name for name in _PACKAGES if find_spec(name) is None]
    if missing:
        hint = "pip install 'kafka-conformance[pipeline]'"
        raise NoSpark(f"{' and '.join(missing)}: not installed", hint)
    version = _java_version()
    if version < OLDEST_JAVA:
        raise NoSpark(f"Java is of version {version}, which is too old for Spark", _INSTALL)


def _java_version() -> int:
    home = os.environ.get("JAVA_HOME")
    java = shutil.which(str(Path(home) / "bin" / "java") if home else "java")
    if java is None:
        raise NoSpark(f"no Java {f'in JAVA_HOME ({home})' if home else 'on the PATH'}", _INSTALL)
    done = subprocess.run([java, "-version"], capture_output=True, text=True, check=False)
    found = _VERSION.search(done.stderr + done.stdout)
    if found is None:
        raise NoSpark(f"{java} does not say which Java it is", _INSTALL)
    return int(found[1])
