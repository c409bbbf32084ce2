"""The parts of recognised bytes, what is said about one, and their order in a conversation of two
ends.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from conformance.explain.explanation import Explanation
from conformance.explain.suspects import with_suspect
from conformance.results.text import spans


@dataclass(frozen=True)
class Part:
    """A recognised part of the bytes: its explanation, its offset, and the side that sent it."""

    explanation: Explanation
    offset: int = 0
    side: str = ""
    kind: str = ""
    """"request", "response", "records", "token", or "" for anything else."""


class Stream(NamedTuple):
    """The bytes of one end of a connection, or of both if nothing separates them."""

    data: bytes
    side: str = ""


def noted(part: Part, note: str) -> Part:
    """Return a part with one more note in front of its own."""
    if not note:
        return part
    notes = (note, *part.explanation.notes)
    return replace(part, explanation=replace(part.explanation, notes=notes))


def in_words(versions: Sequence[int]) -> str:
    """Return versions in words, such as "v0, v4 to v6"."""
    return ", ".join(spans(versions))


def of_all(found: Explanation, versions: Sequence[int]) -> Explanation:
    """Return an explanation that names all the versions that fit its bytes alike."""
    if len(versions) == 1 or found.form is None:
        return found
    last, message = versions[-1], found.form.message
    either = f"{', '.join(f'v{each}' for each in versions[:-1])} or v{last}"
    title = found.title.replace(f"{message} v{last}", f"{message} {either} (read as v{last})", 1)
    return replace(found, title=title)


def suspecting(part: Part, release: str, lenient: bool) -> Part:
    """Return a part that names the count that may be the culprit of its faults."""
    found = with_suspect(part.explanation, release, lenient=lenient)
    return replace(part, explanation=found)


def shifted(part: Part) -> Part:
    """Return a part whose rows have their offsets among all bytes of the stream."""
    rows = tuple(replace(row, offset=row.offset + part.offset) for row in part.explanation.rows)
    return replace(part, explanation=replace(part.explanation, rows=rows))


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
