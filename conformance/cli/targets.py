"""`kafka-conformance targets`: the bundled codecs."""

from __future__ import annotations

import click
from rich.markup import escape
from rich.table import Table

from conformance import __version__
from conformance.cli.common import console, examples
from conformance.targets import registry


@click.command("targets", epilog=examples("targets"))
def command() -> None:
    """List the codecs that can be judged by name."""
    table = Table("target", "language", "versions", "needs", "about")
    table.add_row("reference", "python", __version__, "", "our own codec")
    for adapter in registry.adapters():
        table.add_row(
            adapter.name,
            adapter.language,
            ", ".join(adapter.versions),
            ", ".join(adapter.needs),
            escape(adapter.about),
        )
    console().print(table)
