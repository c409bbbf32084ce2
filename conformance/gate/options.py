"""Options of a run of the gate, and the checks on them that can be made before it starts."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance.errors import ConformanceError
from conformance.gate.kind import Kind
from conformance.gate.settings import Settings
from conformance.reporting.forms import AUTO, Forms
from conformance.results.command_lines import given, with_options
from conformance.results.files import check_writable
from conformance.results.known import Known, read_known
from conformance.results.naming import short_name

BUNDLED = "bundled"


@dataclass(frozen=True, slots=True)
class RunOptions:
    """The options of the command line; `timeout` in seconds, `memory` in MiB.

    `kind` has the targets and the options of their kind alone. `name` is the name of the one target
    in all that is printed and written.
    """

    kind: Kind
    rules: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    messages: tuple[str, ...] = ()
    versions: tuple[int, ...] = ()
    cases: tuple[str, ...] = ()
    timeout: float = 10.0
    memory: int = 2048
    profile: str = "spec"
    known: str | None = None
    update_known: bool = False
    results: Path | None = None
    reports: Path | None = None
    junit: Path | None = None
    allure: Path | None = None
    summary: Path | None = None
    badge: Path | None = None
    annotate: str = AUTO
    workers: str = "0"
    keyword: str = ""
    skip_missing: bool = False
    verbose: bool = False
    quiet: bool = False
    name: str = ""

    @property
    def selection(self) -> dict[str, list[Any]]:
        """Return the limits of the run by name; empty if the whole suite is run."""
        chosen: dict[str, tuple[Any, ...]] = {
            "rules": self.rules,
            "classes": self.classes,
            "messages": self.messages,
            "versions": self.versions,
            "cases": self.cases,
            "keyword": (self.keyword,) if self.keyword else (),
            **self.kind.limits,
        }
        return {name: list(values) for name, values in chosen.items() if values}

    def called(self, target: str) -> str:
        """Return what a person would call a target."""
        return self.name or short_name(target)

    def again(self, target: str) -> list[str]:
        """Return the words of the command that judges a target again.

        They hold the options on which a case depends, and no others.
        """
        limits = given({"--timeout": self.timeout, "--memory": self.memory})
        profile = [] if self.profile == self.kind.profile else ["--profile", self.profile]
        return with_options(self.kind.words(target), [*profile, *limits])

    def settings(self, target: str, parts: str) -> Settings:
        """Return the settings on which the processes of a run on one target have to agree."""
        common = {
            "profile": self.profile,
            "rules": self.rules,
            "classes": self.classes,
            "messages": self.messages,
            "versions": self.versions,
            "cases": self.cases,
            "timeout_s": self.timeout,
            "memory_mib": self.memory,
            "parts": parts,
        }
        return self.kind.settings(target, common)

    def check_outputs(self) -> None:
        """Raise ConformanceError now if results can't be written at the end."""
        if self.results is not None:
            check_writable(self.results)
        self.forms().check()
        if self.allure is not None:
            try:
                self.allure.mkdir(parents=True, exist_ok=True)
                probe = self.allure / ".writable"
                probe.touch()
                probe.unlink()
            except OSError as error:
                raise ConformanceError(
                    f"{self.allure}: {error.strerror}", "choose a folder that can be written"
                ) from None

    def forms(self) -> Forms:
        """Return the other forms of the results that were asked for."""
        return Forms.chosen(self.junit, self.summary, self.badge, self.annotate)

    def known_file(self, target: str) -> Path | None:
        """Return the list of known failures of a target, if it exists or is to be made."""
        if self.known != BUNDLED:
            return Path(self.known) if self.known else None
        file = Path(str(self.kind.known_file(target)))
        wanted = file.is_file() or (self.update_known and file.parent.is_dir())
        return file if wanted else None

    def known_entries(self, target: str) -> list[Known]:
        """Return the entries of `known_file`. Raises KnownError."""
        file = self.known_file(target)
        if file is None or (self.update_known and not file.exists()):
            return []
        return read_known(file)

    def known_of_older(self, target: str) -> list[Known]:
        """Return the known failures that only older releases have, if the bundled are wanted."""
        return self.kind.known_of_older(target) if self.known == BUNDLED else []
