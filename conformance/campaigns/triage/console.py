"""Triage on a terminal: each cause, its targets, and the shortest bytes that show it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.markup import escape

from conformance.campaigns.triage.lines import CauseLine, Instance, TriageSummary
from conformance.results.naming import full_name
from conformance.results.text import counted, shown

MOST_CAUSES = 20
MOST_TARGETS = 5
_MOST_RULES = 5
_DAY = 10
"""The number of characters of a time that name the day."""


def show(console: Console, lines: Sequence[CauseLine], verbose: bool) -> None:
    """Print the causes, those of most targets first."""
    told = lines if verbose else lines[:MOST_CAUSES]
    for number, line in enumerate(told, 1):
        who = counted(len(line.targets), "target")
        console.print(f"\n[bold]{number}. {escape(line.cause)}[/] ({who})", soft_wrap=True)
        text = "\n".join(f"   {each}" for each in _about(line, verbose))
        console.print(text, soft_wrap=True, highlight=False, markup=False)
    if len(lines) > len(told):
        console.print(f"\nand {len(lines) - len(told)} more causes: -v shows them")


def in_words(summary: TriageSummary) -> str:
    """Return the closing line."""
    if not summary.causes:
        return f"{counted(summary.runs, 'run')}: no rule was broken"
    said = [
        counted(summary.causes, "cause"),
        counted(summary.targets, "target"),
        counted(summary.runs, "run"),
        counted(summary.cases, "case"),
    ]
    return f"{', '.join(said)}; made short: {summary.minimised}"


def _about(line: CauseLine, verbose: bool) -> Iterator[str]:
    if line.diagnosis:
        yield f"looks like: {line.diagnosis}"
    more = len(line.rules) - _MOST_RULES
    others = f" and {more} more" if more > 0 else ""
    yield f"rules:    {', '.join(line.rules[:_MOST_RULES])}{others} ({line.class_})"
    told = line.targets if verbose else line.targets[:MOST_TARGETS]
    for each in told:
        yield from _instance(each)
    if len(line.targets) > len(told):
        yield f"and {len(line.targets) - len(told)} more targets: -v shows them"


def _instance(each: Instance) -> Iterator[str]:
    seen = sorted({each.first_seen[:_DAY], each.last_seen[:_DAY]})
    runs = counted(len(each.runs), "run")
    cases = counted(each.cases, "case")
    yield f"{full_name(each.target, each.target_version)}: {cases} in {runs}, {' to '.join(seen)}"
    yield f"   case:     {each.case}, {each.op} of {each.message} v{each.version}: {each.verdict}"
    yield from (f"   {text}" for text in _input(each))
    yield f"   again:    {each.reproduce}"


def _input(each: Instance) -> Iterator[str]:
    if each.shortest is None:
        yield f"input:    {shown(each.input)}"
        if each.why:
            yield f"          as it was: {each.why}"
        return
    before, after = len(each.input or "") // 2, len(each.shortest) // 2
    yield f"input:    {shown(each.shortest)} ({before} → {counted(after, 'byte')})"
    if each.shortest_rule != each.rule:
        yield f"          which alone breaks {each.shortest_rule}"
