"""What this machine has for the tests, and what becomes of a test whose needs it lacks.

A test that was skipped says nothing of the code. So a machine that is to run them all says so, as
CI does: there a lack is a failure.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import pytest

RUN_ALL = "KAFKA_CONFORMANCE_RUN_ALL_TESTS"
"""Set where no test may be skipped for want of something on the machine."""


def runs_all() -> bool:
    """Whether what is missing here is a failure."""
    return bool(os.environ.get(RUN_ALL))


def lacking(what: str) -> NoReturn:
    """Skip the test, or fail it where all are to be run."""
    if runs_all():
        pytest.fail(f"{what}, and {RUN_ALL} is set", pytrace=False)
    pytest.skip(what)


def released_pythons() -> Iterator[tuple[tuple[int, ...], str]]:
    """Version and program of each Python here, wherever the usual managers put them."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    uv = Path.home() / ".local/share/uv/python"
    found = map(shutil.which, (f"python3.{minor}" for minor in range(30)))
    programs = [*pyenv.glob("3.*/bin/python"), *uv.glob("cpython-3.*/bin/python3")]
    programs += [Path(each) for each in found if each]
    ask = "import sys, venv; print(*sys.version_info[:4])"
    yield sys.version_info[:3], sys.executable
    for program in programs:
        done = subprocess.run([program, "-c", ask], capture_output=True, text=True, check=False)
        *version, level = done.stdout.split() or ["none"]
        if done.returncode == 0 and level == "final":
            yield tuple(map(int, version)), str(program)
