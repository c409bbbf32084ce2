"""Bytes by hand, from the protocol guide and KIP-482, and from none of our own code."""

from __future__ import annotations

import struct


def i8(*values: int) -> bytes:
    """INT8, big-endian two's complement like all the others."""
    return struct.pack(f">{len(values)}b", *values)


def i16(*values: int) -> bytes:
    return struct.pack(f">{len(values)}h", *values)


def i32(*values: int) -> bytes:
    return struct.pack(f">{len(values)}i", *values)


def i64(*values: int) -> bytes:
    return struct.pack(f">{len(values)}q", *values)


def classic(text: str) -> bytes:
    """STRING: its length in bytes as INT16, then UTF-8."""
    raw = text.encode()
    return struct.pack(">h", len(raw)) + raw


def compact(text: str) -> bytes:
    """COMPACT_STRING of fewer than 127 bytes: N+1 in one byte, then UTF-8."""
    raw = text.encode()
    assert len(raw) < 127
    return bytes([len(raw) + 1]) + raw


def count(number: int) -> bytes:
    """The count of a compact array of fewer than 127 elements."""
    assert number < 127
    return bytes([number + 1])


def tags(*entries: tuple[int, bytes]) -> bytes:
    """A tag section: count, then tag, size and value of each; all numbers below 128."""
    out = bytes([len(entries)])
    for number, value in entries:
        assert number < 128
        assert len(value) < 128
        out += bytes([number, len(value)]) + value
    return out


NO_TAGS = b"\x00"
NULL = b"\x00"
"""Null of a compact type."""
CLASSIC_NULL_STRING = b"\xff\xff"
CLASSIC_NULL_ARRAY = b"\xff\xff\xff\xff"
