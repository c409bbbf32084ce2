"""`kafka-conformance proxy`: judge a proxy by what comes out of what went in."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import click

from conformance.cli import grouped
from conformance.cli.common import (
    check_outputs,
    console,
    examples,
    limits,
    outputs_but_profile,
    profile_by_default,
    selection,
    skip_missing,
)
from conformance.cli.grouped import TARGET, option, repeated
from conformance.results.command_lines import PROXY_PROFILE, name_of_program

_EXAMPLES = examples(
    "proxy --start reference",
    "proxy --start kroxylicious",
    "proxy -- ./my-proxy {listen} {upstream}",
    "proxy localhost:9092 --upstream-listens 9192",
    "proxy localhost:9093 --upstream-listens 9192 --config client.properties",
)
_PROPERTIES = click.Path(exists=True, dir_okay=False, path_type=Path)


@grouped.command("proxy", epilog=_EXAMPLES)
@click.argument("arguments", nargs=-1, metavar="HOST:PORT | -- COMMAND...")
@repeated(
    TARGET,
    "--start",
    "starts",
    metavar="WHAT",
    help="Start a proxy and judge it: `reference`, `secured-reference` (TLS and a "
    "login), `mutant:NAME`, or one that `targets` lists.",
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
    metavar="WHAT,...",
    help="Believe the proxy that this is what it changes: `addresses`, `node-ids`, `client-id` and "
    "`api-versions`, by default the first and the last; `ports` of addresses alone; or `none`: "
    "every byte is to be as it was.",
)
@option(
    TARGET,
    "--config",
    type=_PROPERTIES,
    help="Connect and log in to the proxy with these client properties, which are those of "
    "Kafka's own tools.",
)
@option(
    TARGET,
    "--upstream-config",
    type=_PROPERTIES,
    help="Have the brokers behind it speak TLS: the properties of a broker, with "
    "ssl.keystore.location and, if proxies are to show a certificate, ssl.client.auth=required.",
)
@selection
@limits
@profile_by_default(PROXY_PROFILE)
@outputs_but_profile
@skip_missing("proxy")
@click.pass_context
def command(ctx: click.Context, /, arguments: tuple[str, ...], **chosen: Any) -> None:
    """Judge a proxy: the suite is the client before it and the broker behind it.

    In COMMAND, {listen} becomes the HOST:PORT where the proxy is to listen, and {upstream} that of
    the broker which the suite plays. No text says what a proxy is: the profile is `kafka`, and
    `spec` leaves out most of what people want of one.
    """
    from conformance.gate.session import RunOptions, judge_targets
    from conformance.proxies.kind import Proxies
    from conformance.proxies.place import ProxyPlace
    from conformance.proxies.started import rewritten_by
    from conformance.reference.proxy.translation import USUAL

    starts, port = chosen.pop("starts"), chosen.pop("upstream_listens")
    rewrites = _told(chosen.pop("rewrites"))
    is_command = any("{listen}" in word for word in arguments)
    if bool(arguments) == bool(starts):
        raise click.UsageError("name a proxy: --start WHAT, HOST:PORT, or a command after --")
    if arguments and not is_command and (len(arguments) > 1 or port is None):
        raise click.UsageError(
            "name HOST:PORT with --upstream-listens PORT, or a command with {listen} and {upstream}"
        )
    if port is not None and chosen["workers"] != "0":
        raise click.UsageError("-n is for proxies that are started: each process plays a broker")
    files: dict[str, Any] = {
        name: str(chosen.pop(name) or "") for name in ("config", "upstream_config")
    }
    if starts and any(files.values()):
        raise click.UsageError("--config is for HOST:PORT and commands: others have their own")
    given = partial(ProxyPlace, rewrites=rewrites or USUAL, **files)
    if is_command:
        places = {name_of_program(arguments): given(command=arguments)}
    elif arguments:
        [address] = arguments
        places = {address: given(address=address, upstream_port=port)}
    else:
        places = {
            what: ProxyPlace(start=what, rewrites=rewrites or rewritten_by(what)) for what in starts
        }
    check_outputs(chosen, len(places), "proxy")
    options = RunOptions(Proxies(places), **chosen)
    ctx.exit(judge_targets(list(places), options, console()))


def _told(text: str | None) -> tuple[str, ...]:
    """Return the rewrites that a proxy declares, none for None. Raises UsageError."""
    from conformance.reference.proxy.translation import ADDRESSES, NOTHING, PORTS, REWRITES

    known = (*REWRITES, PORTS)
    words = tuple(dict.fromkeys(text.split(","))) if text is not None else ()
    unknown = set(words).difference(known)
    if unknown and words != (NOTHING,):
        some = ", ".join(known)
        raise click.UsageError(f"--rewrites has some of {some}, with commas, or is {NOTHING} alone")
    said = {*words, ADDRESSES} if PORTS in words else {*words}
    return tuple(each for each in known if each in said) or words
