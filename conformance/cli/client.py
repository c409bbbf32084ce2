"""`kafka-conformance client`: judge a client by what it does at a played broker."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

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

if TYPE_CHECKING:
    from conformance.clients.driver_check import Checked

_PAGE = "docs/judge-a-client.md"
_EXAMPLES = examples(
    "client reference",
    "client kafka-python confluent-kafka",
    "client -- ./my-client --bootstrap {bootstrap}",
    "client --check-driver -- ./my-driver {action} {bootstrap}",
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
@option(
    TARGET,
    "--check-driver",
    is_flag=True,
    help="Judge nothing; have each action done once where nothing is wrong, and say how that went.",
)
@selection
@limits
@outputs
@skip_missing("client")
@click.pass_context
def command(ctx: click.Context, /, arguments: tuple[str, ...], **chosen: Any) -> None:
    """Judge a client: it is started once a scenario, against a broker that we play.

    CLIENT is `reference`, `mutant:NAME`, or a bundled driver (`targets` lists them). In COMMAND,
    {bootstrap} becomes HOST:PORT, and {action} the word for what is to be done, one of some 70:
    docs/judge-a-client.md says what each of them asks for, --check-driver lists them.
    """
    from conformance.clients.kind import Clients
    from conformance.clients.names import Commands
    from conformance.gate.session import RunOptions, judge_targets
    from conformance.results.command_lines import name_of_program

    listen, only_driver = chosen.pop("listen"), chosen.pop("check_driver")
    if bool(arguments) == bool(listen):
        raise click.UsageError("name a client, a command after --, or --listen HOST:PORT")
    clients: Mapping[str, tuple[str, ...]]
    if listen:
        clients = {f"whoever comes to {listen}": ()}
    elif any("{bootstrap}" in word for word in arguments):
        clients = {name_of_program(arguments): arguments}
    else:
        clients = Commands(arguments)
    if only_driver:
        ctx.exit(_check_driver(clients, chosen["timeout"], chosen["memory"]))
    check_outputs(chosen, len(clients), "client")
    options = RunOptions(Clients(clients, listen), **chosen)
    ctx.exit(judge_targets(list(clients), options, console()))


def _check_driver(clients: Mapping[str, tuple[str, ...]], timeout_s: float, memory_mib: int) -> int:
    """Print how each action of one driver went; 1 where one is not done as it is to be."""
    from conformance.clients.driver_check import check_driver
    from conformance.clients.target import ClientTarget

    if len(clients) != 1:
        raise click.UsageError("one driver at a time")
    [(name, words)] = clients.items()
    with ClientTarget(name, words, timeout_s, memory_mib) as target:
        if target.program is None or not target.program.takes_actions:
            raise click.UsageError("a driver has {action} in its command")
        found = []
        for each in check_driver(target):
            found.append(each)
            click.echo(f"{_SAID[each.state]:13}{each.action:15}{each.detail}".rstrip())
        for note in target.telling.notes():
            click.echo(f"note: {note}")
    click.echo(_added_up(found))
    return int(any(each.state in ("driver", "client") for each in found))


_SAID = {
    "done": "done",
    "driver": "see driver",
    "client": "see client",
    "unsupported": "unsupported",
}


def _added_up(found: Sequence[Checked]) -> str:
    """Return how many actions had each result, and what to do about those that failed."""
    counts = Counter(each.state for each in found)
    not_done = counts["driver"] + counts["client"]
    said = f"{len(found)} actions: {counts['done']} done as the page says, {not_done} not"
    said += f", {counts['unsupported']} unsupported"
    if counts["driver"]:
        what = f"{_PAGE} says what is asked for: mend the driver, or be sure that it is right"
        said += f"\nsee driver: {what}"
    if counts["client"]:
        what = "its requests show that it was asked for the right thing, and it fails all the same"
        said += f"\nsee client: {what}"
    return said
