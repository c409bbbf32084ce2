"""The bytes of a records field as rows: those of the batches and messages that it holds.

Each is read as far as it can be, and the next one is looked for where it says that it ends, so one
that is wrong hides none of the others. What is wrong is marked where it stands. Where a field may
end is up to its message: a fetch may end within a batch, and a snapshot is cut anywhere.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from conformance.schema.record_batch import MAGIC
from conformance.wire.annotated import Row, rows
from conformance.wire.byte_reader import BytePart
from conformance.wire.errors import ChecksumError, DecodeError, FormatError, LengthError
from conformance.wire.lenient import Lenient
from conformance.wire.reader import Reader
from conformance.wire.records.reader import MAGIC_OFFSET
from conformance.wire.records.set_reader import HEAD, LEAST_SIZES, Record, RecordSetReader
from conformance.wire.text import bytes_to_text

RECORDS = "records"
"""The type of a field that holds batches."""
_LEAST_SIZE = min(LEAST_SIZES)
CONTROL_TYPES = (
    "ABORT",
    "COMMIT",
    "LEADER_CHANGE",
    "SNAPSHOT_HEADER",
    "SNAPSHOT_FOOTER",
    "KRAFT_VERSION",
    "KRAFT_VOTERS",
)
"""Control records by the second INT16 of their keys (KIP-98, KIP-595, KIP-630, KIP-853)."""
_CONTROL = 0x20
_CONTROL_SIZE = 4
_CONTROL_KEY = re.compile(r"records\[\d+\]\.key$")


@dataclass(frozen=True, slots=True)
class Holder:
    """The records that a message may hold.

    `cut` says that they may end within a batch, and `first` that a batch which nothing precedes may
    be cut too: from version 3 of Fetch on, the first batch is whole, or a consumer gets no further
    (KIP-74). `anywhere` says that they may begin within a batch as well. `produced` says that a
    producer wrote them, whose batches have an offset for each record. `formats` are the allowed
    formats; `named` is the name of the message in other texts.
    """

    cut: bool = False
    first: bool = True
    anywhere: bool = False
    produced: bool = False
    formats: frozenset[int] = frozenset({0, 1, 2})
    named: str = ""


_BATCHES_ALONE = frozenset({MAGIC})
_BATCHES_SINCE = 3
_FIRST_WHOLE_SINCE = 3


def holder_of(message: str, version: int) -> Holder:
    """Return the `Holder` for a version of a message."""
    if message == "ProduceRequest":
        since = version >= _BATCHES_SINCE
        formats = _BATCHES_ALONE if since else frozenset({0, 1, 2})
        return Holder(produced=since, formats=formats, named=f"Produce v{version}")
    first = message == "FetchResponse" and version < _FIRST_WHOLE_SINCE
    anywhere = message == "FetchSnapshotResponse"
    return Holder(cut=True, first=first or anywhere, anywhere=anywhere, named=message)


def with_batches(row: Row, holder: Holder, *, lenient: bool = False) -> list[Row]:
    """The rows of the batches in a records field in place of its own; any other row as it is."""
    if row.type != RECORDS or row.state != "read" or not row.data:
        return [row]
    found = batch_rows(row.data, row.path, holder, lenient=lenient)
    return [replace(each, offset=row.offset + each.offset) for each in found]


def batch_rows(
    data: bytes, path: str, holder: Holder, *, lenient: bool = False, alone: bool = False
) -> list[Row]:
    """The rows of batches and messages, one after another; `alone` takes all bytes for one."""
    found: list[Row] = []
    at = index = 0
    while at < len(data):
        here = path if alone else f"{path}[{index}]"
        end = len(data) if alone else _end(data, at)
        if end is None and holder.cut and (index or holder.first):
            return [*found, _rest(data, at, path, _cut_off(data, at))]
        batch = _Batch(data, at, len(data) if end is None else end, here, lenient)
        if batch.error and holder.anywhere:
            where = batch.error.path.removeprefix(f"{here}.")
            return [*found, _rest(data, at, path, f"no batch: {where}: {batch.error.reason}")]
        found += batch.rows(holder)
        if alone:
            break
        at, index = batch.end, index + 1
    return found


def _end(data: bytes, at: int) -> int | None:
    """Return the end of a batch or message by its own length; None if it is beyond the bytes."""
    if at + HEAD > len(data):
        return None
    (size,) = struct.unpack_from(">i", data, at + HEAD - 4)
    if size < _LEAST_SIZE:
        return len(data)
    end = at + HEAD + int(size)
    return end if end <= len(data) else None


def _cut_off(data: bytes, at: int) -> str:
    left = len(data) - at
    if left < HEAD:
        return f"the first {left} bytes of a batch: a fetch may end within one"
    (size,) = struct.unpack_from(">i", data, at + HEAD - 4)
    return f"{left} of the {HEAD + size} bytes of a batch: a fetch may end within one"


class _Batch:
    """One batch or message, read as far as it can be."""

    def __init__(self, data: bytes, at: int, end: int, path: str, lenient: bool) -> None:
        self.data, self.at, self.end, self.path = data, at, end, path
        self.parts: list[BytePart] = []
        self.error: DecodeError | None = None
        self.value: dict[str, Any] | None = None
        kind = _LenientBatches if lenient else _Batches
        self._reader = kind(data[:end], at, self.parts)
        at_magic = at + MAGIC_OFFSET
        self.magic = data[at_magic] if at_magic < end else MAGIC
        try:
            if self.magic < MAGIC:
                self._reader.message(path)
            else:
                self.value = self._reader.record_batch(path)
        except DecodeError as error:
            self.error = error

    def rows(self, holder: Holder) -> list[Row]:
        """The rows, with all that is wrong marked."""
        forgiven = self._reader.forgiven if isinstance(self._reader, Lenient) else ()
        found = rows(self.data[: self.end], self.parts, self.at, self.error, [*forgiven])
        if self.value is not None and self.value["attributes"] & _CONTROL:
            found = [_of_control(row) for row in found]
        for fault in (*self._reader.faults, *self._misplaced(holder)):
            found = [_marked(row, fault) for row in found]
        return found

    def _misplaced(self, holder: Holder) -> Iterator[DecodeError]:
        """Yield an error for each part that is well-formed by itself and wrong in this message."""
        if self.error is not None:
            return
        if self.magic not in holder.formats:
            reason = f"format {self.magic}: {holder.named} carries batches of format {MAGIC}"
            yield FormatError(reason, f"{self.path}.magic", self.at + MAGIC_OFFSET)
        if not holder.produced or self.value is None:
            return
        count = len(self.value["records"])
        last = self.value["lastOffsetDelta"]
        if last != count - 1:
            [part] = [each for each in self.parts if each.path == f"{self.path}.lastOffsetDelta"]
            reason = f"{last}, and the last of {count} records that are produced has {count - 1}"
            yield LengthError(reason, part.path, part.offset)


def _of_control(row: Row) -> Row:
    """The key of a control record with what its type means; any other row as it is."""
    if not _CONTROL_KEY.search(row.path) or len(row.data) != _CONTROL_SIZE:
        return row
    version, kind = struct.unpack(">hh", row.data)
    meant = CONTROL_TYPES[kind] if 0 <= kind < len(CONTROL_TYPES) else f"of unknown type {kind}"
    return replace(row, says=f"control record {meant}, version {version}")


def _marked(row: Row, fault: DecodeError) -> Row:
    if not row.offset <= fault.offset < row.end:
        return row
    says = "; ".join(filter(None, (row.says, fault.reason)))
    return replace(row, state="wrong", says=says)


def _rest(data: bytes, at: int, path: str, says: str) -> Row:
    """The row of the bytes from `at` on, which are no whole batch."""
    text = bytes_to_text(data[at:])
    return Row(at, data[at:], path, RECORDS, text, f'"{text}"', says=says)


class _Checks(RecordSetReader):
    """Reads on where a checksum is wrong, and shows what compressed records say."""

    def __init__(self, data: bytes, offset: int = 0, parts: list[BytePart] | None = None) -> None:
        super().__init__(data, offset, parts)
        self.faults: list[DecodeError] = []

    def checksum(self, path: str, begin: int) -> None:
        """Remember a checksum that is wrong."""
        try:
            super().checksum(path, begin)
        except ChecksumError as error:
            self.faults.append(error)

    def message_checksum(self, path: str) -> None:
        """Remember a checksum that is wrong."""
        try:
            super().message_checksum(path)
        except ChecksumError as error:
            self.faults.append(error)

    def compressed(self, codec: str, count: int, path: str, start: int) -> list[Any]:
        """Note each record that is compressed, at the end of the bytes that they all are."""
        found = super().compressed(codec, count, path, start)
        for index, record in enumerate(found):
            here = f"{path}[{index}]"
            self.note(0, f"{here}.key", "bytes", record["key"])
            self.note(0, f"{here}.value", "bytes", record["value"])
            for number, header in enumerate(record["headers"]):
                self.note(0, f"{here}.headers[{number}].key", "string", header["key"])
                self.note(0, f"{here}.headers[{number}].value", "bytes", header["value"])
        return found

    def inner_messages(
        self, codec: int, magic: int, attributes: int, around: Record, path: str
    ) -> list[Record]:
        """Note each message that is compressed, at the end of the bytes that they all are."""
        found = super().inner_messages(codec, magic, attributes, around, path)
        for index, message in enumerate(found):
            for name in ("key", "value"):
                self.note(0, f"{path}.messages[{index}].{name}", "bytes", message[name])
        return found


class _Batches(_Checks, Reader):
    """Strictly."""


class _LenientBatches(_Checks, Lenient):
    """As Apache Kafka does."""
