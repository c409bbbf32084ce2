"""The suspects in front of one target: each can be asked what the target was asked.

The questions are counted, so that the work of a diagnosis has a limit that does not depend on the
machine.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from decimal import Decimal
from functools import lru_cache
from typing import Any, Protocol

from conformance.codecs.cases.case import Case, reads_of, writes_of
from conformance.codecs.cases.golden import families
from conformance.codecs.cases.known_definitions import followed_release
from conformance.codecs.cases.vectors import Vector, read_vectors
from conformance.codecs.diagnosis.places import fields_that_differ, is_at_another_place, only_kind
from conformance.codecs.diagnosis.suspects import codec_of, suspect, who_answers
from conformance.codecs.diagnosis.symptoms import Passed
from conformance.codecs.judge.compare import differences, value_difference
from conformance.codecs.judge.judge import PASS, Judgement, judge_case
from conformance.codecs.testee.in_process import ObjectTarget
from conformance.reference.codec import PlainCodec
from conformance.reporting.harms import used_up_memory
from conformance.results.lines import Verdict
from conformance.rules import catalogue
from conformance.rules.selection import Selection
from conformance.schema.layout import Layout
from conformance.schema.releases import UnknownDefinition
from conformance.testee_protocol import Hello, Outcome
from conformance.waiting import going_on

_WORK_BYTES = 512
"""The bytes of input that count as one more question.

Longer messages take longer. The number only sets the unit of `MOST_WORK`; no measurement is
recorded.
"""
_WORK_OF_A_VECTOR = 10
"""The work of making the cases of one vector again, in questions.

