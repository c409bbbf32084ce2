"""A broker's advertised versions and what it serves: a line per API with the results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from rich.console import Console
from rich.table import Table

from conformance.results.lines import Verdict

RULE = "api-versions.advertised-is-served"
NOT_ASKED = "not asked"


class Advertised:
    """A table of the results of each advertised version of each request, by the requests' names.

    In a run that was limited to some of them (`selected`) the others are not shown.
    """

    def __init__(self, ranges: Mapping[str, tuple[int, int]], *, selected: bool) -> None:
        self._ranges = ranges
        self._selected = selected
        self._got: dict[str, dict[int, str]] = {}

    def take(self, verdict: Verdict) -> None:
        """Note one verdict, if it is about an advertised version."""
        if verdict.rule == RULE:
            words = [verdict.detail or "served"]
            if verdict.verdict not in ("pass", "unsupported"):
                words.insert(0, verdict.verdict)
            self._got.setdefault(verdict.message, {})[verdict.version] = ": ".join(words)

    def show(self, console: Console) -> None:
        """Print the table; nothing if no advertised version was judged."""
        if not self._got:
            return
        table = Table("request", "advertised", "got")
        for request, (low, high) in self._ranges.items():
            if self._selected and request not in self._got:
                continue
            cells = [
                f"{_span(versions)}: {words}"
                for words, versions in self._alike(request, range(low, high + 1))
            ]
            table.add_row(request, _span(range(low, high + 1)), "\n".join(cells))
        console.print(table)

    def _alike(self, request: str, versions: range) -> Iterator[tuple[str, list[int]]]:
        """Yield each result with the adjacent versions that have it."""
        got = self._got.get(request, {})
        for words, alike in groupby(versions, lambda version: got.get(version, NOT_ASKED)):
            yield words, list(alike)


def _span(versions: Sequence[int]) -> str:
    low, high = versions[0], versions[-1]
    return f"v{low}" if low == high else f"v{low} to v{high}"
