"""The definitions in a jar of Apache Kafka, or of a project that builds them as Kafka does."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path

from conformance.errors import ConformanceError

LARGEST = 64 * 1024 * 1024
"""Bytes of one definition; Kafka's largest has less than a thousandth of it."""
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
                    yield entry, _text(archive, entry)
    except _UNREADABLE as error:
        raise ImportFailed(f"{jar} can't be read: {error}", "is it a jar of Kafka?") from None


def _text(archive: zipfile.ZipFile, entry: str) -> str:
    if archive.getinfo(entry).file_size > LARGEST:
        raise OSError(f"{entry} has over {LARGEST} bytes")
    return archive.read(entry).decode("utf-8")
