"""The places where frames begin and end: four bytes of length precede each frame."""

from __future__ import annotations

import struct

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
