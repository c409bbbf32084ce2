"""`kafka-conformance client`: judge a client by what it does at a played broker."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from conformance.cli import completing, grouped
from conformance.cli.common import (
    check_outputs,
    console,
    examples,
    limits,
    outputs,
    selection,
    skip_missing,
)
from conformance.cli.grouped import TARGET, option

_EXAMPLES = examples(
    "client reference",
    "client kafka-python confluent-kafka",
    "client -- ./my-client --bootstrap {bootstrap}",
    "client -- ./my-driver {action} {bootstrap}",
    "client --listen 127.0.0.1:9092 --timeout 60",
)


@grouped.command("client", epilog=_EXAMPLES)
@click.argument(
    "arguments",
    nargs=-1,
    metavar="CLIENT... | -- COMMAND...",
    shell_complete=completing.clients,
)
@option(
    TARGET,
    "--listen",
    metavar="HOST:PORT",
    default="",
    help="Wait there for a client that somebody else starts.",
)
@selection
@limits
@outputs
@skip_missing("client")
@click.pass_context
def command(ctx: click.Context, /, arguments: tuple[str, ...], **chosen: Any) -> None:
    """Judge a client: it is started once a scenario, against a broker that we play.

    CLIENT is `reference`, `mutant:NAME`, or a bundled driver (`targets` lists them). In
    COMMAND, {bootstrap} becomes HOST:PORT, and {action} what is to be done: topics, groups, create.
    """
    from conformance.clients.names import Commands
    from conformance.gate.session import RunOptions, judge_targets
    from conformance.results.command_lines import name_of_program

    listen = chosen["listen"]
    if bool(arguments) == bool(listen):
        raise click.UsageError("name a client, a command after --, or --listen HOST:PORT")
    clients: Mapping[str, tuple[str, ...]]
    if listen:
        clients = {f"whoever comes to {listen}": ()}
    elif any("{bootstrap}" in word for word in arguments):
        clients = {name_of_program(arguments): arguments}
    else:
        clients = Commands(arguments)
    check_outputs(chosen, len(clients), "client")
    options = RunOptions(**chosen, clients=clients)
    ctx.exit(judge_targets(list(clients), [], options, console()))
