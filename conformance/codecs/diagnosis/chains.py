"""Several edits of one message's definition that explain its failures together.

With two wrong lines, nearly every case shows both, so that neither edit alone gives the target's
answers. But the edit of the first wrong line on the wire makes the bytes equal up to the second
one. So edits are added one at a time, each time those that bring the answers nearest to the
target's (a beam search; `LineUp.nearness` measures it).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence

from conformance.codecs.diagnosis.line_up import LineUp, Who
from conformance.results.lines import Verdict

_MOST_LINES = 3
"""The most edits in one chain.

Each more multiplies the work by the number of a message's edits; three wrong lines in one message
are rare.
"""
_BEAMS = 3
"""The number of chains of each length that are continued (the width of the beam).

With 1, a chain whose first edit is only the second nearest would be missed; the work grows with it.
"""
_TRIED = 8
"""The number of nearest chains of each length that are yielded to be asked about all failures.

It bounds work: the sample of `_FEW` answers does not always rank the right chain first.
"""
_FEW = 6
"""The number of wrong answers by which nearness is measured.

It bounds work, as each edit of a message is asked about each of them.
"""
_LITTLE = 1e-9
"""The least gain in nearness that counts: less is the rounding of a sum of floats."""
_INDEX = re.compile(r"\[\d+\]")
"""The number of an element in a path."""
_OF_BYTES = re.compile(r"offset \d+ \((?P<path>.*), \w+\)")
"""A first difference of bytes, with the path of the field."""
IsRight = Callable[[Who], bool]


def chains(
    line_up: LineUp, named: Who, edits: Collection[str], own: Sequence[Verdict]
) -> Iterator[Who]:
    """Yield chains of edits that bring a message's answers nearest to the target's.

    Each has at least two edits, besides the suspects that are `named` already.
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
    """Yield each edit that brings the answers nearer, with the nearness that it reaches.

    The answer furthest from the target's has to get nearer. It is asked for first, so that edits of
    other places take one question.
    """
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
    """Return the sum of the nearness of some answers."""
    return sum(line_up.nearness(who, each) for each in few)


def _telling(own: Sequence[Verdict]) -> list[Verdict]:
    """Return the wrong answers that differ most between edits: short ones, at different places.

    Written bytes come first, since what a reader returns from a wrong place shows less.
    """
    plain = [e for e in own if e.op in ("encode", "decode") and e.outcome == "value"]
    plain = sorted((e for e in plain if e.first_difference), key=_by_what_it_tells)
    first: dict[tuple[str, str], Verdict] = {}
    for each in plain:
        first.setdefault((each.op, _place(each)), each)
    found = [*first.values(), *(each for each in plain if each not in first.values())]
    return sorted(found[:_FEW], key=_by_what_it_tells)


def _by_what_it_tells(verdict: Verdict) -> tuple[bool, int]:
    """Return a sort key: written bytes first, then the shortest input."""
    return verdict.op != "encode", len(str(verdict.input))


def _place(verdict: Verdict) -> str:
    """Return the path at which an answer differs first, without numbers of elements."""
    said = verdict.first_difference or ""
    found = _OF_BYTES.match(said)
    return _INDEX.sub("[]", found["path"] if found else said.partition(":")[0])
