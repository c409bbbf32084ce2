"""`kafka-conformance compare`: the differences between two runs of a target, or of its versions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from conformance.cli import grouped
from conformance.cli.common import console, end, examples
from conformance.cli.grouped import JUDGE, OUTPUT, option

if TYPE_CHECKING:  # a database is loaded where it is needed
    from conformance.reporting.comparing import Change, Group, Source

NEWS = 1
MOST_GROUPS = 20


@grouped.command(
    "compare",
    epilog=examples(
        "compare yesterday.ndjson today.ndjson",
        "compare kio-0.5.ndjson kio-0.6.ndjson --json",
        "compare run1 run2 --anyway",
    ),
)
@click.argument("old", type=click.Path(path_type=Path, exists=True))
@click.argument("new", type=click.Path(path_type=Path, exists=True))
@option(
    OUTPUT,
    "--json",
    "as_json",
    is_flag=True,
    help="Print an object a line: each case, then counts.",
)
@option(
    JUDGE, "--anyway", is_flag=True, help="Compare the runs though they were not asked the same."
)
@option(OUTPUT, "-v", "--verbose", is_flag=True, help="Print every rule.")
@click.pass_context
def command(
    ctx: click.Context, old: Path, new: Path, as_json: bool, anyway: bool, verbose: bool
) -> None:
    """Tell what broke between two runs: of one target, or of two of its versions.

    OLD and NEW are files of --results or folders of campaigns. Says which cases are newly broken,
    which are no more, which are broken in another way, and which are so only now and then. Ends
    with 0 where nothing broke, with 1 where something did, with 3 where results are not whole.
    """
    from conformance.campaigns.storage.compare_sources import NotComparable, paired, sources

    pairs, against = paired(sources(old), sources(new))
    if against and not anyway:
        raise NotComparable(against[0], "--anyway compares them all the same")
    for why in against:
        click.echo(f"kafka-conformance: {why}", err=True)
    shown = console()
    worse = [_compare(shown, *pair, as_json, verbose) for pair in pairs]
    cut_short = [each.name for pair in pairs for each in pair if each.cut_short]
    end(ctx, NEWS if any(worse) else 0, cut_short)


def _compare(shown: Console, old: Source, new: Source, as_json: bool, verbose: bool) -> bool:
    from conformance.reporting.comparing import KINDS, Comparison, Summed

    summed = Summed()
    with Comparison(old, new) as comparison:
        for change in comparison.changes():
            summed.take(change)
            if as_json:
                _print(change, new.run.target)
        same = comparison.same
    counts = {kind: summed.counts[kind] for kind in KINDS} | {"same": same}
    if as_json:
        names = {"old_target": old.run.target, "new_target": new.run.target}
        click.echo(json.dumps({"type": "summary", **names, **counts, "worse": summed.worse}))
    else:
        _show(shown, summed.groups(), verbose)
        title = f"{_name(old)} → {_name(new)}"
        told = ", ".join(f"{count:,} {kind}" for kind, count in counts.items())
        shown.print(f"{title}: {told}", soft_wrap=True, markup=False)
    return summed.worse > 0


def _print(change: Change, target: str) -> None:
    click.echo(
        json.dumps(
            {"type": "change", "target": target, **msgspec.to_builtins(change)},
            ensure_ascii=False,
        )
    )


def _name(source: Source) -> str:
    run = source.run
    return f"{run.name}, {run.started[:10]}"


def _show(shown: Console, groups: list[Group], verbose: bool) -> None:
    if not groups:
        return
    table = Table("", "rule", "old", "new", "cases", "of")
    table.columns[4].justify = "right"
    told = groups if verbose else groups[:MOST_GROUPS]
    for group in told:
        messages = [name for name, _ in group.messages.most_common(2)]
        of = messages[0] if len(messages) == 1 else f"{len(group.messages)} messages"
        row = (group.kind, group.rule, group.old, group.new, f"{group.count:,}", of)
        table.add_row(*map(escape, row))
    shown.print(table)
    for group in told:
        cases = f"{group.kind}: {group.rule}, {group.old} → {group.new}"
        lines = [cases, *(f"   {_case(change)}" for change in group.first)]
        shown.print("\n".join(lines), soft_wrap=True, markup=False)
    if len(groups) > len(told):
        shown.print(f"and {len(groups) - len(told)} more: -v shows them")


def _case(change: Change) -> str:
    said = change.new_difference or change.old_difference
    return f"{change.case}: {said}" if said else change.case