It stands for the time that this takes, so that vectors are bounded by `MOST_WORK` as well; no
measurement is recorded.
"""
_SAID_EVERY = 8
"""The questions of one suspect after which it is displayed how far the comparison is."""
Who = tuple[str, ...]
"""Suspects by their names: one, or several whose defects one codec has together."""
_Asked = tuple[Who, bool]
"""Suspects, and True if their defects are in headers as well."""
Answer = tuple[Outcome, Judgement]
"""The answer of a codec to a case, and the judgement on it."""
_RIGHT: Answer = Outcome(outcome="value"), PASS
"""The kept form of every answer that passes, and of suspects that a case does not concern."""
_EXACT = 2**53
"""The greatest integer up to which a double has each."""
_HEADERS = frozenset({"RequestHeader", "ResponseHeader"})
"""The headers that are cases by themselves."""
REFUSES_ABSENT = frozenset({"versions.absent-field-refused", "tags.of-other-version-given-refused"})
"""The rules on values that a version has no field for."""
_STAGE = re.compile(r"refused while it (\w+):")
"""The stage of a round trip that refused, in the words of a judgement."""


class CaseSource(Protocol):
    """The cases of a run, made again by their ids."""

    def find(self, case_id: str, /) -> Case | None:
        """Return the case of this id, None if the run makes none."""


class Memory:
    """The cases of a target's messages, the suspects as codecs, and their answers.

    Targets whose hellos declare the same can share one: the same questions have the same answers.
    The cases are those of the vectors unless others are given.
    """

    def __init__(self, hello: Hello, cases: CaseSource | None = None) -> None:
        self.hello = hello
        self.cases = cases or _Cases(hello)
        self.reference = PlainCodec(followed_release(hello))
        few = {"HeartbeatRequest": {"versions": [[0, 0]]}}  # the full list is long and never read
        self._said = {**self.reference.hello(), "messages": few}
        self._targets: dict[_Asked, ObjectTarget] = {}
        self._answers: dict[_Asked, dict[str, Answer]] = {}

    def answer(self, who: Who, case: Case, in_headers: bool = False) -> Answer:
        """Return the answer to a case of one codec that has all these defects.

        `in_headers` says that the defects are in headers as well. Answers are kept.
        """
        asked = who_answers(who, case.request.op), in_headers
        answers = self._answers.setdefault(asked, {})
        if case.id not in answers:
            outcome = next(self._target(asked).ask([case.request]))
            judged = judge_case(case, outcome)
            answers[case.id] = _RIGHT if judged.verdict == "pass" else (outcome, judged)
        return answers[case.id]

    def _target(self, asked: _Asked) -> ObjectTarget:
        """Return a codec with these defects as a target."""
        if asked not in self._targets:
            who, in_headers = asked
            found = [suspect(name) for name in who]
            drops = self.hello.unknown_tags == "dropped"
            codec = codec_of(found, self.reference.release, drops, in_headers)
            codec.hello = lambda: self._said  # type: ignore[method-assign]
            self._targets[asked] = ObjectTarget(codec)
        return self._targets[asked]


class LineUp:
    """The suspects, their answers, and the work that one diagnosis has used.

    A question is one unit of work, and one more for each 512 bytes of input.
    """

    def __init__(self, hello: Hello, memory: Memory | None = None) -> None:
        self._memory = memory or Memory(hello)
        self._keeps = hello.unknown_tags == "kept"
        self._seen: dict[_Asked, set[str]] = {}
        self._vectors: set[str] = set()
        self._asked = 0

    @property
    def work(self) -> int:
        """Return the units of work so far."""
        return self._asked + len(self._vectors) * _WORK_OF_A_VECTOR

    @property
    def release(self) -> str:
        """Return the release of Kafka that the target follows."""
        return self._memory.reference.release

    def agrees(self, who: Who, verdict: Verdict, bodies_alone: bool = False) -> bool:
        """True if a codec with these defects fails a case with exactly the target's answer.

        Three things are left open, and any variant will do. An edit may refuse a value to write
        that it has no field for. A defect may be in headers as well, unless `bodies_alone`. And a
        reader that is at the wrong place and meets a huge length may refuse it or run out of
        memory.
        """
        case = self._find(verdict.case)
        if case is None:
            return False
        return any(
            (_is_open(who, case) and (verdict.outcome, judged.verdict) == ("rejected", "fail"))
            or (used_up_memory(verdict) and _is_refused_by_edit(who, outcome, judged))
            or self._is_same(verdict, case, outcome, judged)
            for outcome, judged in self._answers(who, case, bodies_alone)
        )

    def is_wrong(self, who: Who, verdict: Verdict) -> bool:
        """True if a codec with these defects fails a case as well, with any wrong answer."""
        case = self._find(verdict.case)
        return case is not None and any(
            judged.verdict in ("fail", "crash") for _, judged in self._answers(who, case)
        )

    def is_wrong_there(self, who: Who, verdict: Verdict) -> bool:
        """True if a codec with these defects fails a case at the same kind of place as the target.

        An unknown place counts as the same.
        """
        case = self._find(verdict.case)
        if case is None:
            return False
        return any(
            judged.verdict in ("fail", "crash")
            and not is_at_another_place(judged.first_difference, verdict.first_difference)
            for _, judged in self._answers(who, case)
        )

    def nearness(self, who: Who, verdict: Verdict) -> float:
        """Return how near a codec's answer is to the target's, from 0 to 1 for the same answer.

        Bytes are compared by the share that is equal up to the first difference, values by the
        number of fields that differ.
        """
        case = self._find(verdict.case)
        if case is None or verdict.outcome != "value":
            return 0.0
        return max(
            1.0
            if self._is_same(verdict, case, outcome, judged)
            else _nearness(case, outcome, judged, verdict.actual, self._keeps)
            for outcome, judged in self._answers(who, case)
        )

    def only_kind(self, verdict: Verdict) -> str:
        """Return the one kind of value in which the target's answer differs, else ""."""
        case = self._find(verdict.case)
        return only_kind(case, verdict) if case else ""

    def fields_that_differ(self, verdict: Verdict) -> frozenset[str]:
        """Return the paths of the fields at which the target's answer differs."""
        case = self._find(verdict.case)
        return fields_that_differ(case, verdict) if case else frozenset()

    def is_right(self, who: Who, passed: Passed) -> bool:
        """True if a codec with these defects keeps a rule in a case, as the target did."""
        case = self._find(passed.case)
        if case is None or (passed.rule in REFUSES_ABSENT and _is_open(who, case)):
            return True
        return any(
            judged.on(passed.rule).verdict in ("pass", "note")
            for _, judged in self._answers(who, case)
        )

    def find(self, case_id: str) -> Case | None:
        """Return the case of this id, None if this suite makes none. It counts as no work."""
        return self._memory.cases.find(case_id)

    def _find(self, case_id: str) -> Case | None:
        """Return the case of this id, and count its vector as work."""
        self._vectors.add(case_id.partition("/")[0])
        return self.find(case_id)

    def _answers(self, who: Who, case: Case, bodies_alone: bool = False) -> Iterator[Answer]:
        """Yield the answers; in frames and headers also with the defects in headers."""
        who = tuple(name for name in who if suspect(name).concerns(case.request.message))
        if not who:
            yield _RIGHT
            return
        for in_headers in (False, True) if _has_header(case) and not bodies_alone else (False,):
            seen = self._seen.setdefault((who, in_headers), set())
            if case.id not in seen:
                seen.add(case.id)
                self._asked += _work(len(case.request.bytes))
                if len(seen) % _SAID_EVERY == 0:
                    going_on(f"{self._asked:,} questions asked of them")
            yield self._memory.answer(who, case, in_headers)

    def _is_same(self, verdict: Verdict, case: Case, outcome: Outcome, judged: Judgement) -> bool:
        """True if an answer is wrong in the same way as the target's."""
        if judged.verdict not in ("fail", "crash"):
            return False
        if "crash" in (verdict.verdict, judged.verdict):
            return verdict.verdict == judged.verdict
        if verdict.outcome != outcome.outcome:
            return False
        if outcome.outcome == "rejected":
            return not _at_another_stage(verdict.detail, judged.detail)
        if judged.detail != verdict.detail:
            return False
        if outcome.bytes is not None:
            return bool(verdict.actual == outcome.bytes.hex())
        return self._is_same_value(verdict.actual, case, outcome)

    def _is_same_value(self, actual: Any, case: Case, outcome: Outcome) -> bool:
        """True if a decoded value, and header if any, equals the target's."""
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
        """True if a suspect's value and the target's mean the same.

        64-bit integers and defaults may be written in two ways, and doubles in their shortest form.
        """
        if one == other:
            return True
        if layout is None:
            return False
        try:
            return any(
                value_difference(layout, each, other, self._keeps) is None
                for each in (one, _shortest(one))
            )
        except (KeyError, TypeError, AttributeError):  # the suspect's value has another form
            return False

    def _layouts(self, case: Case, outcome: Outcome) -> tuple[Layout | None, Layout | None]:
        """Return the layouts of a case's body and header, each None if unknown."""
        version = case.request.version if outcome.version is None else outcome.version
        try:
            form = self._memory.reference.form(case.request.message, version)
            header = (
                self._memory.reference.header_form(form) if outcome.header is not None else None
            )
        except UnknownDefinition:
            return None, None
        return form.layout, header.layout if header else None


