"""The other forms of a run's results, written at the end of a run or afterwards from its file.

`--junit`, `--summary`, `--badge` and `--annotate` go through here, for each kind of target. In a
GitHub action the summary and the annotations go to the job's page by default.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

from conformance.reporting.annotations import command, commands
from conformance.reporting.badge import badge
from conformance.reporting.junit import write_junit
from conformance.reporting.markdown import not_judged, section
from conformance.reporting.run_report import RunReport
from conformance.results.files import ResultsError, check_writable

GITHUB = "github"
AUTO = "auto"
NONE = "none"
_ELSEWHERE = "choose a place that can be written"


@dataclass
class Forms:
    """The places of the forms; `job_page` is the file for a job's page, if there is one.

    All but the annotations and the pages are for one target. Raises ResultsError.
    """

    junit: Path | None = None
    summary: Path | None = None
    badge: Path | None = None
    annotate: bool = False
    job_page: Path | None = None
    stream: TextIO = field(default_factory=lambda: sys.stdout)
    _begun: bool = False

    @classmethod
    def chosen(
        cls,
        junit: Path | None,
        summary: Path | None,
        badge: Path | None,
        annotate: str,
        environment: Mapping[str, str] = os.environ,
    ) -> Forms:
        """Return the forms that the options and the environment of a build ask for."""
        on_github = environment.get("GITHUB_ACTIONS") == "true"
        page = environment.get("GITHUB_STEP_SUMMARY") if on_github and annotate != NONE else None
        return cls(
            junit=junit,
            summary=summary,
            badge=badge,
            annotate=annotate == GITHUB or (annotate == AUTO and on_github),
            job_page=Path(page) if page else None,
        )

    @property
    def wanted(self) -> bool:
        """True if there is anything to write."""
        files = (self.junit, self.summary, self.badge, self.job_page)
        return self.annotate or any(file is not None for file in files)

    def check(self) -> None:
        """Fail now if a file could not be written in the end."""
        for file in (self.junit, self.summary, self.badge):
            if file is not None:
                check_writable(file)

    def write(self, told: RunReport) -> None:
        """Write all forms of one target's run."""
        if self.junit is not None:
            try:
                write_junit(told, self.junit)
            except OSError as error:
                raise _unwritable(self.junit, error) from None
        if self.badge is not None:
            _write(self.badge, badge(told))
        self._add(section(told))
        if self.annotate:
            self._print(*commands(told))

    def not_judged(self, target: str, why: str) -> None:
        """Write that a target could not be judged, and why."""
        self._add(not_judged(target, why))
        if self.annotate:
            self._print(command("error", f"{target}: not judged", why))

    def _add(self, text: str) -> None:
        if self.summary is not None:
            _write(self.summary, text, "a" if self._begun else "w")
            self._begun = True
        if self.job_page is not None:
            _write(self.job_page, text, "a")

    def _print(self, *lines: str) -> None:
        for line in lines:
            self.stream.write(f"{line}\n")
        self.stream.flush()


def _write(path: Path, text: str, mode: str = "w") -> None:
    try:
        with path.open(mode, encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise _unwritable(path, error) from None


def _unwritable(path: Path, error: OSError) -> ResultsError:
    return ResultsError(f"{path}: {error.strerror or error}", _ELSEWHERE)
