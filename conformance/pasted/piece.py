"""A run of bytes out of a pasted text."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Piece:
    """Bytes, and which end of a connection sent them, "" where the text does not say."""

    data: bytes
    side: str = ""
