"""The findings on definitions on the console, in the form of compilers, with the remedy."""

from __future__ import annotations

import json
from collections.abc import Iterator

from rich.markup import escape

from conformance.cli.common import (
    console,
    of_rules,
    options,
    profile_option,
    quiet_option,
    results_option,
)
from conformance.definitions.run import DefinitionResults, DefinitionRun, findings_of
from conformance.reporting.closing_block import ClosingBlock, defects_of, outcome_of
from conformance.reporting.escaping import one_line
from conformance.schema.finding import NOT_UNDERSTOOD, BrokenRule, Proof

_LONGEST = 160
_LONGEST_REASON = 600
_UNREAD = "not understood, and so compared with nothing: mend it, or give its importer by --format"
judging = options(of_rules, profile_option, results_option, quiet_option)
"""The options of every command that judges definitions."""


def show(asked: DefinitionRun, found: DefinitionResults, quiet: bool) -> None:
    """Print the findings, each with its place, rule, reason, remedy and proof, and the outcome."""
    shown = console()
    defects = defects_of(findings_of(asked, found), unit="place")
    outcome = outcome_of(defects) or ("no failure" if not found.exit_code else "not all was judged")
    block = ClosingBlock(f"{asked.target}: {outcome}", _measured(asked, found), defects)
    if quiet:
        shown.print(block.headline, soft_wrap=True, markup=False)
        return
    for each in found.examined:
        for finding in each.findings:
            shown.print("\n".join(_lines(asked, finding)), soft_wrap=True)
    block.show(shown)


def _lines(asked: DefinitionRun, finding: BrokenRule) -> Iterator[str]:
    line = f":{finding.line}" if finding.line else ""
    place = f" {finding.place}:" if finding.place else ""
    said = _short(one_line(f"{place} {finding.reason}"), _LONGEST_REASON)
    yield escape(f"{one_line(finding.file)}{line}: {said}")
    if finding.rule == NOT_UNDERSTOOD:
        yield f"    [bold red]error[/] {_UNREAD}"
        return
    rule = asked.rules[finding.rule]
    word = "[bold red]fail[/]" if asked.fails(finding.rule) else "[yellow]note[/]"
    yield f"    {word} {rule.id} ({rule.class_}): {escape(rule.statement)}"
    yield f"    hurts: {escape(rule.harm)}"
    if rule.remedy:
        yield f"    remedy: {escape(rule.remedy)}"
    if finding.proof:
        yield from map(escape, _proof(finding.proof))


def _proof(proof: Proof) -> Iterator[str]:
    yield f"    {proof.writer} writes version {proof.version}: {_short(json.dumps(proof.value))}"
    yield f"        as {_short(proof.bytes.hex())}"
    refused = isinstance(proof.read, str)
    told = f"refuses: {proof.read}" if refused else f"reads: {_short(json.dumps(proof.read))}"
    yield f"    {proof.reader} {told}"


def _short(text: str, longest: int = _LONGEST) -> str:
    return text if len(text) <= longest else f"{text[:longest]}…"


def _measured(asked: DefinitionRun, found: DefinitionResults) -> str:
    """Return the numbers of definitions, rules, and verdicts of each kind."""
    rules = [one.rule for each in found.examined for one in each.findings]
    broken = [asked.fails(rule) for rule in rules if rule != NOT_UNDERSTOOD]
    told = [f"{sum(broken)} failed"]
    told += [f"{broken.count(False)} notes"] if not all(broken) else []
    told += [f"{count} errors"] if (count := found.verdicts["error"]) else []
    told += [f"{count} not proven"] if (count := found.verdicts["not-proven"]) else []
    things = f"{len(found.examined)} definitions, {len(asked.rules)} rules"
    return f"{things}: {', '.join(told)}, {found.verdicts['pass']} passed"
