"""The input of a diagnosis: a sample of what passed in a run, and how often each rule was broken.

The failures themselves are kept by sort (`conformance.reporting.findings.Causes`). A plain case is
one of a message as its vector has it, without a change for a rule.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator
from itertools import chain, zip_longest
from typing import NamedTuple
from zlib import crc32

from conformance.results.lines import BROKEN, Verdict

_PASSED = 2
"""The number of passed cases that are kept for each rule, message and operation.

It bounds memory, since a full run passes far more. With one, the only case kept may lack the field
that a suspect gets wrong.
"""


_MOST_FAIL = 4
"""The least number of failed plain cases for each passed one if nearly all fail.

Some cases pass in a wrong layout by chance, as zeros mean the same at many places. With a smaller
number, versions with one wrong field would be counted too.
"""
Place = tuple[str, int]
"""A message and a version of it."""


class Passed(NamedTuple):
    """A rule, and a case that passed it."""

    rule: str
    case: str


def is_unchanged(case: str) -> bool:
    """True if a case of the gate has the message as its vector has it."""
    return case.count("/") == 1


class Symptoms:
    """A sample of what passed each rule, and how many of its cases were judged and failed.

    `is_plain` says if the case of this id is a message without a change for a rule.
    """

    def __init__(self, is_plain: Callable[[str], bool] = is_unchanged) -> None:
        self._is_plain = is_plain
        self.failures: Counter[str] = Counter()
        self.judged: Counter[str] = Counter()
        self._versions: dict[str, set[int]] = defaultdict(set)
        self._plain_failed: Counter[Place] = Counter()
        self._plain_passed: Counter[Place] = Counter()
        self._read: set[Place] = set()
        self._last = ""
        self._passed: dict[str, dict[tuple[str, str], list[tuple[int, str]]]] = defaultdict(dict)

    def take(self, verdict: Verdict) -> None:
        """Count a verdict, and keep it if it belongs to the sample."""
        self._take_plain(verdict)
        if verdict.verdict == "pass":
            self._versions[verdict.message].add(verdict.version)
            self.judged[verdict.rule] += 1
            kept = self._passed[verdict.rule].setdefault((verdict.message, verdict.op), [])
            _keep(kept, (crc32(verdict.case.encode()), verdict.case), _PASSED)
        elif verdict.verdict in BROKEN:
            self.judged[verdict.rule] += 1
            self.failures[verdict.rule] += 1

    def _take_plain(self, verdict: Verdict) -> None:
        """Count a plain case once, however many rules it decides."""
        if not self._is_plain(verdict.case):
            return
        place = verdict.message, verdict.version
        if verdict.verdict == "pass":
            self._plain_passed[place] += verdict.case != self._last
            self._last = verdict.case
            if verdict.op.startswith("decode"):
                self._read.add(place)
        elif verdict.verdict in BROKEN and verdict.case != self._last:
            self._plain_failed[place] += 1
            self._last = verdict.case

    def is_read(self, message: str, version: int) -> bool:
        """True if a plain case of this message and version was decoded without a fault."""
        return (message, version) in self._read

    def failing_throughout(self, least: int) -> set[Place]:
        """Return the messages and versions of which nearly all plain cases failed.

        At least `least` of them have to have failed.
        """
        return {
            place
            for place, count in self._plain_failed.items()
            if count >= least and count >= _MOST_FAIL * self._plain_passed[place]
        }

    def passes_besides(self, failing: Collection[Place]) -> bool:
        """True if more messages and versions have passed cases than are in `failing`."""
        passing = {place for place, count in self._plain_passed.items() if count}
        return len(passing - set(failing)) > len(failing)

    def passed(self, rule: str, first: Collection[str] = ()) -> Iterator[Passed]:
        """Yield the cases of the sample that passed a rule, those of the messages in `first` first.

        Messages and operations alternate, so that each gets an equal share of what is used.
        """
        found = sorted(
            self._passed.get(rule, {}).items(), key=lambda item: (item[0][0] not in first, item[0])
        )
        near = [kept for (message, _), kept in found if message in first]
        far = [kept for (message, _), kept in found if message not in first]
        for kept in (near, far):
            for each in chain.from_iterable(zip_longest(*kept)):
                if each is not None:
                    yield Passed(rule, each[1])

    def versions(self, message: str) -> set[int]:
        """Return the versions of a message in which a case passed."""
        return self._versions[message]

    def cases(self) -> set[str]:
        """Return the ids of all cases in the sample, for all rules."""
        return {
            case
            for by_place in self._passed.values()
            for kept in by_place.values()
            for _, case in kept
        }

    @property
    def rules(self) -> list[str]:
        """Return the rules that a case passed."""
        return sorted(self._passed)


def _keep(kept: list[tuple[int, str]], one: tuple[int, str], most: int) -> None:
    """Add an item to the `most` smallest, each at most once."""
    if one not in kept:
        kept.append(one)
        kept.sort()
        del kept[most:]
