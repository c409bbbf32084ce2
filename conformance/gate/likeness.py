"""The mutant that a failing broker, client or proxy resembles: it fails the same cases alike.

The mutants of each broken rule are judged in this process, by that rule and by those that they
break with it. A mutant is named if it fails the cases that failed, in the same words and after as
many requests, and none that passed.

No mutant is named if two resemble the target, nor if the rule has no other mutant to compare with.
A connection or a client that merely ends does not show why. And if another rule that usually fails
together with this one failed on the same request, there is more to the defect.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypeAlias

from conformance.mutants import Breaks
from conformance.reporting.explained import Explained
from conformance.reporting.findings import Cause
from conformance.reporting.sorts import Sort
from conformance.results.lines import BROKEN, EXCHANGE, FORWARD, ONCE, Verdict
from conformance.testee_protocol import Hello

_MADE_UP = re.compile(r"kafka-conformance-([0-9a-f]{8}-)?\d+-")
_VERSION = re.compile(r"(?<=\b[A-Z][a-z])(\w*) v\d+")
_ASIDE = re.compile(r"(the client \w+|the connection was \w+( down)?) \(.*\)", re.DOTALL)
_ENDED = re.compile(r"the client (failed|crashed|did not)")
_TOPIC_ID = re.compile(r"""['"](?!(.)\1{18})[\w-]{22}['"]""")
_ADDRESS = re.compile(r"[\w.-]+:\d+\b")
_TAKEN = re.compile(r"it takes \d+ bytes")
_VERSION_OF_CASE = re.compile(r"-v\d+(?=/)")


class Seen(NamedTuple):
    """The result of a case: the verdict, how it ended, and the words.

    `asked` is how many requests had been sent by then, which shows how far a dialogue went.
    """

    verdict: str
    outcome: str = ""
    said: str = ""
    asked: int = 0

    @property
    def is_broken(self) -> bool:
        """True if it broke the rule."""
        return self.verdict in BROKEN

    @property
    def tells(self) -> bool:
        """True if there is an answer or a request to look at, not merely an end."""
        return self.outcome not in ("closed", "silent") and not _ENDED.match(self.said)


PASSED, UNPROVEN = Seen("pass"), Seen("not-proven")
Picture = Mapping[str, Mapping[str, Seen]]
"""The results of a broker or client, by rule and case."""
Mutant: TypeAlias = type[Breaks]


class Pictures:
    """The results of one broker or client, collected verdict by verdict."""

    def __init__(self, verdicts: Iterable[Verdict] = ()) -> None:
        self.seen: dict[str, dict[str, Seen]] = defaultdict(dict)
        for verdict in verdicts:
            self.take(verdict)

    def take(self, verdict: Verdict) -> None:
        """Keep the result of a verdict if it says anything about the rule."""
        seen = {PASSED.verdict: PASSED, UNPROVEN.verdict: UNPROVEN}.get(verdict.verdict)
        is_note = verdict.verdict == "note" and not verdict.detail.startswith(ONCE)
        if verdict.verdict in BROKEN or is_note:
            seen = _failed(verdict)
        if seen is not None:
            self.seen[verdict.rule][verdict.case] = seen


def _failed(verdict: Verdict) -> Seen:
    """Return the result of a failure; a note on a broken rule counts as a failure.

    A broken rule of class kafka is a note under one profile, and fails under another.
    """
    how = "fail" if verdict.verdict == "note" else verdict.verdict
    outcome = "closed" if verdict.outcome == "reset" else verdict.outcome
    sent = verdict.input if verdict.op in (EXCHANGE, FORWARD) else None
    return Seen(how, outcome, _words(verdict.detail), _requests(bytes.fromhex(sent or "")))


def _words(detail: str) -> str:
    """Return the words about a failure, without the parts that vary between equal failures."""
    said = _VERSION.sub(r"\1", _TOPIC_ID.sub("an id", _MADE_UP.sub("", detail)))
    said = _TAKEN.sub("it takes all", _ADDRESS.sub("an address", said))
    return _ASIDE.sub(r"\1", said).replace("torn down", "closed")


def _requests(sent: bytes) -> int:
    """Return how many different requests these bytes are, regardless of correlation ids."""
    found: set[bytes] = set()
    while sent:
        end = 4 + max(int.from_bytes(sent[:4], "big"), 4)
        found.add(sent[4:8] + sent[12:end])
        sent = sent[end:]
    return len(found)


def without_version(case: str) -> str:
    """Return a case without its version."""
    return _VERSION_OF_CASE.sub("", case)


def rules_of(mutant: Mutant) -> tuple[str, ...]:
    """Return the rules that a mutant breaks."""
    return mutant.breaks, *mutant.implies


