"""`kafka-conformance targets`: the bundled codecs and the drivers of clients."""

from __future__ import annotations

import click
from rich.markup import escape
from rich.table import Table

from conformance import __version__
from conformance.cli.common import console, examples
from conformance.codecs.resolve import OUR_OWN
from conformance.targets import registry


@click.command("targets", epilog=examples("targets"))
def command() -> None:
    """List the codecs and the clients that can be judged by name."""
    codecs = _table("codec")
    for name, about in OUR_OWN.items():
        codecs.add_row(name, "python", __version__, "", about)
    _add(codecs, registry.adapters())
    clients = _table("client")
    clients.add_row("reference", "python", __version__, "", "Our own, which keeps every rule")
    _add(clients, registry.adapters(registry.CLIENTS))
    for table in (codecs, clients):
        console().print(table)


def _table(kind: str) -> Table:
    return Table(kind, "language", "versions", "needs", "about")


def _add(table: Table, adapters: list[registry.Adapter]) -> None:
    for adapter in adapters:
        table.add_row(
            escape(adapter.name + (f" [{registry.CHECKS}]" if adapter.checks else "")),
            adapter.language,
            ", ".join(adapter.versions),
            ", ".join(adapter.needs),
            escape(adapter.about),
        )
