"""The bytes that a pasted text stands for.

A table of forms, from the one that is hardest to mistake to the one that nearly any text fits: each
reads a text, or returns None if the text is of another form. No form is guessed: a dump must have
right offsets, a literal right quotes. Nothing here reads a file or knows Kafka.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from conformance.pasted import decorated, dumps, literals, packets, plain, wireshark_streams
from conformance.pasted.piece import Piece


@dataclass(frozen=True, slots=True)
class Pasted:
    """The content of a text: the name of its form, its bytes in order, and notes.

    `notes` name what was left out or assumed. `other` is the content of the text if an assumption
    that the notes name is wrong.
    """

    form: str
    pieces: tuple[Piece, ...]
    notes: tuple[str, ...] = ()
    other: Pasted | None = None

    @property
    def data(self) -> bytes:
        """Return all bytes, of both ends of a connection."""
        return b"".join(piece.data for piece in self.pieces)


class _Form(NamedTuple):
    name: str
    read: Callable[[str], Sequence[Piece] | None]


_FORMS = (
    _Form("a followed stream", wireshark_streams.read),
    _Form("a dump", dumps.read),
    _Form("a string literal", literals.strings),
    _Form("hex", plain.hex_digits),
    _Form("a list of numbers", literals.lists),
    _Form("percent-encoding", plain.percent),
    _Form("base64", plain.base64),
    _Form("a line of a log", plain.embedded),
)


def read(text: str) -> Pasted | None:
    """Return the bytes that a text stands for, None for a text of no known form."""
    text = decorated.plain(text)
    for form in _FORMS:
        pieces = form.read(text)
        if pieces is not None:
            return _unwrapped(form.name, pieces)
    return None


def raw(data: bytes) -> Pasted:
    """Return what was pasted if it is raw bytes and not text that stands for bytes."""
    return _unwrapped("bytes", [Piece(data)])


def _unwrapped(name: str, pieces: Sequence[Piece]) -> Pasted:
    """Return the payloads of pieces that are packets; other pieces as they are."""
    found = packets.unwrapped(pieces)
    payloads, notes = found or (tuple(pieces), ())
    assumed = dict.fromkeys(piece.note for piece in pieces if piece.note)
    return Pasted(name, payloads, (*assumed, *notes), _other(name, pieces))


def _other(name: str, pieces: Sequence[Piece]) -> Pasted | None:
    """Return the pieces without the assumptions made about them, None if none was made."""
    if all(piece.other is None for piece in pieces):
        return None
    others = [replace(each, data=each.other or each.data, other=None, note="") for each in pieces]
    return _unwrapped(name, others)


__all__ = ["Pasted", "Piece", "raw", "read"]
