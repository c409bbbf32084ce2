"""The failed and passed cases of one run that suspects are compared with.

A suspect is a known way to be wrong, as a codec that can be asked (`suspects`): a mutant, a habit,
an edited definition, a draft reading of a KIP. It explains a failed case if its answer is the
target's answer: the same bytes, the same value, or a refusal where the target refused. Failed cases
are named by their index among the failures of the run.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice, zip_longest
from typing import TypeVar

from conformance.codecs.diagnosis.line_up import REFUSES_ABSENT, LineUp, Who
from conformance.codecs.diagnosis.suspects import suspect
from conformance.codecs.diagnosis.symptoms import Passed, Symptoms
from conformance.reporting.findings import Cause
from conformance.reporting.said import one_wording
from conformance.reporting.sorts import Sort, shared_words
from conformance.results.lines import Verdict

_FEW = 40
"""The most failures that all suspects are asked about, of which there are about 700.

It is unchanged since the search was written. With fewer, no failure of some rules would be among
them; `Search` bounds the work besides.
"""
_PASSED = 40
"""The size of the first sample of passed cases, which every candidate has to pass.

The same number of cases of the candidate's own rule is added. It is small since up to all suspects
are asked; a wrong candidate that gets through is found by the larger sample.
"""
_MORE_PASSED = 400
"""The size of the sample of passed cases that a suspect has to pass before it is named.

Ten times the first sample: only the best candidates are asked, so that more cases are affordable.
With fewer, a suspect could be named that fails where the target passed.
"""
_FEW_VERSIONS = 3
"""The most failing versions of a message for which its edits are tried in just these as well.

Each edit is asked twice then. If more versions fail, an edit of all versions is more likely.
"""
MOST_OF_A_RULE = 0.9
"""The least share of its own failures that a mutant or an edit has to explain.

Those are the failures of its rule or of its message. It is below 1 since a second defect may change
the answer of some cases.
"""
_MOST_OF_MANY = 0.5
"""The least share of its own failures that a suspect without a rule of its own has to explain.

Those are the cases that it fails itself. Such a habit fails under many rules, where other defects
of the target interfere more often.
"""
_FEW_MESSAGES = 4
"""The least number of messages that are refused in the same words for one reason.

One or two messages may be refused as a whole, for a reason that has nothing to do with the value.
"""
_CASES_OF_A_WORDING = 4
"""The least number of refusals that share their words, for words to say what the reason is."""
_ALONE, _WRONG_THERE, _TOGETHER = 20, 2, 1
"""The points that a failure gives to a suspect when its sort is assigned to one.

They are given if the suspect alone explains the failure, if it fails at the same place, or if it
explains it together with others. A sort has at most three kept cases, so that one equal answer
outweighs any number of failures at the same place. The numbers serve for nothing but this order.
"""
_ANSWERS = frozenset({"value", "rejected", "crashed"})
"""The outcomes that suspects can have as well. A target's other outcomes are not compared."""
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Sorted:
    """A failed case with its sort; it stands for `weight` failed cases of that sort."""

    sort: Sort
    verdict: Verdict
    weight: float


def failures_of(sorts: Mapping[Sort, Cause]) -> Iterator[Sorted]:
    """Yield the kept cases of all sorts, alternating between sorts and between their rules.

    The first case of each sort is its smallest one. Cases in which the target hung are left out.
    """
    rows: dict[tuple[str, ...], list[list[Sorted]]] = defaultdict(list)
    for sort, cause in sorted(sorts.items(), key=lambda item: item[0]):
        weight = cause.count / len(cause.examples)
        rows[sort[0]].append([Sorted(sort, one, weight) for one in cause.examples])
    for each in in_turn([list(in_turn(of_rule)) for of_rule in rows.values()]):
        answered = each.verdict.outcome in _ANSWERS or each.verdict.verdict == "crash"
        if answered and each.verdict.verdict != "hang":
            yield each