@dataclass
class MutantLineUp:
    """The mutants with which a broker, client or proxy (its `kind`) is compared.

    `asked` are the cases that they are asked; empty if they are asked all. `handlers` returns the
    diagnosis for each rule that a handler without any check breaks.
    """

    kind: str
    mutants: Sequence[Mutant]
    verdicts_of: Callable[[Any, Sequence[str]], Iterable[Verdict]]
    asked: frozenset[str] = frozenset()
    handlers: Callable[[Picture], Mapping[str, str]] = lambda _: {}
    _pictures: dict[str, Picture] = field(default_factory=dict)

    def without(self, mutant: Mutant) -> MutantLineUp:
        """Return a line-up of the other mutants."""
        return replace(self, mutants=[each for each in self.mutants if each is not mutant])

    def breaking(self, rules: Iterable[str]) -> Iterator[Mutant]:
        """Yield the mutants that break one of these rules."""
        wanted = set(rules)
        return (each for each in self.mutants if not wanted.isdisjoint(rules_of(each)))

    def picture(self, mutant: Mutant) -> Picture:
        """Return the results of a mutant, by the rules that it breaks."""
        name = mutant.__name__
        if name not in self._pictures:
            self._pictures[name] = Pictures(self.verdicts_of(mutant, rules_of(mutant))).seen
        return self._pictures[name]

    def comparable(self, seen: Picture) -> Picture:
        """Return the part of the results that can be compared with those of mutants."""
        if not self.asked:
            return seen
        return {
            rule: {case: at for case, at in cases.items() if without_version(case) in self.asked}
            for rule, cases in seen.items()
        }

    def describe(self, mutant: Mutant) -> str:
        """Return the diagnosis for a target that resembles a mutant."""
        says = mutant.says().removesuffix(".")
        return f"a {self.kind} that {says[:1].lower()}{says[1:]} (mutant {mutant.__name__})"


class Likening:
    """The results of one target, to be compared with mutants of its kind."""

    def __init__(self, line_up: Callable[[], MutantLineUp]) -> None:
        self._line_up, self._pictures = line_up, Pictures()

    def take(self, verdict: Verdict) -> None:
        """Keep the result of a verdict."""
        self._pictures.take(verdict)

    def explain(self, sorts: Mapping[Sort, Cause], hello: Hello) -> tuple[Explained, str]:
        """Return the diagnoses of sorts of failures, and no note."""
        del hello
        return explained(self._line_up(), self._pictures.seen, sorts), ""


def explained(line_up: MutantLineUp, seen: Picture, sorts: Mapping[Sort, Cause]) -> Explained:
    """Return the diagnosis of each sort of failure of which one mutant explains all rules.

    A sort is also explained if all its rules are broken by a broker's handler that checks nothing.
    """
    nothing = line_up.handlers(seen)
    seen = line_up.comparable(seen)
    named = _Likeness(line_up, seen, {rule for rules, _ in sorts for rule in rules}).named()
    texts: dict[Sort, str] = {}
    for sort in sorts:
        who = [named.get(rule) for rule in sort[0]]
        if who[0] is not None and all(each is who[0] for each in who):
            texts[sort] = line_up.describe(who[0])
        if all(rule in nothing for rule in sort[0]):
            texts[sort] = nothing[sort[0][0]]
    return Explained(texts, {line_up.describe(each): each.breaks for each in named.values()})


class _Likeness:
    """The mutants that resemble one broker or client, which broke these rules."""

    def __init__(self, line_up: MutantLineUp, seen: Picture, broken: Collection[str]) -> None:
        self._line_up, self._seen, self._broken = line_up, seen, broken

    def named(self) -> dict[str, Mutant]:
        """Return the mutant that explains each broken rule, if exactly one explains it best."""
        alike = [each for each in self._line_up.breaking(self._broken) if self._is_alike(each)]
        found: dict[str, Mutant] = {}
        for rule in self._broken:
            mine = [each for each in alike if rule in rules_of(each)]
            most = max((len(self._explains(each)) for each in mine), default=0)
            best = [each for each in mine if len(self._explains(each)) == most]
            if len(best) == 1 and self._is_sure(best[0]):
                found[rule] = best[0]
        return found

    def _is_alike(self, mutant: Mutant) -> bool:
        """True if a mutant has equal results, and shares a version of each failed dialogue."""
        if mutant.breaks not in self._explains(mutant):
            return False
        both = list(self._both(mutant))
        compared = {without_version(case) for case, what, _ in both if what.is_broken}
        broken = rules_of(mutant)
        failed = {without_version(case) for rule in broken for case, _ in self._failed(rule)}
        return failed == compared and all(what == own for _, what, own in both)

    def _both(self, mutant: Mutant) -> Iterator[tuple[str, Seen, Seen]]:
        """Yield the cases that both the target and the mutant were asked, with both results."""
        picture = self._line_up.picture(mutant)
        for rule in rules_of(mutant):
            for case, what in self._seen.get(rule, {}).items():
                if what != UNPROVEN and case in picture.get(rule, {}):
                    yield case, what, picture[rule][case]

    def _is_sure(self, mutant: Mutant) -> bool:
        """True if the rule has another mutant to compare with, and the results show enough."""
        rivals = (each for each in self._line_up.mutants if each is not mutant)
        is_one_of_many = any(each.breaks == mutant.breaks for each in rivals)
        tells = any(what.tells for rule in rules_of(mutant) for _, what in self._failed(rule))
        return is_one_of_many and tells and not self._leaves(mutant)

    def _leaves(self, mutant: Mutant) -> bool:
        """True if another rule that usually fails with these failed on the same request."""
        own = set(rules_of(mutant))
        others = {rule for each in self._line_up.breaking(own) for rule in rules_of(each)} - own
        about = self._requests(own)
        return any(about & self._requests([rule]) for rule in others.intersection(self._broken))

    def _explains(self, mutant: Mutant) -> set[str]:
        """Return the broken rules that a mutant breaks as well."""
        return {rule for rule in rules_of(mutant) if any(self._failed(rule))}

    def _requests(self, rules: Iterable[str]) -> set[str]:
        """Return the requests whose cases broke these rules."""
        cases = (case for rule in rules for case, _ in self._failed(rule))
        return {without_version(case).partition("/")[0] for case in cases}

    def _failed(self, rule: str) -> Iterator[tuple[str, Seen]]:
        return (each for each in self._seen.get(rule, {}).items() if each[1].is_broken)
