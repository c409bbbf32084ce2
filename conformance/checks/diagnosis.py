"""What a failing codec looks like: one of our mutants, or a draft reading of a KIP.

A suspect is one of those as a whole, or on one side alone, reading or writing. It explains a rule's
failures where it gives exactly the target's answers to every case that failed the rule: the same
bytes, the same value, a refusal where the target refused.

The same wrong bytes are hard to come by, and prove much. A refusal proves little, since whoever
refuses everything refuses this as well. So where the target refused, a suspect must also be right
wherever the target was, on a sample of the cases that passed the rule and of those that passed the
rule which the suspect breaks; elsewhere, on most of them, as other defects of the target may hide
this one. Where nothing passed, a refusal explains nothing. And a target that did nothing but refuse
looks like a suspect that is said to refuse, not like one that lost its way in the bytes: there are
as many ways to do that as there are suspects.

The verdicts of a run are gone through twice. `Symptoms` keeps a few of each rule on the first way;
few suspects agree with those, and only they are asked everything that failed on the second. How
much is asked is bounded by a count and not by a clock, so that the same verdicts get the same
diagnosis; rules that were left over are named.
"""

from __future__ import annotations

import re
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from itertools import chain
from typing import Any
from zlib import crc32

import msgspec

from conformance.cases.case import Case
from conformance.cases.golden import Selection, families
from conformance.cases.knowledge import followed_release
from conformance.cases.vectors import Vector, read_vectors
from conformance.judge.compare import value_difference
from conformance.judge.judge import PASS, Judgement, judge_case
from conformance.mutants import Mutant, mutants
from conformance.mutants.drafts import Draft, unlisted
from conformance.protocol import Hello, Outcome
from conformance.reference import PlainCodec
from conformance.results.lines import BROKEN, Verdict
from conformance.rules import catalogue
from conformance.schema.layout import Layout
from conformance.schema.releases import UnknownDefinition
from conformance.targets.in_process import ObjectTarget
from conformance.wire.errors import LengthError

MOST_WORK = 80_000
"""How much is asked at most: a question is one, and one more for each 512 bytes in and out."""
_WORK_BYTES = 512
_FEW = 2
"""So many failures are kept of a rule, an operation and an outcome, the smallest."""
_PASSED = 2
"""So many cases that passed are kept of a rule and a message."""
_SAMPLE = 40
"""So many cases that passed a rule a suspect must be right on."""
_STAGE = re.compile(r"refused while it (\w+):")
Passed = tuple[str, str]
"""A rule, and a case that passed it."""
_ANSWERS = frozenset({"value", "rejected", "crashed"})


@dataclass(frozen=True, slots=True)
class Diagnoses:
    """What explains each rule's failures, the explanation of most failures first.

    `left` are the rules that might have been explained, had more been asked.
    """

    by_rule: dict[str, str] = field(default_factory=dict)
    left: tuple[str, ...] = ()

    @property
    def note(self) -> str:
        """A line that says what was left out, "" where nothing was."""
        if not self.left:
            return ""
        rules = f"{self.left[0]} and {len(self.left) - 1} more" if self.left[1:] else self.left[0]
        return (
            f"the diagnosis was cut short: {rules} broken too often to be held against all mutants"
        )


