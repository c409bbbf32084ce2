"""A project of somebody else, with tests and a codec, in which pytest is run as they would."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.packaging.conftest import install, installed, shared, wheel

__all__ = ["install", "installed", "shared", "wheel"]

PAGE = (Path(__file__).parents[2] / "docs" / "python-api.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", PAGE, re.M | re.S)
FILES = {name: text for _, name, text in BLOCKS if name}
Pytest = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with the files of the page."""
    (tmp_path / "pyproject.toml").write_text(
        '[tool.pytest.ini_options]\naddopts = "--strict-markers --strict-config"\n'
        'filterwarnings = ["error"]\n'
    )
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


@pytest.fixture
def run_pytest(project: Path) -> Pytest:
    """Runs pytest in the project, with nothing of ours in the environment."""

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        ours = ("-p", "conformance.codecs.plugin")  # as its entry point does where it is installed
        return subprocess.run(
            [sys.executable, "-m", "pytest", *ours, *arguments],
            cwd=project,
            env={k: v for k, v in os.environ.items() if not k.startswith("PYTEST")},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    return run
