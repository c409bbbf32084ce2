"""The suspects that explain the failures of one run.

A suspect is a mutant, a habit or a draft reading of a KIP as a whole, or on one side alone, reading
or writing; of a message that fails, its definition with one line edited as well. It explains a case
where it gives exactly the target's answer: the same bytes, the same value, a refusal where the
target refused. All failures of a run are held against all suspects together, and as few of those
are named as explain them: the one that explains most first, then the one that explains most of the
rest.

The same wrong bytes are hard to come by, and prove much. A refusal proves little, since whoever
refuses everything refuses this as well. So a suspect that explains refusals alone is named only
where nothing is left unexplained. What leaves a case of its own rule unexplained is not named, nor
what rests on one case, nor what breaks a case that the target passed.

Whoever is named second is asked as a codec that has the first defect as well, since one defect
changes what another comes to. How much is asked is bounded by a count and not by a clock, so that
the same verdicts get the same diagnosis.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice, zip_longest
from typing import TypeVar

from conformance.codecs.diagnosis.chains import chains
from conformance.codecs.diagnosis.line_up import REFUSES_ABSENT, LineUp, Who, question_work
from conformance.codecs.diagnosis.suspects import edits_of, halves, position, suspect, suspects
from conformance.codecs.diagnosis.symptoms import Passed, Symptoms
from conformance.codecs.mutants.habits.edits import NULLABLE_VERSIONS
from conformance.reporting.findings import Cause, Explained
from conformance.reporting.sorts import Sort
from conformance.results.lines import Verdict

MOST_WORK = 80_000
"""How much is asked at most: a question is one, and one more for each 512 bytes in and out."""
_FEW = 40
"""So many failures all suspects are asked."""
_MOST_CANDIDATES = 40
"""So many suspects that agree on some of them are asked the other failures."""
_A_WHILE = 50
"""After so many failures, whoever explains less than half as many as another is dropped."""
_PASSED = 40
"""So many cases that passed a suspect must be right on, and as many of its own rule."""
_MORE_PASSED = 400
"""So many one must be right on that is to be named."""
_MOST_NAMED, _MOST_EDITS_NAMED = 4, 8
"""So many suspects are named, and so many edits beside them: each is of one message alone."""
_LEAST_CASES = 2
"""So many cases a suspect must explain: one alone looks like many a defect."""
_ENOUGH_CASES = 4
"""An edit that explains so many need be shown by one of them that is no refusal."""
_REFUSED_COUNTS_LESS = 0.75
"""By so much less a refusal counts that a suspect explains, as many a defect leads to one."""
_MOST_OF_A_RULE, _MOST_OF_MANY = 0.9, 0.5
"""So much is explained of the failures of its own rule where a mutant is named, and of those in
which it fails itself where a habit is."""
_FEW_MESSAGES, _FEW_OF_EDITS, _MOST_EDITS, _WORK_OF_EDITS = 8, 8, 15, 60_000
"""Edits are asked where so few messages fail, at first so few cases each; so many of a message are
asked all others, with so much work more."""
_FEW_VERSIONS = 3
"""An edit is asked about as one of so few versions of a message as well, if no other fails."""
_NEAR = 0.6
"""So much of its failures a suspect shares with the target that has the same cause."""
_ANSWERS = frozenset({"value", "rejected", "crashed"})
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Diagnoses:
    """What was found: how it explains each sort of failure, and what was left out."""

    explained: Explained = field(default_factory=Explained)
    note: str = ""


@dataclass(frozen=True, slots=True)
class Sorted:
    """A failed case that stands for others of its sort, and for how many."""

    sort: Sort
    verdict: Verdict
    weight: float


def failures_of(sorts: Mapping[Sort, Cause]) -> Iterator[Sorted]:
    """The cases that stand for each sort: of each rule in turn, the smallest of each sort first."""
    rows: dict[tuple[str, ...], list[list[Sorted]]] = defaultdict(list)
    for sort, cause in sorted(sorts.items(), key=lambda item: item[0]):
        weight = cause.count / len(cause.examples)
        rows[sort[0]].append([Sorted(sort, one, weight) for one in cause.examples])
    for each in _in_turn([list(_in_turn(of_rule)) for of_rule in rows.values()]):
        answered = each.verdict.outcome in _ANSWERS or each.verdict.verdict == "crash"
        if answered and each.verdict.verdict != "hang":
            yield each


class Search:
    """The suspects that explain the failures of one run."""

    def __init__(
        self,
        symptoms: Symptoms,
        failures: Sequence[Sorted],
        line_up: LineUp,
        places: Collection[tuple[str, int]] = (),
    ) -> None:
        self._symptoms, self._failures, self._line_up = symptoms, failures, line_up
        self._places = places
        self._messages = {each.verdict.message for each in failures}
        self._broken = sorted(symptoms.failures)
        self._kept: dict[str, list[Passed]] = {}
        self._common = list(islice(self._passed(self._broken), _PASSED))
        self._more = list(islice(self._passed(self._beside()), _MORE_PASSED))
        self._room = len(failures)
        self._work_of_edits = 0

    def diagnoses(self) -> Diagnoses:
        """Who is named, and for what."""
        named = self._credible(self._named())
        assigned = self._assigned(named)
        edited = Counter(message for name in named for message in _edited(name))
        said = {
            name: str(suspect(name))
            if any(edited[message] > 1 for message in _edited(name))
            else self._said(name, assigned)
            for name in named
        }
        texts = {sort: said[name] for sort, name in assigned.items()}
        explained = Explained(
            texts=texts,
            breaks={said[name]: suspect(name).lead for name in named},
            words={said[name]: suspect(name).words for name in named},
            judged=self._symptoms.judged,
            near=self._near(named),
        )
        return Diagnoses(explained, self._note())

    def _said(self, name: str, assigned: Mapping[Sort, str]) -> str:
        """What is said of a suspect; of an edit in which versions, if others of it pass."""
        if not suspect(name).is_edit:
            return str(suspect(name))
        own = [each.verdict for each in self._failures if assigned.get(each.sort) == name]
        own = [verdict for verdict in own if verdict.case.count("/") == 1] or own
        failing = sorted({verdict.version for verdict in own})
        messages = {verdict.message for verdict in own}
        passing = {version for each in messages for version in self._symptoms.versions(each)}
        return suspect(name).said_of(failing if passing - set(failing) else ())

    def kind_of(self, sort: Sort) -> str:
        """The one kind of value in which all examples of a sort differ, "" where there is none."""
        found = {
            self._line_up.only_kind(each.verdict) for each in self._failures if each.sort == sort
        }
        return next(iter(found)) if len(found) == 1 else ""

    def _named(self) -> Who:
        """As few suspects as explain the most, one after another."""
        named: Who = ()
        while found := self._next(named):
            named = (*named, found)
        for own in self._by_message(self._left(named)):
            if several := self._chain(named, own):
                named = self._needed((*named, *several))
        return named

    def _needed(self, named: Who) -> Who:
        """Return those without whom less is explained: several edits may do for one before them."""
        every = range(min(self._room, len(self._failures)))
        most = self._explained(named, every)
        for name in named:
            fewer = tuple(each for each in named if each != name)
            if not suspect(name).is_edit and self._explained(fewer, every) >= most:
                named = fewer
        return named

    def _next(self, named: Who) -> str:
        """Who explains, beside those who are named, most of what they leave unexplained."""
        left = self._left(named)
        edits = sum(suspect(name).is_edit for name in named)
        if not left or edits == _MOST_EDITS_NAMED:
            return ""
        is_full = len(named) - edits >= _MOST_NAMED
        candidates = [] if self._is_tired or is_full else self._candidates(named, left)
        edits_left = self._edits(named, left)
        return self._best(named, [*candidates, *edits_left], left)

    def _best(self, named: Who, candidates: Sequence[str], left: Collection[int]) -> str:
        """The candidate that explains most of what is left, "" where none explains enough."""
        agreed = self._agreed(named, candidates, left)
        while agreed:
            best = max(agreed, key=lambda name: self._worth(name, agreed[name]))
            is_enough = self._is_enough(best, agreed.pop(best), left)
            if is_enough and not self._is_contradicted((*named, best), self._more):
                return best
        return ""

    def _is_enough(self, name: str, agreed: Collection[int], left: Collection[int]) -> bool:
        """Whether a suspect explains some cases, and an edit nearly all of its message."""
        if self._weight(agreed) < _LEAST_CASES or not suspect(name).is_edit:
            return self._weight(agreed) >= _LEAST_CASES
        own = self._weight(i for i in left if suspect(name).concerns(self._message(i)))
        tells = self._is_answered if suspect(name).lead != NULLABLE_VERSIONS else self._is_taken
        shown = [i for i in agreed if tells(i) and not self._is_open(i)]
        is_most = self._weight(agreed) >= _MOST_OF_A_RULE * own
        least = 1 if self._weight(agreed) >= _ENOUGH_CASES else _LEAST_CASES
        return is_most and self._weight(shown) >= least

    def _is_open(self, index: int) -> bool:
        """Whether a failure only says that the target takes what it has no field for."""
        return REFUSES_ABSENT.issuperset(self._failures[index].sort[0])

    def _is_answered(self, index: int) -> bool:
        """True if the target gave a wrong answer where one is due, which tells most of a layout."""
        expected = self._verdict(index).expected
        is_due = not (isinstance(expected, str) and expected.startswith("refused"))
        return is_due and not self._is_refused(index)

    def _is_taken(self, index: int) -> bool:
        """True if the target did not refuse, which tells most of what may be null."""
        return not self._is_refused(index)

    def _is_refused(self, index: int) -> bool:
        return _behaviour(self._failures[index].verdict) == "rejected"

    def _is_in_headers(self, name: str, index: int) -> bool:
        """Whether a suspect explains a failure only if its defect is in headers as well."""
        return not self._line_up.agrees((name,), self._verdict(index), bodies_alone=True)

    def _verdict(self, index: int) -> Verdict:
        return self._failures[index].verdict

    def _message(self, index: int) -> str:
        return self._verdict(index).message

    def _edits(self, named: Who, left: Collection[int]) -> list[str]:
        """Of the messages that are left, if these are few, the edit that explains most of each."""
        begin = self._line_up.work
        left = [index for index in left if not self._is_of_named_edit(named, index)]
        found = list(filter(None, (self._edit(named, each) for each in self._by_message(left))))
        self._work_of_edits += self._line_up.work - begin
        return found

    def _is_of_named_edit(self, named: Who, index: int) -> bool:
        """True if an edit that is named fails there as well, so no other need be looked for."""
        verdict = self._verdict(index)
        return any(
            suspect(name).is_edit
            and suspect(name).concerns(verdict.message)
            and self._line_up.is_wrong_there((name,), verdict)
            for name in named
        )

    def _by_message(self, left: Collection[int]) -> list[list[int]]:
        """Return what is left of each message, none if it is of many or enough was asked."""
        messages = {self._message(index) for index in left}
        if len(messages) > _FEW_MESSAGES or self._work_of_edits > _WORK_OF_EDITS:
            return []
        return [[i for i in left if self._message(i) == message] for message in sorted(messages)]

    def _chain(self, named: Who, own: Sequence[int]) -> Who:
        """Return several edits that explain together nearly all that is left of one message."""
        if self._weight(own) < _ENOUGH_CASES:
            return ()
        edits = edits_of(self._message(own[0]), self._line_up.release, self._alone(own))
        begin, found = self._line_up.work, dict[Who, float]()
        for several in chains(self._line_up, named, edits, list(map(self._verdict, own))):
            if found and len(several) > min(map(len, found)):
                break
            if self._is_whole(named, several, own):
                found[several] = self._explained((*named, *several), own)
        self._work_of_edits += self._line_up.work - begin
        return max(found, key=lambda several: found[several], default=())

    def _explained(self, who: Who, own: Iterable[int]) -> float:
        return self._weight(i for i in own if self._line_up.agrees(who, self._verdict(i)))

    def _is_whole(self, named: Who, several: Who, own: Sequence[int]) -> bool:
        """True if edits explain nearly all of a message's failures, and none of them is idle."""
        most = self._explained((*named, *several), own)
        if most < _MOST_OF_A_RULE * self._weight(own):
            return False
        fewer = ((*named, *(each for each in several if each != one)) for one in several)
        if any(self._explained(who, own) > most - _LEAST_CASES for who in fewer):
            return False
        return not self._is_contradicted((*named, *several), self._more)

    def _edit(self, named: Who, own: Sequence[int]) -> str:
        """The edit that explains most of one message's failures, "" for none."""
        few = sorted(self._few(own), key=_by_what_it_tells)[:_FEW_OF_EDITS]
        agreeing = Counter(
            name
            for name in edits_of(self._message(own[0]), self._line_up.release, self._alone(own))
            for each in few
            if self._line_up.agrees((*named, name), each.verdict)
        )
        likely = (name for name, _ in agreeing.most_common(_MOST_EDITS))
        explained = {
            name: {i for i in own if self._line_up.agrees((*named, name), self._verdict(i))}
            for whole in likely
            for name in (whole, *halves(whole))
        }
        order = sorted(explained, key=lambda name: self._worth(name, explained[name]), reverse=True)
        right = (name for name in order if not self._is_contradicted((*named, name), self._more))
        return next(right, "")

    def _alone(self, own: Collection[int]) -> tuple[int, ...]:
        """The few versions of a message that fail, none if all that were asked do."""
        failing = sorted({self._verdict(index).version for index in own})
        message = self._message(next(iter(own)))
        is_more = self._symptoms.versions(message) - set(failing)
        return tuple(failing) if is_more and len(failing) <= _FEW_VERSIONS else ()

    def _candidates(self, named: Who, left: Collection[int]) -> list[str]:
        """The suspects that agree on some of a few failures and break nothing that passed."""
        few = self._affordable(self._few(left))
        agreeing = Counter(
            name
            for name in suspects()
            for each in few
            if name not in named
            and suspect(name).concerns(each.verdict.message)
            and self._line_up.agrees((*named, name), each.verdict)
        )
        found = (name for name, _ in agreeing.most_common())
        right = (n for n in found if not self._is_contradicted((*named, n), self._common))
        return list(islice(right, _MOST_CANDIDATES))

    def _few(self, left: Collection[int]) -> list[Sorted]:
        """The smallest failures of each rule, of those seldom broken first."""
        rules: dict[str, dict[tuple[str, str], Sorted]] = defaultdict(dict)
        for each in (self._failures[index] for index in sorted(left)):
            for rule in each.sort[0]:
                rules[rule].setdefault((each.verdict.op, _behaviour(each.verdict)), each)
        order = sorted(rules, key=lambda rule: (self._symptoms.failures[rule], rule))
        found = _in_turn([list(rules[rule].values()) for rule in order])
        return list({each.verdict.case: each for each in found}.values())[:_FEW]

    def _affordable(self, few: Sequence[Sorted]) -> list[Sorted]:
        """Those of a few that all suspects can be asked with half of what may be asked."""
        room = MOST_WORK // 2 // len(suspects())
        found: list[Sorted] = []
        for each in sorted(few, key=lambda each: question_work(each.verdict)):
            room -= question_work(each.verdict)
            if room < 0 and len(found) >= _LEAST_CASES:
                break
            found.append(each)
        return found

    def _is_contradicted(self, who: Who, passed: Sequence[Passed]) -> bool:
        """Whether these break a case that the target passed."""
        own = islice(self._passed([suspect(who[-1]).kind.breaks]), len(passed))
        return not all(self._line_up.is_right(who, each) for each in chain(passed, own))

    def _beside(self) -> list[str]:
        """The rules that something passed, those that were broken as well first."""
        return [*self._broken, *(r for r in self._symptoms.rules if r not in self._broken)]

    def _passed(self, rules: Iterable[str]) -> Iterator[Passed]:
        """What passed these rules, of each in turn, on the messages that fail first."""
        return _in_turn([self._passed_of(rule) for rule in rules])

    def _passed_of(self, rule: str) -> list[Passed]:
        if rule not in self._kept:
            self._kept[rule] = list(self._symptoms.passed(rule, self._messages))
        return self._kept[rule]

    def _agreed(
        self, named: Who, candidates: Sequence[str], left: Collection[int]
    ) -> dict[str, set[int]]:
        """What each candidate explains of what is left; of many failures, those there is room for.

        The first time says how many that are. Those who fall behind are asked no more; their turn
        comes again beside whoever is named.
        """
        agreed: dict[str, set[int]] = {name: set() for name in candidates}
        most = (self._line_up.work + MOST_WORK) // 2
        for count, index in enumerate(sorted(left) if candidates else (), 1):
            if not named and self._line_up.work > most:
                self._room = index
                break
            verdict = self._failures[index].verdict
            for name, found in agreed.items():
                if self._line_up.agrees((*named, name), verdict):
                    found.add(index)
            if count % _A_WHILE == 0:
                agreed = _leading(agreed)
        return agreed

    @property
    def _is_tired(self) -> bool:
        return self._line_up.work - self._work_of_edits > MOST_WORK

    def _worth(
        self, name: str, agreed: Collection[int]
    ) -> tuple[float, float, bool, bool, bool, int]:
        """How much a suspect explains; of two alike, who needs headers for less, or tells more."""
        one = suspect(name)
        refused = self._weight(filter(self._is_refused, agreed))
        return (
            self._weight(agreed) - _REFUSED_COUNTS_LESS * refused,
            -self._weight(i for i in agreed if self._is_in_headers(name, i)),
            one.is_draft,
            one.kind.breaks in self._symptoms.failures,
            one.refuses,
            -position(name),
        )

    def _weight(self, failures: Iterable[int]) -> float:
        """How many cases these stand for."""
        return round(sum(self._failures[index].weight for index in failures), 6)

    def _credible(self, named: Who) -> Who:
        """Without those whom a failure speaks against that nobody explains."""
        while left := self._left(named):
            doubted = [name for name in named if self._is_doubted(name, named, left)]
            if not doubted:
                break
            named = tuple(name for name in named if name != doubted[-1])
        return named

    def _left(self, named: Who) -> set[int]:
        """The failures that those named don't explain, alone or together.

        What may be of two causes, one of which is known, is no reason to name a third.
        """
        every = set(range(min(self._room, len(self._failures))))
        single = {index for index in every if not self._has_another_cause(index)}
        if not named:
            return single or every
        return {
            index
            for index in single
            if not self._line_up.agrees(named, self._failures[index].verdict)
            and not any(self._explains(name, index) for name in named)
        }

    def _explains(self, name: str, index: int) -> bool:
        return self._line_up.agrees((name,), self._failures[index].verdict)

    def _near(self, named: Who) -> dict[Sort, str]:
        """For what nobody explains: who fails in the same cases, whatever the answers.

        That is no reason to name anybody, but such failures have one cause.
        """
        left, found = self._left(named), dict[Sort, str]()
        while not self._is_tired and (name := self._nearest(left)):
            failing = {index for index in left if self._is_wrong(name, index)}
            for index in sorted(failing):
                found.setdefault(self._failures[index].sort, name)
            left -= failing
        return found

    def _nearest(self, left: Collection[int]) -> str:
        """Who fails in most of what is left and in little of what passed, "" for nobody."""
        few = self._few(left)
        if len(few) < _LEAST_CASES:
            return ""
        shares = {name: self._shared(name, few) for name in suspects()}
        best = max(shares, key=lambda name: shares[name])
        return best if shares[best] >= _NEAR else ""

    def _shared(self, name: str, few: Sequence[Sorted]) -> float:
        """The share of cases that a suspect and the target both fail, of those that either does."""
        both = sum(self._line_up.is_wrong((name,), each.verdict) for each in few)
        if both < _NEAR * len(few):
            return 0
        alone = sum(not self._line_up.is_right((name,), each) for each in self._common)
        return both / (len(few) + alone)

    def _is_wrong(self, name: str, index: int) -> bool:
        return self._line_up.is_wrong((name,), self._failures[index].verdict)

    def _is_doubted(self, name: str, named: Who, left: set[int]) -> bool:
        """Whether it explains no more than refusals, or too little of what is its own."""
        one, every = suspect(name), set(range(min(self._room, len(self._failures))))
        own = {i for i in every if self._is_own(name, i) and not self._has_another_cause(i)}
        least = _MOST_OF_A_RULE if one.kind.breaks or one.is_edit else _MOST_OF_MANY
        if self._weight(own & left) > (1 - least) * self._weight(own):
            return True
        own = {i for i in every if self._explains(name, i)}
        own |= {i for i in every - own if self._explains_with_others(name, named, i)}
        return all(map(self._is_refused, own))

    def _explains_with_others(self, name: str, named: Who, index: int) -> bool:
        """True if an edit and others of its message explain a failure together."""
        one = suspect(name)
        return (
            one.is_edit
            and one.concerns(self._message(index))
            and self._line_up.agrees(named, self._verdict(index))
        )

    def _has_another_cause(self, index: int) -> bool:
        """True if answers of the same message and version show a cause by themselves."""
        return place_of(self._verdict(index)) in self._places

    def _is_own(self, name: str, index: int) -> bool:
        """Whether a failure is of a mutant's rule, of an edit's message, or a habit's as well."""
        one = suspect(name)
        if one.is_edit:
            return one.concerns(self._message(index))
        if one.kind.breaks:
            return one.kind.breaks in self._failures[index].sort[0]
        return self._is_wrong(name, index)

    def _assigned(self, named: Who) -> dict[Sort, str]:
        """Whom each sort of failure is put down to: who explains it, or else who breaks it too."""
        counted: dict[Sort, Counter[str]] = defaultdict(Counter)
        for index, each in enumerate(self._failures[: self._room]):
            for name in named:
                if self._explains(name, index):
                    counted[each.sort][name] += 20
                elif self._line_up.is_wrong_there((name,), each.verdict):
                    counted[each.sort][name] += 2
                elif self._explains_with_others(name, named, index):
                    counted[each.sort][name] += 1
        found = {sort: counts.most_common(1)[0][0] for sort, counts in counted.items()}
        return self._with_those_not_asked(found)

    def _with_those_not_asked(self, found: dict[Sort, str]) -> dict[Sort, str]:
        """The sorts that there was no room for go with those that broke the same rules."""
        alike: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
        for (rules, _), name in found.items():
            alike[rules][name] += 1
        asked = {each.sort for each in self._failures[: self._room]}
        for each in self._failures[self._room :]:
            names = alike[each.sort[0]].most_common()
            fits = (name for name, _ in names if suspect(name).concerns(each.verdict.message))
            if each.sort not in asked and (name := next(fits, "")):
                found[each.sort] = name
        return found

    def _note(self) -> str:
        """A line that says what was left out, "" where nothing was."""
        left = len({each.sort for each in self._failures[self._room :]})
        if not left:
            return ""
        return f"the diagnosis was cut short: {left} sorts of failure were not held against mutants"


