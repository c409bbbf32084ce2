"""Functions that generated readers and writers import: rare cases, not worth a line in each."""

from __future__ import annotations

from binascii import b2a_base64
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from struct import Struct, pack, unpack_from
from typing import Any

from conformance.wire.reader import MAX_TAG, UNKNOWN_TAGS
from conformance.wire.text import (
    URL_SAFE,
    bytes_to_text,
    float_to_text,
    text_to_bytes,
    text_to_float,
    text_to_uuid,
)


class Bad(Exception):
    """Something is wrong; the plain reader or writer says what."""


class Short(Bad):
    """The bytes end too early, or a length lies."""


ZERO = b"\x00"
PRESENT = b"\x01"
NULL_STRUCT = b"\xff"
BOOLS = frozenset({bool})
SHORT = 16
"""Arrays of numbers with a count (N+1 where compact) below this have their calls prepared."""
BYTES = [bytes([byte]) for byte in range(128)]
"""Varints of one byte, written."""
TIMES = [None, *((None,) * count for count in range(127))]
"""The iterable for each compact count (N+1) of one byte; the one for null can't be iterated."""


def unpackers(code: str, offset: int) -> list[Callable[..., tuple[Any, ...]] | None]:
    """`unpack_from` for arrays of numbers of this code, each at its count + offset below SHORT."""
    counts = range(SHORT - offset)
    return [None] * offset + [Struct(f">{count}{code}").unpack_from for count in counts]


@cache
def strings(codes: str) -> list[Callable[..., tuple[Any, ...]] | None]:
    """`unpack_from` for a string and numbers of these codes, each at its length + 1."""
    return [None, *(Struct(f">{length}s{codes}").unpack_from for length in range(127))]


def packers(code: str, offset: int) -> list[Callable[..., bytes] | None]:
    """`pack` for arrays of numbers of this code, each at its count + offset below SHORT."""
    counts = range(SHORT - offset)
    return [None] * offset + [Struct(f">{count}{code}").pack for count in counts]


def uvarint_rest(b: bytes, p: int, first: int, lag: int = 0) -> tuple[int, int]:
    """The varint whose first byte was `first`, above 127, and whose next is at `p + lag`.

    Returns its value, and `p` moved on by as many bytes as there were.
    """
    value = first & 0x7F
    for shift in (7, 14, 21, 28):
        byte = b[p + lag]
        p += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            if byte == 0 or value >= 1 << 32:
                raise Bad
            return value, p
    raise Bad


def uvarint(b: bytes, p: int) -> tuple[int, int]:
    """The varint at `p`, and the offset behind it."""
    first = b[p]
    return uvarint_rest(b, p + 1, first) if first > 127 else (first, p + 1)


def uvarint_bytes(value: int) -> bytes:
    """UNSIGNED_VARINT of `value`."""
    if value < 0x80:
        return bytes((value,))
    if value < 0x4000:
        return bytes((value & 0x7F | 0x80, value >> 7))
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def long_string(length: int) -> bytes:
    """The compact length (N+1) of a string of 127 bytes and more; none is above 32767 bytes."""
    if length > 32768:
        raise Bad
    return uvarint_bytes(length)


def tag_entries(b: bytes, p: int, n: int) -> Iterator[tuple[int, int, int]]:
    """Each entry of a tag section whose first byte was `n`: its tag, its value's begin and end."""
    if n > 127:
        n, p = uvarint_rest(b, p, n)
    previous, z = -1, len(b)
    if 2 * n > z - p:
        raise Short
    for _ in range(n):
        tag, p = uvarint(b, p)
        size, p = uvarint(b, p)
        if not previous < tag <= MAX_TAG or size > z - p:
            raise Bad
        previous = tag
        yield tag, p, p + size
        p += size


def read_unknown_tags(b: bytes, p: int, n: int, v: dict[str, Any]) -> int:
    """Keep the entries of a tag section none of which is known; returns the offset behind it."""
    for tag, begin, end in tag_entries(b, p, n):
        p = keep_tag(b, begin, end, tag, v)
    return p


def keep_tag(b: bytes, p: int, end: int, tag: int, v: dict[str, Any]) -> int:
    """Keep an unknown tagged field as it is; returns the offset behind it."""
    v.setdefault(UNKNOWN_TAGS, []).append({"tag": tag, "bytes": bytes_to_text(b[p:end])})
    return end


def other_tags(
    given: list[dict[str, Any]], known: Sequence[int], entries: list[tuple[int, bytes]]
) -> None:
    """Add tags that were kept without being known to `entries`."""
    if given.__class__ is not list:
        raise Bad
    for entry in given:
        tag = entry["tag"]
        if tag.__class__ is not int or tag in known or not 0 <= tag < 1 << 31:
            raise Bad
        entries.append((tag, text_to_bytes(entry["bytes"])))


def write_tags(entries: list[tuple[int, bytes]], w: Callable[[bytes], Any]) -> None:
    """Write a whole tag section, tags ascending."""
    entries.sort()
    if len({tag for tag, _ in entries}) != len(entries):
        raise Bad
    w(uvarint_bytes(len(entries)))
    for tag, raw in entries:
        w(uvarint_bytes(tag))
        w(uvarint_bytes(len(raw)))
        w(raw)


__all__ = [
    "BOOLS",
    "BYTES",
    "NULL_STRUCT",
    "PRESENT",
    "TIMES",
    "URL_SAFE",
    "ZERO",
    "Bad",
    "Short",
    "Struct",
    "b2a_base64",
    "float_to_text",
    "keep_tag",
    "long_string",
    "other_tags",
    "pack",
    "packers",
    "read_unknown_tags",
    "strings",
    "tag_entries",
    "text_to_bytes",
    "text_to_float",
    "text_to_uuid",
    "unpack_from",
    "unpackers",
    "uvarint",
    "uvarint_bytes",
    "uvarint_rest",
    "write_tags",
]
