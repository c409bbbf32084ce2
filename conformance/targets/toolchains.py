"""The programs and packages of others that parts of the suite need, and how each is had."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Final

from conformance.errors import ConformanceError

OLDEST_JAVA = 17
_ANSWER_TIMEOUT_S = 30.0
_VERSION = re.compile(r"\d+(?:[._]\d+)+|(?<=version \")\d+")
_NOISE = "Picked up "
"""The begin of a line of Java's that names options from the environment."""


@dataclass(frozen=True, slots=True)
class Toolchain:
    """Programs that are installed together. With `ask`, the first prints its version.

    `what` is what to install, and `remedy` how.
    """

    name: str
    programs: tuple[str, ...]
    ask: str
    what: str
    remedy: str
    oldest: int = 0

    def missing(self) -> tuple[str, ...]:
        """Its programs that are not on the PATH."""
        return tuple(program for program in self.programs if shutil.which(program) is None)


TOOLCHAINS: Final = (
    Toolchain(
        "Java",
        ("java",),
        "-version",
        f"a Java runtime, {OLDEST_JAVA} or newer",
        "apt install default-jdk-headless, brew install openjdk, or https://adoptium.net",
        OLDEST_JAVA,
    ),
    Toolchain(
        "JDK",
        ("javac", "jar"),
        "-version",
        f"a JDK, {OLDEST_JAVA} or newer",
        "apt install default-jdk-headless, brew install openjdk, or https://adoptium.net",
        OLDEST_JAVA,
    ),
    Toolchain(
        "Maven",
        ("mvn",),
        "--version",
        "Apache Maven",
        "apt install maven, or brew install maven",
    ),
    Toolchain("Go", ("go",), "version", "Go", "https://go.dev/dl, or brew install go"),
    Toolchain(
        "Rust",
        ("cargo",),
        "--version",
        "Rust with cargo",
        "https://rustup.rs, or brew install rust",
    ),
    Toolchain(
        "C compiler",
        ("cc",),
        "--version",
        "a C compiler",
        "apt install gcc, or xcode-select --install",
    ),
    Toolchain(
        "Node.js",
        ("node", "npm"),
        "--version",
        "Node.js with npm",
        "https://nodejs.org, or brew install node",
    ),
)
"""All that the build of an adapter may need."""

CHROMIUM: Final = Toolchain(
    "Chromium",
    ("chromium", "chromedriver"),
    "--version",
    "Chromium with its driver",
    "apt install chromium chromium-driver",
)


@dataclass(frozen=True, slots=True)
class Extra:
    """An extra of this package, by the packages that it brings."""

    name: str
    packages: tuple[str, ...]

    @property
    def remedy(self) -> str:
        """The command that installs it."""
        return f"pip install 'kafka-conformance[{self.name}]'"

    def missing(self, *packages: str) -> list[str]:
        """Return those of these packages, or of all of its own, that are not installed."""
        return [name for name in packages or self.packages if find_spec(name) is None]

    def check(self, *packages: str, why: str = "") -> None:
        """Raises ExtraMissing where one of these packages, or of all of its own, is missing."""
        if missing := self.missing(*packages):
            reason = f", and {why}" if why else ""
            raise ExtraMissing(f"{' and '.join(missing)}: not installed{reason}", self.remedy)


class ExtraMissing(ConformanceError):
    """A package of an extra is not installed."""


FUZZ: Final = Extra("fuzz", ("atheris",))
PIPELINE: Final = Extra("pipeline", ("pyspark", "pyarrow", "pandas"))


def what_has(program: str) -> str:
    """Return what to install to get a program."""
    for each in TOOLCHAINS:
        if program in each.programs:
            return each.what
    return program


def version_of(program: str, *arguments: str) -> str:
    """Return the version that a program prints, "" if it prints none."""
    words: Sequence[str] = (program, *arguments)
    try:
        done = subprocess.run(
            words,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_ANSWER_TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    if done.returncode:
        return ""
    lines = (done.stdout + done.stderr).splitlines()
    found = _VERSION.search("\n".join(line for line in lines if not line.startswith(_NOISE)))
    return found[0] if found else ""


def major(told: str) -> int:
    """The number that a release is called by: 17 of `17.0.2`, 8 of Java's `1.8.0_392`."""
    first, *more = re.findall(r"\d+", told)
    return int(more[0] if first == "1" and more else first)
