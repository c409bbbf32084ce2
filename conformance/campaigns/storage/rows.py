"""Cases, outcomes and the lines of a results file as rows of tables, and back."""

from __future__ import annotations

from typing import Any

import msgspec

from conformance.campaigns.storage.tables import Row
from conformance.codecs.cases.case import (
    Case,
    Expectation,
    NotTakenFor,
    Reads,
    Refuses,
    RefusesOrReads,
    RefusesOrWrites,
    Survives,
    Writes,
)
from conformance.results.lines import Annotated, Finding, Run, Summary, Verdict
from conformance.testee_protocol import Outcome

_JSON_FIELDS = ("input", "expected", "actual")


def to_json(value: Any) -> str | None:
    """Return a value as text in JSON, None for None."""
    return None if value is None else msgspec.json.encode(value).decode()


def from_json(text: str | None) -> Any:
    """Return the value of a text in JSON, None for None."""
    return None if text is None else msgspec.json.decode(text)


def case_row(case: Case, origin: str) -> Row:
    """Return the row of a case."""
    request = case.request
    return {
        "id": case.id,
        "rules": list(case.rules),
        "message": request.message,
        "version": request.version,
        "op": request.op,
        "bytes": request.bytes if request.value is None else None,
        "value": to_json(request.value),
        "header": to_json(request.header),
        "expects": type(case.expects).__name__,
        "expected": to_json(_expected(case.expects)),
        "origin": origin,
    }


def _expected(expects: Expectation) -> Any:
    match expects:
        case Reads():
            return {"value": expects.value, "header": expects.header}
        case Writes():
            return [option.hex() for option in expects.options]
        case Refuses() | Survives():
            return expects.why
        case RefusesOrReads():
            return {"why": expects.why, "or": _expected(expects.reads)}
        case RefusesOrWrites():
            return {"why": expects.why, "or": _expected(expects.writes)}
        case NotTakenFor():
            return {"why": expects.why, "not": _expected(expects.what)}


def observation_row(case: Case, outcome: Outcome, microseconds: int) -> Row:
    """Return the row of a target's outcome of a case, and of the time that it took."""
    return {
        "case": case.id,
        "outcome": outcome.outcome,
        "bytes": outcome.bytes,
        "value": to_json(outcome.value),
        "header": to_json(outcome.header),
        "remaining": outcome.remaining,
        "version": outcome.version,
        "text": outcome.text or None,
        "error": outcome.error or None,
        "stage": outcome.stage or None,
        "microseconds": microseconds,
        "peak_memory": outcome.allocated,
        "then": to_json(outcome.then),
    }


def verdict_row(verdict: Verdict, position: int) -> Row:
    """Return the row of a verdict; `position` is its place among the others of its file."""
    row = {name: getattr(verdict, name) for name in _VERDICT_FIELDS}
    row |= {name: to_json(getattr(verdict, name)) for name in _JSON_FIELDS}
    annotated = [msgspec.structs.asdict(each) for each in verdict.annotated]
    return {**row, "position": position, "class": verdict.class_, "annotated": annotated}


_VERDICT_FIELDS = [
    name
    for name in Verdict.__struct_fields__
    if name not in ("class_", "annotated", "times", *_JSON_FIELDS)
]


def verdict_of(row: Row) -> Verdict:
    """Return the verdict of a row."""
    fields = {name: row[name] for name in _VERDICT_FIELDS}
    fields |= {name: from_json(row[name]) for name in _JSON_FIELDS}
    annotated = [Annotated(**each) for each in row["annotated"]]
    return Verdict(class_=row["class"], annotated=annotated, **fields)


def finding_row(finding: Finding, position: int, seen: tuple[int, int] | None = None) -> Row:
    """Return the row of a finding; `seen` holds where its first and last chunk begin, if known."""
    first, last = seen or (None, None)
    row = msgspec.structs.asdict(finding)
    return {**row, "position": position, "first_seen": first, "last_seen": last}


def finding_of(row: Row) -> Finding:
    """Return the finding of a row."""
    fields = {name: row[name] for name in Finding.__struct_fields__ if row.get(name) is not None}
    return Finding(**fields)


def run_row(run: Run, summary: Summary | None, asked: int | None = None, cpu: Any = None) -> Row:
    """Return the row of a run of one target; without a summary it was interrupted.

    `asked` is the number of its cases that the target was asked, `cpu` their time in seconds.
    """
    row = msgspec.structs.asdict(run) | {"selection": to_json(run.selection)}
    closing: Row = dict.fromkeys(Summary.__struct_fields__)
    if summary is not None:
        closing = msgspec.structs.asdict(summary) | {"verdicts": to_json(summary.verdicts)}
    return {**row, **closing, "asked": asked, "cpu_seconds": cpu}


def run_of(row: Row) -> tuple[Run, Summary | None]:
    """Return the run of a row, and its summary."""
    fields = {name: row[name] for name in Run.__struct_fields__ if name in row}
    run = Run(**fields | {"selection": from_json(row["selection"])})
    if row["cases"] is None:
        return run, None
    closing = {name: row[name] for name in Summary.__struct_fields__ if name in row}
    return run, Summary(**closing | {"verdicts": from_json(row["verdicts"])})
