"""The search for the suspects that explain the failures of one run.

A suspect is a known way to be wrong: a mutant, a habit (a defect that many codecs have), a draft
reading of a KIP, or an edit (one line of a message's definition changed). Most can also be on one
side alone, reading or writing. A suspect explains a case if it gives exactly the target's answer:
the same bytes, the same value, a refusal where the target refused. All failures are compared with
all suspects, and the suspects are named one after another: first the one that explains most, then
the one that explains most of the rest. Each is asked as a codec that has the defects of those named
so far as well, since one defect changes what another leads to.

Equal wrong bytes are strong evidence, since they rarely occur by chance. An equal refusal is weak
evidence: a codec that refuses everything refuses this as well. So a suspect that explains nothing
but refusals is named only if no failure is left unexplained. A suspect is not named if it leaves
much of its own rule unexplained, explains a single case, or fails a case that the target passed.

The work is bounded by a count of questions and not by a clock, so that the same verdicts get the
same diagnosis on every machine. The limits below bound that work, or say how much evidence is
enough. Unless a docstring says more, a number was chosen when the search was written, and no
measurement of it is recorded; how well defects are named with all of them is measured by `tox run
-e diagnosis`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from conformance.codecs.diagnosis.chains import chains
from conformance.codecs.diagnosis.evidence import MOST_OF_A_RULE, Evidence, Sorted, behaviour
from conformance.codecs.diagnosis.line_up import LineUp, Who, question_work
from conformance.codecs.diagnosis.suspects import edits_of, halves, position, suspect, suspects
from conformance.codecs.diagnosis.symptoms import Symptoms
from conformance.codecs.mutants.habits.edits import NULLABLE_VERSIONS
from conformance.reporting.explained import Explained
from conformance.reporting.sorts import Sort

MOST_WORK = 80_000
"""The most units of work of one diagnosis, apart from edits (`LineUp.work`).

A question is one unit, and one more for each 512 bytes of input. A smaller limit leaves sorts of
failure undiagnosed in codecs that fail often, and `Diagnoses.note` then counts them; a larger one
only takes longer.
"""
_MOST_CANDIDATES = 40
"""The most suspects that are asked about all failures, after a small sample was asked about.

A suspect that agrees in few cases of the sample ranks low, so that fewer could miss the cause of a
rare failure; each more costs a question a failure.
"""
_A_WHILE = 50
"""The number of failures after which candidates that are far behind are dropped.

A candidate is far behind if it explains less than half as many as the best. It saves questions; a
much smaller number would drop the cause of failures that happen to come late.
"""
_MOST_NAMED = 4
"""The most suspects, edits not counted, that are named for one run.

Each more takes another search through all suspects, and has fewer failures left as evidence. The
other defects of a codec with more of them are diagnosed after these are mended.
"""
_MOST_EDITS_NAMED = 8
"""The most edits that are named for one run.

There may be more of them than of other suspects, since each explains one message alone and hides no
other. The number is that of messages that are searched for edits, `_FEW_MESSAGES`.
"""
_LEAST_CASES = 2
"""The least number of failed cases that a suspect has to explain.

One case alone has the answer of many suspects. With more, a defect of a rarely used type would not
be named.
"""
_ENOUGH_CASES = 4
"""The number of explained cases for which an edit needs only one that shows the layout.

An edit that explains fewer needs `_LEAST_CASES` of them. Several edits of one message are searched
for only if as many failures are left.
"""
_REFUSED_COUNTS_LESS = 0.75
"""The share that is taken off the weight of a refusal when suspects are ranked.

Many defects lead to the same refusal. With 0, a suspect that refuses everything would come first;
with 1, refusals would not tell two suspects apart that explain the same bytes.
"""
_FEW_MESSAGES = 8
"""The most messages with unexplained failures for which edits are tried.

If more messages fail, a wrong line of one definition is an unlikely cause, and the work grows with
each. While it was 4, one missing field could be reported as five findings.
"""
_FEW_OF_EDITS = 8
"""The number of failures of a message that all of its edits are asked about first.

A message has up to about 900 edits (FetchResponse), so that this number decides the work. With
fewer failures, more edits agree in all of them.
"""
_MOST_EDITS = 15
"""The number of edits of a message that are asked about all of its failures.

They are those that agree in most of the first failures. It bounds work: with fewer, the right edit
may be left out among others that agree in as many.
"""
_WORK_OF_EDITS = 60_000
"""The units of work that edits may take, beside `MOST_WORK` for the other suspects.

It was doubled from 30,000 after `_FEW_MESSAGES` was doubled. If it is used up, further messages are
not searched for edits.
"""
_NEAR = 0.6
"""The least share of failed cases that a suspect and the target have in common for one cause.

