"""Causes gathered in several places and merged: those of a chunk of cases travel as one object.

A codec with one defect fails a quarter of ten million cases. Failures are gathered into causes
where they are judged, so that the data that reaches the driver grows with the sorts of failure, not
with the cases.
"""

from __future__ import annotations

from collections.abc import Iterable

from conformance.reporting.findings import Cause, Causes, Key, linked
from conformance.results.lines import Verdict

Sort = tuple[Key, tuple[Key, ...]]
Seen = tuple[int, int]
"""The first case of the first and of the last chunk that have a failure of a cause."""


class GatheredCauses(Causes):
    """Causes that others can be added to, chunk by chunk."""

    def __init__(self) -> None:
        super().__init__()
        self._seen: dict[Sort, Seen] = {}

    def take_all(self, verdicts: Iterable[Verdict]) -> None:
        """Count broken verdicts, in the order of their cases."""
        for verdict in sorted(verdicts, key=_place):
            self.take(verdict)

    def add(self, chunk: GatheredCauses, begins: int) -> bool:
        """Add the causes of the chunk with first case `begins`; return True if any sort is new."""
        self._close_case()
        chunk._close_case()
        before = len(self._sorts)
        for sort, cause in chunk._sorts.items():
            self._sorts.setdefault(sort, Cause()).add(cause)
            first, last = self._seen.get(sort, (begins, begins))
            self._seen[sort] = min(first, begins), max(last, begins)
        return len(self._sorts) > before

    def seen(self) -> dict[str, Seen]:
        """Return by each finding's smallest case where its first and its last chunk begin."""
        self._close_case()
        sorts = {id(cause): sort for sort, cause in self._sorts.items()}
        groups = linked([(keys, cause) for (_, keys), cause in self._sorts.items()])
        found: dict[str, Seen] = {}
        for group in groups:
            places = [self._seen[sorts[id(cause)]] for cause in group]
            whole = min(first for first, _ in places), max(last for _, last in places)
            found |= dict.fromkeys((cause.smallest.case for cause in group), whole)
        return found


def _place(verdict: Verdict) -> tuple[int, str]:
    return len(verdict.case), verdict.case
