"""The lines of triage: one a cause, with each target that has it and its smallest case.

Lines are values, and `--json` prints them. Shortening cases replaces some of them.
"""

from __future__ import annotations

import struct
from typing import Any, Literal

import msgspec

from conformance.campaigns.triage.triage import Affected, TriagedDefect, is_readable
from conformance.fuzzing.inputs import InputSubject
from conformance.results.command_lines import input_line
from conformance.results.lines import Verdict

FUZZED = "fuzz/"
"""The prefix of the ids of a fuzzer's cases."""
Minimised = Literal["shortened", "shortest", "not confirmed", "no"]


class Instance(msgspec.Struct, frozen=True, kw_only=True):
    """A cause in one target: its cases in all runs, and the smallest of them.

    `input` is the case's bytes in hex, or its value. Made short, it is `shortest`, which breaks
    `shortest_rule`; else `why` gives the reason that it was not.
    """

    target: str
    target_version: str
    cases: int
    runs: list[str]
    first_seen: str
    last_seen: str
    case: str
    rule: str
    message: str
    version: int
    op: str
    verdict: str
    profile: str
    input: Any
    detail: str
    first_difference: str | None
    minimised: Minimised
    why: str = ""
    shortest: str | None = None
    shortest_rule: str = ""
    fuzz_input: str | None = None
    reproduce: str


class CauseLine(msgspec.Struct, frozen=True, kw_only=True, tag="cause", tag_field="type"):
    """One cause, and the targets that have it."""

    cause: str
    rules: list[str]
    class_: str = msgspec.field(name="class")
    diagnosis: str = ""
    targets: list[Instance]


class TriageSummary(msgspec.Struct, frozen=True, kw_only=True, tag="summary", tag_field="type"):
    """The last line."""

    causes: int
    targets: int
    runs: int
    cases: int
    minimised: int


def line_of(defect: TriagedDefect, why: str = "") -> CauseLine:
    """Return the line of a cause; `why` is the reason that its cases can't be made short."""
    return CauseLine(
        cause=defect.what,
        rules=list(defect.rules),
        class_=defect.class_,
        diagnosis=defect.diagnosis,
        targets=[_instance(each, why) for each in defect.affected],
    )


def summary_of(lines: list[CauseLine], runs: int) -> TriageSummary:
    """Return the last line, after these."""
    told = [each for line in lines for each in line.targets]
    return TriageSummary(
        causes=len(lines),
        targets=len({(each.target, each.target_version) for each in told}),
        runs=runs,
        cases=sum(each.cases for each in told),
        minimised=sum(each.minimised in ("shortened", "shortest") for each in told),
    )


def _instance(affected: Affected, why: str) -> Instance:
    target, target_version = affected.who
    given, verdict = affected.smallest
    started = affected.started
    data = fuzz_input(verdict)
    fuzzed = verdict.case.startswith(FUZZED)
    return Instance(
        target=target,
        target_version=target_version,
        cases=affected.cases,
        runs=[str(each.given.path) for each in affected.counted],
        first_seen=started[0],
        last_seen=started[-1],
        case=verdict.case,
        rule=verdict.rule,
        message=verdict.message,
        version=verdict.version,
        op=verdict.op,
        verdict=verdict.verdict,
        profile=given.run.profile,
        input=verdict.input,
        detail=verdict.detail,
        first_difference=verdict.first_difference,
        minimised="no",
        why=why if data is not None else "its input is no bytes that a codec reads",
        fuzz_input=data.hex() if data is not None else None,
        reproduce=input_line(target, data, given.run.profile)
        if fuzzed and data is not None
        else given.again(verdict),
    )


def fuzz_input(verdict: Verdict) -> bytes | None:
    """Return the case as a fuzzing input, None if it is not bytes to be read."""
    if not is_readable(verdict):
        return None
    framed = verdict.op in ("decode-request", "decode-response")
    try:
        head = InputSubject(verdict.message, verdict.version, framed).head
        return head + bytes.fromhex(verdict.input or "")
    except (ValueError, struct.error):
        return None  # what a results file says need not be so
