"""A run of bytes out of a pasted text."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Piece:
    """Bytes, and the end of a connection that sent them, "" if the text does not show it.

    `note` states what was assumed, "" if nothing was. `other` are the bytes if that assumption is
    wrong, None if nothing was assumed.
    """

    data: bytes
    side: str = ""
    note: str = ""
    other: bytes | None = None
