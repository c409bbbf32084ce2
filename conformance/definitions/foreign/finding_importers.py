"""Which importer reads a place: the one that was asked for, or the first that knows its form.

Those that installed packages bring, under the entry point group `kafka_conformance.importers`, are
asked first and Kafka's JSON last, as the most general form. Any other is named as `module:Class`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

from conformance.definitions.foreign.guarding import guarded, proper
from conformance.definitions.foreign.interface import Imported, Importer
from conformance.definitions.foreign.kafka_json import KafkaJson
from conformance.definitions.foreign.kmsg.importer import Kmsg
from conformance.errors import ConformanceError
from conformance.schema.text.texts import NoDefinitions

GROUP = "kafka_conformance.importers"
BUNDLED: tuple[type[Importer], ...] = (Kmsg, KafkaJson)


class UnknownImporter(ConformanceError):
    """No importer of this name, or what is there is none."""


def importer_for(path: Path, asked: str = "") -> Importer:
    """The importer of a place. Raises UnknownImporter, NoDefinitions."""
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
    """All that an importer reads. Raises ConformanceError, ImporterBroken where it breaks."""
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
    """What an entry point names, looked for where the command was started as well."""
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
        with suppress(ValueError):  # a module may do with the path what it likes
            sys.path.remove(here)


def _instance(name: str, what: Any) -> Importer:
    with guarded(f"importer {name!r} can't be made", _HINT, UnknownImporter):
        made = what()
        if not isinstance(made, Importer):
            raise UnknownImporter(f"{name!r} is no importer", _HINT)
    return made


_HINT = "a class made without arguments, with `name`, `detect(path)` and `read(path)`"
