"""The comparison of two runs: cases that are newly broken, and cases that no longer are.

A run is a results file or the folder of a campaign. The verdicts of both go into a small database
on disk, so that memory does not grow with them, and are joined there by case, rule and operation. A
campaign keeps broken cases and counts all others: a case without a row did not fail.
"""

from __future__ import annotations

import sqlite3
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Protocol, Self, get_args

import msgspec

from conformance.results.lines import BROKEN, Run, Verdict

Kind = Literal["new", "changed", "flaky", "gone"]
KINDS: tuple[Kind, ...] = get_args(Kind)
ROWS_AT_ONCE = 5000
NOT_KEPT = "not failed"
"""The verdict in place of a campaign's missing row for a case."""
NOT_ASKED = "not asked"
_FLAKY = "flaky: "
_SIDES = ("old", "new")
_TABLE = """
CREATE TABLE {side} (
    "case" TEXT, rule TEXT, op TEXT, message TEXT, version INTEGER, verdict TEXT,
    difference TEXT, flaky INTEGER, PRIMARY KEY ("case", rule, op)
) WITHOUT ROWID
"""
_PUT = """
INSERT INTO {side} VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
    flaky = max(flaky, excluded.flaky, verdict <> excluded.verdict),
    verdict = CASE WHEN excluded.verdict IN ('fail', 'crash', 'hang')
              THEN excluded.verdict ELSE verdict END
"""
_BROKEN = ", ".join(f"'{name}'" for name in sorted(BROKEN))
_COLUMNS = """
SELECT "case", rule, op, {here}.message, {here}.version, old.verdict, new.verdict,
       coalesce(old.difference, ''), coalesce(new.difference, ''),
       coalesce(old.flaky, 0), coalesce(new.flaky, 0)
"""
_JOINED = f"""
{_COLUMNS.format(here="old")} FROM old LEFT JOIN new USING ("case", rule, op)
WHERE old.verdict IN ({_BROKEN}) OR new.verdict IN ({_BROKEN})
UNION ALL
{_COLUMNS.format(here="new")} FROM new LEFT JOIN old USING ("case", rule, op)
WHERE old.verdict IS NULL AND new.verdict IN ({_BROKEN})
ORDER BY 2, 1
"""


Form = tuple[str, int, str, str]
"""Message, version, operation, rule."""


class Source(Protocol):
    """One run of one target."""

    run: Run

    def verdicts(self) -> Iterator[Verdict]:
        """Yield the verdicts that it has kept."""
        ...

    def answered(self, form: Form, /) -> bool:
        """True if a case without a kept verdict was asked, as far as is known."""
        ...


class Change(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A case whose verdict changed; `old` and `new` are verdicts, or why there is none.

    The differences are the faults in the target's answers.
    """

    kind: Kind
    case: str
    rule: str
    op: str
    message: str
    version: int
    old: str
    new: str
    old_difference: str = ""
    new_difference: str = ""

    @property
    def is_worse(self) -> bool:
        """True if the case did not fail before, or if it now ends without an answer."""
        return self.new in BROKEN and (self.old not in BROKEN or self._ends)

    @property
    def _ends(self) -> bool:
        return self.new != "fail" and self.old == "fail"


class Comparison(AbstractContextManager["Comparison"]):
    """Two runs of one target, in a database that is deleted when this is closed."""

    def __init__(self, old: Source, new: Source) -> None:
        self._sources = {"old": old, "new": new}
        self._folder = tempfile.TemporaryDirectory(prefix="kafka-conformance-")
        self._rows = sqlite3.connect(Path(self._folder.name) / "verdicts")
        self._rows.execute("PRAGMA synchronous = OFF")
        self._rows.execute("PRAGMA journal_mode = OFF")
        self.same = 0
        """The number of cases that are broken as before; known after `changes` is exhausted."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._rows.close()
        self._folder.cleanup()

    def changes(self) -> Iterator[Change]:
        """Yield the changes, by rule. Raises ResultsError, TableError."""
        for side, source in self._sources.items():
            self._rows.execute(_TABLE.format(side=side))
            for some in _batches(map(_row, source.verdicts())):
                self._rows.executemany(_PUT.format(side=side), some)
        self.same = 0
        for row in self._rows.execute(_JOINED):
            change = self._change(row)
            if change is None:
                self.same += 1
            else:
                yield change

    def _change(self, row: tuple[Any, ...]) -> Change | None:
        case, rule, op, message, version, *rest = row
        old_verdict, new_verdict, old_said, new_said, *flaky = rest
        form = message, version, op, rule
        old = old_verdict or self._absent("old", form)
        new = new_verdict or self._absent("new", form)
        if any(flaky):
            kind: Kind | None = "flaky"
        elif old not in BROKEN:
            kind = "new"
        elif new not in BROKEN:
            kind = "gone"
        else:
            kind = "changed" if (old, old_said) != (new, new_said) else None
        if kind is None:
            return None
        return Change(
            kind=kind,
            case=case,
            rule=rule,
            op=op,
            message=message,
            version=version,
            old=old,
            new=new,
            old_difference=old_said,
            new_difference=new_said,
        )

    def _absent(self, side: str, form: Form) -> str:
        source = self._sources[side]
        return NOT_KEPT if source.answered(form) else NOT_ASKED


class Group(msgspec.Struct, kw_only=True):
    """Changes of one rule that are alike, with the first few cases."""

    kind: Kind
    rule: str
    old: str
    new: str
    count: int = 0
    messages: Counter[str] = msgspec.field(default_factory=Counter)
    first: list[Change] = []


class Summed:
    """The totals of changes; they grow with rules and messages, not with cases."""

    MOST_CASES = 3

    def __init__(self) -> None:
        self.counts: Counter[Kind] = Counter()
        self.worse = 0
        self._groups: dict[tuple[str, str, str, str], Group] = {}

    def take(self, change: Change) -> None:
        """Count one change."""
        key = change.kind, change.rule, change.old, change.new
        if key not in self._groups:
            self._groups[key] = Group(
                kind=change.kind, rule=change.rule, old=change.old, new=change.new
            )
        group = self._groups[key]
        group.count += 1
        group.messages[change.message] += 1
        if len(group.first) < self.MOST_CASES:
            group.first.append(change)
        self.counts[change.kind] += 1
        self.worse += change.is_worse

    def groups(self) -> list[Group]:
        """Return the groups of changes, the most important first."""
        return sorted(
            self._groups.values(),
            key=lambda group: (KINDS.index(group.kind), -group.count, group.rule),
        )


def _row(verdict: Verdict) -> tuple[Any, ...]:
    said = verdict.first_difference or verdict.detail if verdict.verdict in BROKEN else ""
    return (
        verdict.case,
        verdict.rule,
        verdict.op,
        verdict.message,
        verdict.version,
        verdict.verdict,
        said,
        verdict.detail.startswith(_FLAKY),
    )


def _batches(rows: Iterable[tuple[Any, ...]]) -> Iterator[list[tuple[Any, ...]]]:
    left = iter(rows)
    while some := list(islice(left, ROWS_AT_ONCE)):
        yield some
