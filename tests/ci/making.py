"""Runs made by hand, as their forms are told of them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from conformance.reporting.findings import Causes
from conformance.reporting.run_report import News, RunReport, tell
from conformance.results.files import write_results
from conformance.results.lines import BROKEN, Finding, Line, Run, Summary, Verdict
from tests.results.making import RUN, verdict

HOSTILE = (
    "</failure>]]><script>alert(1)</script>\x00\x1b[31m\u202e::error::x\r\n::set-output name=a::b\n"
    "| a | b |\n```\n# head\n[x](javascript:alert(1)) @everyone %0A ![i](http://x) \ud800"
)
"""What a target may say to whoever reads it in whatever form."""

PASSED = verdict("pass", shape="empty", input=None)
FAILED = verdict(detail="it reads another value", expected={"a": 1}, actual={"a": 2})
CRASHED = verdict("crash", rule="tags.size-beyond-input-refused", shape="bomb", input="00beef00")
SKIPPED = verdict("unsupported", rule="compact.null-is-zero", input=None)
UNPROVEN = verdict("not-proven", rule="primitives.null-array", detail="its control case failed")
ALL = (PASSED, FAILED, CRASHED, SKIPPED, UNPROVEN)


def findings(verdicts: Iterable[Verdict]) -> list[Finding]:
    causes = Causes()
    for each in verdicts:
        if each.verdict in BROKEN:
            causes.take(each)
    return causes.findings(["codec", "small"])


def summary(*verdicts: Verdict, code: int = 1) -> Summary:
    names = [each.verdict for each in verdicts]
    return Summary(
        cases=len({each.case for each in verdicts}),
        verdicts={name: names.count(name) for name in names},
        seconds=1234.5,
        exit_code=code,
    )


def lines(*verdicts: Verdict, code: int | None = 1, **run: Any) -> list[Line]:
    """A whole results file; without an exit code, that of an interrupted run."""
    closing: list[Line] = [] if code is None else [summary(*verdicts, code=code)]
    header: Run = msgspec.structs.replace(RUN, **run)
    return [header, *verdicts, *findings(verdicts), *closing]


def told(
    *verdicts: Verdict, code: int | None = 1, news: Iterable[Verdict] | None = None, **run: Any
) -> RunReport:
    made = lines(*verdicts, code=code, **run)
    header = made[0]
    assert isinstance(header, Run)
    known = None
    if news is not None:
        new = list(news)
        known = News(tuple(findings(new)), frozenset((v.rule, v.message) for v in new))
    return tell(header, lambda: made, known)


def hostile(kind: str = "fail") -> RunReport:
    """A run in which every text that is a target's is hostile."""
    said = verdict(
        kind,  # type: ignore[arg-type]
        detail=HOSTILE,
        actual=HOSTILE,
        first_difference=HOSTILE,
        message="MetadataRequest",
    )
    return told(said, target=HOSTILE, target_version=HOSTILE, language=HOSTILE)


def written(path: Path, *verdicts: Verdict, code: int = 1, **run: Any) -> Path:
    header = msgspec.structs.replace(RUN, **run)
    write_results(path, header, verdicts, findings(verdicts), summary(*verdicts, code=code))
    return path
