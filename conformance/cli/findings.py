"""`kafka-conformance findings`: what a run found, each with its bytes and its command."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from conformance.cli.common import console, examples
from conformance.errors import ConformanceError
from conformance.results.lines import Finding, Line, Run, Verdict


@click.command(
    "findings",
    epilog=examples(
        "findings last", "findings last 2", "findings last/kio", "findings results.ndjson --json"
    ),
)
@click.argument("results", metavar="FILE|last|last/TARGET")
@click.argument("numbers", nargs=-1, type=click.IntRange(min=1), metavar="[NUMBER]...")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object a line.")
def command(results: str, numbers: tuple[int, ...], as_json: bool) -> None:
    """Show the findings of a results file, or of the last run that was not given one.

    TARGET is one of several that were judged together. NUMBER chooses some of the findings, by
    their places in the list.
    """
    import msgspec

    from conformance.reporting.console import show_findings
    from conformance.results.files import read_lines
    from conformance.results.last import LAST, last_findings
    from conformance.results.text import counted

    first, _, target = results.partition("/")
    path = last_findings() if first == LAST else Path(results)
    if first == LAST and not path.exists():
        raise ConformanceError("no run has kept its findings", "judge something first")
    shown = console()
    found = False
    judged = []
    for run, verdicts, findings in _targets(read_lines(path)):
        judged.append(run.target)
        if first == LAST and target not in ("", run.target):
            continue
        chosen = [each for at, each in enumerate(findings, 1) if not numbers or at in numbers]
        found |= bool(chosen)
        if as_json:
            for each in chosen:
                click.echo(msgspec.json.encode(each))
            continue
        said = f"{run.name}, judged {run.started[:16].replace('T', ' ')} UTC"
        shown.print(f"{said}: {counted(len(findings), 'finding')}", markup=False)
        show_findings(shown, findings, verdicts, numbers)
    if first == LAST and target and target not in judged:
        raise ConformanceError(f"the last run did not judge {target}", f"but {', '.join(judged)}")
    if numbers and not found:
        raise ConformanceError(f"{results} has no finding of that number", "see the whole list")


def _targets(lines: Iterator[Line]) -> Iterator[tuple[Run, dict[str, Verdict], list[Finding]]]:
    """Each target's header, a verdict of each broken case, and its findings."""
    from conformance.results.lines import BROKEN

    run: Run | None = None
    verdicts: dict[str, Verdict] = {}
    findings: list[Finding] = []
    for line in lines:
        if isinstance(line, Run):
            if run is not None:
                yield run, verdicts, findings
            run, verdicts, findings = line, {}, []
        elif isinstance(line, Verdict) and line.verdict in BROKEN:
            verdicts.setdefault(line.case, line)
        elif isinstance(line, Finding):
            findings.append(line)
    if run is not None:
        yield run, verdicts, findings
