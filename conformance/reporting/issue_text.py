"""The findings on a release as Markdown, written so that they can be sent to its project unchanged.

A section per finding has what happens, the rules that it breaks with their sources, the smallest
case with its bytes, and the command that shows it again. Of findings that end, stall or exhaust a
release only the count is given (SECURITY.md).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from conformance.reporting.breaches import harm_of, in_a_clause, remedy_of
from conformance.reporting.escaping import heading
from conformance.results.case_examples import example_of, key_of
from conformance.results.lines import BROKEN, Finding, Line, Run, Verdict
from conformance.results.publish import WITHHELD
from conformance.results.text import by_definitions, case_lines
from conformance.rules import catalogue

_MOST_RULES = 8


def filed(run: Run, findings: list[Finding], published: Iterable[Line]) -> str:
    """Return the page of one target, from its findings and its published lines."""
    told = [each for each in findings if each.case != WITHHELD]
    wanted = {each.case for each in told}
    examples = {
        key_of(line): line
        for line in published
        if isinstance(line, Verdict) and line.case in wanted and line.verdict in BROKEN
    }
    lines = [f"# {_name(run)}", "", _about(run), ""]
    lines += [f"As it declares, {run.lacks}.", ""] if run.lacks else []
    left_out = "; ".join(run.left_out)
    lines += [f"Of what it has, the adapter leaves out {left_out}.", ""] if left_out else []
    if not findings:
        lines += ["Nothing that is broken was found.", ""]
    for number, finding in enumerate(told, 1):
        example = example_of(examples, finding)
        assert example is not None, f"{finding.case} has no broken verdict"
        lines += _section(number, finding, example)
    if withheld := len(findings) - len(told):
        lines += [f"{withheld} of {len(findings)} findings end, stall or exhaust it: withheld.", ""]
    return "\n".join(lines).rstrip() + "\n"


def issue(run: Run, finding: Finding, example: Verdict) -> str:
    """One finding as an issue of its project: the title, and what to write below it."""
    lines = [f"{_name(run)}: {in_a_clause(finding)}", "", _about(run), ""]
    return "\n".join([*lines, *_body(finding, example)]).rstrip() + "\n"


def _name(run: Run) -> str:
    return run.name if run.named else run.introduced or run.name


def _about(run: Run) -> str:
    by = f"kafka-conformance {run.suite_version} on {run.started[:10]}, profile {run.profile}"
    return f"Judged by {by}{by_definitions(run)}."


def _section(number: int, finding: Finding, example: Verdict) -> Iterator[str]:
    yield from (f"## {number}. {heading(finding.cause)}", "")
    yield from _body(finding, example)


def _body(finding: Finding, example: Verdict) -> Iterator[str]:
    cases = "1 case fails" if finding.count == 1 else f"{finding.count} cases fail"
    looks = f"looks like this: {finding.diagnosis}" if finding.diagnosis else in_a_clause(finding)
    yield from (f"{cases}. It {looks}. What that does: {harm_of(finding)}", "")
    yield from (f"What to do: {remedy_of(finding)} What it breaks:", "")
    for rule in finding.rules[:_MOST_RULES]:
        yield from _rule(rule)
    if more := len(finding.rules) - _MOST_RULES:
        yield from [f"- and {more} more rules"] if more > 0 else []
    yield from ("", f"The smallest case, {example.op} of {_subject(example)}:", "", "```text")
    yield from case_lines(example)
    yield from ("```", "", "To see it again:", "", "```sh", finding.reproduce, "```", "")


def _rule(name: str) -> Iterator[str]:
    rule = catalogue().get(name)
    if rule is None:
        yield f"- `{name}`"
        return
    yield f"- `{name}` ({rule.class_}): {rule.statement} Source: {rule.source}. {rule.rationale}"


def _subject(example: Verdict) -> str:
    version = f" version {example.version}" if example.version >= 0 else ""
    return f"{example.message}{version}"