def _shortest(value: Any) -> Any:
    """Return a value with the fewest digits for each integer that went through a double.

    JavaScript prints it with these digits, and zeros in place of the others.
    """
    if isinstance(value, dict):
        return {name: _shortest(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_shortest(each) for each in value]
    is_beyond = type(value) is int and abs(value) > _EXACT and int(float(value)) == value
    return int(Decimal(repr(float(value)))) if is_beyond else value


def _nearness(
    case: Case, outcome: Outcome, judged: Judgement, actual: Any, keeps_tags: bool
) -> float:
    """Return the nearness of an answer that is not the same as the target's, below 1."""
    is_right = judged.verdict == "pass"
    if isinstance(actual, str) and (writes := writes_of(case)):
        given = writes.options[0] if is_right else outcome.bytes
        return _alike_bytes(given, bytes.fromhex(actual)) if given is not None else 0.0
    reads = reads_of(case)
    if reads is None or reads.header_layout is not None or outcome.outcome != "value":
        return 0.0
    value = reads.value if is_right else outcome.value
    try:
        return 1 / (2 + sum(1 for _ in differences(reads.layout, value, actual, keeps_tags)))
    except (KeyError, TypeError, AttributeError):  # the suspect's value has another form
        return 0.0


def _alike_bytes(one: bytes, other: bytes) -> float:
    """Return the share of bytes in front of the first that differs."""
    alike = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), None)
    if alike is None:
        alike = min(len(one), len(other))
    return alike / (max(len(one), len(other)) + 1)


def _has_header(case: Case) -> bool:
    """True if a case is of a whole frame, or of a header by itself."""
    return "-" in case.request.op or case.request.message in _HEADERS


def _is_open(who: Who, case: Case) -> bool:
    """True if an edit among these may as well refuse a value that it has no field for."""
    return case.request.op.startswith("encode") and any(
        suspect(name).is_edit and suspect(name).concerns(case.request.message) for name in who
    )


def _is_refused_by_edit(who: Who, outcome: Outcome, judged: Judgement) -> bool:
    """True if an edit among these refuses what it should accept."""
    is_refused = (outcome.outcome, judged.verdict) == ("rejected", "fail")
    return is_refused and any(suspect(name).is_edit for name in who)


def question_work(verdict: Verdict) -> int:
    """Return the work of asking a suspect what the target was asked."""
    return _work(len(verdict.input) // 2 if isinstance(verdict.input, str) else 0)


def _work(size: int) -> int:
    """Return the work of a question with `size` bytes of input."""
    return 1 + size // _WORK_BYTES


class _Cases:
    """The cases of a run by their ids, made again from the vectors."""

    MOST_VECTORS = 2000
    """The most vectors whose cases are kept in memory; the one made last is dropped beyond that.

    With fewer, the cases of dropped vectors would be made again for each suspect.
    """

    def __init__(self, hello: Hello) -> None:
        self._hello = hello
        self._selection = Selection(rules=catalogue())
        self._made: OrderedDict[str, dict[str, Case]] = OrderedDict()

    def find(self, case_id: str) -> Case | None:
        """Return the case of this id, None if this suite makes none."""
        vector = case_id.partition("/")[0]
        if vector not in self._made:
            self._made[vector] = {case.id: case for case in self._cases(vector) if case.is_asked}
            if len(self._made) > self.MOST_VECTORS:
                self._made.popitem(last=False)
        return self._made[vector].get(case_id)

    def _cases(self, vector_id: str) -> Iterator[Case]:
        """Yield the cases that this suite makes from one vector."""
        vector = _vectors(vector_id.partition("-v")[0]).get(vector_id)
        if vector is not None:
            for family in families([vector], self._hello, self._selection):
                yield from family.cases


@lru_cache(maxsize=24)
def _vectors(message: str) -> Mapping[str, Vector]:
    """Return the vectors of a message by their ids.

    The cache of 24 messages bounds memory; others are read again from the disk.
    """
    return {vector.id: vector for vector in read_vectors(message)}


def _at_another_stage(detail: str, other: str) -> bool:
    """True if one of two refusals of a round trip was of reading and one of writing."""
    stages = {found[1] for text in (detail, other) if (found := _STAGE.match(text))}
    return len(stages) > 1
