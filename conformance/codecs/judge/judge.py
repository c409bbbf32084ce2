"""One case and what the target did with it make a judgement; a family's judgements make verdicts.

A case is judged twice. First by itself: was this the answer it had to be? Then among its family: a
right answer counts only when its control cases were right as well, so that a codec that refuses
everything, or swallows everything, or hands back what it was given, proves nothing.

Memory is judged against the input, not by whether it ran out. A codec that reserves what a length
field asks for answers politely on a machine with room, and ends another's process. What a decoded
message needs is a multiple of its bytes; runtimes add some tens of MiB as they see fit. Whatever is
beyond both is the input's power over the codec.

A target that answers one request in two ways is not reliable, whichever answer is right. Two
answers are the same if they say the same about the message: the text of an error may hold an
address or a time, and the number of allocated bytes differs from call to call.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import msgspec

from conformance.codecs.cases.case import (
    CantBeWritten,
    Case,
    Expectation,
    Family,
    NotTakenFor,
    Reads,
    Refuses,
    RefusesOrReads,
    RefusesOrWrites,
    Survives,
    Writes,
)
from conformance.codecs.judge.compare import (
    alike_difference,
    bytes_difference,
    is_reordered,
    value_difference,
)
from conformance.codecs.judge.excerpt import Excerpts
from conformance.codecs.judge.read_through import is_due_refusal, is_read_through
from conformance.codecs.judge.unusual import LONG_VARINT, TAGS_DROPPED, broken_by_style, fault_in
from conformance.results.lines import (
    ANSWERED,
    BEYOND,
    BROKEN,
    PANICKED,
    Annotated,
    Verdict,
    VerdictName,
)
from conformance.results.text import counted
from conformance.rules import Rule
from conformance.targets.crashes import out_of_memory
from conformance.testee_protocol import Outcome, Request

_LONGEST = 80


def steady(first: Outcome, second: Outcome) -> bool:
    """True if both outcomes are the same answer."""
    return _said(first) == _said(second)


def flaky(outcome: Outcome) -> str:
    """Return the flaw of a target that gave two different answers, "" for any other."""
    if outcome.then is None:
        return ""
    return f"flaky: answered {_shown(outcome)}, then {_shown(outcome.then)}"


def _said(outcome: Outcome) -> tuple[object, ...]:
    return (
        outcome.outcome,
        outcome.value,
        outcome.bytes,
        outcome.header,
        outcome.remaining,
        outcome.version,
        outcome.error,
    )


def _shown(outcome: Outcome) -> str:
    if outcome.outcome != "value":
        return f"{outcome.outcome} {outcome.error or outcome.text}".strip()
    parts = (outcome.bytes, outcome.version, outcome.header, outcome.value, outcome.remaining)
    said = [part for part in parts if part is not None]
    text = b" ".join(
        part.hex().encode() if isinstance(part, bytes) else msgspec.json.encode(part)
        for part in said
    ).decode()
    return f"'{text if len(text) <= _LONGEST else text[:_LONGEST] + '…'}'"


ALLOWED: Final = 32 * 1024 * 1024
ALLOWED_A_BYTE: Final = 1024
"""Bytes that a call may allocate: so many, and so many more for each byte of its input."""


def excess(request: Request, outcome: Outcome) -> str:
    """Return the flaw of a call that allocated too much; "" for any other, or without a
    measurement.

    The input of a writer is its value as JSON.
    """
    if outcome.allocated is None or outcome.allocated <= ALLOWED:
        return ""
    size = len(request.bytes or msgspec.json.encode(request.value))
    if outcome.allocated <= ALLOWED + ALLOWED_A_BYTE * size:
        return ""
    return f"allocated {outcome.allocated} bytes for {size} bytes of input"


_CANT_BE_WRITTEN = (CantBeWritten, Refuses, RefusesOrWrites)
"""The expectations for a writer that is given what no message of its version can hold."""
_BY_OUTCOME: Mapping[str, VerdictName] = {"crashed": "crash", "hung": "hang", "error": "error"}


@dataclass(frozen=True, slots=True)
class Judgement:
    """The judgement on one case by itself. `verdict` is that of a rule that may fail the run.

    `only` names the rules that the verdict is about, if it is plain that no other was broken: the
    others pass.
    """

    verdict: VerdictName
    detail: str = ""
    first_difference: str | None = None
    only: frozenset[str] = frozenset()

    def on(self, rule: str) -> Judgement:
        """Return the judgement as far as it concerns one rule."""
        return PASS if self.only and rule not in self.only else self


PASS = Judgement("pass")


def judge_case(case: Case, outcome: Outcome) -> Judgement:
    """Return the judgement on an outcome: whether the case allows it."""
    if case.unsupported:
        return Judgement("unsupported", case.unsupported)
    if case.skipped:
        return Judgement("not-proven", case.skipped)
    if too_much := excess(case.request, outcome):
        return Judgement("crash", too_much)
    if unsteady := flaky(outcome):
        return Judgement("fail", unsteady)
    if _is_panic(case, outcome):
        return _judge_panic(case.expects, outcome)
    if outcome.outcome in _BY_OUTCOME:
        return Judgement(_BY_OUTCOME[outcome.outcome], outcome.text)
    if outcome.outcome == "unsupported":
        return _judge_unsupported(case, outcome)
    judgement = _judge_answer(case.expects, outcome)
    if judgement.first_difference and _is_reordered_response(case, outcome):
        return Judgement("note", "read with the elements of an array in another order")
    return judgement


def _is_reordered_response(case: Case, outcome: Outcome) -> bool:
    """True if a response was read right, but for the order of the structs in its arrays.

    No text gives a meaning to the order of results, and libraries sort them. The order of records
    and of their headers has one, as has that of what a request lists.
    """
    expects = case.expects
    if not isinstance(expects, Reads) or not case.request.message.endswith("Response"):
        return False
    return is_reordered(expects.layout, expects.value, outcome.value)


def judge_family(
    family: Family, outcomes: Sequence[Outcome], rules: Mapping[str, Rule], profile: str
) -> Iterator[Verdict]:
    """Yield the verdicts of a family: one for each case and rule."""
    excerpts = Excerpts(family)
    judged = [judge_case(*pair) for pair in zip(family.cases, outcomes, strict=True)]
    judged = [_beside_control(family, outcomes, judged, each) for each in range(len(judged))]
    for index, case in enumerate(family.cases):
        failed = [t for t in case.control_cases if judged[t].verdict not in ("pass", "note")]
        if failed and is_due_refusal(case, outcomes[index]):
            failed = [t for t in failed if not is_read_through(family.cases[t], outcomes[t])]
        control_case = next(iter(failed), None)
        control_id = family.cases[case.control_cases[0]].id if case.control_cases else None
        around: list[Annotated] | None = None
        for rule in case.rules:
            judgement = judged[index].on(rule)
            if judgement.verdict == "pass" and control_case is not None:
                judgement = _not_proven(family.cases[control_case], judged[control_case])
            if around is None and judgement.verdict in BROKEN:
                around = excerpts.of(case, outcomes[index], judged[index].first_difference)
            yield _verdict(
                case, outcomes[index], judgement, rules[rule], profile, control_id, around or []
            )


def _beside_control(
    family: Family, outcomes: Sequence[Outcome], judged: Sequence[Judgement], index: int
) -> Judgement:
    """Return the judgement on a case, not proven if a failed control case explains its failure.

    A value that can't be written does not explain malformed bytes if the control case, which lacks
    that value, is malformed as well. Nor does a field that is left out explain a failure if the
    value is not written right with the field either.
    """
    case, own = family.cases[index], judged[index]
    if own.verdict != "fail" or own.only:
        return own
    if isinstance(case.expects, Writes) and case.request.op == "encode":
        failed = (at for at in case.control_cases if judged[at].verdict not in ("pass", "note"))
        at = next(failed, None)
        return own if at is None else _not_proven(family.cases[at], judged[at])
    if not isinstance(case.expects, CantBeWritten):
        return own
    for at in case.control_cases:
        control, written = family.cases[at], outcomes[at].bytes
        if judged[at].verdict != "fail" or not isinstance(control.expects, Writes) or not written:
            continue
        if fault_in(control.expects.layouts[-1], written) is not None:
            why = f"its control case {control.id} is no well-formed message either"
            return Judgement("not-proven", why)
    return own


def _not_proven(control_case: Case, came: Judgement) -> Judgement:
    why = f"its control case {control_case.id} did not pass: {came.verdict}"
    return Judgement("not-proven", why)


def _judge_unsupported(case: Case, outcome: Outcome) -> Judgement:
    if case.if_unsupported == "fail":
        return Judgement("fail", f"declared, then answered as unsupported: {outcome.text}")
    return Judgement(case.if_unsupported, f"{ANSWERED}: {outcome.text}")


def _is_panic(case: Case, outcome: Outcome) -> bool:
    """True if a writer panicked over what its own caller gave it, and the caller could go on.

    Nothing was written then, and no peer is involved. A process that ended, or memory that was used
    up, still counts as a crash.
    """
    is_given = case.request.op.startswith("encode") and isinstance(case.expects, _CANT_BE_WRITTEN)
    survived = outcome.outcome == "crashed" and not outcome.ended
    return is_given and survived and not out_of_memory(f"{outcome.error}: {outcome.text}")


def _judge_panic(expects: Expectation, outcome: Outcome) -> Judgement:
    """Return the judgement on a panic of a writer: a note if the value may also be written.

    Else it is a failure. If Apache Kafka refuses or writes the value where a library may do
    otherwise (`CantBeWritten`), only the rule on what Kafka does is broken.
    """
    detail = f"{PANICKED}: {outcome.text}"
    if isinstance(expects, RefusesOrWrites):
        return Judgement("note", detail)
    only = {expects.kafka} if isinstance(expects, CantBeWritten) else ()
    return Judgement("fail", detail, only=frozenset(only))


def _judge_answer(expects: Expectation, outcome: Outcome) -> Judgement:
    match expects:
        case Reads():
            return _judge_reading(expects, outcome)
        case Writes():
            return _judge_writing(expects, outcome)
        case Refuses():
            if outcome.outcome == "rejected":
                return PASS
            return Judgement("fail", f"taken, though {expects.why}{_beyond_the_end(outcome)}")
        case RefusesOrWrites():
            return _judge_lenient_writing(expects, outcome)
        case RefusesOrReads():
            return _judge_lenient_reading(expects, outcome)
        case CantBeWritten():
            return _judge_forbidden_writing(expects, outcome)
        case NotTakenFor():
            return _judge_taking(expects, outcome)
        case Survives():
            taken = "refused" if outcome.outcome == "rejected" else "taken"
            return Judgement("pass", f"{taken}: {expects.why}")


def _judge_reading(expects: Reads, outcome: Outcome) -> Judgement:
    if outcome.outcome == "rejected":
        return _rejected(outcome)
    difference = _reading_difference(expects, outcome, expects.keeps_tags)
    if difference and expects.or_value is not None:
        other = replace(expects, value=expects.or_value, or_value=None)
        return _judge_reading(other, outcome)
    if difference and expects.keeps_tags and not _reading_difference(expects, outcome, keeps=False):
        return Judgement("fail", "unknown tags were dropped", difference, TAGS_DROPPED)
    if difference:
        return Judgement("fail", "another value was read", difference)
    if beyond := _beyond_the_end(outcome):
        return Judgement("fail", beyond.removeprefix("; "))
    if outcome.remaining:
        return Judgement("fail", f"{outcome.remaining} bytes were left unread")
    if expects.version not in (None, outcome.version):
        return Judgement("fail", f"not said to be of version {expects.version}")
    return PASS


def _beyond_the_end(outcome: Outcome) -> str:
    """Return a clause on how far a reader says it went beyond the last byte, "" if it did not."""
    beyond = -(outcome.remaining or 0)
    return f"; it read {counted(beyond, 'byte')} {BEYOND}" if beyond > 0 else ""


def _reading_difference(expects: Reads, outcome: Outcome, keeps: bool) -> str | None:
    difference = value_difference(expects.layout, expects.value, outcome.value, keeps)
    if difference is None and expects.header_layout is not None:
        header = value_difference(expects.header_layout, expects.header, outcome.header, keeps)
        return header and f"header {header}"
    return difference


def _judge_writing(expects: Writes, outcome: Outcome) -> Judgement:
    if outcome.outcome == "rejected":
        return _rejected(outcome)
    written = outcome.bytes or b""
    if written in expects.options:
        return PASS
    if expects.alike is not None:
        difference = alike_difference(expects, written)
        detail = "bytes that say something else were written"
        return Judgement("fail", detail, difference) if difference else PASS
    difference = bytes_difference(expects.options[0], written, expects.layouts)
    style = broken_by_style(expects, written)
    if style:
        return Judgement("fail", "the right message, written unusually", difference, style)
    return Judgement("fail", "other bytes were written", difference)


def _judge_lenient_reading(expects: RefusesOrReads, outcome: Outcome) -> Judgement:
    if outcome.outcome == "rejected":
        return Judgement("note", f"refused: {expects.why}")
    read = _judge_reading(expects.reads, msgspec.structs.replace(outcome, remaining=0))
    if read.verdict == "pass":
        return Judgement("note", f"accepted, and read as Apache Kafka does: {expects.why}")
    detail = f"accepted, and read as something else: {expects.why}"
    return replace(read, detail=detail, only=frozenset())


def _judge_forbidden_writing(expects: CantBeWritten, outcome: Outcome) -> Judgement:
    """Judge forbidden writing: only malformed bytes break more than the rule of Apache Kafka."""
    only = frozenset({expects.kafka})
    if expects.writes is not None:
        as_kafka = _judge_writing(expects.writes, outcome)
        if as_kafka.verdict == "pass" or outcome.outcome == "rejected":
            return replace(as_kafka, only=only)
    elif outcome.outcome == "rejected":
        return PASS
    fault = fault_in(expects.layout, outcome.bytes or b"")
    if fault is None:
        return Judgement("fail", f"written all the same, though {expects.why}", only=only)
    return Judgement("fail", f"no well-formed message was written, as {expects.why}", fault)


def _judge_taking(expects: NotTakenFor, outcome: Outcome) -> Judgement:
    if outcome.outcome == "rejected":
        return PASS
    taken = _judge_answer(expects.what, outcome)
    if taken.verdict == "pass" or taken.only:
        return Judgement("fail", f"taken for what was asked, though {expects.why}")
    return Judgement("pass", "taken for something else")


def _judge_lenient_writing(expects: RefusesOrWrites, outcome: Outcome) -> Judgement:
    if outcome.outcome == "rejected":
        return Judgement("note", f"refused: {expects.why}")
    written = _judge_writing(expects.writes, outcome)
    if written.verdict == "pass" or (written.only and LONG_VARINT not in written.only):
        return Judgement("note", f"accepted, and written as it ought to be: {expects.why}")
    return replace(written, detail="other bytes were written", only=frozenset())


def _rejected(outcome: Outcome) -> Judgement:
    stage = f" while it {outcome.stage}d" if outcome.stage else ""
    return Judgement("fail", f"refused{stage}: {outcome.error}: {outcome.text}".strip())


def _verdict(
    case: Case,
    outcome: Outcome,
    judgement: Judgement,
    rule: Rule,
    profile: str,
    control_case: str | None,
    around: list[Annotated],
) -> Verdict:
    name = judgement.verdict
    if name == "fail":
        name = rule.verdict_on_breach(profile)
    request = case.request
    shown: dict[str, Any] = {}
    if name in ("fail", "note", "crash", "hang", "error") and judgement.verdict != "note":
        shown = {
            "input": request.bytes.hex() if case.request.bytes else request.value,
            "expected": _expected(case.expects),
            "actual": _actual(outcome),
            "annotated": around,
        }
    return Verdict(
        rule=rule.id,
        class_=rule.class_,
        case=case.id,
        message=request.message,
        version=request.version,
        op=request.op,
        outcome=outcome.outcome,
        verdict=name,
        first_difference=judgement.first_difference,
        control_case=control_case,
        detail=judgement.detail,
        **shown,
    )


def _expected(expects: Expectation) -> Any:
    match expects:
        case Reads():
            return _with_header(expects.value, expects.header)
        case Writes():
            return expects.options[0].hex()
        case Refuses():
            return f"refused: {expects.why}"
        case RefusesOrWrites():
            return f"refused, or {expects.writes.options[0].hex()}"
        case RefusesOrReads():
            return {"refused, or": _with_header(expects.reads.value, expects.reads.header)}
        case CantBeWritten():
            return expects.writes.options[0].hex() if expects.writes else f"refused: {expects.why}"
        case NotTakenFor():
            return {"refused, or anything but": _expected(expects.what)}
        case Survives():
            return f"an answer: {expects.why}"


def _actual(outcome: Outcome) -> Any:
    if outcome.then is not None:
        first = msgspec.structs.replace(outcome, then=None)
        return {"first": _actual(first), "then": _actual(outcome.then)}
    if outcome.bytes is not None:
        return outcome.bytes.hex()
    if outcome.outcome == "value":
        return _with_header(outcome.value, outcome.header)
    return f"{outcome.outcome}: {outcome.error} {outcome.text}".strip()


def _with_header(value: Any, header: dict[str, Any] | None) -> Any:
    return value if header is None else {"header": header, "value": value}
