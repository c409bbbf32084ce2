"""The order of a conversation: frames of both ends, each where its first byte was sent."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from conformance.explain.recognised import Part, Stream


def by_pieces(parts: Sequence[Part], pieces: Sequence[Stream]) -> list[Part]:
    """Return parts in the order of the pieces in which they begin.

    Parts keep their order if a piece has no side, since their offsets say nothing then.
    """
    if not all(piece.side for piece in pieces):
        return list(parts)
    begins: dict[str, list[int]] = {}
    places: dict[str, list[int]] = {}
    ends: dict[str, int] = {}
    for place, piece in enumerate(pieces):
        begin = ends.get(piece.side, 0)
        begins.setdefault(piece.side, []).append(begin)
        places.setdefault(piece.side, []).append(place)
        ends[piece.side] = begin + len(piece.data)

    def place_of(part: Part) -> int:
        return places[part.side][bisect_right(begins[part.side], part.offset) - 1]

    return sorted(parts, key=place_of)
