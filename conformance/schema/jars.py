"""The definitions in a jar of Apache Kafka, or of whoever builds theirs as Kafka does."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path

from conformance.errors import ConformanceError

_FOLDERS = ("common/message/", "common/metadata/", "message/")
_UNREADABLE = (
    OSError,
    EOFError,
    UnicodeDecodeError,
    zipfile.BadZipFile,
    zlib.error,
    RuntimeError,  # an encrypted entry, or one compressed in a way that Python lacks
)


class ImportFailed(ConformanceError):
    """A jar that can't be had or read, or that holds no definitions."""


def read_jar(jar: Path) -> Iterator[tuple[str, str]]:
    """Each definition's place in the jar, and its text. Raises ImportFailed."""
    try:
        with zipfile.ZipFile(jar) as archive:
            for entry in sorted(archive.namelist()):
                folder, _, file = entry.rpartition("/")
                if f"{folder}/" in _FOLDERS and file.endswith(".json"):
                    yield entry, archive.read(entry).decode("utf-8")
    except _UNREADABLE as error:
        raise ImportFailed(f"{jar} can't be read: {error}", "is it a jar of Kafka?") from None
