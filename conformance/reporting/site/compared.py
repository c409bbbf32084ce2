"""A page about two runs of a target: what broke, what was mended, what fails in another way."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import msgspec

from conformance.reporting.comparing import KINDS, NOT_ASKED, Change, Comparison, Group, Summed
from conformance.reporting.comparing import Form as Asked
from conformance.reporting.site.reading import ResultsFile
from conformance.results.lines import BROKEN, Run, Verdict
from conformance.results.publish import HARMFUL, WITHHELD

MOST_GROUPS = 400
_ALIKE = ("target", "suite_version", "definitions", "profile", "selection")
_SIGNS = {"new": "✗", "gone": "✓", "changed": "≠", "flaky": "≈"}
_WORDS = {
    "new": "broke",
    "gone": "mended",
    "changed": "fails in another way",
    "flaky": "fails now and then",
}


@dataclass(frozen=True)
class ComparedRow:
    """Changes of one rule that are alike. `cases` are a few of them: case, and its difference."""

    kind: str
    sign: str
    words: str
    rule: str
    old: str
    new: str
    count: int
    messages: list[str]
    cases: list[tuple[str, str]]


@dataclass(frozen=True)
class Compared:
    """The differences of two runs."""

    old: Run
    new: Run
    rows: list[ComparedRow]
    counts: list[tuple[str, str, int]]
    """Sign, words, and how many cases of rules."""
    more: int
    against: list[str]
    """Reasons why the two are hard to compare."""

    @property
    def title(self) -> str:
        """Return the two runs in a line."""
        return f"{_named(self.old)} → {_named(self.new)}"


class _Run:
    """A results file as one side of a comparison.

    If one of the two is published, harmful verdicts are one case per form on both sides, since
    there the cases have no ids; in a form that was asked, a missing case did not fail.
    """

    def __init__(self, file: ResultsFile, *, withheld: bool) -> None:
        self.run = file.run
        self._file = file
        self._withheld = withheld
        self._forms: set[Asked] = set()

    def verdicts(self) -> Iterator[Verdict]:
        for line in self._file.lines():
            if not isinstance(line, Verdict):
                continue
            if self._withheld:
                self._forms.add((line.message, line.version, line.op, line.rule))
            if not line.case:
                continue
            if self._withheld and line.verdict in HARMFUL:
                case = f"{WITHHELD}: {line.message} v{line.version}"
                yield msgspec.structs.replace(line, case=case, detail="", first_difference=None)
            else:
                yield line

    def answered(self, form: Asked, /) -> bool:
        return self._file.is_fuzzed or form in self._forms


def compare(old: ResultsFile, new: ResultsFile, *, harmful: bool = False) -> Compared:
    """Return the changes from one run to another. Raises ResultsError."""
    summed = Summed()
    withheld = old.is_published() or new.is_published()
    sides = (_Run(file, withheld=withheld) for file in (old, new))
    with Comparison(*sides) as comparison:
        for change in comparison.changes():
            summed.take(change)
        same = comparison.same
    groups = summed.groups()
    counts = [(_SIGNS[kind], _WORDS[kind], summed.counts[kind]) for kind in KINDS]
    return Compared(
        old=old.run,
        new=new.run,
        rows=[_row(group, harmful) for group in groups[:MOST_GROUPS]],
        counts=[*counts, ("=", "broken as before", same)],
        more=max(0, len(groups) - MOST_GROUPS),
        against=list(_against(old, new)),
    )


def _row(group: Group, harmful: bool) -> ComparedRow:
    ended = {group.old, group.new} & HARMFUL and not harmful
    words = _WORDS[group.kind]
    if group.kind == "gone" and group.new == NOT_ASKED:
        words = "no longer asked"
    return ComparedRow(
        kind=group.kind,
        sign="⊘" if group.new == NOT_ASKED else _SIGNS[group.kind],
        words=words,
        rule=group.rule,
        old=group.old,
        new=group.new,
        count=group.count,
        messages=[name for name, _ in group.messages.most_common(3)],
        cases=[] if ended else [_case(change) for change in group.first],
    )


def _case(change: Change) -> tuple[str, str]:
    said = change.new_difference if change.new in BROKEN else change.old_difference
    return change.case, said


def _against(old: ResultsFile, new: ResultsFile) -> Iterator[str]:
    for name in _ALIKE:
        before, after = getattr(old.run, name), getattr(new.run, name)
        if before != after:
            yield f"another {name.replace('_', ' ')}: {before or 'none'} and {after or 'none'}"
    for side, file in (("older", old), ("newer", new)):
        if file.cut_short:
            yield f"the {side} run is cut short: what it lacks counts as not asked"


def _named(run: Run) -> str:
    started = run.started[:16].replace("T", " ")
    return f"{run.name}, {started}"
