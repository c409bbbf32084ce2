"""The suspects of a diagnosis, each asked what the target was asked.

How much is asked is counted, so that what a run pays for its diagnosis has a bound that does not
depend on the machine.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from conformance.codecs.cases.case import Case
from conformance.codecs.cases.golden import families
from conformance.codecs.cases.known_definitions import followed_release
from conformance.codecs.cases.vectors import Vector, read_vectors
from conformance.codecs.diagnosis.places import is_at_another_place, only_kind
from conformance.codecs.diagnosis.suspects import codec_of, suspect, who_answers
from conformance.codecs.diagnosis.symptoms import Passed
from conformance.codecs.judge.compare import value_difference
from conformance.codecs.judge.judge import PASS, Judgement, judge_case
from conformance.codecs.testee.in_process import ObjectTarget
from conformance.reference.codec import PlainCodec
from conformance.results.lines import Verdict
from conformance.rules import catalogue
from conformance.rules.selection import Selection
from conformance.schema.layout import Layout
from conformance.schema.releases import UnknownDefinition
from conformance.testee_protocol import Hello, Outcome

_WORK_BYTES = 512
_WORK_OF_A_VECTOR = 10
"""What it takes to make the cases of a vector again, in questions."""
Who = tuple[str, ...]
"""Suspects by their names: one, or several whose defects a codec has together."""
_Asked = tuple[Who, bool]
"""Suspects, and whether their defects are in headers as well."""
Answer = tuple[Outcome, Judgement]
_RIGHT: Answer = Outcome(outcome="value"), PASS
_HEADERS = frozenset({"RequestHeader", "ResponseHeader"})
REFUSES_ABSENT = frozenset({"versions.absent-field-refused", "tags.of-other-version-given-refused"})
"""The rules on values that a version has no field for."""
_STAGE = re.compile(r"refused while it (\w+):")


class Memory:
    """The cases of what targets declare, the suspects as codecs, and what those have answered.

    Diagnoses of targets that declare the same can share one: what is asked is the same.
    """

    def __init__(self, hello: Hello) -> None:
        self.hello = hello
        self.cases = _Cases(hello)
        self.reference = PlainCodec(followed_release(hello))
        few = {"HeartbeatRequest": {"versions": [[0, 0]]}}  # nobody asks, and all are long
        self._said = {**self.reference.hello(), "messages": few}
        self._targets: dict[_Asked, ObjectTarget] = {}
        self._answers: dict[_Asked, dict[str, Answer]] = {}

    def answer(self, who: Who, case: Case, in_headers: bool = False) -> Answer:
        """What suspects with each other's defects answer to a case, in headers as well or not."""
        asked = who_answers(who, case.request.op), in_headers
        answers = self._answers.setdefault(asked, {})
        if case.id not in answers:
            outcome = next(self._target(asked).ask([case.request]))
            judged = judge_case(case, outcome)
            answers[case.id] = _RIGHT if judged.verdict == "pass" else (outcome, judged)
        return answers[case.id]

    def _target(self, asked: _Asked) -> ObjectTarget:
        if asked not in self._targets:
            who, in_headers = asked
            found = [suspect(name) for name in who]
            drops = self.hello.unknown_tags == "dropped"
            codec = codec_of(found, self.reference.release, drops, in_headers)
            codec.hello = lambda: self._said  # type: ignore[method-assign]
            self._targets[asked] = ObjectTarget(codec)
        return self._targets[asked]


