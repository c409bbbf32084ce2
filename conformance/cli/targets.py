"""`kafka-conformance targets`: the bundled codecs."""

from __future__ import annotations

import click
from rich.markup import escape
from rich.table import Table

from conformance import __version__
from conformance.cli.common import console, examples
from conformance.targets import registry
from conformance.targets.resolve import OUR_OWN


@click.command("targets", epilog=examples("targets"))
def command() -> None:
    """List the codecs that can be judged by name."""
    table = Table("target", "language", "versions", "needs", "about")
    for name, about in OUR_OWN.items():
        table.add_row(name, "python", __version__, "", about)
    for adapter in registry.adapters():
        table.add_row(
            adapter.name,
            adapter.language,
            ", ".join(adapter.versions),
            ", ".join(adapter.needs),
            escape(adapter.about),
        )
    console().print(table)
