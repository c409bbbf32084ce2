"""The terminal report of an audit: clients, their requests, violations, skipped frames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from conformance.captures.audit.tables import Tables, Violation
from conformance.reporting.closing_block import ClosingBlock, defects_of, outcome_of
from conformance.results.text import annotated_lines, counted, shown

MOST_CLIENTS = 40
MOST_USES = 60
MOST_VIOLATIONS = 30
MOST_EXAMPLES = 5


def show(
    console: Console, tables: Tables, target: str, again: Sequence[str], *, quiet: bool = False
) -> None:
    """Print the tables of an audit, each cut to a screen, and the closing block.

    `again` are the words of the command that shows a frame of these captures. With `quiet`, print
    only the first line of the block.
    """
    defects = defects_of(tables.findings(again), unit="frame")
    outcome = outcome_of(defects) or ("no failure" if tables.judged else "nothing was judged")
    measured = f"{frames_of(tables)}, in {counted(tables.packets, 'packet')}{_lost(tables)}"
    block = ClosingBlock(f"{target}: {outcome}", measured, defects)
    if quiet:
        console.print(block.headline, soft_wrap=True, markup=False)
        return
    _show_table(console, clients_table(tables, MOST_CLIENTS))
    _show_more(console, len(tables.clients) - MOST_CLIENTS, "clients")
    _show_table(console, uses_table(tables, MOST_USES))
    _show_more(console, len(tables.versions()) - MOST_USES, "APIs of clients")
    _show_violations(console, tables)
    _show_passed(console, tables)
    block.show(console)


def frames_of(tables: Tables) -> str:
    """Return how many frames were judged, and on how many connections."""
    return (
        f"{counted(tables.requests, 'request')} and {counted(tables.responses, 'response')} "
        f"on {counted(tables.connections, 'connection')}"
    )


def clients_table(tables: Tables, most: int) -> Table:
    """Return the table of the clients with most connections."""
    table = Table("client software", "version", "client id", "connections")
    table.columns[3].justify = "right"
    clients = sorted(tables.clients.items(), key=lambda pair: (-pair[1], pair[0]))
    for (software, version, client_id), count in clients[:most]:
        named = escape(software) if software else "(not said)"
        table.add_row(named, escape(version), escape(client_id), str(count))
    return table


def uses_table(tables: Tables, most: int) -> Table:
    """Return the table of the APIs that clients use, with versions and counts of requests."""
    table = Table("client", "API", "versions (requests)")
    before = ""
    for (who, api), counts in list(tables.versions().items())[:most]:
        table.add_row("" if who == before else escape(who), api, _versions(counts))
        before = who
    return table


def _show_table(console: Console, table: Table) -> None:
    if table.row_count:
        console.print(table)


def _versions(counts: Mapping[int, int]) -> str:
    return ", ".join(f"{version} ({count})" for version, count in counts.items())


def _show_violations(console: Console, tables: Tables) -> None:
    noted = sorted(tables.notes.values(), key=lambda each: (-each.count, each.rule, each.who))
    violations = tables.broken + noted
    if not violations:
        return
    table = Table("rule", "class", "verdict", "broken by", "frames")
    table.columns[4].justify = "right"
    for each in violations[:MOST_VIOLATIONS]:
        verdict = each.example.verdict
        table.add_row(each.rule, each.class_, verdict, escape(each.who), str(each.count))
    console.print(table)
    _show_more(console, len(violations) - MOST_VIOLATIONS, "violations")
    for each in violations[:MOST_EXAMPLES]:
        _show_example(console, each)


def _show_example(console: Console, violation: Violation) -> None:
    """Print the example of a violation, with the bytes around its fault."""
    verdict = violation.example
    what = f"{verdict.message} v{verdict.version}" if verdict.message else "an answer"
    lines = [
        f"{violation.rule}, broken by {violation.who}",
        f"  case:    {verdict.case} ({what})",
        f"  because: {verdict.detail}",
    ]
    if verdict.first_difference and verdict.first_difference != verdict.detail:
        lines.append(f"  differs: {verdict.first_difference}")
    if not verdict.annotated and verdict.actual:
        lines.append(f"  frame:   {shown(verdict.actual)}")
    for line in [*lines, *annotated_lines(verdict)]:
        console.print(line, soft_wrap=True, markup=False)


def _show_passed(console: Console, tables: Tables) -> None:
    if not tables.passed:
        return
    table = Table("skipped", "number", "the first")
    table.columns[1].justify = "right"
    for why, count in sorted(tables.passed.items(), key=lambda pair: (-pair[1], pair[0])):
        table.add_row(escape(why), str(count), escape(tables.examples.get(why, "")))
    console.print(table)


def _show_more(console: Console, number: int, what: str) -> None:
    if number > 0:
        console.print(f"and {number} more {what}")


def _lost(tables: Tables) -> str:
    return f"; {counted(tables.lost, 'part')} of the traffic not judged" if tables.lost else ""
