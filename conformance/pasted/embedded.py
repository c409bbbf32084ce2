"""Runs of hex digits or base64 in a text of other words, such as a line of a log.

A run is long and has a zero byte: a frame has, and a name or a random id seldom has.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from conformance.pasted import plain
from conformance.pasted.piece import Piece

_RUN = re.compile(r"(?<![0-9A-Za-z+/_.-])[0-9A-Za-z+/]{16,}={0,2}(?![0-9A-Za-z+/_.-])")
_HEX = re.compile(r"(?:0x)?((?:[0-9a-f]{2})+|(?:[0-9A-F]{2})+)")


def read(text: str) -> list[Piece] | None:
    """Return the bytes of each run in a text, None where there is none."""
    return list(_runs(text)) or None


def _runs(text: str) -> Iterator[Piece]:
    for number, line in enumerate(text.splitlines(), 1):
        for run in _RUN.finditer(line):
            digits = _HEX.fullmatch(run[0])
            pieces = [Piece(bytes.fromhex(digits[1]))] if digits else plain.base64(run[0])
            for piece in pieces or ():
                if 0 in piece.data:
                    form = "hex digits" if digits else "letters of base64"
                    place = f"line {number}, column {run.start() + 1}"
                    note = f"{place}: {len(run[0])} {form} are read, and no more of the line"
                    yield Piece(piece.data, note=note)