class Evidence:
    """The failures of one run, a sample of what passed, and how suspects answer to them.

    `places` are messages and versions whose failures have a cause that the answers themselves show.
    `room` is the number of failures that suspects are compared with: all, unless that is too much
    work.
    """

    def __init__(
        self,
        symptoms: Symptoms,
        failures: Sequence[Sorted],
        line_up: LineUp,
        places: Collection[tuple[str, int]] = (),
    ) -> None:
        self.failures = failures
        self.room = len(failures)
        self._symptoms, self._line_up, self._places = symptoms, line_up, places
        self._messages = {each.verdict.message for each in failures}
        self._broken = sorted(symptoms.failures)
        self._kept: dict[str, list[Passed]] = {}
        self.common = list(islice(self._passed(self._broken), _PASSED))
        self._more = list(islice(self._passed(self._rules()), _MORE_PASSED))

    @property
    def every(self) -> range:
        """Return the indices of the failures that suspects are compared with."""
        return range(min(self.room, len(self.failures)))

    def verdict(self, index: int) -> Verdict:
        """Return the verdict of a failure."""
        return self.failures[index].verdict

    def message(self, index: int) -> str:
        """Return the message of a failure."""
        return self.verdict(index).message

    def weight(self, failures: Iterable[int]) -> float:
        """Return how many failed cases these failures stand for."""
        return round(sum(self.failures[index].weight for index in failures), 6)

    def few(self, failures: Collection[int]) -> list[Sorted]:
        """Return a small sample: for each rule, the first failures of each operation and behaviour.

        Rules that were broken in few cases come first.
        """
        rules: dict[str, dict[tuple[str, str], Sorted]] = defaultdict(dict)
        for each in (self.failures[index] for index in sorted(failures)):
            for rule in each.sort[0]:
                rules[rule].setdefault((each.verdict.op, behaviour(each.verdict)), each)
        order = sorted(rules, key=lambda rule: (self._symptoms.failures[rule], rule))
        found = in_turn([list(rules[rule].values()) for rule in order])
        return list({each.verdict.case: each for each in found}.values())[:_FEW]

    def failing_versions(self, own: Collection[int]) -> tuple[int, ...]:
        """Return the versions in which failures of one message are, if few fail and others pass.

        The tuple is empty otherwise.
        """
        failing = sorted({self.verdict(index).version for index in own})
        message = self.message(next(iter(own)))
        is_more = self._symptoms.versions(message) - set(failing)
        return tuple(failing) if is_more and len(failing) <= _FEW_VERSIONS else ()

    def is_refused(self, index: int) -> bool:
        """True if the target refused."""
        return behaviour(self.verdict(index)) == "rejected"

    def is_taken(self, index: int) -> bool:
        """True if the target did not refuse. Such a failure shows best what may be null."""
        return not self.is_refused(index)

    def is_answered(self, index: int) -> bool:
        """True if the target neither refused nor had to. Such a failure shows most of a layout."""
        expected = self.verdict(index).expected
        is_due = not (isinstance(expected, str) and expected.startswith("refused"))
        return is_due and not self.is_refused(index)

    def is_open(self, index: int) -> bool:
        """True if the target only accepted a value that the version has no field for."""
        return REFUSES_ABSENT.issuperset(self.failures[index].sort[0])

    def has_another_cause(self, index: int) -> bool:
        """True if answers of the same message and version show a cause by themselves."""
        return place_of(self.verdict(index)) in self._places

    def explains(self, name: str, index: int) -> bool:
        """True if a suspect alone explains a failure."""
        return self._line_up.agrees((name,), self.verdict(index))

    def explains_with_others(self, name: str, named: Who, index: int) -> bool:
        """True if an edit explains a failure of its message together with all named suspects."""
        one = suspect(name)
        return (
            one.is_edit
            and one.concerns(self.message(index))
            and self._line_up.agrees(named, self.verdict(index))
        )

    def explained_weight(self, who: Who, own: Iterable[int]) -> float:
        """Return how many of these failed cases a codec with the defects of `who` explains."""
        return self.weight(i for i in own if self._line_up.agrees(who, self.verdict(i)))

    def is_in_headers(self, name: str, index: int) -> bool:
        """True if a suspect explains a failure only if its defect is in headers as well."""
        return not self._line_up.agrees((name,), self.verdict(index), bodies_alone=True)

    def is_wrong(self, name: str, index: int) -> bool:
        """True if a suspect fails the case as well, with any wrong answer."""
        return self._line_up.is_wrong((name,), self.verdict(index))

    def is_own(self, name: str, index: int) -> bool:
        """True if a suspect has to explain a failure.

        An edit has to explain those of its message, a mutant those of the rule that it breaks, and
        a suspect without such a rule those that it fails itself.
        """
        one = suspect(name)
        if one.is_edit:
            return one.concerns(self.message(index))
        if one.kind.breaks:
            return one.kind.breaks in self.failures[index].sort[0]
        return self.is_wrong(name, index)

    def left(self, named: Who) -> set[int]:
        """Return the failures that the named suspects explain neither alone nor together.

        A failure that has another cause as well is left out: it is no reason to name a suspect.
        Before any suspect is named, all failures are returned if all have another cause.
        """
        every = set(self.every)
        single = {index for index in every if not self.has_another_cause(index)}
        if not named:
            return single or every
        return {
            index
            for index in single
            if not self._line_up.agrees(named, self.verdict(index))
            and not any(self.explains(name, index) for name in named)
        }

    def is_contradicted(self, who: Who, *, fully: bool = True) -> bool:
        """True if a codec with the defects of `who` fails a case that the target passed.

        The last suspect's own rule is checked in as many cases again. The small sample is used
        unless `fully`.
        """
        passed = self._more if fully else self.common
        own = islice(self._passed([suspect(who[-1]).kind.breaks]), len(passed))
        return not all(self._line_up.is_right(who, each) for each in chain(passed, own))

    def credible(self, named: Who) -> Who:
        """Return the named suspects without those that unexplained failures speak against.

        The suspect that was named last is removed first, and what is left is computed again.
        """
        while left := self.left(named):
            doubted = [name for name in named if self._is_doubted(name, named, left)]
            if not doubted:
                break
            named = tuple(name for name in named if name != doubted[-1])
        return named

    def _is_doubted(self, name: str, named: Who, left: set[int]) -> bool:
        """True if a suspect explains only refusals, or too little of what it has to explain."""
        one, every = suspect(name), set(self.every)
        own = {i for i in every if self.is_own(name, i) and not self.has_another_cause(i)}
        least = MOST_OF_A_RULE if one.kind.breaks or one.is_edit else _MOST_OF_MANY
        if self.weight(own & left) > (1 - _MOST_OF_MANY) * self.weight(own):
            return True
        own -= self._of_others(name, own & left)
        if self.weight(own & left) > (1 - least) * self.weight(own):
            return True
        own = {i for i in every if self.explains(name, i)}
        own |= {i for i in every - own if self.explains_with_others(name, named, i)}
        is_shown = one.refuses and self._is_whole_wording(own)
        return all(map(self.is_refused, own)) and not is_shown

    def _is_whole_wording(self, own: Collection[int]) -> bool:
        """True if these failures are all refusals of a few wordings, of several messages.

        A target that refuses for one reason alone says so in the same words wherever it does. Then
        refusals show the reason as well as wrong bytes do.
        """
        wordings = {self._wording(index) for index in own}
        messages = {self.message(index) for index in own}
        is_alike = _CASES_OF_A_WORDING * len(wordings) <= len(own) and "" not in wordings
        if not is_alike or len(messages) < _FEW_MESSAGES:
            return False
        return all(index in own for index in self.every if self._wording(index) in wordings)

    def _wording(self, index: int) -> str:
        """Return the words of a refusal, without what varies in them, "" if it has none."""
        words = one_wording(shared_words(self.verdict(index)))
        return "" if words.endswith(":") else words

    def _of_others(self, name: str, unexplained: Collection[int]) -> set[int]:
        """Return failures that have another cause than a suspect, although it breaks their rule.

        The suspect explains nothing of their messages, and does not fail them at the same place.
        """
        own = {self.message(i) for i in self.every if self.explains(name, i)}
        return {
            i
            for i in unexplained
            if self.message(i) not in own
            and not self._line_up.is_wrong_there((name,), self.verdict(i))
        }

    def assigned(self, named: Who) -> dict[Sort, str]:
        """Return the suspect to which each sort is assigned, by what it explains of the kept cases.

        A sort counts for a suspect that explains it, and less for one that fails at the same place.
        """
        counted: dict[Sort, Counter[str]] = defaultdict(Counter)
        for index, each in enumerate(self.failures[: self.room]):
            for name in named:
                if self.explains(name, index):
                    counted[each.sort][name] += _ALONE
                elif self._line_up.is_wrong_there((name,), each.verdict):
                    counted[each.sort][name] += _WRONG_THERE
                elif self.explains_with_others(name, named, index):
                    counted[each.sort][name] += _TOGETHER
        found = {sort: counts.most_common(1)[0][0] for sort, counts in counted.items()}
        return self._with_those_not_asked(found)

    def _with_those_not_asked(self, found: dict[Sort, str]) -> dict[Sort, str]:
        """Assign sorts that were not compared to suspects of sorts with the same broken rules."""
        alike: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
        for (rules, _), name in found.items():
            alike[rules][name] += 1
        asked = {each.sort for each in self.failures[: self.room]}
        for each in self.failures[self.room :]:
            names = alike[each.sort[0]].most_common()
            fits = (name for name, _ in names if suspect(name).concerns(each.verdict.message))
            if each.sort not in asked and (name := next(fits, "")):
                found[each.sort] = name
        return found

    def _rules(self) -> list[str]:
        """Return the rules that a case passed, those that were broken as well first."""
        return [*self._broken, *(r for r in self._symptoms.rules if r not in self._broken)]

    def _passed(self, rules: Iterable[str]) -> Iterator[Passed]:
        """Yield cases that passed these rules, of each rule in turn, failing messages first."""
        return in_turn([self._passed_of(rule) for rule in rules])

    def _passed_of(self, rule: str) -> list[Passed]:
        """Return the kept cases that passed one rule, failing messages first."""
        if rule not in self._kept:
            self._kept[rule] = list(self._symptoms.passed(rule, self._messages))
        return self._kept[rule]


def in_turn(rows: Sequence[Sequence[T]]) -> Iterator[T]:
    """Yield the first item of each row, then the second of each, and so on."""
    for column in zip_longest(*rows):
        yield from (each for each in column if each is not None)


def behaviour(verdict: Verdict) -> str:
    """Return "crashed" if the target crashed, else the outcome of its answer."""
    return "crashed" if verdict.verdict == "crash" else verdict.outcome


def place_of(verdict: Verdict) -> tuple[str, int]:
    """Return the message and version of a case."""
    return verdict.message, verdict.version