class Symptoms:
    """A few verdicts of each rule: the smallest failures, and some of what passed."""

    def __init__(self) -> None:
        self.failures: Counter[str] = Counter()
        self._passed: dict[str, dict[str, list[tuple[int, str]]]] = defaultdict(dict)
        self.hopeless: set[str] = set()
        self._few: dict[str, dict[tuple[str, str], list[Verdict]]] = defaultdict(dict)

    def take(self, verdict: Verdict) -> None:
        """Keep a verdict, if it is one of the few."""
        if verdict.verdict == "pass":
            kept = self._passed[verdict.rule].setdefault(verdict.message, [])
            _keep(kept, (crc32(verdict.case.encode()), verdict.case), _PASSED)
        elif verdict.verdict in BROKEN:
            self.failures[verdict.rule] += 1
            if verdict.verdict == "hang" or verdict.outcome not in _ANSWERS:
                self.hopeless.add(verdict.rule)  # no suspect does so
                return
            sort = verdict.op, _told(verdict)
            few = self._few[verdict.rule].setdefault(sort, [])
            few.append(verdict)
            few.sort(key=_size)
            del few[_FEW:]

    def answered(self, rule: str) -> bool:
        """Whether the target failed a rule by more than refusals."""
        return any(told != "rejected" for _, told in self._few[rule])

    def refuses(self, rule: str) -> bool:
        """Whether the target refused what it should not have, among other failures of a rule."""
        return any(told == "rejected" for _, told in self._few[rule])

    def few(self, rule: str) -> list[Verdict]:
        """The smallest failures of a rule, at least one of each operation and outcome."""
        return sorted(chain.from_iterable(self._few.get(rule, {}).values()), key=_size)

    def sample(self, rule: str) -> list[Passed]:
        """What passed a rule: of messages that also failed it first, then of all others."""
        broken = self._messages(rule)
        found = [
            (message not in broken, *pair)
            for message, kept in self._passed.get(rule, {}).items()
            for pair in kept
        ]
        return [(rule, case) for _, _, case in sorted(found)[:_SAMPLE]]

    def passed(self, rule: str) -> list[Passed]:
        """A sample of what passed a rule, or else of what passed others on the same messages."""
        return self.sample(rule) or self._sample_beside(rule)

    def _sample_beside(self, rule: str) -> list[Passed]:
        """What passed other rules, on messages that failed this one."""
        found = [
            (*pair, other)
            for other, kept in self._passed.items()
            for message in self._messages(rule)
            for pair in kept.get(message, ())
        ]
        return [(other, case) for _, case, other in sorted(found)[:_SAMPLE]]

    def _messages(self, rule: str) -> set[str]:
        return {verdict.message for verdict in self.few(rule)}


def diagnose(symptoms: Symptoms, broken: Iterable[Verdict], hello: Hello) -> Diagnoses:
    """Hold the failures of a run against every mutant and draft reading.

    `broken` are all failed verdicts of the run that `symptoms` has seen, those of a case together.
    """
    line_up = _LineUp(hello)
    left: list[str] = []
    suspects: dict[str, list[str]] = {}
    for rule in sorted(symptoms.failures.keys() - symptoms.hopeless):
        if line_up.tired:
            left.append(rule)
        elif found := line_up.suspects_of(rule, symptoms):
            suspects[rule] = found
    for verdict in broken if suspects else ():
        found = suspects.get(verdict.rule, [])
        if found and not line_up.tired:
            suspects[verdict.rule] = [one for one in found if line_up.agrees(one, verdict)]
    if line_up.tired:
        left += [rule for rule, found in suspects.items() if found]
        suspects = {}
    return Diagnoses(_chosen(_credible(suspects, symptoms), symptoms), tuple(sorted(left)))


