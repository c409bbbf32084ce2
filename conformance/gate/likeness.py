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
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from conformance.gate.unchecked import unchecked
from conformance.reporting.findings import Cause, Explained, Sort
from conformance.results.lines import BROKEN, EXCHANGE, FORWARD, ONCE, Verdict

if TYPE_CHECKING:
    from conformance.brokers.mutants import BrokerMutant
    from conformance.clients.mutants import ClientMutant
    from conformance.proxies.mutants import ProxyMutant

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
Mutant: TypeAlias = "type[BrokerMutant] | type[ClientMutant] | type[ProxyMutant]"


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


def _dialogue(case: str) -> str:
    """Return a case without its version."""
    return _VERSION_OF_CASE.sub("", case)


def rules_of(mutant: Mutant) -> tuple[str, ...]:
    """Return the rules that a mutant breaks."""
    return mutant.breaks, *mutant.implies


@dataclass
class MutantLineUp:
    """The mutants with which a broker, client or proxy (its `kind`) is compared.

    `asked` are the cases that they are asked; empty if they are asked all.
    """

    kind: str
    mutants: Sequence[Mutant]
    verdicts_of: Callable[[Any, Sequence[str]], Iterable[Verdict]]
    asked: frozenset[str] = frozenset()
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
            rule: {case: each for case, each in cases.items() if _dialogue(case) in self.asked}
            for rule, cases in seen.items()
        }

    def describe(self, mutant: Mutant) -> str:
        """Return the diagnosis for a target that resembles a mutant."""
        says = mutant.says().removesuffix(".")
        return f"a {self.kind} that {says[:1].lower()}{says[1:]} (mutant {mutant.__name__})"


@cache
def brokers() -> MutantLineUp:
    """Return the mutants of brokers. Their modules are loaded only after a broker failed."""
    from conformance.brokers.mutants import broker_mutants, stocked
    from conformance.brokers.mutants.unchecked import UncheckedHandler
    from conformance.brokers.score import verdicts_of

    def judge(mutant: Any, rules: Sequence[str]) -> list[Verdict]:
        return verdicts_of(stocked(mutant()), *rules)

    # `gate.unchecked` recognizes a handler without any check: no rival of one missing check
    every = broker_mutants().values()
    mutants = [each for each in every if not issubclass(each, UncheckedHandler)]
    return MutantLineUp("broker", mutants, judge)


@cache
def clients() -> MutantLineUp:
    """Return the mutants of clients, which are loaded only after a client failed."""
    from conformance.clients.mutants import client_mutants
    from conformance.clients.scenarios.every_request import ALWAYS
    from conformance.clients.score import verdicts_of

    def judge(mutant: Any, rules: Sequence[str]) -> list[Verdict]:
        on_each_visit = not ALWAYS.keys().isdisjoint(rules)
        return verdicts_of(mutant, () if on_each_visit else rules)

    return MutantLineUp("client", list(client_mutants().values()), judge)


@cache
def proxies(rewrites: tuple[str, ...], messages: frozenset[str] = frozenset()) -> MutantLineUp:
    """Return the mutants of proxies that can declare these rewrites, loaded after a proxy failed.

    They are judged by the lowest and the highest version of these messages, or of all.
    """
    from conformance.proxies.dialogues import ends
    from conformance.proxies.in_process import OWN
    from conformance.proxies.mutants import proxy_mutants
    from conformance.proxies.score import every_case, verdicts_of

    def judge(mutant: Any, rules: Sequence[str]) -> list[Verdict]:
        proxy = mutant(OWN, said=rewrites)
        return verdicts_of(proxy, rules, rewrites, quick=True, messages=messages)

    able = [each for each in proxy_mutants().values() if each.can_say(rewrites)]
    asked = (
        each.id for log in (False, True) for each in ends(every_case(rewrites, logs_in=log)[1])
    )
    return MutantLineUp("proxy", able, judge, frozenset(map(_dialogue, asked)))


def explained(line_up: MutantLineUp, seen: Picture, sorts: Mapping[Sort, Cause]) -> Explained:
    """Return the diagnosis of each sort of failure of which one mutant explains all rules.

    A sort is also explained if all its rules are broken by a broker's handler that checks nothing.
    """
    nothing = unchecked(seen) if line_up.kind == "broker" else {}
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
        compared = {_dialogue(case) for case, what, _ in both if what.is_broken}
        failed = {_dialogue(case) for rule in rules_of(mutant) for case, _ in self._failed(rule)}
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
        return {_dialogue(case).partition("/")[0] for case in cases}

    def _failed(self, rule: str) -> Iterator[tuple[str, Seen]]:
        return (each for each in self._seen.get(rule, {}).items() if each[1].is_broken)
