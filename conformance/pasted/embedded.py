"""Runs of hex digits, of pairs of them, or of base64 within other words, as in a line of a log.

A run is long and has a zero byte: frames have one, and names or random ids seldom do.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from conformance.pasted import plain
from conformance.pasted.piece import Piece

_RUN = re.compile(r"(?<![0-9A-Za-z+/_.-])[0-9A-Za-z+/]{16,}={0,2}(?![0-9A-Za-z+/_.-])")
_PAIRS = re.compile(
    r"(?<![0-9A-Za-z:.-])[0-9a-fA-F]{2}(?P<between>[ :-])(?:[0-9a-fA-F]{2}(?P=between)){6,}"
    r"[0-9a-fA-F]{2}(?![0-9A-Za-z])"
)
_HEX = re.compile(r"(?:0x)?((?:[0-9a-f]{2})+|(?:[0-9A-F]{2})+)")


def read(text: str) -> list[Piece] | None:
    """Return the bytes of each run in a text, None if there is no run."""
    return list(_runs(text)) or None


def _runs(text: str) -> Iterator[Piece]:
    for number, line in enumerate(text.splitlines(), 1):
        runs = [*_PAIRS.finditer(line), *_RUN.finditer(line)]
        for run in sorted(runs, key=lambda each: each.start()):
            digits = _HEX.fullmatch(re.sub("[ :-]", "", run[0]))
            pieces = [Piece(bytes.fromhex(digits[1]))] if digits else plain.base64(run[0])
            for piece in pieces or ():
                if 0 in piece.data:
                    form = "hex" if digits else "base64"
                    place = f"line {number}, column {run.start() + 1}"
                    size = len(piece.data)
                    note = f"{place}: {size} bytes of {form} are read, and no more of the line"
                    yield Piece(piece.data, note=note)