def _edited(name: str) -> tuple[str, ...]:
    """Return the message of an edit, none of another suspect."""
    return suspect(name).kind.messages if suspect(name).is_edit else ()


def _leading(agreed: dict[str, set[int]]) -> dict[str, set[int]]:
    """The edits, each of which explains one message, and who explains half as many as any other."""
    edits = {name for name in agreed if suspect(name).is_edit}
    most = max((len(found) for name, found in agreed.items() if name not in edits), default=0)
    return {n: found for n, found in agreed.items() if n in edits or 2 * len(found) >= most}


def _in_turn(rows: Sequence[Sequence[T]]) -> Iterator[T]:
    """The first of each, then the second of each, and so on."""
    for column in zip_longest(*rows):
        yield from (each for each in column if each is not None)


def _by_what_it_tells(each: Sorted) -> tuple[bool, int]:
    """A key for those first that tell one edit from another: no refusals, and what is short."""
    return _behaviour(each.verdict) == "rejected", question_work(each.verdict)


def _behaviour(verdict: Verdict) -> str:
    """What a target did: crashed, whatever it answered before, or else its outcome."""
    return "crashed" if verdict.verdict == "crash" else verdict.outcome


def place_of(verdict: Verdict) -> tuple[str, int]:
    """The message and version of a case."""
    return verdict.message, verdict.version
