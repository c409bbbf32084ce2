"""`kafka-conformance schema history`: the releases of each version and field of a message."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import click
from rich.table import Table

from conformance.cli import completing
from conformance.cli.common import console, examples

if TYPE_CHECKING:
    from conformance.definitions.evolution.history import History, State
    from conformance.schema.versions import Versions


@click.command(
    "history",
    epilog=examples(
        "schema history FetchRequest",
        "schema history PartitionRecord --field LastKnownElr",
        "schema history AlterIsrRequest --json",
    ),
)
@click.argument("message", shell_complete=completing.messages)
@click.option("--field", metavar="NAME", help="Show this field and what is in it alone.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object.")
def command(message: str, field: str | None, as_json: bool) -> None:
    """Show when each version and each field of a message came and went, over the stored releases.

    Any name that the message ever had will do, and of a field as well.
    """
    from conformance.definitions.evolution.history import history
    from conformance.schema.releases import definitions, releases

    found = history(message, [definitions(release) for release in reversed(releases())])
    found = found.of(field) if field else found
    if as_json:
        click.echo(json.dumps(_json(found), indent=1))
        return
    shown = console()
    if not field:
        shown.print(_versions(found))
    shown.print(_fields(found))


def _versions(found: History) -> Table:
    table = Table("from", "to", "message", "versions", "flexible", "came", "went")
    for each in found.ranges:
        unstable = f" ({each.valid.high} unstable)" if each.unstable else ""
        table.add_row(
            each.since,
            _until(found, each.until),
            each.name,
            f"{each.valid}{unstable}",
            str(each.flexible),
            _listed(each.came),
            _listed(each.went),
        )
    return table


def _fields(found: History) -> Table:
    """Return the table of fields' states, newest first; older ones show only a changed name."""
    table = Table("field", "from", "to", "type", "versions", "tag", "nullable", "default")
    shown: set[str] = set()
    for states in found.fields:
        shown.add(states[-1].place)
        name = _indented(states[-1], shown)
        for state in reversed(states):
            table.add_row(name, *_row(found, state))
            older = states[states.index(state) - 1].name
            name = "" if older == state.name else f"(was {older})"
    table.columns[0].overflow = "fold"
    return table


def _indented(state: State, shown: set[str]) -> str:
    """Return a field's own name under its struct, or its dotted name if that is not shown."""
    around = state.place.rpartition(".")[0]
    return f"{'  ' * state.place.count('.')}{state.name}" if around in shown else state.place


def _row(found: History, state: State) -> Iterator[str]:
    yield state.since
    yield _until(found, state.until)
    yield state.type
    yield str(state.versions)
    yield "" if state.tag is None else str(state.tag)
    yield str(state.nullable) if state.nullable else ""
    yield state.default or ""


def _until(found: History, release: str) -> str:
    """Return the last release of a version or field, "" if it is in the newest one."""
    return "" if release == found.newest else release


def _listed(ranges: Iterable[Versions]) -> str:
    return ", ".join(map(str, ranges))


def _json(found: History) -> dict[str, Any]:
    return {
        "message": found.name,
        "newest": found.newest,
        "versions": [
            {
                "from": each.since,
                "to": each.until,
                "name": each.name,
                "versions": str(each.valid),
                "flexible": str(each.flexible),
                "unstable": each.unstable,
                "came": [str(part) for part in each.came],
                "went": [str(part) for part in each.went],
            }
            for each in found.ranges
        ],
        "fields": [
            {"field": states[-1].place, "states": [_state(state) for state in states]}
            for states in found.fields
        ],
    }


def _state(state: State) -> dict[str, Any]:
    return {
        "from": state.since,
        "to": state.until,
        "name": state.place,
        "type": state.type,
        "versions": str(state.versions),
        "tag": state.tag,
        "nullable": str(state.nullable),
        "default": state.default,
    }
