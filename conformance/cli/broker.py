"""`kafka-conformance broker`: judge a live broker by what it answers."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

import click

from conformance.cli.common import console, examples, limits, outputs, selection

_EXAMPLES = examples(
    "broker localhost:9092",
    "broker --start kafka:4.3.1 --profile kafka",
    "broker --start reference --rule 'api-versions.*'",
)


@click.command("broker", epilog=_EXAMPLES)
@click.argument("addresses", nargs=-1, metavar="HOST:PORT...")
@click.option(
    "--start",
    "starts",
    multiple=True,
    metavar="WHAT",
    help="Start a broker to be judged: `kafka:VERSION` (Java and Maven), `reference`, "
    "`reference:2.4`, or `mutant:NAME`.",
)
@selection
@limits
@outputs
@click.option("-v", "--verbose", is_flag=True, help="Show every finding.")
@click.pass_context
def command(
    ctx: click.Context, /, addresses: tuple[str, ...], starts: tuple[str, ...], **chosen: Any
) -> None:
    """Judge brokers from their bytes alone.

    Only requests that change nothing are sent. Apache Kafka makes its internal topics when a
    coordinator is asked for, as it does for any consumer.
    """
    from conformance.checks.session import Options, judge_targets
    from conformance.checks.started import started

    named = len(addresses) + len(starts)
    if not named:
        raise click.UsageError("name a broker: HOST:PORT, or --start WHAT")
    if named > 1 and any(chosen[name] for name in ("results", "junit", "allure")):
        raise click.UsageError("--results, --junit and --allure take one broker at a time")
    if chosen["update_known"] and not chosen["known"]:
        raise click.UsageError("--update-known needs --known FILE")
    with ExitStack() as stack:
        here = [stack.enter_context(started(what)) for what in starts]
        options = Options(**chosen, endpoint=True)
        ctx.exit(judge_targets([*addresses, *here], [], options, console()))
