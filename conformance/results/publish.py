"""Results that may be shown to the public: the verdicts, without the inputs that do harm.

An input that ended a released implementation, or took its time or memory away, can be used against
its users (SECURITY.md). So of such cases the rule and the verdict are published, and what was sent
is not:

    python -m conformance.results.publish results.ndjson reports/2026-11-22/NAME.ndjson.gz
"""

from __future__ import annotations

import gzip
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from conformance.results.files import read_lines
from conformance.results.lines import EXCHANGE, FORWARD, Finding, Line, Verdict, VerdictName

WITHHELD = "withheld"
KEPT = 3
"""The number of notes and unproven verdicts of a rule that are kept whole."""
HARMFUL = frozenset({"crash", "hang"})
_WELL = frozenset({"pass", "unsupported"})
_TOLD = frozenset({"note", "not-proven"})


def published(lines: Iterable[Line]) -> Iterator[Line]:
    """Yield the lines without anything that could be used against users of the target.

    Harmful cases lose their case, input, answer and text, and findings that show them lose their
    case and command.
    """
    harmful: set[str] = set()
    for line in lines:
        if isinstance(line, Verdict) and is_withheld(line):
            harmful.add(line.case)
            yield Verdict(
                rule=line.rule,
                class_=line.class_,
                case=WITHHELD,
                message=line.message,
                version=line.version,
                op=line.op,
                outcome=line.outcome,
                verdict=line.verdict,
            )
        elif isinstance(line, Finding) and line.case in harmful:
            yield msgspec.structs.replace(
                line,
                cause=f"{WITHHELD}: {_ended(line)}",
                case=WITHHELD,
                reproduce=WITHHELD,
                what="",
                remedy="",
            )
        else:
            yield line


def _ended(finding: Finding) -> str:
    """Return what the target did, as far as the finding says it."""
    silence = "silence over malformed bytes" if finding.kind else "a crash or a hang"
    return f"a {finding.ends}" if finding.ends else silence


_SILENT = [("fail", "harden", op, "silent") for op in (EXCHANGE, FORWARD)]


def is_withheld(verdict: Verdict) -> bool:
    """True if its input may harm: a crash, a hang, or silence of a server over malformed bytes.

    It is not known what a silent server waits for, or has allocated. Codecs are measured: one that
    takes too much has crashed or hung.
    """
    told = verdict.verdict, verdict.class_, verdict.op, verdict.outcome
    return verdict.verdict in HARMFUL or told in _SILENT


class _Alike(NamedTuple):
    """The common data of verdicts of one rule on one operation of a message."""

    rule: str
    class_: str
    message: str
    version: int
    op: str
    verdict: VerdictName


def folded(lines: Iterable[Line]) -> Iterator[Line]:
    """Yield the lines, with one counting verdict in place of equal ones that went well.

    All failures are whole, and so are the first few notes and unproven verdicts of each rule.
    """
    times: Counter[_Alike] = Counter()
    whole: Counter[tuple[str, str]] = Counter()
    for line in lines:
        if not isinstance(line, Verdict):
            yield from _as_numbers(times)
            times.clear()
            yield line
        elif line.verdict in _WELL or whole[line.rule, line.verdict] >= KEPT:
            each = (line.rule, line.class_, line.message, line.version, line.op, line.verdict)
            times[_Alike(*each)] += 1
        else:
            whole[line.rule, line.verdict] += line.verdict in _TOLD
            yield line
    yield from _as_numbers(times)


def _as_numbers(times: Counter[_Alike]) -> Iterator[Verdict]:
    for alike, number in times.items():
        yield Verdict(**alike._asdict(), case="", outcome="", times=number)


def publish(source: Path, target: Path) -> None:
    """Write the published form of a results file, compressed; equal lines give equal bytes.

    Verdicts that went well are published as counts.
    """
    with target.open("wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=0) as packed:
        for line in folded(published(read_lines(source))):
            packed.write(msgspec.json.encode(line) + b"\n")


if __name__ == "__main__":
    publish(*map(Path, sys.argv[1:]))
