"""What a failing broker, client or proxy looks like: a mutant that fails the same cases likewise.

The mutants of each broken rule are judged in this process, by that rule and by those that they
break with it. One of them is named where it fails the cases that failed, in the same words and
after as many requests, and none that passed.

Nobody is named where two look the same, nor where there is no other mutant of the rule to be told
from. A connection or a client that only ends does not say why. And where a rule is broken on the
same request that others break together with this one, there is more to it.
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
    """What a case showed: the verdict, how it ended, and the words.

    `asked` is how many requests had been sent by then, which tells how far a dialogue went.
    """

    verdict: str
    outcome: str = ""
    said: str = ""
    asked: int = 0

    @property
    def is_broken(self) -> bool:
        """Whether it broke the rule."""
        return self.verdict in BROKEN

    @property
    def tells(self) -> bool:
        """Whether there was an answer or a request to look at, and not the end of everything."""
        return self.outcome not in ("closed", "silent") and not _ENDED.match(self.said)


PASSED, UNPROVEN = Seen("pass"), Seen("not-proven")
Picture = Mapping[str, Mapping[str, Seen]]
"""What was seen of a broker or client, by rule and case."""
Mutant: TypeAlias = "type[BrokerMutant] | type[ClientMutant] | type[ProxyMutant]"


class Pictures:
    """What is seen of one broker or client, verdict by verdict."""

    def __init__(self, verdicts: Iterable[Verdict] = ()) -> None:
        self.seen: dict[str, dict[str, Seen]] = defaultdict(dict)
        for verdict in verdicts:
            self.take(verdict)

    def take(self, verdict: Verdict) -> None:
        """Keep what a verdict tells of the rule, if it tells anything."""
        seen = {PASSED.verdict: PASSED, UNPROVEN.verdict: UNPROVEN}.get(verdict.verdict)
        is_note = verdict.verdict == "note" and not verdict.detail.startswith(ONCE)
        if verdict.verdict in BROKEN or is_note:
            seen = _failed(verdict)
        if seen is not None:
            self.seen[verdict.rule][verdict.case] = seen


def _failed(verdict: Verdict) -> Seen:
    """A broken rule of class kafka is a note under one profile, and fails under another."""
    how = "fail" if verdict.verdict == "note" else verdict.verdict
    outcome = "closed" if verdict.outcome == "reset" else verdict.outcome
    sent = verdict.input if verdict.op in (EXCHANGE, FORWARD) else None
    return Seen(how, outcome, _words(verdict.detail), _requests(bytes.fromhex(sent or "")))


def _words(detail: str) -> str:
    """What is said of a failure, without what differs from one to another that fails alike."""
    said = _VERSION.sub(r"\1", _TOPIC_ID.sub("an id", _MADE_UP.sub("", detail)))
    said = _TAKEN.sub("it takes all", _ADDRESS.sub("an address", said))
    return _ASIDE.sub(r"\1", said).replace("torn down", "closed")


def _requests(sent: bytes) -> int:
    """How many requests these bytes are, the same one counted once, whatever its correlation id."""
    found: set[bytes] = set()
    while sent:
        end = 4 + max(int.from_bytes(sent[:4], "big"), 4)
        found.add(sent[4:8] + sent[12:end])
        sent = sent[end:]
    return len(found)


def _dialogue(case: str) -> str:
    """A case without its version."""
    return _VERSION_OF_CASE.sub("", case)


def rules_of(mutant: Mutant) -> tuple[str, ...]:
    """The rules that a mutant breaks."""
    return mutant.breaks, *mutant.implies


@dataclass
class MutantLineUp:
    """The mutants that a broker, client or proxy, which `kind` says, is held against.

    `asked` are the cases that they are asked, of many; none where that is all.
    """

    kind: str
    mutants: Sequence[Mutant]
    verdicts_of: Callable[[Any, Sequence[str]], Iterable[Verdict]]
    asked: frozenset[str] = frozenset()
    _pictures: dict[str, Picture] = field(default_factory=dict)

    def without(self, mutant: Mutant) -> MutantLineUp:
        """The others alone."""
        return replace(self, mutants=[each for each in self.mutants if each is not mutant])

    def breaking(self, rules: Iterable[str]) -> Iterator[Mutant]:
        """The mutants that break one of these rules."""
        wanted = set(rules)
        return (each for each in self.mutants if not wanted.isdisjoint(rules_of(each)))

    def picture(self, mutant: Mutant) -> Picture:
        """What is seen of a mutant, by the rules that it breaks."""
        name = mutant.__name__
        if name not in self._pictures:
            self._pictures[name] = Pictures(self.verdicts_of(mutant, rules_of(mutant))).seen
        return self._pictures[name]

    def comparable(self, seen: Picture) -> Picture:
        """What can be compared, of all that was seen."""
        if not self.asked:
            return seen
        return {
            rule: {case: each for case, each in cases.items() if _dialogue(case) in self.asked}
            for rule, cases in seen.items()
        }

    def describe(self, mutant: Mutant) -> str:
        """What is told of whoever looks like a mutant."""
        says = mutant.says().removesuffix(".")
        return f"a {self.kind} that {says[:1].lower()}{says[1:]} (mutant {mutant.__name__})"


@cache
def brokers() -> MutantLineUp:
    """The mutants of brokers. What they are made of is loaded where a broker failed, not before."""
    from conformance.brokers.mutants import broker_mutants, stocked
    from conformance.brokers.mutants.unchecked import UncheckedHandler
    from conformance.brokers.score import verdicts_of

    def judge(mutant: Any, rules: Sequence[str]) -> list[Verdict]:
        return verdicts_of(stocked(mutant()), *rules)

    # a handler without any check is told by `gate.unchecked`, and is no rival of one missing check
    every = broker_mutants().values()
    mutants = [each for each in every if not issubclass(each, UncheckedHandler)]
    return MutantLineUp("broker", mutants, judge)


@cache
def clients() -> MutantLineUp:
    """The mutants of clients, loaded where a client failed."""
    from conformance.clients.mutants import client_mutants
    from conformance.clients.scenarios.every_request import ALWAYS
    from conformance.clients.score import verdicts_of

    def judge(mutant: Any, rules: Sequence[str]) -> list[Verdict]:
        on_each_visit = not ALWAYS.keys().isdisjoint(rules)
        return verdicts_of(mutant, () if on_each_visit else rules)

    return MutantLineUp("client", list(client_mutants().values()), judge)


@cache
def proxies(rewrites: tuple[str, ...], messages: frozenset[str] = frozenset()) -> MutantLineUp:
    """The mutants of proxies that say that they change this, loaded where a proxy failed.

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
    """What each sort of failure looks like, where one mutant explains all of its rules.

    Or where they are all broken by a handler of a broker that checks nothing.
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
    """The mutants that look like one broker or client, which broke these rules."""

    def __init__(self, line_up: MutantLineUp, seen: Picture, broken: Collection[str]) -> None:
        self._line_up, self._seen, self._broken = line_up, seen, broken

    def named(self) -> dict[str, Mutant]:
        """Who explains each broken rule, where somebody does, and nobody else so well."""
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
        """Whether a mutant shows what was seen, and each dialogue that failed in some version."""
        if mutant.breaks not in self._explains(mutant):
            return False
        both = list(self._both(mutant))
        compared = {_dialogue(case) for case, what, _ in both if what.is_broken}
        failed = {_dialogue(case) for rule in rules_of(mutant) for case, _ in self._failed(rule)}
        return failed == compared and all(what == own for _, what, own in both)

    def _both(self, mutant: Mutant) -> Iterator[tuple[str, Seen, Seen]]:
        """The cases that were judged here and that the mutant was asked, too, and what each did."""
        picture = self._line_up.picture(mutant)
        for rule in rules_of(mutant):
            for case, what in self._seen.get(rule, {}).items():
                if what != UNPROVEN and case in picture.get(rule, {}):
                    yield case, what, picture[rule][case]

    def _is_sure(self, mutant: Mutant) -> bool:
        """Whether there was somebody to tell a mutant from, and enough to see."""
        rivals = (each for each in self._line_up.mutants if each is not mutant)
        is_one_of_many = any(each.breaks == mutant.breaks for each in rivals)
        tells = any(what.tells for rule in rules_of(mutant) for _, what in self._failed(rule))
        return is_one_of_many and tells and not self._leaves(mutant)

    def _leaves(self, mutant: Mutant) -> bool:
        """Whether a rule is broken, on the same request, that others break with the same rule."""
        own = set(rules_of(mutant))
        others = {rule for each in self._line_up.breaking(own) for rule in rules_of(each)} - own
        about = self._requests(own)
        return any(about & self._requests([rule]) for rule in others.intersection(self._broken))

    def _explains(self, mutant: Mutant) -> set[str]:
        """The broken rules that a mutant breaks as well."""
        return {rule for rule in rules_of(mutant) if any(self._failed(rule))}

    def _requests(self, rules: Iterable[str]) -> set[str]:
        """The requests whose cases broke these rules."""
        cases = (case for rule in rules for case, _ in self._failed(rule))
        return {_dialogue(case).partition("/")[0] for case in cases}

    def _failed(self, rule: str) -> Iterator[tuple[str, Seen]]:
        return (each for each in self._seen.get(rule, {}).items() if each[1].is_broken)
