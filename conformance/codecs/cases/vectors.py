"""Golden vectors: messages whose bytes independent oracles agreed on (vectors/README.md).

One JSON line a vector, one file a message. `vectors/vector.schema.json` is the form's own
definition; what is read here is checked against the same facts, and a line that is wrong is refused
with its file and number.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import msgspec

from conformance.data import VECTORS, data_root, vector_messages
from conformance.errors import ConformanceError


class VectorError(ConformanceError):
    """A vector file that can't be used: file, line and reason."""


class Oracle(msgspec.Struct, frozen=True):
    """An implementation that wrote these very bytes."""

    name: str
    version: str


class Vector(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """One golden vector.

    `header` is the header's version where the bytes are a whole frame without its length, None
    where it is a body; `header_value` holds the header's fields then. `releases` are those that
    write this message so, newest first; names in `value` are those of the newest.
    """

    id: str
    message: str
    version: int
    releases: tuple[str, ...]
    header: int | None
    hex: str = msgspec.field(name="bytes")
    value: Any
    header_value: dict[str, Any] | None = None
    covers: tuple[str, ...]
    comment: str
    oracles: tuple[Oracle, ...]

    @property
    def data(self) -> bytes:
        """The bytes."""
        return bytes.fromhex(self.hex)


_VERSION = re.compile(r"-v(\d+)")
_decoder = msgspec.json.Decoder(Vector)
_encoder = msgspec.json.Encoder()


def read_vectors(
    message: str, root: Traversable | None = None, only: Collection[str] | None = None
) -> tuple[Vector, ...]:
    """The vectors of one message, or those of these ids, in the order of the file.

    Raises VectorError.
    """
    folder = root or data_root() / "vectors"
    file = folder / f"{message}{VECTORS}"
    try:
        lines = file.read_bytes().splitlines()
    except OSError as error:
        raise VectorError(f"{file}: {error.strerror or error}", "is the name right?") from None
    found: dict[str, Vector] = {}
    for number, line in enumerate(lines, 1):
        if only is not None and _id_of(line) not in only:
            continue
        vector = _read_line(line, f"{file}:{number}")
        if vector.message != message:
            raise VectorError(f"{file}:{number}: a vector of {vector.message}", _REMEDY)
        if vector.id in found:
            raise VectorError(f"{file}:{number}: id {vector.id!r} is there twice", _REMEDY)
        found[vector.id] = vector
    return tuple(found.values())


def version_of(vector: str) -> int:
    """The version in a vector's id."""
    found = _VERSION.search(vector)
    assert found is not None, vector
    return int(found[1])


def write_vectors(vectors: Iterable[Vector], folder: Path) -> dict[str, int]:
    """Write vectors, one file a message; returns how many each message has.

    Files of messages that have none any more are removed. Raises VectorError.
    """
    by_message: dict[str, list[Vector]] = {}
    for vector in vectors:
        by_message.setdefault(vector.message, []).append(vector)
    folder.mkdir(parents=True, exist_ok=True)
    for message, found in by_message.items():
        write_message(message, found, folder)
    for stale in set(vector_messages(folder)) - set(by_message):
        (folder / f"{stale}{VECTORS}").unlink()
    return {message: len(found) for message, found in by_message.items()}


def write_message(message: str, vectors: Iterable[Vector], folder: Path) -> None:
    """Write the file of one message, or leave it as it was. Raises VectorError."""
    path = folder / f"{message}{VECTORS}"
    scratch = folder / f".{path.name}"
    try:
        scratch.write_bytes(vector_lines(vectors))
        scratch.replace(path)
    except OSError as error:
        with suppress(OSError):
            scratch.unlink()
        raise VectorError(f"{path}: {error.strerror}", "free some room, then mint again") from None


def vector_lines(vectors: Iterable[Vector]) -> bytes:
    """Return the content of a vectors file: a line per vector, keys as in `Vector`, no blanks."""
    return b"".join(_encoder.encode(vector) + b"\n" for vector in vectors)


_REMEDY = "mend the line, or mint the vectors again: `kafka-conformance vectors mint`"


def _id_of(line: bytes) -> str:
    """The id in a line, which comes first; the whole line is not read for it."""
    return line.partition(b'"id":"')[2].partition(b'"')[0].decode("utf-8", "replace")


def _read_line(line: bytes, place: str) -> Vector:
    try:
        vector = _decoder.decode(line)
        bytes.fromhex(vector.hex)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise VectorError(f"{place}: {error}", _REMEDY) from None
    return vector


def all_vectors(root: Traversable | None = None) -> Iterator[Vector]:
    """Yield every vector, message by message."""
    for message in vector_messages(root):
        yield from read_vectors(message, root)
