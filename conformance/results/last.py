"""The findings of the last run, which are kept where no file was named for its results.

One file in the user's cache folder: of each target the header, the smallest case of each finding,
the findings and the summary. It is in place whole or not at all, whoever else runs meanwhile. It is
called `last`, and what one of several targets got in it `last/NAME`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import msgspec

from conformance.data import cache_dir
from conformance.results.lines import Finding, Line, Run, Summary, Verdict

LAST = "last"
"""What stands for the results file of the last run, where none was named."""


def last_findings() -> Path:
    """The file, which may not be there."""
    return cache_dir() / "last.ndjson"


class LastRun:
    """Keeps the findings of one run, of one target or of `several`, one after another."""

    def __init__(self, *, several: bool = False) -> None:
        self._several = several
        self._lines: list[Line] = []

    def add(
        self,
        run: Run,
        examples: Iterable[Verdict],
        findings: Iterable[Finding],
        summary: Summary | None,
    ) -> str:
        """Put what one target got behind the others; what it is called, "" where there is no room.

        `findings` shows it by that name.
        """
        self._lines += [run, *examples, *findings, *filter(None, [summary])]
        path = last_findings()
        unfinished = path.with_name(f"{path.name}.{os.getpid()}")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            unfinished.touch(mode=0o600)  # it has what ends a target
            unfinished.write_bytes(msgspec.json.Encoder().encode_lines(self._lines))
            unfinished.replace(path)
        except OSError:
            return ""
        return f"{LAST}/{run.target}" if self._several else LAST
