"""The table of disagreements: each oracle's answer where not all wrote the same bytes.

It has one row an answer, our own among them, so that the rows of a vector show which oracle stands
alone. It is one file of Parquet, which states the version of its columns. Without a disagreement it
has no row, so that an empty table records that all agree.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from conformance.campaigns.minting.mint import Disagreement
from conformance.campaigns.storage.tables import NAME_KEY, VERSION_KEY, TableError

NAME: Final = "disagreements"
SCHEMA_VERSION: Final = 1
"""Raised with any change to a column."""
SCHEMA: Final = pa.schema(
    [
        pa.field("id", pa.string(), nullable=False),
        pa.field("message", pa.string(), nullable=False),
        pa.field("version", pa.int32(), nullable=False),
        pa.field("oracle", pa.string(), nullable=False),
        pa.field("as_reference", pa.bool_(), nullable=False),
        pa.field("bytes", pa.binary()),
        pa.field("refused", pa.string()),
    ],
    metadata={VERSION_KEY: str(SCHEMA_VERSION).encode(), NAME_KEY: NAME.encode()},
)
"""The columns. Each row has either `bytes` or `refused`, the oracle's answer without bytes."""


def write_disagreements(path: Path, found: Iterable[Disagreement]) -> None:
    """Write the table, whole or not at all. Raises TableError."""
    rows = [row for each in found for row in _rows(each)]
    scratch = path.with_name(f".{path.name}-{uuid.uuid4().hex}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(pa.Table.from_pylist(rows, schema=SCHEMA), scratch, compression="zstd")
        os.replace(scratch, path)
    except OSError as error:
        with suppress(OSError):
            scratch.unlink()
        raise TableError(f"{path}: {error.strerror or error}") from None


def _rows(found: Disagreement) -> Iterator[dict[str, Any]]:
    for oracle, told in (("reference", found.ours), *found.answers):
        written = _bytes(told)
        yield {
            "id": found.id,
            "message": found.message,
            "version": found.version,
            "oracle": oracle,
            "as_reference": told == found.ours,
            "bytes": written,
            "refused": told if written is None else None,
        }


def _bytes(told: str) -> bytes | None:
    try:
        return bytes.fromhex(told)
    except ValueError:
        return None
