"""One wheel and one environment with it installed, made once for all processes of a test run."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from filelock import FileLock

ROOT = Path(__file__).parents[2]
PART = ("codec", "reference", "--message", "FindCoordinatorRequest")
"""A part of the suite that takes a second, and uses all kinds of data files."""


def run(*command: object, cwd: Path, env: Mapping[str, str] | None = None) -> str:
    """What a command that must succeed prints."""
    words = [str(word) for word in command]
    done = subprocess.run(
        words, cwd=cwd, env=env, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def environment(**changes: object) -> dict[str, str]:
    """Ours without what would lead to this checkout, to this user's cache or to coverage."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PYTHON", "COV", "PYTEST", "KAFKA_CONFORMANCE"))
    }
    return kept | {"PYTHONUTF8": "1"} | {name: str(value) for name, value in changes.items()}


def install(wheel: Path, python: str | Path, folder: Path) -> Path:
    """A new environment of that Python with nothing but the wheel and what it needs: its `bin`."""
    run(python, "-m", "venv", "--without-pip", folder, cwd=folder.parent)
    binaries = folder / "bin"
    pip = (sys.executable, "-m", "pip", "-q", "--python", binaries / "python", "install", wheel)
    run(*pip, cwd=folder.parent)
    return binaries


def once(folder: Path, make: Callable[[Path], None]) -> Path:
    """A folder that the first process to ask for it fills."""
    with FileLock(folder.with_name(f"{folder.name}.lock")):
        if not folder.exists():
            make(folder)
    return folder


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of this test run, the same for all of its processes."""
    own = tmp_path_factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


@pytest.fixture(scope="session")
def wheel(shared: Path) -> Path:
    def build(folder: Path) -> None:
        run(sys.executable, "-m", "build", "--wheel", "--outdir", folder, ROOT, cwd=ROOT)

    (found,) = once(shared / "wheel", build).glob("*.whl")
    return found


@pytest.fixture(scope="session")
def installed(shared: Path, wheel: Path) -> Path:
    """The `bin` of an environment of this Python, in a folder that is hard to spell."""

    def make(folder: Path) -> None:
        install(wheel, sys.executable, folder)

    return once(shared / "eine Umgebung, ключ", make) / "bin"
