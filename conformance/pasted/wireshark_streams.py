"""A stream as Wireshark's "Follow" shows it: YAML, C arrays, or tshark's raw lines.

Each form states which end sent which bytes; dumps of both ends show that by their indents.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from conformance.pasted.literals import numbers_of
from conformance.pasted.piece import Piece
from conformance.pasted.plain import base64

_ARRAY = re.compile(r"\bpeer(\d+)_\d+\s*\[\]\s*=\s*\{([^{}]*)\}")
_COMMENT = re.compile(r"/\*.*?\*/", re.S)
_BINARY = re.compile(
    r"(?:^[ \t]*peer:\s*(?P<peer>\d+)[ \t]*$(?:(?!!!binary).)*?)?"
    r"^[ \t]*(?:peer(?P<named>\d+)_\d+|data):\s*!!binary\s*\|[ \t]*\n"
    r"(?P<lines>(?:[ \t]+[0-9A-Za-z+/=]+[ \t]*(?:\n|\Z))*)",
    re.M | re.S,
)
_RAW_HEAD = re.compile(r"^Follow: tcp,raw[ \t]*$", re.M)
_RAW_LINE = re.compile(r"^(?P<indent>\t?)(?P<hex>(?:[0-9a-f]{2})+)[ \t]*$", re.M)


def read(text: str) -> list[Piece] | None:
    """Return the pieces of a followed stream, None for another text."""
    found = list(_yaml(text) if "!!binary" in text else _arrays(text))
    if not found and _RAW_HEAD.search(text):
        found = [
            Piece(bytes.fromhex(line["hex"]), "peer 1" if line["indent"] else "peer 0")
            for line in _RAW_LINE.finditer(text)
        ]
    return found or None


def _arrays(text: str) -> Iterator[Piece]:
    for peer, inside in _ARRAY.findall(_COMMENT.sub(" ", text)):
        numbers = numbers_of(inside)
        if numbers:
            yield Piece(bytes(numbers), f"peer {peer}")


def _yaml(text: str) -> Iterator[Piece]:
    for found in _BINARY.finditer(text):
        for piece in base64(found["lines"]) or ():
            peer = found["peer"] or found["named"]
            yield Piece(piece.data, f"peer {peer}" if peer else "")
