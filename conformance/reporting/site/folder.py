"""The folder of a site: written beside its place, and put there when it is whole.

So a disk that fills up, or an interrupt, leaves the site that was there before. What is in the
place already is replaced only if it is a site of ours, by the file that marks one.
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
    """Where the files of a site go."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.bytes = 0
        self.files = 0

    def write(self, name: str, text: str) -> None:
        """A file, with the folders that it is in."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        data = text.encode()
        path.write_bytes(data)
        self.bytes += len(data)
        self.files += 1


@contextmanager
def new_site(place: Path) -> Iterator[SiteFolder]:
    """A folder to fill, which is then at its place. Raises FolderTaken, NotWritten."""
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
    """Whether a site may be there, before anything is read for it. Raises FolderTaken."""
    if place.is_dir():
        if any(place.iterdir()) and not (place / MARK).is_file():
            raise FolderTaken(
                f"{place} is not empty, and no report of ours", "choose another folder for -o"
            )
    elif place.exists() or place.is_symlink():
        raise FolderTaken(f"{place} is not a folder", "choose another folder for -o")


def _put(made: Path, place: Path) -> None:
    """The new folder where the old one was, which goes when the new one is there."""
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
