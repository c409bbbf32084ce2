"""Results as they may be shown to anybody: the verdict, and not the weapon (SECURITY.md).

Whatever ended a released implementation, or took its time or memory away, can be turned on those
who run it. So of such cases the rule and the verdict are told, and what was sent is not:

    python -m conformance.results.publish results.ndjson reports/2026-11-22/NAME.ndjson.gz
"""

from __future__ import annotations

import gzip
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from conformance.results.files import read_lines
from conformance.results.lines import Finding, Line, Verdict

WITHHELD = "withheld"
HARMFUL = frozenset({"crash", "hang"})


def published(lines: Iterable[Line]) -> Iterator[Line]:
    """The lines without what could be used against those who run the target.

    Of harmful cases case, input, answer and text are gone, and findings that they are part of have
    no case and no command.
    """
    harmful: set[str] = set()
    for line in lines:
        if isinstance(line, Verdict) and line.verdict in HARMFUL:
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
                line, cause=f"{WITHHELD}: a crash or a hang", case=WITHHELD, reproduce=WITHHELD
            )
        else:
            yield line


def publish(source: Path, target: Path) -> None:
    """Write the published form of a results file, compressed; the same bytes for the same lines."""
    with target.open("wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=0) as packed:
        for line in published(read_lines(source)):
            packed.write(msgspec.json.encode(line) + b"\n")


if __name__ == "__main__":
    publish(*map(Path, sys.argv[1:]))
