"""`kafka-conformance proxy`: judge a proxy by what comes out of what went in."""

from __future__ import annotations

import shlex
from typing import Any

import click

from conformance.cli import grouped
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
    "proxy --start reference",
    "proxy --start kroxylicious --profile kafka",
    "proxy -- ./my-proxy {listen} {upstream}",
    "proxy localhost:9092 --upstream-listens 9192",
)


@grouped.command("proxy", epilog=_EXAMPLES)
@click.argument("arguments", nargs=-1, metavar="HOST:PORT | -- COMMAND...")
@option(
    TARGET,
    "--start",
    "starts",
    multiple=True,
    metavar="WHAT",
    help="Start a proxy and judge it: `reference`, `mutant:NAME`, or one that `targets` lists. "
    "Repeatable.",
)
@option(
    TARGET,
    "--upstream-listens",
    type=click.IntRange(1, 2**16 - 1),
    metavar="PORT",
    help="Play the broker at this port, where the proxy at HOST:PORT looks for it.",
)
@option(
    TARGET,
    "--rewrites",
    metavar="WHAT",
    help="Believe the proxy that this is what it changes: `addresses`, which is the default, or "
    "`none`, so that every byte is to be as it was.",
)
@selection
@limits
@outputs
@skip_missing("proxy")
@click.pass_context
def command(ctx: click.Context, /, arguments: tuple[str, ...], **chosen: Any) -> None:
    """Judge a proxy: the suite is the client before it and the broker behind it.

    In COMMAND, {listen} becomes the HOST:PORT where the proxy is to listen, and {upstream} that of
    the broker which the suite plays.
    """
    from conformance.gate.session import RunOptions, judge_targets
    from conformance.proxies.place import ADDRESSES, REWRITES, ProxyPlace
    from conformance.proxies.started import rewritten_by

    starts, port = chosen.pop("starts"), chosen.pop("upstream_listens")
    rewrites = chosen.pop("rewrites")
    if rewrites not in (None, *REWRITES):
        raise click.UsageError(f"--rewrites is one of {', '.join(REWRITES)}")
    is_command = any("{listen}" in word for word in arguments)
    if bool(arguments) == bool(starts):
        raise click.UsageError("name a proxy: --start WHAT, HOST:PORT, or a command after --")
    if arguments and not is_command and (len(arguments) > 1 or port is None):
        raise click.UsageError(
            "name HOST:PORT with --upstream-listens PORT, or a command with {listen} and {upstream}"
        )
    if port is not None and chosen["workers"] != "0":
        raise click.UsageError("-n is for proxies that are started: each process plays a broker")
    told = (rewrites or ADDRESSES,)
    if is_command:
        places = {f"-- {shlex.join(arguments)}": ProxyPlace(command=arguments, rewrites=told)}
    elif arguments:
        [address] = arguments
        places = {address: ProxyPlace(address=address, upstream_port=port, rewrites=told)}
    else:
        places = {
            what: ProxyPlace(start=what, rewrites=told if rewrites else rewritten_by(what))
            for what in starts
        }
    check_outputs(chosen, len(places), "proxy")
    options = RunOptions(**chosen, proxies=places)
    ctx.exit(judge_targets(list(places), [], options, console()))
