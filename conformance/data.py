"""The places of the data files: vectors, schemas and adapters, in a checkout, a wheel or a zip.

The wheel carries them inside the package (`conformance/_data`), a checkout and an editable install
have them beside it; no other module needs to know which. Files made at run time go to one cache
folder per user.
"""

from __future__ import annotations

import os
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

import platformdirs

VECTORS = ".jsonl"
"""The ending of a file of vectors, which is named after its message."""


@cache
def data_root() -> Traversable:
    """Return the folder that holds `vectors/`, `schemas/`, `adapters/` and the LICENSE."""
    package = files("conformance")
    inside = package / "_data"
    if inside.is_dir():
        return inside
    assert isinstance(package, Path)  # only a built wheel is ever zipped, and that has _data
    return package.parent


def cache_dir() -> Path:
    """Return the user's cache folder, or `KAFKA_CONFORMANCE_CACHE` if set. It may not exist."""
    chosen = os.environ.get("KAFKA_CONFORMANCE_CACHE")
    return Path(chosen) if chosen else Path(platformdirs.user_cache_dir("kafka-conformance"))


def vector_messages(root: Traversable | None = None) -> list[str]:
    """Return the messages that have vectors, sorted."""
    folder = root or data_root() / "vectors"
    names = (item.name for item in folder.iterdir()) if folder.is_dir() else iter(())
    return sorted(name.removesuffix(VECTORS) for name in names if name.endswith(VECTORS))
