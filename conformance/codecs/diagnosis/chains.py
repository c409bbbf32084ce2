"""Several edits of one message's definition that explain its failures together.

A message with two wrong lines fails nearly everywhere with both, so neither edit alone gives an
answer of the target. But the edit that comes first on the wire brings the bytes nearer to those
that the target wrote: they are alike up to the second fault. So edits are put together one after
another, each time the one that brings the answers nearest.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence

from conformance.codecs.diagnosis.line_up import LineUp, Who
from conformance.results.lines import Verdict

_MOST_LINES = 3
"""The most wrong lines of one message that are looked for."""
_BEAMS = 3
"""So many beginnings are followed at a time."""
_TRIED = 8
"""So many of the nearest are held against all failures."""
_FEW = 6
_LITTLE = 1e-9
_INDEX = re.compile(r"\[\d+\]")
_OF_BYTES = re.compile(r"offset \d+ \((?P<path>.*), \w+\)")
IsRight = Callable[[Who], bool]


def chains(
    line_up: LineUp, named: Who, edits: Collection[str], own: Sequence[Verdict]
) -> Iterator[Who]:
    """Yield edits that bring the answers to a message nearest to the target's, several each.

    Each chain is without those who are `named`, and has at least two edits.
    """
    few = _telling(own)
    beams: list[tuple[float, Who]] = [(_nearness(line_up, named, few), ())]
    for length in range(1, _MOST_LINES + 1):
        longer = [
            (near, (*chain, name))
            for before, chain in beams
            for name, near in _nearer(line_up, (*named, *chain), edits, few, before)
        ]
        longer.sort(key=lambda each: -each[0])
        if length > 1:
            yield from (chain for _, chain in longer[:_TRIED])
        beams = longer[:_BEAMS]


def _nearer(
    line_up: LineUp, who: Who, edits: Collection[str], few: Sequence[Verdict], before: float
) -> Iterator[tuple[str, float]]:
    """Yield each edit that brings the answers nearer than they are, and how near."""
    if not few:
        return
    *others, hardest = sorted(few, key=lambda each: -line_up.nearness(who, each))
    least = line_up.nearness(who, hardest)
    for name in edits:
        if name in who:
            continue
        own = line_up.nearness((*who, name), hardest)
        if own > least + _LITTLE:
            near = own + _nearness(line_up, (*who, name), others)
            if near > before + _LITTLE:
                yield name, near


def _nearness(line_up: LineUp, who: Who, few: Sequence[Verdict]) -> float:
    return sum(line_up.nearness(who, each) for each in few)


def _telling(own: Sequence[Verdict]) -> list[Verdict]:
    """Return the shortest wrong answers, at different places as far as there are.

    Bytes that were written come first: what a reader makes of the wrong place tells less.
    """
    plain = [e for e in own if e.op in ("encode", "decode") and e.outcome == "value"]
    plain = sorted((e for e in plain if e.first_difference), key=_by_what_it_tells)
    first: dict[tuple[str, str], Verdict] = {}
    for each in plain:
        first.setdefault((each.op, _place(each)), each)
    found = [*first.values(), *(each for each in plain if each not in first.values())]
    return sorted(found[:_FEW], key=_by_what_it_tells)


def _by_what_it_tells(verdict: Verdict) -> tuple[bool, int]:
    return verdict.op != "encode", len(str(verdict.input))


def _place(verdict: Verdict) -> str:
    """Return the path at which an answer differs first, without numbers of elements."""
    said = verdict.first_difference or ""
    found = _OF_BYTES.match(said)
    return _INDEX.sub("[]", found["path"] if found else said.partition(":")[0])
