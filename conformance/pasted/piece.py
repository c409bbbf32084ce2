"""A run of bytes out of a pasted text."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Piece:
    """Bytes, and which end of a connection sent them, "" where the text does not say.

    `note` says what was assumed, "" where the text leaves nothing open. `other` are the bytes where
    that assumption is wrong, None where there is none.
    """

    data: bytes
    side: str = ""
    note: str = ""
    other: bytes | None = None
