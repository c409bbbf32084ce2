"""Where the data files are: vectors, schemas and adapters, in a checkout, a wheel or a zip.

The wheel carries them inside of the package (`conformance/_data`), a checkout and an editable
install have them beside it; nobody else needs to know which. What is made at run time goes to one
cache folder per user.
"""

from __future__ import annotations

import os
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

import platformdirs


@cache
def data_root() -> Traversable:
    """The folder that holds `vectors/`, `schemas/`, `adapters/` and the LICENSE."""
    package = files("conformance")
    inside = package / "_data"
    if inside.is_dir():
        return inside
    assert isinstance(package, Path)  # only a built wheel is ever zipped, and that has _data
    return package.parent


def cache_dir() -> Path:
    """The user's cache folder, `KAFKA_CONFORMANCE_CACHE` if that is set. Not created here."""
    chosen = os.environ.get("KAFKA_CONFORMANCE_CACHE")
    return Path(chosen) if chosen else Path(platformdirs.user_cache_dir("kafka-conformance"))