class _LineUp:
    """The suspects, each asked what the target was asked, and how much that has cost."""

    def __init__(self, hello: Hello) -> None:
        release = followed_release(hello)
        drops = hello.unknown_tags == "dropped"
        self.hello = hello
        self.cases = _Cases(hello)
        self.suspects = _suspects()
        self._reference = PlainCodec(release)
        said = self._reference.hello()  # the same of all, and long in the making
        self._targets: dict[str, ObjectTarget] = {}
        for name, suspect in self.suspects.items():
            codec = suspect.codec(release, drops)
            codec.hello = lambda: said  # type: ignore[method-assign]
            self._targets[name] = ObjectTarget(codec)
        self._agreed: dict[tuple[str, str], bool] = {}
        self._judged: dict[tuple[str, str], Judgement] = {}
        self.work = 0

    @property
    def tired(self) -> bool:
        """Whether nothing more is to be asked."""
        return self.work >= MOST_WORK

    def suspects_of(self, rule: str, symptoms: Symptoms) -> list[str]:
        """The suspects that answer a rule's smallest failures so, and are right elsewhere."""
        few, passed = symptoms.few(rule), symptoms.passed(rule)
        refuses = symptoms.refuses(rule)
        return [
            name
            for name in self.suspects
            if all(self.agrees(name, verdict) for verdict in few)
            and self._is_right_on(name, passed, refuses)
            and self._is_right_on(name, symptoms.sample(self.suspects[name].kind.breaks), refuses)
        ]

    def _is_right_on(self, name: str, passed: Sequence[Passed], throughout: bool) -> bool:
        """Whether a suspect is right on a sample, throughout or in most of it."""
        if throughout:
            return all(self.is_right(name, *each) for each in passed)
        return 2 * sum(self.is_right(name, *each) for each in passed) >= len(passed)

    def agrees(self, name: str, verdict: Verdict) -> bool:
        """Whether a suspect answers a case as the target did."""
        key = name, verdict.case
        if key not in self._agreed:
            case = self.cases.find(verdict.case)
            self._agreed[key] = case is not None and self._is_same(
                verdict, case, self._ask(name, case)
            )
        return self._agreed[key]

    def is_right(self, name: str, rule: str, case_id: str) -> bool:
        """Whether a suspect's answer to a case keeps a rule."""
        key = name, case_id
        if key not in self._judged:
            case = self.cases.find(case_id)
            self._judged[key] = judge_case(case, self._ask(name, case)) if case else PASS
        return self._judged[key].on(rule).verdict in ("pass", "note")

    def _ask(self, name: str, case: Case) -> Outcome:
        outcome = next(self._targets[name].ask([case.request]))
        size = len(case.request.bytes) + len(outcome.bytes or b"")
        self.work += 1 + size // _WORK_BYTES
        return outcome

    def _is_same(self, verdict: Verdict, case: Case, outcome: Outcome) -> bool:
        judged = judge_case(case, outcome)
        if "crash" in (verdict.verdict, judged.verdict):
            return verdict.verdict == judged.verdict
        if verdict.outcome != outcome.outcome:
            return False
        if outcome.outcome == "rejected":
            return judged.verdict == "fail" and not _at_another_stage(verdict.detail, judged.detail)
        if judged.verdict != "fail" or judged.detail != verdict.detail:
            return False
        if outcome.bytes is not None:
            return bool(verdict.actual == outcome.bytes.hex())
        return self._is_same_value(verdict.actual, case, outcome)

    def _is_same_value(self, actual: Any, case: Case, outcome: Outcome) -> bool:
        header = None
        if outcome.header is not None:
            if not isinstance(actual, dict) or actual.keys() != {"header", "value"}:
                return False
            header, actual = actual["header"], actual["value"]
        body, before = self._layouts(case, outcome)
        return self._alike(before, outcome.header, header) and self._alike(
            body, outcome.value, actual
        )

    def _alike(self, layout: Layout | None, one: Any, other: Any) -> bool:
        """Whether two values say the same, however 64-bit integers and defaults are written."""
        if one == other:
            return True
        if layout is None:
            return False
        keeps = self.hello.unknown_tags == "kept"
        try:
            return value_difference(layout, one, other, keeps) is None
        except (KeyError, TypeError, AttributeError):  # the suspect's value has another form
            return False

    def _layouts(self, case: Case, outcome: Outcome) -> tuple[Layout | None, Layout | None]:
        """The layouts of a case's body and header."""
        version = case.request.version if outcome.version is None else outcome.version
        try:
            form = self._reference.form(case.request.message, version)
            header = self._reference.header_form(form) if outcome.header is not None else None
        except UnknownDefinition:
            return None, None
        return form.layout, header.layout if header else None


class _Cases:
    """Cases by their ids, made again from the vectors."""

    MOST_VECTORS = 200

    def __init__(self, hello: Hello) -> None:
        self._hello = hello
        self._selection = Selection(rules=catalogue())
        self._made: OrderedDict[str, dict[str, Case]] = OrderedDict()

    def find(self, case_id: str) -> Case | None:
        """The case of this id, None where this suite makes none."""
        vector = case_id.partition("/")[0]
        if vector not in self._made:
            self._made[vector] = {case.id: case for case in self._cases(vector) if case.is_asked}
            if len(self._made) > self.MOST_VECTORS:
                self._made.popitem(last=False)
        return self._made[vector].get(case_id)

    def _cases(self, vector_id: str) -> Iterator[Case]:
        vector = _vectors(vector_id.partition("-v")[0]).get(vector_id)
        if vector is not None:
            for family in families([vector], self._hello, self._selection):
                yield from family.cases


@lru_cache(maxsize=24)
def _vectors(message: str) -> Mapping[str, Vector]:
    return {vector.id: vector for vector in read_vectors(message)}


@dataclass(frozen=True, slots=True)
class _Suspect:
    """A mutant or a draft reading, or one that is it on one side alone, `reading` or `writing`."""

    kind: type[Mutant]
    side: str = ""

    def codec(self, release: str, drops_tags: bool) -> PlainCodec:
        """It as a codec that follows a release."""
        whole, right = self.kind(release), Mutant(release)
        whole.drops_tags = right.drops_tags = drops_tags
        if not self.side:
            return whole
        return _Half(whole, right) if self.side == "reading" else _Half(right, whole)

    def __str__(self) -> str:
        says = self.kind.says().removesuffix(".")
        alone = f", {self.side} alone" if self.side else ""
        return f"a codec that {says[:1].lower()}{says[1:]}{alone} ({self.kind.name})"


