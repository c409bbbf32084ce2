"""An edit, and the writers that make one: our own with a fault in one place.

A batch's length, its checksum and the lengths of its records are about other bytes. So a fault is
made where the writer writes: everything around it is derived from the faulty bytes, and it stays
the only one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from conformance.schema.record_batch import LAYOUT
from conformance.wire.records.zigzag import zigzag_bytes
from conformance.wire.writer import Writer

Answer = Literal["refused", "lenient", "survived", "read"]
Value = dict[str, Any]

HUGE = 2**31 - 1
LOWEST = -(2**31)
BEYOND = 1000
"""More than the bytes of a plain batch."""


@dataclass(frozen=True, slots=True)
class RecordEdit:
    """Edited bytes, what is wrong with them, and the allowed outcomes.

    `value` is the value that Apache Kafka reads, if a peer may read it, or has to ("read").
    """

    rule: str
    name: str
    data: bytes
    why: str
    answer: Answer = "refused"
    value: Value | None = None


def harmless(name: str, data: bytes, why: str) -> RecordEdit:
    """An edit of a length, of which no more is asked than that the target lives on."""
    return RecordEdit("records.lengths-harmless", name, data, why, "survived")


def written(value: Value, writer: type[Writer] = Writer) -> bytes:
    """The bytes that a writer with a fault, or without one, makes of a value."""
    made = writer()
    made.struct(LAYOUT, value)
    return bytes(made.out)


def overlong(value: Value) -> bytes:
    """The batch with the count of its first record's headers longer than it need be."""

    class Padded(Writer):
        def header_count(self, count: int, path: str) -> None:
            self.out += padded(count, 2) if "[0]" in path else zigzag_bytes(2 * count)

    return written(value, Padded)


def faulty(name: str, write: Callable[[Writer, Any, str], None], at: str = "") -> type[Writer]:
    """A writer with one method replaced; where the path ends with `at`, if that is given."""

    def method(self: Writer, given: Any, path: str) -> None:
        if path.endswith(at):
            write(self, given, path)
        else:
            getattr(Writer, name)(self, given, path)

    return type("Faulty", (Writer,), {name: method})


def add(writer: Writer, raw: bytes) -> None:
    """Write bytes as they are."""
    writer.out += raw


def zigzag(value: int) -> int:
    """The zig-zag number of an int32."""
    return (value << 1 ^ value >> 31) & 0xFFFF_FFFF


def padded(value: int, size: int) -> bytes:
    """A VARINT in more bytes than it takes."""
    raw = bytearray(zigzag_bytes(zigzag(value)))
    raw[-1] |= 0x80
    return bytes(raw) + b"\x80" * (size - len(raw) - 1) + b"\0"
