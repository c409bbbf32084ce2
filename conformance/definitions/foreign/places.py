"""A place of definitions as a user names it: a folder or file, or a Go module at a version."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from zipfile import is_zipfile

from conformance.errors import UNREACHABLE, ConformanceError

_GO_MODULE = re.compile(r"[a-z0-9.-]+\.[a-z]+(?:/[\w.~-]+)+@v[\w.+-]+")


class ModuleMissing(ConformanceError):
    """A Go module that can't be downloaded."""

    exit_code = UNREACHABLE


def place_of(text: str) -> Path:
    """Return the path; a Go module is downloaded with Go first. Raises ModuleMissing."""
    if Path(text).exists() or not _GO_MODULE.fullmatch(text):
        return Path(text)
    go = shutil.which("go")
    if go is None:
        raise ModuleMissing(f"{text} is a Go module, and Go is not installed", "install Go")
    with tempfile.TemporaryDirectory() as elsewhere:  # so that no go.mod of the caller's matters
        done = subprocess.run(
            [go, "mod", "download", "-json", text],
            cwd=elsewhere,
            capture_output=True,
            text=True,
            check=False,
        )
    try:
        told = json.loads(done.stdout)
        return Path(told["Dir"])
    except (ValueError, KeyError):
        why = " ".join((_error(done.stdout) or done.stderr).split())
        raise ModuleMissing(
            f"{text} can't be had: {why or 'Go says nothing'}", "check module and version"
        ) from None


def is_one_file(path: Path) -> bool:
    """True if a path is a single file, so not all definitions of a project; a jar may be all."""
    return path.is_file() and not is_zipfile(path)


def _error(text: str) -> str:
    try:
        return str(json.loads(text).get("Error", ""))
    except ValueError:
        return ""
