"""`kafka-conformance findings`: the findings of a run, each with its bytes and its command."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from conformance.cli.common import console, end, examples
from conformance.errors import ConformanceError

if TYPE_CHECKING:
    from rich.console import Console

    from conformance.results.last import Judged, Kept


@click.command(
    "findings",
    epilog=examples(
        "findings last", "findings last 2", "findings last/kio", "findings results.ndjson --json"
    ),
)
@click.argument("results", metavar="FILE|last|last/TARGET")
@click.argument("numbers", nargs=-1, type=click.IntRange(min=1), metavar="[NUMBER]...")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object a line.")
@click.pass_context
def command(ctx: click.Context, results: str, numbers: tuple[int, ...], as_json: bool) -> None:
    """Show the findings of a results file, or of the last run that was not given one.

    The last run is that of this folder; where nothing was judged in it, that of the account, and a
    line says from where and when. TARGET is one of several that were judged together, or was judged
    before. NUMBER chooses some of the findings, by their places in the list. Ends with 0 whatever
    was found, with 3 where the results are not whole.
    """
    import msgspec

    from conformance.reporting.breaches import class_of
    from conformance.reporting.console import show_findings
    from conformance.results.last import LAST
    from conformance.results.text import counted

    first, _, target = results.partition("/")
    is_last = first == LAST
    shown = console()
    found = False
    cut_short: list[str] = []
    kept, targets = _last(target) if is_last else (None, _of_file(Path(results)))
    for judged in targets:
        findings = judged.findings
        chosen = [each for at, each in enumerate(findings, 1) if not numbers or at in numbers]
        found |= bool(chosen)
        if judged.is_cut_short:
            cut_short.append(f"{LAST}/{judged.run.target}" if is_last else results)
        if as_json:
            for each in chosen:
                fields = msgspec.to_builtins(each) | {"class": class_of(each)}
                click.echo(msgspec.json.encode(fields))
            continue
        said = f"{judged.run.name}, judged {judged.when}: {counted(len(findings), 'finding')}"
        shown.print(said, markup=False, soft_wrap=True)
        show_findings(shown, findings, judged.verdicts, numbers)
    if kept and not (target or numbers or as_json):
        _show_before(shown, kept)
    if numbers and not found:
        raise ConformanceError(f"{results} has no finding of that number", "see the whole list")
    end(ctx, 0, cut_short)


def _of_file(path: Path) -> Iterator[Judged]:
    from conformance.results.files import read_lines
    from conformance.results.last import judged_in

    return judged_in(read_lines(path))


def _last(target: str) -> tuple[Kept, list[Judged]]:
    """Return the results of the last run, or the latest results of one target."""
    from conformance.results.last import folder_here, kept_elsewhere, kept_in

    folder = folder_here()
    own = kept_in(folder)
    if own and not target:
        return own, own.last
    if own and (judged := own.of(target)):
        return own, [judged]
    others = kept_elsewhere(folder)
    found = [(each, each.of(target) if target else each.last[0]) for each in others]
    kept, judged = next(((kept, judged) for kept, judged in found if judged), (None, None))
    if kept and judged:
        _say_where(judged, target)
        return kept, [judged] if target else kept.last
    every = [each for kept in filter(None, (own, *others)) for each in (*kept.last, *kept.before)]
    if not every:
        raise ConformanceError("no run has kept its findings", "judge something first")
    names = ", ".join(dict.fromkeys(each.run.target for each in every))
    raise ConformanceError(f"no run has kept findings of {target}", f"but of {names}")


def _say_where(judged: Judged, target: str) -> None:
    """Print to stderr that the results shown are of another folder."""
    what = f"{target} was not judged" if target else "nothing was judged"
    click.echo(f"{what} in this folder: shown is the run {judged.when}", err=True)


def _show_before(shown: Console, kept: Kept) -> None:
    """Print the targets that a folder's last run did not judge, with commands for their results."""
    from conformance.results.command_lines import command_line
    from conformance.results.last import LAST

    for judged in kept.before:
        command = command_line(["findings", f"{LAST}/{judged.run.target}"])
        said = f"before it: {judged.run.name}, judged {judged.when}: {command}"
        shown.print(said, markup=False, soft_wrap=True)
