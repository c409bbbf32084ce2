"""Bytes that a strict reader refuses and Apache Kafka may read, made from golden vectors.

Each is an edit of one place, made without regard for what else it breaks: two readers are to say
the same of it, whatever that is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from conformance.schema.layout import Layout
from conformance.wire.reader import BytePart, annotate

INVALID_TEXT = tuple(
    bytes.fromhex(text)
    for text in ("ff", "c080", "eda080", "eda0", "f09f98", "f4908080", "e08080", "c3e9")
)
MARKERS = (0, 2, 3, 127, -1, -2, -128)
SIZES = (2**31 - 1, 2**31, 2**32 - 2, 2**32 - 1)
UNSORTED = bytes.fromhex("a04e0101 9f4e0102")
TWICE = bytes.fromhex("a04e0101 a04e020102")


def edits(layouts: Sequence[Layout], data: bytes) -> Iterator[tuple[str, bytes]]:
    """Names and bytes, place by place."""
    parts, error = annotate(layouts, data)
    assert error is None
    yield "untouched", data
    yield "one byte behind the end", data + b"\x00"
    yield "bytes behind the end", data + b"\xff" * 9
    for index, part in enumerate(parts):
        for name, new in _replacements(part, data):
            at = f"{name} at {part.offset} ({part.path})"
            yield at, data[: part.offset] + new + data[part.offset + part.length :]
        if part.path.endswith("_tags(count)"):
            yield from _sections(part, parts[index + 1 :], data)


def scrambled(data: bytes, random: Random, times: int) -> Iterator[tuple[str, bytes]]:
    """The bytes with one to three of them changed, left out or doubled, by chance."""
    for number in range(times):
        new = bytearray(data)
        for _ in range(random.randint(1, 3)):
            at = random.randrange(len(new)) if new else 0
            new[at : at + random.randint(0, 1)] = random.choice(
                (b"", b"\x00", b"\xff", b"\x80", bytes([random.randrange(256)]))
            )
        yield f"scrambled {number}", bytes(new)


def uvarint(value: int, width: int = 1) -> bytes:
    """UNSIGNED_VARINT, padded to `width` bytes where that is more."""
    out = bytearray()
    while value > 0x7F or len(out) < width - 1:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def _replacements(part: BytePart, data: bytes) -> Iterator[tuple[str, bytes]]:
    if part.kind == "bool":
        yield from ((f"boolean {value}", bytes([value])) for value in (2, 0x80, 0xFF))
    elif part.kind == "uvarint":
        yield from _varints(part)
    elif part.path.endswith("(marker)"):
        yield from ((f"marker {value}", _signed(value, 1)) for value in MARKERS)
    elif part.path.endswith("(length)"):
        most = (1 << (8 * part.length - 1)) - 1
        yield from (
            (f"length {value}", _signed(value, part.length))
            for value in (-1, -2, -3, -most - 1, most, part.value + 1)
        )
    elif part.kind == "string":
        yield from _texts(data[part.offset : part.offset + part.length])


def _texts(old: bytes) -> Iterator[tuple[str, bytes]]:
    for raw in INVALID_TEXT:
        if len(raw) <= len(old):
            yield f"text {raw.hex()} first", raw + old[len(raw) :]
            yield f"text {raw.hex()} last", old[: -len(raw)] + raw


def _signed(value: int, length: int) -> bytes:
    return value.to_bytes(length, "big", signed=True)


def _varints(part: BytePart) -> Iterator[tuple[str, bytes]]:
    for width in range(part.length + 1, 7):
        yield f"varint of {width} bytes", uvarint(part.value, width)
    five = uvarint(part.value, 5)
    for bits in (0x10, 0x20, 0x70):
        yield f"overflow bits {bits:x}", five[:-1] + bytes([five[-1] | bits])
    for value in (0, 1, part.value + 1, part.value - 1, part.value + 200, *SIZES):
        if value not in (part.value, -1):
            yield f"varint {value}", uvarint(value)


def _sections(
    count: BytePart, behind: Sequence[BytePart], data: bytes
) -> Iterator[tuple[str, bytes]]:
    """A section with more entries before those that it has, and with those it has turned round."""
    entries = []
    end = count.offset + count.length
    here = count.path.removesuffix("(count)")
    sized = (part for part in behind if part.path == f"{here}(size)")
    for _ in range(count.value):
        size = next(sized)
        start, end = end, size.offset + size.length + size.value
        entries.append(data[start:end])
    before, after = data[: count.offset], data[end:]
    at = f"at {count.offset} ({here})"
    for name, more in (("unsorted", UNSORTED), ("unknown twice", TWICE)):
        new, old = uvarint(count.value + 2), b"".join(entries)
        yield f"{name} first {at}", before + new + more + old + after
        yield f"{name} last {at}", before + new + old + more + after
    if entries:
        twice = uvarint(2 * count.value) + b"".join(entries) * 2
        yield f"each twice {at}", before + twice + after
        turned = uvarint(count.value) + b"".join(reversed(entries))
        yield f"descending {at}", before + turned + after
