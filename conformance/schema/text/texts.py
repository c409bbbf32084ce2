"""The sources of definitions: a folder, a jar, a file, or a stored release, as their texts."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from conformance.errors import UNREACHABLE, ConformanceError
from conformance.schema.releases import DIFFERENCE, definitions, releases
from conformance.schema.text.importing import LARGEST, read_jar


@dataclass(frozen=True)
class Text:
    """A definition as it stands in a file. `file` is what people know it by.

    `unreadable` says why there is no text.
    """

    file: str
    text: str
    unreadable: str = ""


class NoDefinitions(ConformanceError):
    """A place that is not there, can't be read or holds no definitions."""

    exit_code = UNREACHABLE


def texts_at(place: str) -> list[Text]:
    """The definitions at a folder, a jar, a file, or of a release that is stored.

    A folder's are its `*.json`, those of the folders in it too. Raises NoDefinitions, ImportFailed.
    """
    path = Path(place)
    if place and path.is_dir():
        found = list(_folder(path))
    elif path.is_file() and (path.suffix == ".jar" or zipfile.is_zipfile(path)):
        found = [Text(f"{path.name}!{entry}", text) for entry, text in read_jar(path)]
    elif path.is_file():
        found = [_file(path, path.name)]
    elif place in releases():
        held = definitions(place)
        found = [Text(f"{name}.json", held.text(name)) for name in held.names]
    else:
        raise NoDefinitions(
            f"{place}: no such folder, jar or file, nor a stored release",
            "`kafka-conformance schema list` lists the releases",
        )
    if not found:
        raise NoDefinitions(f"{place} holds no definitions (*.json)", "is it the right folder?")
    return found


def _folder(path: Path) -> Iterator[Text]:
    """Each file; of what is none, a folder or a pipe, nothing can be read."""
    for file in sorted(path.rglob("*.json")):
        if file.name != DIFFERENCE and (file.is_file() or _leads_nowhere(file)):
            yield _file(file, str(file.relative_to(path)))


def _leads_nowhere(file: Path) -> bool:
    return file.is_symlink() and not file.exists()


def _file(path: Path, name: str) -> Text:
    """Return a file's text; invalid UTF-8 becomes invalid JSON, and is reported as such."""
    try:
        if path.stat().st_size > LARGEST:
            return Text(name, "", f"over {LARGEST} bytes")
        return Text(name, path.read_bytes().decode("utf-8", "replace"))
    except OSError as error:
        return Text(name, "", error.strerror or str(error))
