"""The codec that is fuzzed, its code watched by atheris, and as little else as can be.

Oracles and the mutator read by the same code as the reference codec. They would be slow if it were
watched, and would reach what the codec does not; so of ours only what the generated decoders stand
on is watched, and these themselves as they are loaded. Of a mutant, which reads by the plain
reader, all of it is.
"""

from __future__ import annotations

import contextlib
import importlib
import inspect
import site
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from conformance.fuzzing.settings import FuzzSettings

_IN_EACH_VENV = frozenset({"pip", "setuptools", "wheel"})


def instrumented_codec(settings: FuzzSettings) -> Any:
    """The codec of these settings that runs in this process."""
    if settings.codec:
        with _watched(settings.path):
            module, _, name = settings.codec.partition(":")
            codec = getattr(importlib.import_module(module), name)
            return codec() if isinstance(codec, type) else codec
    if settings.mutant:
        import atheris

        with atheris.instrument_imports(include=["conformance"], enable_loader_override=False):
            from conformance.codecs.mutants import mutants

            return mutants()[settings.mutant]()
    return _reference()


@contextlib.contextmanager
def _watched(folders: tuple[str, ...]) -> Iterator[None]:
    """Packages of these folders are found, and those of the last are watched, if imported now."""
    import atheris

    for folder in reversed(folders):
        site.addsitedir(folder)
        sys.path.insert(0, folder)
    include = _packages(Path(folders[-1]))
    with atheris.instrument_imports(include=include, enable_loader_override=False):
        yield


def _packages(folder: Path) -> list[str]:
    """The modules and packages of a folder; what they stand on is not watched."""
    found = (entry for entry in folder.iterdir() if entry.suffix in ("", ".py"))
    names = {entry.stem for entry in found}
    return sorted(name for name in names if name.isidentifier() and name not in _IN_EACH_VENV)


def _reference() -> Any:
    import atheris

    from conformance.fuzzing.fast_reference import Unexplained
    from conformance.reference import codec as reference
    from conformance.wire.compiled import runtime
    from conformance.wire.records import compression, zigzag
    from conformance.wire.records import reader as records_reader

    for holder in (runtime, compression, records_reader.RecordsReader, zigzag.ZigzagReader):
        for function in _functions(holder):
            atheris.instrument_func(function)
    load = reference.load_compiled

    def load_watched(form: Any) -> Any:
        compiled = load(form)
        return compiled._replace(decode=atheris.instrument_func(compiled.decode))

    reference.load_compiled = load_watched

    return Unexplained()


def _functions(holder: ModuleType | type) -> list[Any]:
    """Return the functions that are defined in a module or class, without imported ones."""
    module = holder.__name__ if isinstance(holder, ModuleType) else holder.__module__
    return [
        function
        for function in vars(holder).values()
        if inspect.isfunction(function) and function.__module__ == module
    ]
