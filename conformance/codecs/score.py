"""The mutation score: which defects the suite catches, each by the rule that it breaks.

A mutant is judged by its own rule alone, on a few hundred cases of vectors that decide that rule,
and the reference codec by the very same ones. A rule that fails both is wrong, one that fails
neither does not look. `python -m conformance.codecs.score` prints the table.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

from conformance.codecs.cases.golden import families
from conformance.codecs.cases.rules_of_edits import edits_decide
from conformance.codecs.cases.vectors import Vector, all_vectors
from conformance.codecs.mutants import Mutant, mutants, unseen
from conformance.codecs.quick.choosing import quick_families, selected
from conformance.codecs.run import run
from conformance.codecs.testee.in_process import ObjectTarget
from conformance.reference.codec import PlainCodec
from conformance.results.lines import BROKEN, Verdict
from conformance.rules import catalogue
from conformance.rules.selection import Selection

MOST_VECTORS = 40
"""Enough of them, since a vector makes seven cases, and each mutant takes its tenth of a second."""


class Score(NamedTuple):
    """A mutant, the rule that it breaks, whether that rule saw it, in how many of its cases."""

    mutant: str
    rule: str
    caught: bool
    cases: int
    wrong: int
    errors: int = 0
    """Cases in which the suite itself went wrong, of which there should be none."""


def score() -> list[Score]:
    """Return the score of every mutant on its own rule, in the order of the rules."""
    order = list(catalogue())
    by_rule = sorted(mutants().values(), key=lambda mutant: order.index(mutant.breaks))
    return [_score(mutant, MOST_VECTORS) for mutant in by_rule]


def unseen_score() -> list[Score]:
    """The mutants that no case was written for, each by all vectors that decide its own rule."""
    return [_score(mutant, None) for mutant in unseen().values()]


def quick_score() -> list[Score]:
    """Return the score of every mutant on its own rule, by the cases of a quick run alone."""
    return [
        _scored(mutant, quick_verdicts(mutant(), mutant.breaks))
        for mutant in (*mutants().values(), *unseen().values())
    ]


def quick_verdicts(codec: PlainCodec, *rules: str) -> list[Verdict]:
    """The verdicts of some rules on a codec, by the cases of a quick run."""
    target = ObjectTarget(codec)
    selection = Selection(rules={rule: catalogue()[rule] for rule in rules})
    chosen = (each for found in quick_families(target.hello).values() for each in found)
    asked = filter(None, (selected(family, selection) for family in chosen))
    return list(run(asked, target, catalogue(), "kafka"))


def verdicts_of_rule(
    codec: PlainCodec,
    rule: str,
    messages: tuple[str, ...] = (),
    most: int | None = MOST_VECTORS,
) -> list[Verdict]:
    """The verdicts of one rule on a codec, by a few of the vectors that decide it.

    `messages` are those to take the vectors from, none for all; `most` None takes every vector.
    """
    selection = Selection(rules={rule: catalogue()[rule]})
    target = ObjectTarget(codec)
    cases = (
        family
        for vectors in _by_message(_sample(deciding(rule, messages), most))
        for family in families(vectors, target.hello, selection)
    )
    return list(run(cases, target, catalogue(), "kafka"))


def wrong(verdicts: Sequence[Verdict]) -> list[Verdict]:
    """Return the verdicts that show a defect.

    A lenient rule allows two answers and never fails a run; an answer that is neither is a note
    which says what was written.
    """
    return [
        verdict
        for verdict in verdicts
        if verdict.verdict in BROKEN or (verdict.verdict == "note" and verdict.actual is not None)
    ]


def _score(mutant: type[Mutant], most: int | None) -> Score:
    return _scored(mutant, verdicts_of_rule(mutant(), mutant.breaks, mutant.messages, most))


def _scored(mutant: type[Mutant], verdicts: Sequence[Verdict]) -> Score:
    found = {verdict.case for verdict in wrong(verdicts)}
    cases = {verdict.case for verdict in verdicts}
    errors = sum(verdict.verdict == "error" for verdict in verdicts)
    return Score(mutant.__name__, mutant.breaks, bool(found), len(cases), len(found), errors)


@cache
def _vectors() -> tuple[Vector, ...]:
    return tuple(all_vectors())


def deciding(rule: str, messages: tuple[str, ...]) -> list[Vector]:
    """The vectors that decide a rule, by themselves or edited."""
    return [
        vector
        for vector in _vectors()
        if (not messages or vector.message in messages)
        and (rule in vector.covers or edits_decide(rule, vector))
    ]


def _sample(vectors: list[Vector], most: int | None) -> list[Vector]:
    """Return some of the vectors, spread over the list."""
    if most is None:
        return vectors
    step = max(len(vectors) / most, 1)
    return [vectors[int(index * step)] for index in range(min(len(vectors), most))]


def _by_message(vectors: list[Vector]) -> Iterator[list[Vector]]:
    names = dict.fromkeys(vector.message for vector in vectors)
    yield from ([v for v in vectors if v.message == name] for name in names)


def show(table: Iterable[Score]) -> int:
    """Print a score, mutant by mutant; 1 where one is not caught, as an exit code."""
    lines = list(table)
    for line in lines:
        seen = "caught" if line.caught else "MISSED"
        print(f"{line.rule:46} {line.mutant:34} {seen} {line.wrong:4} of {line.cases}")  # noqa: T201
    missed = sum(not line.caught for line in lines)
    print(f"{len(lines) - missed} of {len(lines)} mutants are caught by their rules")  # noqa: T201
    return min(missed, 1)


if __name__ == "__main__":
    sys.exit(show([*score(), *unseen_score()]))
