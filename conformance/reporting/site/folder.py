"""The folder of a site: written beside its place, and put there when it is whole.

So after a full disk or an interrupt the previous site is still there. An existing folder is
replaced only if it is a site of ours, by the file that marks one.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from conformance.reporting.site.errors import FolderTaken, SiteNotWritten

MARK = "kafka-conformance-report.txt"
_MARKED = "Made by `kafka-conformance site`, which may replace this folder.\n"


class SiteFolder:
    """The folder in which the files of a site are written."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.bytes = 0
        self.files = 0

    def write(self, name: str, text: str) -> None:
        """Write a file, and create the folders around it."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        data = text.encode()
        path.write_bytes(data)
        self.bytes += len(data)
        self.files += 1


@contextmanager
def new_site(place: Path) -> Iterator[SiteFolder]:
    """Yield a folder to fill, and put it in its place at the end.

    Raises FolderTaken, SiteNotWritten.
    """
    check(place)
    place = place.absolute()
    with _unwritable(place):
        place.parent.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(prefix=f".{place.name}-", dir=place.parent))
        try:
            made.chmod(0o755)
            folder = SiteFolder(made)
            folder.write(MARK, _MARKED)
            yield folder
            _put(made, place)
        finally:
            shutil.rmtree(made, ignore_errors=True)


def check(place: Path) -> None:
    """Raise FolderTaken if a site may not be written there, before anything is read for it."""
    if place.is_dir():
        if any(place.iterdir()) and not (place / MARK).is_file():
            raise FolderTaken(
                f"{place} is not empty, and no report of ours", "choose another folder for -o"
            )
    elif place.exists() or place.is_symlink():
        raise FolderTaken(f"{place} is not a folder", "choose another folder for -o")


def _put(made: Path, place: Path) -> None:
    """Put the new folder in place of the old one, which is removed afterwards."""
    if not place.exists():
        made.rename(place)
        return
    old = Path(tempfile.mkdtemp(prefix=f".{place.name}-old-", dir=place.parent))
    try:
        place.rename(old / "site")
        made.rename(place)
    finally:
        shutil.rmtree(old, ignore_errors=True)


@contextmanager
def _unwritable(place: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise SiteNotWritten(
            f"{place}: {error.strerror}", "free some room, or choose a place"
        ) from None
