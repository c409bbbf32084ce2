"""`kafka-conformance schema`: message definitions."""

from __future__ import annotations

from pathlib import Path

import click
from rich.table import Table

from conformance.cli import schema_compare, schema_diff, schema_history, schema_lint
from conformance.cli.common import as_json_option, console, examples, print_json
from conformance.data import data_root
from conformance.schema.model import Message
from conformance.schema.releases import definitions, releases
from conformance.schema.text.importing import import_release


@click.group("schema", epilog=examples("schema lint 4.4.0", "schema list", "schema import 4.4.0"))
def command() -> None:
    """Judge, import and list message definitions."""


command.add_command(schema_lint.command)
command.add_command(schema_compare.command)
command.add_command(schema_diff.command)
command.add_command(schema_history.command)


@command.command(
    "import",
    epilog=examples(
        "schema import 4.4.0",
        "schema import 4.4.0 --jar kafka-clients-4.4.0.jar",
        "schema import 4.2.2 --differs-from 4.3.1",
    ),
)
@click.argument("release")
@click.option(
    "--jar",
    "jars",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Read this jar, in place of those that Maven fetches. Repeatable.",
)
@click.option(
    "--into",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Write to this folder, in place of the suite's schemas/.",
)
@click.option(
    "--differs-from",
    default="",
    metavar="RELEASE",
    help="Store only what differs from this stored release; no vectors are minted of it.",
)
def import_definitions(
    release: str, jars: tuple[Path, ...], into: Path | None, differs_from: str
) -> None:
    """Import the definitions of a Kafka release, such as 4.4.0."""
    folder = into or Path(str(data_root() / "schemas"))
    count = import_release(release, folder, jars, differs_from)
    click.echo(f"{count} definitions of Kafka {release} in {folder / release}")


@command.command("list", epilog=examples("schema list", "schema list 4.4.0 --json"))
@click.argument("release", required=False)
@as_json_option
def list_definitions(release: str | None, as_json: bool) -> None:
    """List the stored releases, or the messages of one."""
    if release is not None:
        _list_messages(release, as_json)
        return
    counts = {name: len(definitions(name).names) for name in releases()}
    if as_json:
        print_json({"release": name, "definitions": count} for name, count in counts.items())
        return
    for name, count in counts.items():
        click.echo(f"{name}  {count} definitions")


def _list_messages(release: str, as_json: bool) -> None:
    if as_json:
        print_json(map(_told, definitions(release)))
        return
    table = Table("message", "type", "api key", "versions", "flexible")
    for message in definitions(release):
        key = "" if message.api_key is None else str(message.api_key)
        table.add_row(message.name, message.type, key, str(message.valid), str(message.flexible))
    console().print(table)


def _told(message: Message) -> dict[str, object]:
    return {
        "message": message.name,
        "type": message.type,
        "apiKey": message.api_key,
        "versions": [message.valid.low, message.valid.high] if message.valid else None,
        "flexibleFrom": message.flexible.low if message.flexible else None,
    }