The answers need not be equal, so nothing is named for it; the failures are only put together. A
smaller share would put failures of two causes into one finding.
"""


Field = tuple[str, str]
"""A message, and the path of a field of it."""


@dataclass(frozen=True, slots=True)
class Diagnoses:
    """The result of a search: what explains each sort, and a note on what was left out."""

    explained: Explained = field(default_factory=Explained)
    note: str = ""


class Search:
    """The suspects that explain the failures of one run."""

    def __init__(
        self,
        symptoms: Symptoms,
        failures: Sequence[Sorted],
        line_up: LineUp,
        places: Collection[tuple[str, int]] = (),
    ) -> None:
        self._symptoms, self._line_up = symptoms, line_up
        self._cases = Evidence(symptoms, failures, line_up, places)
        self._work_of_edits = 0

    def diagnoses(self) -> Diagnoses:
        """Return the suspects that are named, with the sorts of failure that each explains."""
        named = self._cases.credible(self._named())
        assigned = self._cases.assigned(named)
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
        """Return the words on a suspect; those on an edit list failing versions if others pass."""
        if not suspect(name).is_edit:
            return str(suspect(name))
        own = [each.verdict for each in self._cases.failures if assigned.get(each.sort) == name]
        own = [verdict for verdict in own if verdict.case.count("/") == 1] or own
        failing = sorted({verdict.version for verdict in own})
        messages = {verdict.message for verdict in own}
        passing = {version for each in messages for version in self._symptoms.versions(each)}
        return suspect(name).said_of(failing if passing - set(failing) else ())

    def kind_of(self, sort: Sort) -> str:
        """Return the one kind of value in which all examples of a sort differ, else ""."""
        found = {
            self._line_up.only_kind(each.verdict)
            for each in self._cases.failures
            if each.sort == sort
        }
        return next(iter(found)) if len(found) == 1 else ""

    def fields_of(self, sort: Sort) -> frozenset[Field]:
        """Return the fields at which the examples of a sort differ, each with its message."""
        return frozenset(
            (each.verdict.message, path)
            for each in self._cases.failures
            if each.sort == sort
            for path in self._line_up.fields_that_differ(each.verdict)
        )

    def _named(self) -> Who:
        """Return few suspects that explain most of the failures, chosen one after another.

        Then several edits together are tried for each message that is not explained.
        """
        named: Who = ()
        while found := self._next(named):
            named = (*named, found)
        for own in self._by_message(self._cases.left(named)):
            if several := self._chain(named, own):
                named = self._needed((*named, *several))
        return named

    def _needed(self, named: Who) -> Who:
        """Return the suspects without those that are not needed to explain as many failures.

        Several edits of a message may explain what a suspect was named for that was chosen earlier.
        Edits are always kept.
        """
        every = self._cases.every
        most = self._cases.explained_weight(named, every)
        for name in named:
            fewer = tuple(each for each in named if each != name)
            if not suspect(name).is_edit and self._cases.explained_weight(fewer, every) >= most:
                named = fewer
        return named

    def _next(self, named: Who) -> str:
        """Return the suspect to name next, "" for none.

        It explains, together with those that are named, most of the failures left.
        """
        left = self._cases.left(named)
        edits = sum(suspect(name).is_edit for name in named)
        if not left or edits == _MOST_EDITS_NAMED:
            return ""
        is_full = len(named) - edits >= _MOST_NAMED
        candidates = [] if self._is_tired or is_full else self._candidates(named, left)
        edits_left = self._edits(named, left)
        return self._best(named, [*candidates, *edits_left], left)

    def _best(self, named: Who, candidates: Sequence[str], left: Collection[int]) -> str:
        """Return the candidate that explains most of what is left, "" if none explains enough."""
        agreed = self._agreed(named, candidates, left)
        while agreed:
            best = max(agreed, key=lambda name: self._worth(name, agreed[name]))
            is_enough = self._is_enough(best, agreed.pop(best), left)
            if is_enough and not self._cases.is_contradicted((*named, best)):
                return best
        return ""

    def _is_enough(self, name: str, agreed: Collection[int], left: Collection[int]) -> bool:
        """True if a suspect explains enough cases, and an edit nearly all of its message.

        An edit also needs cases that show the layout, and not only refusals.
        """
        if self._cases.weight(agreed) < _LEAST_CASES or not suspect(name).is_edit:
            return self._cases.weight(agreed) >= _LEAST_CASES
        own = self._cases.weight(i for i in left if suspect(name).concerns(self._cases.message(i)))
        tells = (
            self._cases.is_answered
            if suspect(name).lead != NULLABLE_VERSIONS
            else self._cases.is_taken
        )
        shown = [i for i in agreed if tells(i) and not self._cases.is_open(i)]
        is_most = self._cases.weight(agreed) >= MOST_OF_A_RULE * own
        least = 1 if self._cases.weight(agreed) >= _ENOUGH_CASES else _LEAST_CASES
        return is_most and self._cases.weight(shown) >= least

    def _edits(self, named: Who, left: Collection[int]) -> list[str]:
        """Return the edit that explains most of each message, if few messages are left."""
        begin = self._line_up.work
        left = [index for index in left if not self._is_of_named_edit(named, index)]
        found = list(filter(None, (self._edit(named, each) for each in self._by_message(left))))
        self._work_of_edits += self._line_up.work - begin
        return found

    def _is_of_named_edit(self, named: Who, index: int) -> bool:
        """True if a named edit fails a case at the same place; no other edit is tried then."""
        verdict = self._cases.verdict(index)
        return any(
            suspect(name).is_edit
            and suspect(name).concerns(verdict.message)
            and self._line_up.is_wrong_there((name,), verdict)
            for name in named
        )

    def _by_message(self, left: Collection[int]) -> list[list[int]]:
        """Return what is left of each message, none if messages are many or the work is used up."""
        messages = {self._cases.message(index) for index in left}
        if len(messages) > _FEW_MESSAGES or self._work_of_edits > _WORK_OF_EDITS:
            return []
        return [
            [i for i in left if self._cases.message(i) == message] for message in sorted(messages)
        ]

    def _chain(self, named: Who, own: Sequence[int]) -> Who:
        """Return several edits that together explain nearly all that is left of one message."""
        if self._cases.weight(own) < _ENOUGH_CASES:
            return ()
        edits = edits_of(
            self._cases.message(own[0]), self._line_up.release, self._cases.failing_versions(own)
        )
        begin, found = self._line_up.work, dict[Who, float]()
        for several in chains(self._line_up, named, edits, list(map(self._cases.verdict, own))):
            if found and len(several) > min(map(len, found)):
                break
            if self._is_whole(named, several, own):
                found[several] = self._cases.explained_weight((*named, *several), own)
        self._work_of_edits += self._line_up.work - begin
        return max(found, key=lambda several: found[several], default=())

    def _is_whole(self, named: Who, several: Who, own: Sequence[int]) -> bool:
        """True if edits explain nearly all of a message's failures and each of them is needed."""
        most = self._cases.explained_weight((*named, *several), own)
        if most < MOST_OF_A_RULE * self._cases.weight(own):
            return False
        fewer = ((*named, *(each for each in several if each != one)) for one in several)
        if any(self._cases.explained_weight(who, own) > most - _LEAST_CASES for who in fewer):
            return False
        return not self._cases.is_contradicted((*named, *several))

    def _edit(self, named: Who, own: Sequence[int]) -> str:
        """Return the edit that explains most of one message's failures, "" for none."""
        few = sorted(self._cases.few(own), key=_by_what_it_tells)[:_FEW_OF_EDITS]
        agreeing = Counter(
            name
            for name in edits_of(
                self._cases.message(own[0]),
                self._line_up.release,
                self._cases.failing_versions(own),
            )
            for each in few
            if self._line_up.agrees((*named, name), each.verdict)
        )
        likely = (name for name, _ in agreeing.most_common(_MOST_EDITS))
        explained = {
            name: {i for i in own if self._line_up.agrees((*named, name), self._cases.verdict(i))}
            for whole in likely
            for name in (whole, *halves(whole))
        }
        order = sorted(explained, key=lambda name: self._worth(name, explained[name]), reverse=True)
        right = (name for name in order if not self._cases.is_contradicted((*named, name)))
        return next(right, "")

    def _candidates(self, named: Who, left: Collection[int]) -> list[str]:
        """Return suspects that explain some of a few failures and fail no case that passed."""
        few = self._affordable(self._cases.few(left))
        agreeing = Counter(
            name
            for name in suspects()
            for each in few
            if name not in named
            and suspect(name).concerns(each.verdict.message)
            and self._line_up.agrees((*named, name), each.verdict)
        )
        found = (name for name, _ in agreeing.most_common())
        right = (n for n in found if not self._cases.is_contradicted((*named, n), fully=False))
        return list(islice(right, _MOST_CANDIDATES))

    def _affordable(self, few: Sequence[Sorted]) -> list[Sorted]:
        """Return the shortest of a few failures, as many as all suspects can be asked about.

        That takes half of `MOST_WORK` at most, unless it takes more to return `_LEAST_CASES`.
        """
        room = MOST_WORK // 2 // len(suspects())
        found: list[Sorted] = []
        for each in sorted(few, key=lambda each: question_work(each.verdict)):
            room -= question_work(each.verdict)
            if room < 0 and len(found) >= _LEAST_CASES:
                break
            found.append(each)
        return found

    def _agreed(
        self, named: Who, candidates: Sequence[str], left: Collection[int]
    ) -> dict[str, set[int]]:
        """Return the failures among `left` that each candidate explains.

        If no suspect is named yet and half of the work left is used, the search stops there: `room`
        keeps the number of failures that were compared, and all later steps are limited to them.
        Candidates that explain far less than the best are dropped; they are tried again when the
        next suspect is searched.
        """
        agreed: dict[str, set[int]] = {name: set() for name in candidates}
        most = (self._line_up.work + MOST_WORK) // 2
        for count, index in enumerate(sorted(left) if candidates else (), 1):
            if not named and self._line_up.work > most:
                self._cases.room = index
                break
            verdict = self._cases.verdict(index)
            for name, found in agreed.items():
                if self._line_up.agrees((*named, name), verdict):
                    found.add(index)
            if count % _A_WHILE == 0:
                agreed = _leading(agreed)
        return agreed

    @property
    def _is_tired(self) -> bool:
        """True if the work for suspects other than edits is used up."""
        return self._line_up.work - self._work_of_edits > MOST_WORK

    def _worth(
        self, name: str, agreed: Collection[int]
    ) -> tuple[float, float, bool, bool, bool, bool, int]:
        """Return a sort key by which the best candidate is greatest.

        First comes the weight of what it explains. Of equal candidates, the better one needs its
        defect in headers for fewer failures, is described as refusing if refusals are all that it
        explains, follows a draft, breaks a rule that failed, is described as refusing, or is listed
        earlier.
        """
        one = suspect(name)
        refused = self._cases.weight(filter(self._cases.is_refused, agreed))
        return (
            self._cases.weight(agreed) - _REFUSED_COUNTS_LESS * refused,
            -self._cases.weight(i for i in agreed if self._cases.is_in_headers(name, i)),
            one.refuses and all(map(self._cases.is_refused, agreed)),
            one.is_draft,
            one.kind.breaks in self._symptoms.failures,
            one.refuses,
            -position(name),
        )

    def _near(self, named: Who) -> dict[Sort, str]:
        """Return a suspect for sorts that none explains: one that fails in the same cases.

        Its answers differ from the target's, so that it is not named in the report, but failures
        that share it have one cause.
        """
        left, found = self._cases.left(named), dict[Sort, str]()
        while not self._is_tired and (name := self._nearest(left)):
            failing = {index for index in left if self._cases.is_wrong(name, index)}
            for index in sorted(failing):
                found.setdefault(self._cases.failures[index].sort, name)
            left -= failing
        return found

    def _nearest(self, left: Collection[int]) -> str:
        """Return the suspect that fails in most of what is left, and little else, "" for none."""
        few = self._cases.few(left)
        if len(few) < _LEAST_CASES:
            return ""
        shares = {name: self._shared(name, few) for name in suspects()}
        best = max(shares, key=lambda name: shares[name])
        return best if shares[best] >= _NEAR else ""

    def _shared(self, name: str, few: Sequence[Sorted]) -> float:
        """Return the cases that a suspect and the target fail as a share of those that one fails.

        The passed cases are those of the small sample. 0 is returned if too few are shared.
        """
        both = sum(self._line_up.is_wrong((name,), each.verdict) for each in few)
        if both < _NEAR * len(few):
            return 0
        alone = sum(not self._line_up.is_right((name,), each) for each in self._cases.common)
        return both / (len(few) + alone)

    def _note(self) -> str:
        """Return a line that says what was left out, "" if nothing was."""
        left = len({each.sort for each in self._cases.failures[self._cases.room :]})
        if not left:
            return ""
        return f"the diagnosis was cut short: {left} sorts of failure were not held against mutants"


def _edited(name: str) -> tuple[str, ...]:
    """Return the message of an edit, none for other suspects."""
    return suspect(name).kind.messages if suspect(name).is_edit else ()


def _leading(agreed: dict[str, set[int]]) -> dict[str, set[int]]:
    """Return all edits, and of the other candidates those that explain half as much as the best."""
    edits = {name for name in agreed if suspect(name).is_edit}
    most = max((len(found) for name, found in agreed.items() if name not in edits), default=0)
    return {n: found for n, found in agreed.items() if n in edits or 2 * len(found) >= most}


def _by_what_it_tells(each: Sorted) -> tuple[bool, int]:
    """Return a sort key: failures that separate edits best first, answers and short cases."""
    return behaviour(each.verdict) == "rejected", question_work(each.verdict)
