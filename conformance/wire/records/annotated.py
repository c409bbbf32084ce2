"""The bytes of a records field as rows: those of the batches and messages that it holds.

Each is read as far as it can be, and the next one is looked for where it says that it ends, so one
that is wrong hides none of the others. What is wrong is marked where it stands. Where a field may
end is up to its message: a fetch may end within a batch, and a snapshot is cut anywhere.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from conformance.schema.record_batch import MAGIC
from conformance.wire.annotated import Row, rows
from conformance.wire.byte_reader import ENDS_HERE, BytePart, Cut
from conformance.wire.errors import (
    ChecksumError,
    DecodeError,
    FormatError,
    LengthError,
    Truncated,
)
from conformance.wire.lenient import Lenient
from conformance.wire.reader import Reader
from conformance.wire.records.reader import MAGIC_OFFSET
from conformance.wire.records.set_reader import HEAD, LEAST_SIZES, Record, RecordSetReader
from conformance.wire.text import bytes_to_text

RECORDS = "records"
"""The type of a field that holds batches."""
_LEAST_SIZE = min(LEAST_SIZES)
_MOST_MISSING = 128 * 1024 * 1024
"""The most bytes that a batch may lack: more, and its length is no length."""
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
    """The rows of the batches in a records field in place of its own; any other row as it is.

    A field that is incomplete was cut: the caller says so.
    """
    is_cut = row.state == "incomplete"
    if row.type != RECORDS or not (is_cut or row.state == "read") or not row.data:
        return [row]
    found = batch_rows(row.data, row.path, holder, lenient=lenient, missing=is_cut)
    return [replace(each, offset=row.offset + each.offset) for each in found]


def batch_rows(
    data: bytes,
    path: str,
    holder: Holder,
    *,
    lenient: bool = False,
    alone: bool = False,
    missing: bool = False,
) -> list[Row]:
    """The rows of batches and messages, one after another; `alone` takes all bytes for one.

    The last may be cut: it is read to the last byte. The end of the bytes has a row of its own
    then, unless bytes are `missing`, which the caller says.
    """
    found: list[Row] = []
    at = index = 0
    while at < len(data):
        here = path if alone else f"{path}[{index}]"
        end = max(_end(data, at), len(data)) if alone else _end(data, at)
        batch = _Batch(data, at, end, here, lenient)
        may_end = holder.cut and (index > 0 or holder.first)
        if end > len(data) and may_end and not batch.is_cut:
            return [*found, _rest(data, at, path, _cut_off(data, at))]
        if batch.error and holder.anywhere and not batch.is_cut:
            where = batch.error.path.removeprefix(f"{here}.")
            return [*found, _rest(data, at, path, f"no batch: {where}: {batch.error.reason}")]
        rows_of = batch.rows(holder)
        if batch.is_cut:
            *rows_of, last = rows_of
            mark = replace(last, state="read" if may_end else "wrong", says=batch.cut_off(may_end))
            rows_of += [] if missing else [mark]
        found += rows_of
        if alone:
            break
        at, index = batch.end, index + 1
    return found


def _end(data: bytes, at: int) -> int:
    """Return the end of a batch or message by its own length, which may be beyond the bytes."""
    if at + HEAD > len(data):
        return at + HEAD
    (size,) = struct.unpack_from(">i", data, at + HEAD - 4)
    return len(data) if size < _LEAST_SIZE else at + HEAD + int(size)


def _cut_off(data: bytes, at: int) -> str:
    left = len(data) - at
    if left < HEAD:
        return f"the first {left} bytes of a batch"
    (size,) = struct.unpack_from(">i", data, at + HEAD - 4)
    return f"{left} of the {HEAD + size} bytes of a batch"


def are_whole_in(data: bytes, size: int) -> bool:
    """True if the batches that begin the bytes would end where their field of `size` does."""
    at = 0
    while len(data) - at >= HEAD and at < size:
        end = _end(data, at)
        if end == size:
            return True
        at = end
    return False


class _Batch:
    """One batch or message, read as far as it can be; it may end beyond the bytes."""

    def __init__(self, data: bytes, at: int, end: int, path: str, lenient: bool) -> None:
        self.data, self.at, self.end, self.path = data, at, min(end, len(data)), path
        self.parts: list[BytePart] = []
        self.error: DecodeError | None = None
        self.value: dict[str, Any] | None = None
        kind = _LenientBatches if lenient else _Batches
        self._reader = kind(data[:end], at, self.parts)
        missing = end - self.end
        self._reader.missing = missing if missing <= _MOST_MISSING else 0
        at_magic = at + MAGIC_OFFSET
        self.magic = data[at_magic] if at_magic < self.end else MAGIC
        try:
            if self.magic < MAGIC:
                self._reader.message(path)
            else:
                self.value = self._reader.record_batch(path)
        except DecodeError as error:
            self.error = error

    @property
    def is_cut(self) -> bool:
        """True if the bytes end before the batch does, and are right up to there."""
        return bool(self._reader.missing) and isinstance(self.error, Truncated)

    def cut_off(self, may_end: bool) -> str:
        """Return how much of the batch is here, and whether a fetch may end within one."""
        begin = _cut_off(self.data, self.at)
        if may_end:
            return f"{begin}: a fetch may end within one"
        missing = self._reader.missing
        more = f", {missing} missing" if self.end - self.at >= HEAD else ""
        return f"{ENDS_HERE}: {begin}{more}"

    def rows(self, holder: Holder) -> list[Row]:
        """The rows, with all that is wrong marked."""
        forgiven = self._reader.forgiven if isinstance(self._reader, Lenient) else ()
        found = rows(self.data[: self.end], self.parts, self.at, self.error, [*forgiven])
        found += [replace(row, offset=self.end) for row in self._reader.inside]
        if self.value is not None and self.value["attributes"] & _CONTROL:
            found = [_of_control(row) for row in found]
        for fault in (*self._reader.faults, *self._misplaced(holder), *self._too_long()):
            found = [_marked(row, fault) for row in found]
        return found

    def _too_long(self) -> Iterator[DecodeError]:
        """Yield an error if the length is beyond the bytes, and the records are whole."""
        missing = self._reader.missing
        if self.error is None and missing:
            left = self.end - self.at - HEAD
            length = "batchLength" if self.magic >= MAGIC else "size"
            reason = f"{left + missing} bytes, {left} left"
            yield LengthError(reason, f"{self.path}.{length}", self.at + HEAD - 4)

    def _misplaced(self, holder: Holder) -> Iterator[DecodeError]:
        """Yield an error for each part that is well-formed by itself and wrong in this message."""
        if self.error is not None or any(row.state == "wrong" for row in self._reader.inside):
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
    key = row.data or row.plain
    if not _CONTROL_KEY.search(row.path) or len(key) != _CONTROL_SIZE:
        return row
    version, kind = struct.unpack(">hh", key)
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


class _Checks(Cut, RecordSetReader):
    """Reads on where a checksum is wrong, and within compressed records.

    `inside` are the rows of the bytes that compressed ones stand for.
    """

    def __init__(self, data: bytes, offset: int = 0, parts: list[BytePart] | None = None) -> None:
        super().__init__(data, offset, parts)
        self.faults: list[DecodeError] = []
        self.inside: list[Row] = []

    def checksum(self, path: str, begin: int) -> None:
        """Remember a checksum that is wrong; of a batch that is cut, nothing shows that."""
        if self.missing:
            self.fixed("uint32", path)
            return
        try:
            super().checksum(path, begin)
        except ChecksumError as error:
            self.faults.append(error)

    def message_checksum(self, path: str) -> None:
        """Remember a checksum that is wrong; of a message that is cut, nothing shows that."""
        if self.missing:
            self.fixed("uint32", f"{path}.crc")
            return
        try:
            super().message_checksum(path)
        except ChecksumError as error:
            self.faults.append(error)

    def behind_records(self, count: int, path: str) -> None:
        """Pass over bytes that only the length of the batch says are there."""
        if self.offset < len(self.data):
            super().behind_records(count, path)

    def compressed(self, codec: str, count: int, path: str, start: int) -> list[Any]:
        """Read compressed records as far as they can be."""
        plain = self.decompressed(codec, path)
        return self._within(plain, lambda inner: inner.records(count, path, start))

    def inner_messages(
        self, codec: int, magic: int, attributes: int, around: Record, path: str
    ) -> list[Record]:
        """Read messages that another holds compressed as far as they can be."""
        plain = self.inner_bytes(codec, around, path)
        found = self._within(plain, lambda inner: _messages(inner, path))
        if not found and not self.inside:
            raise LengthError("no message in a compressed one", path, self.offset)
        if magic and found:
            self.place(found, around, attributes)
        return found

    def _within(self, plain: bytes, read: Callable[[_Checks], list[Any]]) -> list[Any]:
        """Read decompressed bytes, and keep their rows."""
        inner = type(self)(plain, 0, [])
        found: list[Any] = []
        error = None
        try:
            found = read(inner)
        except DecodeError as fault:
            error = fault
        forgiven = inner.forgiven if isinstance(inner, Lenient) else ()
        shown = rows(plain, inner.parts or (), 0, error, [*forgiven])
        for each in inner.faults:
            shown = [_marked(row, each) for row in shown]
        placed = (replace(row, data=b"", place=row.offset, plain=row.data) for row in shown)
        self.inside += [*placed, *inner.inside]
        return found


def _messages(inner: RecordSetReader, path: str) -> list[Record]:
    """Read messages of formats 0 and 1 to the last byte. Raises DecodeError."""
    found: list[Record] = []
    index = 0
    while inner.remaining:
        found += inner.message(f"{path}.messages[{index}]")[0]
        index += 1
    return found


class _Batches(_Checks, Reader):
    """Strictly."""


class _LenientBatches(_Checks, Lenient):
    """As Apache Kafka does."""
