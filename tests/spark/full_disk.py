"""A file system that is full when a test wants it to be."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.machine import lacking

MIB = 1024 * 1024


class SmallDisk:
    """A folder on a disk of its own, of some MiB."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._ballast = root / "ballast"

    def fill(self, but: int = 0) -> None:
        """Leave so many bytes free, and less than a page more."""
        left = os.statvfs(self.root)
        size = left.f_bavail * left.f_frsize - but
        with self._ballast.open("ab") as file:
            file.write(bytes(max(size, 0)))

    def make_room(self) -> None:
        """Take away what it was filled with."""
        self._ballast.unlink()


@contextmanager
def small_disk(root: Path, size: int = 24 * MIB) -> Iterator[SmallDisk]:
    """Mounts one for as long as this lasts; skips the test where nobody may."""
    root.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(root)]
    try:
        done = subprocess.run(mount, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        lacking("no mount here")
    if done.returncode:
        lacking(f"no disk can be mounted here: {done.stderr.strip()}")
    try:
        yield SmallDisk(root)
    finally:
        subprocess.run(["umount", "--lazy", str(root)], check=False)