class _Half(PlainCodec):
    """A codec that reads as one does and writes as another."""

    def __init__(self, reads: PlainCodec, writes: PlainCodec) -> None:
        super().__init__(reads.release)
        self.decode = reads.decode  # type: ignore[method-assign]
        self.decode_request = reads.decode_request  # type: ignore[method-assign]
        self.decode_response = reads.decode_response  # type: ignore[method-assign]
        self.encode = writes.encode  # type: ignore[method-assign]
        self.encode_request = writes.encode_request  # type: ignore[method-assign]
        self.encode_response = writes.encode_response  # type: ignore[method-assign]

    def roundtrip(self, message: str, version: int, data: bytes) -> bytes:
        """Decode, then encode what was decoded; bytes left over are an error."""
        value, remaining = self.decode(message, version, data)
        if remaining:
            raise LengthError(f"{remaining} bytes after the last field", "", len(data) - remaining)
        try:
            return self.encode(message, version, value)
        except Exception as error:
            error.stage = "encode"  # type: ignore[attr-defined]
            raise


@cache
def _suspects() -> dict[str, _Suspect]:
    """Everybody that a target may look like, by name; the halves behind all that are whole."""
    kinds = {**unlisted(), **mutants()}
    whole = {name: _Suspect(kind) for name, kind in kinds.items()}
    halves = {
        f"{name}, {side}": _Suspect(kind, side)
        for name, kind in kinds.items()
        if _has_two_sides(kind)
        for side in ("writing", "reading")
    }
    return whole | halves


def _has_two_sides(kind: type[Mutant]) -> bool:
    """Whether a defect is one both of reading and of writing."""

    def differs(*names: str) -> bool:
        return any(getattr(kind, name) is not getattr(Mutant, name) for name in names)

    return differs("change", "header_form", "form") or (
        differs("reader", "read") and differs("writer", "write")
    )


def _credible(suspects: Mapping[str, list[str]], symptoms: Symptoms) -> dict[str, list[str]]:
    """Without those that explain nothing but refusals, unless they are said to refuse.

    And without those as well, for a rule where nothing passed.
    """
    known = _suspects()
    refusing = {name for name, suspect in known.items() if "refuse" in suspect.kind.says().lower()}
    answering = {
        name for rule, found in suspects.items() if symptoms.answered(rule) for name in found
    }
    credible: dict[str, list[str]] = {}
    for rule, found in suspects.items():
        trusted = answering | refusing if symptoms.passed(rule) else answering
        credible[rule] = [name for name in found if name in trusted]
    return credible


def _chosen(suspects: Mapping[str, list[str]], symptoms: Symptoms) -> dict[str, str]:
    """One suspect for each rule: as few suspects as will do, those of most failures first.

    Of two alike, a draft reading, since it tells more; then a mutant whose own rule is broken.
    """
    explained: dict[str, set[str]] = {}
    for rule, found in suspects.items():
        for name in found:
            explained.setdefault(name, set()).add(rule)
    known = _suspects()
    order = {name: index for index, name in enumerate(known)}

    def worth(name: str) -> tuple[int, bool, bool, int]:
        rules = explained[name] - chosen.keys()
        failures = sum(symptoms.failures[rule] for rule in rules)
        kind = known[name].kind
        return failures, issubclass(kind, Draft), kind.breaks in rules, -order[name]

    chosen: dict[str, str] = {}
    while explained:
        best = max(explained, key=worth)
        rules = explained.pop(best) - chosen.keys()
        chosen |= {rule: str(known[best]) for rule in sorted(rules)}
    return chosen


def _told(verdict: Verdict) -> str:
    """What a target did: crashed, whatever it answered before, or else its outcome."""
    return "crashed" if verdict.verdict == "crash" else verdict.outcome


def _at_another_stage(detail: str, other: str) -> bool:
    """Whether two refusals of a round trip are known to be one of reading and one of writing."""
    stages = {found[1] for text in (detail, other) if (found := _STAGE.match(text))}
    return len(stages) > 1


def _keep(kept: list[tuple[int, str]], one: tuple[int, str], most: int) -> None:
    """Add one to the smallest few, each once."""
    if one not in kept:
        kept.append(one)
        kept.sort()
        del kept[most:]


def _size(verdict: Verdict) -> tuple[int, str]:
    asked = verdict.input
    return len(asked if isinstance(asked, str) else msgspec.json.encode(asked)), verdict.case
