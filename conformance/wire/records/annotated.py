"""The bytes of a records field as rows: those of the batches that it holds.

To a frame these are bytes like any others, and nothing that is wrong with them makes it malformed:
a fetch may end in the middle of a batch. So as many batches as can be read get their rows, and
whatever is left stays one row, which says why it is no batch.
"""

from __future__ import annotations

from dataclasses import replace

from conformance.wire.annotated import Row, rows
from conformance.wire.errors import DecodeError
from conformance.wire.lenient import Lenient
from conformance.wire.reader import BytePart, Reader
from conformance.wire.text import bytes_to_text

RECORDS = "records"
"""The type of a field that holds batches."""


def with_batches(row: Row, *, lenient: bool = False) -> list[Row]:
    """The rows of the batches in a records field in place of its own; any other row as it is."""
    if row.type != RECORDS or row.state != "read":
        return [row]
    found: list[Row] = []
    at = index = 0
    while at < len(row.data):
        parts: list[BytePart] = []
        path = f"{row.path}[{index}]"
        reader = (Lenient if lenient else Reader)(row.data, at, parts)
        try:
            reader.record_batch(path)
        except DecodeError as error:
            where = error.path.removeprefix(f"{path}.")
            return [*found, _rest(row, at, f"no batch: {where}: {error.reason}")]
        forgiven = reader.forgiven if isinstance(reader, Lenient) else ()
        batch = rows(row.data[: reader.offset], parts, at, forgiven=forgiven)
        found += [replace(each, offset=row.offset + each.offset) for each in batch]
        at, index = reader.offset, index + 1
    return found or [row]


def _rest(row: Row, at: int, says: str) -> Row:
    """The row of the bytes from `at` on."""
    if at == 0:
        return replace(row, says=says)
    text = bytes_to_text(row.data[at:])
    return replace(
        row, offset=row.offset + at, data=row.data[at:], value=text, text=f'"{text}"', says=says
    )
