"""A run as a section of Markdown, for the page of a build's job, a comment or an issue.

The outcome comes first, then a row for each rule group, then the findings, folded up: each with
what is needed to mend it. Such a page is cut off after a megabyte, so the findings shown are few; a
results file has the bytes of the others.
"""

from __future__ import annotations

from collections.abc import Iterator

from conformance.reporting.breaches import harm_of, in_a_clause, remedy_of
from conformance.reporting.escaping import code, fenced, markdown
from conformance.reporting.run_report import RunReport
from conformance.results.case_examples import example_of
from conformance.results.lines import VERDICTS, Finding
from conformance.results.publish import WITHHELD
from conformance.results.text import by_definitions, case_lines, counted
from conformance.rules import catalogue

MOST_FINDINGS = 10
_MOST_RULES = 8
_MOST_LETTERS = 6_000


def section(told: RunReport) -> str:
    """Return the section of one target, without anything that could do harm."""
    return "\n".join((*_head(told), *_groups(told), *_findings(told))) + "\n"


def not_judged(target: str, why: str) -> str:
    """Return the section of a target that could not be judged."""
    return f"### {_mark(False)} {markdown(target)}: not judged\n\nBecause: {markdown(why)}\n\n"


def _head(told: RunReport) -> Iterator[str]:
    run = told.run
    yield f"### {_mark(not told.failed)} {markdown(run.short_name)}: {markdown(told.outcome)}"
    yield ""
    version = f" of {markdown(run.introduced)}" if run.introduced else ""
    by = markdown(by_definitions(run))
    yield (
        f"A run{version} by kafka-conformance {markdown(run.suite_version)} on "
        f"{markdown(run.started[:10])}, profile {markdown(run.profile)}{by}."
    )
    if run.selection:
        chosen = "; ".join(f"{name} {' '.join(map(str, v))}" for name, v in run.selection.items())
        yield f"Only a part was judged: {markdown(chosen)}."
    yield ""


def _groups(told: RunReport) -> Iterator[str]:
    tally = told.tally
    used = [name for name in VERDICTS if tally.verdicts[name]]
    yield _row("rule group", *used)
    yield f"| --- |{' --: |' * len(used)}"
    for group, counts in sorted(tally.groups.items()):
        yield _row(markdown(group), *(f"{counts[name]:,}" if counts[name] else "" for name in used))
    yield _row("**all**", *(f"**{tally.verdicts[name]:,}**" for name in used))
    yield ""


def _findings(told: RunReport) -> Iterator[str]:
    shown = told.shown
    for number, finding in enumerate(shown[:MOST_FINDINGS], 1):
        yield from _finding(told, number, finding)
    if more := len(shown) - MOST_FINDINGS:
        yield from [f"And {more} more findings.", ""] if more > 0 else []
    if known := len(told.findings) - len(shown):
        yield from [f"{counted(known, 'finding')} known before.", ""] if known > 0 else []


def _finding(told: RunReport, number: int, finding: Finding) -> Iterator[str]:
    told_of = told.public(finding)
    cases = counted(finding.count, "case")
    yield f"<details><summary>{number}. {markdown(told_of.cause)} ({cases})</summary>"
    yield ""
    looks = f"looks like {finding.diagnosis}" if finding.diagnosis else in_a_clause(told_of)
    yield from (f"It {markdown(looks)}. What that does: {markdown(harm_of(finding))}", "")
    yield from (f"What to do: {markdown(remedy_of(finding))}", "")
    yield from (_row("rule", "class", "statement", "source"), "| --- | --- | --- | --- |")
    yield from map(_rule, finding.rules[:_MOST_RULES])
    if more := len(finding.rules) - _MOST_RULES:
        yield from ["", f"And {more} more rules."] if more > 0 else []
    yield ""
    example = example_of(told.examples, finding)
    if told_of.case != WITHHELD and example is not None:
        yield from (fenced("\n".join(case_lines(example))[:_MOST_LETTERS]), "")
    if told_of.reproduce != WITHHELD:
        yield from (fenced(told_of.reproduce, "sh"), "")
    yield from ("</details>", "")


def _rule(name: str) -> str:
    rule = catalogue().get(name)
    if rule is None:
        return _row(code(name), "", "", "")
    return _row(code(name), rule.class_, markdown(rule.statement), markdown(rule.source))


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _mark(well: bool) -> str:
    return "✅" if well else "❌"
