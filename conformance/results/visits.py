"""A client's visit in few lines: the exchange that broke the rule, with its neighbours.

A visit is a list of lines, one for each request and answer. A client that asks again and again
produces the same lines again and again: they are shown once, with the number of repetitions.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

MOST = 12
"""The number of lines of a visit that are shown."""
BEHIND = 3
"""The most lines that are shown after the one that broke the rule."""
HERE = "> "
"""The mark in front of the line that broke the rule."""
MARK = "^ the request that broke the rule"
"""The line after the line that broke the rule."""
ABOUT = "^ the first answer to the request that this case is about"
"""The line after that answer, where no request by itself breaks the rule."""
_FRAME = re.compile(r"(?<= )([0-9a-f]{32})[0-9a-f]{8,}$")
_WHEN = re.compile(r"^(?P<at>[\d.]+ s), connection \d+ ")
_CORRELATION = re.compile(r"(?<= )([0-9a-f]{16})[0-9a-f]{8}(?=[0-9a-f]*$)")
_LONGEST_ROUND = 4
_OFTEN = 3


@dataclass(frozen=True, slots=True)
class _Row:
    """A line to show, and how many lines of the visit it stands for."""

    text: str
    stands_for: int = 1


def around(length: int, broke: int | None, most: int) -> range:
    """Return the indexes of the lines to show: around the breach, else the last."""
    last = length if broke is None else min(length, max(broke + BEHIND + 1, most))
    return range(max(0, last - most), last)


def marked(visit: Sequence[str]) -> tuple[list[str], int | None]:
    """Return the lines without the mark, and the index of the marked one, or None.

    That is the request that broke the rule, or else the answer that the case is about.
    """
    lines = [line for line in visit if line not in (MARK, ABOUT)]
    mark = next((line for line in visit[1:] if line in (MARK, ABOUT)), None)
    return lines, None if mark is None else visit.index(mark) - 1


def visit_lines(visit: Sequence[str]) -> list[str]:
    """Return the requests and answers of a client, a line each, with the first bytes of frames.

    The line that broke the rule is always shown.
    """
    visit, broke = marked(visit)
    at = len(visit) if broke is None else broke
    before, after = _folded(visit[:at]), _folded(visit[at + 1 :])
    here = [] if broke is None else [_Row(HERE + _shown(visit[broke]))]
    rows = [*before, *here, *after]
    window = around(len(rows), None if broke is None else len(before), MOST)
    lines = [row.text for row in rows[window.start : window.stop]]
    return [*_left(rows[: window.start], "before"), *lines, *_left(rows[window.stop :], "after")]


def _left(rows: Sequence[_Row], where: str) -> list[str]:
    number = sum(row.stands_for for row in rows)
    return [f"… {number} line{_s(number)} {where}"] if number else []


def _folded(visit: Sequence[str]) -> list[_Row]:
    """Return the lines to show, with repeated lines once."""
    alike = [_CORRELATION.sub(r"\1", _WHEN.sub("", line)) for line in visit]
    rows: list[_Row] = []
    at = 0
    while at < len(visit):
        length, times = max(
            ((size, _times(alike, at, size)) for size in range(1, _LONGEST_ROUND + 1)),
            key=lambda found: (found[1] >= _OFTEN, found[0] * found[1], -found[0]),
        )
        length, times = (length, times) if times >= _OFTEN else (1, 1)
        rows += [_Row(_shown(line)) for line in visit[at : at + length]]
        if times > 1:
            again = (times - 1) * length
            rows.append(_Row(_again(length, times - 1, visit[at + length + again - 1]), again))
        at += length * times
    return rows


def _times(alike: Sequence[str], at: int, size: int) -> int:
    """Return how often the `size` lines at an index are repeated, one after another."""
    times = 1
    while alike[at : at + size] == alike[at + times * size : at + (times + 1) * size] != []:
        times += 1
    return times


def _again(length: int, times: int, last: str) -> str:
    what = "the same" if length == 1 else f"the same {length} lines"
    found = _WHEN.match(last)
    until = f", until {found['at']}" if found else ""
    return f"… {what} {times} time{_s(times)} more{until}"


def _s(number: int) -> str:
    return "" if number == 1 else "s"


def _shown(line: str) -> str:
    return _FRAME.sub(r"\1…", line)
