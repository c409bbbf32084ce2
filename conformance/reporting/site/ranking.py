"""The rows of the first page: the targets of one kind, with those that were judged broadly first.

A target that has little of the protocol can get little of it wrong. So codecs that have less than
half of it stand below the others, under a heading of their own, and so do other targets by which
less than half of the rules could be decided.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from conformance.reporting.site.standing import Part
from conformance.reporting.site.views import TargetView

_ENOUGH = 0.5
_LITTLE = {"codec": "With less than half of the protocol"}
_FEW_RULES = "By which less than half of the rules could be decided"


@dataclass(frozen=True)
class RankedView:
    """A target in its row, and how many of the rules of its kind it decided."""

    number: int
    view: TargetView
    decided: Part

    @property
    def is_little(self) -> bool:
        """True if less than half of what its kind may have was judged in it."""
        if not self.view.standing.is_whole:
            return False
        return (self.view.standing.has or self.decided).share < _ENOUGH

    @property
    def order(self) -> tuple[object, ...]:
        """Return the key that sorts the best to the front."""
        at = self.view.standing
        return at.seen, self.is_little, at.order, -self.decided.share, self.view.name


def ranked(targets: Sequence[tuple[int, TargetView]]) -> list[RankedView]:
    """Return the targets of one kind with their numbers, the best first."""
    every = {rule.id for _, view in targets for rule in view.rules}
    rows = [RankedView(number, view, _decided(view, len(every))) for number, view in targets]
    return sorted(rows, key=lambda row: row.order)


def sections(kind: str, rows: Sequence[RankedView]) -> list[tuple[str, list[RankedView]]]:
    """Return the rows by heading, "" for those that were judged broadly."""
    whole = [row for row in rows if not row.is_little and row.view.standing.is_whole]
    little = [row for row in rows if row.is_little]
    others = [row for row in rows if not row.view.standing.is_whole]
    headed = (
        ("", whole),
        (_LITTLE.get(kind, _FEW_RULES), little),
        ("Judged in part, or not at all", others),
    )
    found = [(heading, some) for heading, some in headed if some]
    return [("", found[0][1])] if len(found) == 1 and not found[0][1][0].is_little else found


def _decided(view: TargetView, every: int) -> Part:
    some = sum(rule.is_decided for rule in view.rules)
    return Part(some, max(every, view.standing.rules))
