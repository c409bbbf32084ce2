"""Disagreements by cause: the operation, the message, the field, and each target's answer."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import msgspec

from conformance.campaigns.differential.answers import CRASHED, EXPECTED, HUNG, REFUSED
from conformance.codecs.cases.case import Case, RefusesOrReads, RefusesOrWrites
from conformance.reporting.said import alike_words

_INDEX = re.compile(r"\[\d+\]")
_WRITTEN = re.compile(r"offset \d+ \(([^ ,)]+), ")
_READ = re.compile(r"((?:header )?[^ :]+): ")
_MOST_WORDS = 160
AS_DUE, TAKEN, OTHERWISE = "as expected", "taken", "otherwise"
LEGAL = frozenset({TAKEN, "refused"})
"""Answers that are both legal where the rules leave it open."""
_WORDS = {EXPECTED: AS_DUE, REFUSED: "refused", CRASHED: "crashed", HUNG: "hung"}
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

Side = tuple[str, tuple[str, ...]]
"""An answer in words, and the targets that gave it."""


class Said(NamedTuple):
    """The judge's words about a wrong answer."""

    detail: str = ""
    difference: str = ""

    def why(self, message: str) -> str:
        """Return a refusal's words without the parts that vary; "" for other answers."""
        words = alike_words(self.detail, message)
        return words[:_MOST_WORDS] if words.startswith("refused: ") else ""


@dataclass(frozen=True, slots=True)
class DisagreementCause:
    """The properties that disagreements of one cause share. `field` is "" if no field is known."""

    op: str
    rule: str
    message: str
    field: str
    sides: tuple[Side, ...]


@dataclass(slots=True)
class CountedCause:
    """The number of cases of a cause, and the smallest as its size in bytes and its number."""

    count: int
    smallest: tuple[int, int]

    def add(self, other: CountedCause) -> None:
        """Add the count of another."""
        self.count += other.count
        self.smallest = min(self.smallest, other.smallest)


@dataclass
class Disagreements:
    """A counter of disagreements by cause; it grows with the causes, not with the cases."""

    by_cause: dict[DisagreementCause, CountedCause] = field(default_factory=dict)

    def take(self, case: Case, answers: Mapping[str, int], said: Mapping[str, Said]) -> None:
        """Count one case by each target's answer number and the judge's words about it."""
        sides = _sides(case, answers, said)
        places = [_place(each.difference) for each in said.values()]
        place = next(filter(None, places), "")
        request = case.request
        cause = DisagreementCause(request.op, case.rules[0], request.message, place, sides)
        size = len(request.bytes or msgspec.json.encode(request.value))
        self._add(cause, CountedCause(1, (size, int(case.id.rpartition("/")[2]))))

    def add(self, other: Disagreements) -> None:
        """Add the counts of another counter."""
        for cause, counted in other.by_cause.items():
            self._add(cause, counted)

    def _add(self, cause: DisagreementCause, counted: CountedCause) -> None:
        known = self.by_cause.setdefault(cause, counted)
        if known is not counted:
            known.add(counted)


def _sides(case: Case, answers: Mapping[str, int], said: Mapping[str, Said]) -> tuple[Side, ...]:
    """Return each answer with its targets. Different wrong answers get letters, as they vary."""
    others = sorted({number for number in answers.values() if number not in _WORDS})
    words = dict(_WORDS)
    if isinstance(case.expects, RefusesOrReads | RefusesOrWrites):
        words[EXPECTED] = TAKEN
    words |= dict.fromkeys(others, OTHERWISE)
    if len(others) > 1:
        words |= {number: f"{OTHERWISE} {_LETTERS[at % 26]}" for at, number in enumerate(others)}
    sides: dict[str, list[str]] = defaultdict(list)
    for target, number in sorted(answers.items()):
        why = said[target].why(case.request.message) if number == REFUSED else ""
        sides[why or words[number]].append(target)
    return tuple(sorted((answer, tuple(names)) for answer, names in sides.items()))


def _place(difference: str) -> str:
    """Return the path that a first difference begins with, without the indices of elements."""
    found = _WRITTEN.match(difference) or _READ.match(difference)
    return _INDEX.sub("[…]", found[1]) if found else ""
