"""The place of definitions as a user names it, and the importer for it: the one asked for, or the
first that knows its form.

Importers of installed packages, under the entry point group `kafka_conformance.importers`, are
tried first and Kafka's JSON last, as the most general form. Any other is named as `module:Class`.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any
from zipfile import is_zipfile

from conformance.definitions.foreign.guarding import guarded, proper
from conformance.definitions.foreign.interface import Imported, Importer
from conformance.definitions.foreign.kafka_json import KafkaJson
from conformance.definitions.foreign.kmsg.importer import Kmsg
from conformance.errors import UNREACHABLE, ConformanceError
from conformance.schema.text.texts import NoDefinitions

GROUP = "kafka_conformance.importers"
BUNDLED: tuple[type[Importer], ...] = (Kmsg, KafkaJson)


class UnknownImporter(ConformanceError):
    """A name that belongs to no importer, or to an object that is not one."""


def importer_for(path: Path, asked: str = "") -> Importer:
    """Return the importer for a path. Raises UnknownImporter, NoDefinitions."""
    if not path.exists():
        raise NoDefinitions(f"{path}: no such folder or file", "check the path")
    if asked:
        return _importer_named(asked)
    for importer in _known():
        with guarded(f"importer {importer.name} broke off"):
            if importer.detect(path):
                return importer
    raise NoDefinitions(
        f"{path} holds no definitions in a form that is known",
        "forms are kafka and kmsg; one's own is given as --format module:Class",
    )


def read_all(importer: Importer, path: Path) -> list[Imported]:
    """Return all that an importer reads. Raises ConformanceError, ImporterBroken if it breaks."""
    with guarded(f"importer {importer.name} broke off"):
        return [proper(each, importer.name) for each in importer.read(path)]


def _known() -> Iterator[Importer]:
    yield from (_instance(each.name, _loaded(each)) for each in entry_points(group=GROUP))
    yield from (each() for each in BUNDLED)


def _importer_named(name: str) -> Importer:
    for bundled in BUNDLED:
        if bundled.name == name:
            return bundled()
    for each in entry_points(group=GROUP):
        if each.name == name:
            return _instance(name, _loaded(each))
    if ":" not in name:
        raise UnknownImporter(
            f"no importer is called {name!r}",
            f"there are {', '.join(each.name for each in BUNDLED)}, or module:Class",
        )
    return _instance(name, _loaded(EntryPoint(name, name, GROUP)))


def _loaded(entry: EntryPoint) -> Any:
    """Return the object of an entry point; the working directory is searched as well."""
    module = entry.value.partition(":")[0]
    here = str(Path.cwd())
    sys.path.insert(0, here)
    try:
        with guarded(
            f"importer {entry.value!r} can't be loaded", "is it module:Class?", UnknownImporter
        ):
            import_module(module)
            return entry.load()
    finally:
        with suppress(ValueError):  # the module may have changed the path
            sys.path.remove(here)


def _instance(name: str, what: Any) -> Importer:
    with guarded(f"importer {name!r} can't be made", _HINT, UnknownImporter):
        made = what()
        if not isinstance(made, Importer):
            raise UnknownImporter(f"{name!r} is no importer", _HINT)
    return made


_HINT = "a class made without arguments, with `name`, `detect(path)` and `read(path)`"


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