class LineUp:
    """The suspects, what each answers, and how much one diagnosis has asked.

    A question is one unit of work, and one more for each 512 bytes that go in.
    """

    def __init__(self, hello: Hello, memory: Memory | None = None) -> None:
        self._memory = memory or Memory(hello)
        self._keeps = hello.unknown_tags == "kept"
        self._seen: dict[_Asked, set[str]] = {}
        self._vectors: set[str] = set()
        self._asked = 0

    @property
    def work(self) -> int:
        """How much was asked so far."""
        return self._asked + len(self._vectors) * _WORK_OF_A_VECTOR

    @property
    def release(self) -> str:
        """The release that the target follows."""
        return self._memory.reference.release

    def agrees(self, who: Who, verdict: Verdict, bodies_alone: bool = False) -> bool:
        """Whether these fail a case with the very answer that the target gave.

        Whether an edit refuses what it has no field for, when it writes, is left open; so is
        whether their defects are in headers as well, or in `bodies_alone`.
        """
        case = self._find(verdict.case)
        if case is None:
            return False
        return any(
            (_is_open(who, case) and (verdict.outcome, judged.verdict) == ("rejected", "fail"))
            or self._is_same(verdict, case, outcome, judged)
            for outcome, judged in self._answers(who, case, bodies_alone)
        )

    def is_wrong(self, who: Who, verdict: Verdict) -> bool:
        """Whether these fail a case as well, whatever they answer."""
        case = self._find(verdict.case)
        return case is not None and any(
            judged.verdict in ("fail", "crash") for _, judged in self._answers(who, case)
        )

    def is_wrong_there(self, who: Who, verdict: Verdict) -> bool:
        """Whether these fail a case at the same kind of place as the target, as far as is known."""
        case = self._find(verdict.case)
        if case is None:
            return False
        return any(
            judged.verdict in ("fail", "crash")
            and not is_at_another_place(judged.first_difference, verdict.first_difference)
            for _, judged in self._answers(who, case)
        )

    def only_kind(self, verdict: Verdict) -> str:
        """The one kind of value in which the target's answer differs, "" for several or none."""
        case = self._find(verdict.case)
        return only_kind(case, verdict) if case else ""

    def is_right(self, who: Who, passed: Passed) -> bool:
        """Whether the answer of these to a case keeps a rule that the target's kept."""
        case = self._find(passed.case)
        if case is None or (passed.rule in REFUSES_ABSENT and _is_open(who, case)):
            return True
        return any(
            judged.on(passed.rule).verdict in ("pass", "note")
            for _, judged in self._answers(who, case)
        )

    def find(self, case_id: str) -> Case | None:
        """The case of this id, None where this suite makes none. No suspect is asked."""
        return self._memory.cases.find(case_id)

    def _find(self, case_id: str) -> Case | None:
        self._vectors.add(case_id.partition("/")[0])
        return self.find(case_id)

    def _answers(self, who: Who, case: Case, bodies_alone: bool = False) -> Iterator[Answer]:
        """What these answer; where there is a header, also with their defects in headers."""
        who = tuple(name for name in who if suspect(name).concerns(case.request.message))
        if not who:
            yield _RIGHT
            return
        for in_headers in (False, True) if _has_header(case) and not bodies_alone else (False,):
            seen = self._seen.setdefault((who, in_headers), set())
            if case.id not in seen:
                seen.add(case.id)
                self._asked += _work(len(case.request.bytes))
            yield self._memory.answer(who, case, in_headers)

    def _is_same(self, verdict: Verdict, case: Case, outcome: Outcome, judged: Judgement) -> bool:
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
        try:
            return value_difference(layout, one, other, self._keeps) is None
        except (KeyError, TypeError, AttributeError):  # the suspect's value has another form
            return False

    def _layouts(self, case: Case, outcome: Outcome) -> tuple[Layout | None, Layout | None]:
        """The layouts of a case's body and header."""
        version = case.request.version if outcome.version is None else outcome.version
        try:
            form = self._memory.reference.form(case.request.message, version)
            header = (
                self._memory.reference.header_form(form) if outcome.header is not None else None
            )
        except UnknownDefinition:
            return None, None
        return form.layout, header.layout if header else None


def _has_header(case: Case) -> bool:
    """Whether a case is of a whole frame, or of a header by itself."""
    return "-" in case.request.op or case.request.message in _HEADERS


def _is_open(who: Who, case: Case) -> bool:
    """Whether these may as well refuse what they have no field for."""
    return case.request.op.startswith("encode") and any(
        suspect(name).is_edit and suspect(name).concerns(case.request.message) for name in who
    )


def question_work(verdict: Verdict) -> int:
    """How much it is to ask what was asked here."""
    return _work(len(verdict.input) // 2 if isinstance(verdict.input, str) else 0)


def _work(size: int) -> int:
    return 1 + size // _WORK_BYTES


class _Cases:
    """Cases by their ids, made again from the vectors."""

    MOST_VECTORS = 2000

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


def _at_another_stage(detail: str, other: str) -> bool:
    """Whether two refusals of a round trip are known to be one of reading and one of writing."""
    stages = {found[1] for text in (detail, other) if (found := _STAGE.match(text))}
    return len(stages) > 1
