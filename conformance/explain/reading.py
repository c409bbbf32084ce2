"""The places where frames begin and end, and the reading of a frame that may be cut.

Where bytes are missing at the end, lengths that point beyond the last byte are right: the end of
the bytes is marked, and nothing else.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from conformance.schema.layout import WireType
from conformance.wire.annotated import Forgiven, Row
from conformance.wire.byte_reader import ENDS_HERE, Cut
from conformance.wire.errors import DecodeError, LengthError, Truncated
from conformance.wire.lenient import Lenient
from conformance.wire.reader import BytePart, Reader
from conformance.wire.records.annotated import RECORDS, are_whole_in

SIZE = 4
"""The number of bytes of a length."""
HANDSHAKE = b"\0\x11\0\0"
"""The begin of a SaslHandshake request of version 0, after which tokens have no headers."""
_LEAST_FRAME = 4
_MOST_FRAME = 128 * 1024 * 1024


def frames(data: bytes, *, tokens: bool = False) -> list[tuple[int, int]]:
    """Return where whole frames begin and end, one after another from the first byte on.

    A SASL token may be empty: after a SaslHandshake request of version 0, or with `tokens`.
    """
    found, at = [], 0
    while at + SIZE <= len(data):
        (size,) = struct.unpack_from(">i", data, at)
        end = at + SIZE + size
        if size < (0 if tokens else _LEAST_FRAME) or end > len(data):
            break
        found.append((at, end))
        tokens = tokens or data[at + SIZE :].startswith(HANDSHAKE)
        at = end
    return found


def lacks(data: bytes) -> bool:
    """True if bytes begin with a plausible length that is larger than the rest of the bytes."""
    size = int.from_bytes(data[:SIZE], "big")
    return len(data) >= 2 * SIZE and len(data) - SIZE < size <= _MOST_FRAME


@dataclass(frozen=True)
class Read:
    """The result of reading: the parts, the error that ended it, the faults that were forgiven.

    `undecided` is why the bytes after the parts were not read. `missing` is how many bytes the
    frame lacks by its length, and `kind` the type of the last value with a length.
    """

    parts: list[BytePart]
    error: DecodeError | None = None
    forgiven: list[Forgiven] = field(default_factory=list)
    undecided: str = ""
    missing: int = 0
    kind: str = ""

    @property
    def is_cut(self) -> bool:
        """True if bytes are missing, and those that are here are right."""
        return bool(self.missing) and isinstance(self.error, Truncated)


class Reading(Cut, Reader):
    """Reads a frame that may be cut; `kind` is the type of the last value with a length."""

    kind = ""

    def sized(self, type_: WireType, path: str) -> str | None:
        """Read a value with a length, and remember its type."""
        self.kind = type_.kind
        return super().sized(type_, path)


class LenientReading(Reading, Lenient):
    """Reads such a frame as Apache Kafka does."""


def missing_of(before: Sequence[Row], data: bytes) -> int:
    """Return how many bytes a frame lacks by its length."""
    said = before[-1].value if before else None
    return max(said - (len(data) - before[-1].end), 0) if isinstance(said, int) else 0


def lack_of_records(reader: Reading) -> int:
    """Return how many bytes a field of records lacks, if its length is right by its batches."""
    length = reader.parts[-1] if reader.parts else None
    if length is None or reader.kind != RECORDS or not length.path.endswith("(length)"):
        return 0
    size = length.value - (length.kind == "uvarint")
    is_right = are_whole_in(reader.data[reader.offset :], size)
    return size - reader.remaining if is_right else 0


def with_length(before: Sequence[Row], read: Read) -> list[Row]:
    """Return the row of a frame's length: wrong if the frame is read whole, and is shorter."""
    if not before or not read.missing or read.error or read.undecided:
        return list(before)
    row = before[-1]
    says = f"{row.value} bytes, {row.value - read.missing} left"
    return [*before[:-1], replace(row, state="wrong", says=says)]


def marked_end(found: list[Row], read: Read, end: int) -> list[Row]:
    """Return the rows of a frame, of which the last says where it was cut."""
    says = f"{ENDS_HERE}, {read.missing} are missing"
    if read.is_cut:
        *rest, last = found
        is_within = rest and rest[-1].state == "incomplete"
        path = rest[-1].path if is_within else last.path
        return [*rest, replace(last, path=path, says=says)]
    if read.missing and read.undecided:
        return [*found, Row(end, b"", state="wrong", says=says)]
    return found


def note_of_length(before: Sequence[Row], read: Read, size: int) -> str:
    """Return a note on a frame that is not as long as it says, "" if its length is right."""
    said, here = before[-1].value if before else None, size - 4
    if isinstance(said, int) and not 0 <= said <= here:
        if said < 0:
            return f"the length {said} is negative: is this a frame with its length?"
        if read.error is None and not read.undecided:
            return f"the length says {said} bytes, and the frame ends after {here}: one is wrong"
        missing = f"{here} are here, {said - here} missing"
        return f"the frame is cut: its length says {said} bytes, {missing}"
    if read.is_cut:
        return f"the records are cut: {read.missing} bytes of them are missing"
    beyond = isinstance(read.error, Truncated | LengthError) and read.error.reason.endswith("left")
    if beyond:
        return "the bytes end before the message does: it was cut, or a length in it is wrong"
    return ""
