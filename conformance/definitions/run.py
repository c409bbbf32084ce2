"""A run over definitions: its rules, its findings, its results file and its exit code."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from conformance import __version__
from conformance.definitions.judge import verdicts_of
from conformance.errors import UNREACHABLE, NothingSelected
from conformance.results.closing import now
from conformance.results.command_lines import command_line, given, with_options
from conformance.results.files import LineWriter
from conformance.results.lines import BROKEN, Finding, Run, Summary, Verdict
from conformance.rules import Rule, select
from conformance.schema.finding import NOT_UNDERSTOOD, Examined


@dataclass(frozen=True)
class DefinitionRun:
    """The definitions and the rules to judge them by.

    `op` is lint, diff or compare; `again` is the command that repeats the run.
    """

    op: str
    target: str
    version: str
    again: Sequence[str]
    rules: Mapping[str, Rule]
    messages: Sequence[str] = ()
    profile: str = "spec"
    results: Path | None = None

    def fails(self, rule: str) -> bool:
        """True if the profile fails a run that breaks this rule."""
        return self.rules[rule].verdict_on_breach(self.profile) == "fail"


@dataclass
class DefinitionResults:
    """A run that has ended. `examined` holds selected messages, with findings of selected rules."""

    examined: list[Examined]
    verdicts: Counter[str] = field(default_factory=Counter)

    @property
    def exit_code(self) -> int:
        """1 if a rule of the profile was broken; else 3 if a definition was not read; else 0."""
        if any(self.verdicts[name] for name in BROKEN):
            return 1
        return UNREACHABLE if self.verdicts["not-proven"] or self.verdicts["error"] else 0


def rules_of(
    groups: Iterable[str], patterns: Iterable[str], classes: Iterable[str]
) -> dict[str, Rule]:
    """Return the selected rules of these groups. Raises ConformanceError."""
    chosen = select(patterns, classes, ["schema"], groups)
    if not chosen:
        raise NothingSelected(
            "no rule of definitions is left", "`rules list --for schema` has them"
        )
    return {rule.id: rule for rule in chosen}


def judge(asked: DefinitionRun, examined: Iterable[Examined]) -> DefinitionResults:
    """Judge what was examined, and write the results. Raises ConformanceError."""
    began = time.monotonic()
    kept = [_asked_for(asked, each) for each in examined]
    kept = [each for each in kept if not asked.messages or each.name in asked.messages]
    if not kept:
        raise NothingSelected(
            f"no definition of {', '.join(asked.messages) or 'any message'} in {asked.target}",
            "messages are named as in the definition, such as FetchRequest",
        )
    found = DefinitionResults(kept)
    verdicts = verdicts_of(kept, asked.rules, asked.profile, asked.op)
    if asked.results is None:
        found.verdicts.update(verdict.verdict for verdict in verdicts)
    else:
        _record(asked.results, asked, found, verdicts, began)
    return found


def _asked_for(asked: DefinitionRun, each: Examined) -> Examined:
    rules = {*asked.rules, NOT_UNDERSTOOD}
    return replace(each, findings=tuple(one for one in each.findings if one.rule in rules))


def _record(
    path: Path,
    asked: DefinitionRun,
    found: DefinitionResults,
    verdicts: Iterator[Verdict],
    began: float,
) -> None:
    with LineWriter(path) as writer:
        writer.write(_run(asked))
        for verdict in verdicts:
            found.verdicts[verdict.verdict] += 1
            writer.write(verdict)
        for finding in findings_of(asked, found):
            writer.write(finding)
        writer.write(
            Summary(
                cases=len(found.examined),
                verdicts=dict(found.verdicts),
                seconds=round(time.monotonic() - began, 3),
                exit_code=found.exit_code,
            )
        )


def _run(asked: DefinitionRun) -> Run:
    selection: dict[str, Any] = {"rules": sorted(asked.rules), "messages": list(asked.messages)}
    return Run(
        target=asked.target,
        target_version=asked.version,
        language="definitions",
        definitions=asked.version,
        suite_version=__version__,
        profile=asked.profile,
        started=now(),
        selection=selection,
        again=with_options(asked.again, _profile(asked)),
    )


def _profile(asked: DefinitionRun) -> list[str]:
    return given({"--profile": asked.profile})


def findings_of(asked: DefinitionRun, found: DefinitionResults) -> Iterator[Finding]:
    """Yield one finding a broken rule: its first place, and the command that shows it again."""
    for rule in asked.rules.values():
        broken = [one for each in found.examined for one in each.findings if one.rule == rule.id]
        if broken and asked.fails(rule.id):
            yield Finding(
                cause=broken[0].reason,
                rules=[rule.id],
                case=broken[0].file,
                count=len(broken),
                reproduce=command_line(asked.again, "--rule", rule.id, *_profile(asked)),
                kind=rule.class_,
            )
