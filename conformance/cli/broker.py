"""`kafka-conformance broker`: judge a live broker by what it answers."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
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
from conformance.cli.grouped import SELECT, TARGET, option, repeated
from conformance.results.command_lines import name_of_program

_EXAMPLES = examples(
    "broker localhost:9092",
    "broker localhost:9092 --quick",
    "broker kafka.example:9093 --config client.properties --allow-writes",
    "broker --start kafka:4.3.1 --profile kafka --allow-writes",
    "broker --start reference --rule 'api-versions.*'",
    "broker --start kafka:4.3.1 --against kafka:3.9.2",
    "broker --start kafka:4.3.1 --allow-writes --explore 60 --rule 'conversations.*'",
    "broker -- ./my-broker --listen {listen}",
)
_PROPERTIES = click.Path(exists=True, dir_okay=False, path_type=Path)


@grouped.command("broker", epilog=_EXAMPLES)
@click.argument("addresses", nargs=-1, metavar="HOST:PORT... | -- COMMAND...")
@repeated(
    TARGET,
    "--start",
    "starts",
    metavar="WHAT",
    help="Start a broker and judge it: `kafka:VERSION` or `secured-kafka:VERSION` (Java and "
    "Maven), `reference`, `mutant:NAME`, or another that `targets` lists.",
)
@option(
    TARGET,
    "--brokers",
    type=click.IntRange(1, 5),
    default=1,
    help="Start a cluster of so many brokers.",
)
@option(
    TARGET,
    "--config",
    type=_PROPERTIES,
    help="Log in with these client properties, which are those of Kafka's own tools.",
)
@option(
    TARGET,
    "--other-config",
    type=_PROPERTIES,
    help="Log in with these as a second principal, who may do nothing, where authorisation is "
    "judged.",
)
@option(
    TARGET,
    "--allow-writes",
    "writes",
    is_flag=True,
    help="Create topics, groups, configs, ACLs and quotas of names of our own, and remove them in"
    " the end.",
)
@option(
    TARGET,
    "--explore",
    type=click.FloatRange(min=0),
    default=0.0,
    metavar="SECONDS",
    help="Make up conversations for so long, and compare each answer with the reference broker's: "
    "with what Apache Kafka does, where no rule asks. Needs --allow-writes.",
)
@option(
    TARGET,
    "--seed",
    type=click.IntRange(min=0),
    default=None,
    metavar="N",
    help="Make up the same conversations as a run that said this number.",
)
@option(
    TARGET,
    "--against",
    metavar="WHERE",
    help="Judge this one too (HOST:PORT, or what --start takes), and show where they differ.",
)
@option(
    SELECT,
    "--quick",
    is_flag=True,
    help="Judge the lowest and the highest version of each request alone, and write nothing.",
)
@repeated(
    SELECT,
    "--exclude",
    metavar="ID",
    help="Leave out rules or cases of this id, such as 'sasl.*'.",
)
@selection
@limits
@outputs
@skip_missing("broker")
@click.pass_context
def command(ctx: click.Context, /, **chosen: Any) -> None:
    """Judge brokers from their bytes alone.

    Without --allow-writes only requests that change nothing are sent, and what was not run is
    listed. Apache Kafka makes its internal topics when a coordinator is asked for, as it does for
    any consumer. In COMMAND, {listen} becomes the HOST:PORT where the broker is to listen; it is
    started again if it ends.
    """
    from conformance.brokers.compare import compare_brokers
    from conformance.brokers.kind import Brokers
    from conformance.brokers.started.command import LISTEN
    from conformance.gate.session import RunOptions, judge_targets
    from conformance.targets.errors import ToolchainMissing

    addresses, starts, against = (chosen.pop(name) for name in ("addresses", "starts", "against"))
    logins = chosen.pop("config"), chosen.pop("other_config")
    brokers = chosen.pop("brokers")
    is_command = any(LISTEN in word for word in addresses)
    program, addresses = (addresses, ()) if is_command else ((), addresses)
    _check(chosen, addresses, [*starts, *program[:1]], against)
    if any(logins) and not (addresses or program) and not against:
        raise click.UsageError(
            "--config is for HOST:PORT and commands: a broker that is started has its own"
        )
    seed = chosen.pop("seed")
    own = {name: chosen.pop(name) for name in ("writes", "quick", "exclude", "explore")}
    own["seed"] = secrets.randbelow(2**32) if seed is None else seed
    shown = console()
    with ExitStack() as stack:
        try:
            places = _places(stack, addresses, starts, brokers, logins, program)
        except ToolchainMissing as error:
            if not chosen["skip_missing"]:
                raise
            shown.print(f"{', '.join(starts)}: not judged: {error}", soft_wrap=True, markup=False)
            ctx.exit(0)
        options = RunOptions(Brokers(places, **own), **chosen)
        if against:
            runs = against.rpartition(":")[2].isdigit()
            here, to_start = ([against], []) if runs else ([], [against])
            other = _places(stack, here, to_start, brokers, logins)
            [one], [two] = places, other
            options = RunOptions(Brokers(places | other, **own), **chosen)
            ctx.exit(compare_brokers(one, two, options, shown))
        ctx.exit(judge_targets(list(places), options, shown))


def _check(
    chosen: dict[str, Any], addresses: Sequence[str], starts: Sequence[str], against: str | None
) -> None:
    """Raise UsageError if options contradict each other."""
    named = len(addresses) + len(starts)
    if not named:
        raise click.UsageError("name a broker: HOST:PORT, --start WHAT, or a command after --")
    check_outputs(chosen, named + bool(against), "broker")
    if named > 1 and against:
        raise click.UsageError("--against compares one broker with one other")
    if chosen["quick"] and chosen["writes"]:
        raise click.UsageError("--quick writes nothing: leave out --allow-writes")
    if chosen["explore"] and not chosen["writes"]:
        raise click.UsageError("--explore creates topics and groups: add --allow-writes")
    if starts and chosen["workers"] != "0":
        raise click.UsageError("-n is for brokers that run already: one that is started may die")


def _places(
    stack: ExitStack,
    addresses: Any,
    starts: Any,
    brokers: int,
    logins: tuple[Path | None, Path | None],
    program: tuple[str, ...] = (),
) -> dict[str, Any]:
    """Return the brokers by their names, after starting those that were to be started."""
    from conformance.brokers.kind import BrokerPlace
    from conformance.brokers.started.starting import started, started_by

    places = {name: BrokerPlace(name, False, *logins) for name in addresses}
    for what in starts:
        broker = stack.enter_context(started(what, brokers))
        places[what] = BrokerPlace(broker.address, True, broker.config, broker.other, brokers)
    if program:
        broker = stack.enter_context(started_by(program))
        name = name_of_program(program)
        places[name] = BrokerPlace(broker.address, False, *logins, command=program)
    return places
