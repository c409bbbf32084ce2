"""`kafka-conformance smoke`: is this a testee at all?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from conformance.cli.codec import split_targets
from conformance.cli.common import examples, limits
from conformance.errors import UNREACHABLE

if TYPE_CHECKING:
    from conformance.codecs.testee.smoke import Check


@click.command("smoke", epilog=examples("smoke kio", "smoke -- ./my-testee --flag"))
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="TARGET | -- COMMAND...")
@limits
@click.pass_context
def command(ctx: click.Context, arguments: tuple[str, ...], timeout: float, memory: int) -> None:
    """Check an adapter alone, with a remedy for each mistake.

    Ends with the command that judges its codec, once there is no mistake.
    """
    from conformance.codecs.resolve import open_target
    from conformance.codecs.testee.smoke import refused, smoke
    from conformance.results.command_lines import command_line, given
    from conformance.targets.errors import TargetError

    specs, program = split_targets(ctx, arguments)
    if len(specs) > 1:
        raise click.UsageError("one target at a time")
    checks: list[Check] = []
    try:
        target = open_target(
            specs[0] if specs else None, program or None, timeout_s=timeout, memory_mib=memory
        )
    except TargetError as error:
        checks.append(refused(error))
        _show(checks[-1])
    else:
        with target:
            for check in smoke(target):
                checks.append(check)
                _show(check)
    failed = sum(not check.ok for check in checks)
    if failed:
        click.echo(f"{failed} of {len(checks)} checks failed")
        ctx.exit(UNREACHABLE)
    click.echo("a testee; next:")
    words = ["codec", *(specs or ["--", *program])]
    limits = given({"--timeout": timeout, "--memory": memory})
    click.echo(f"  {command_line(words, '--quick', *limits)}")


def _show(check: Check) -> None:
    """Print a line for a check, and, unless it is ok, the detail and the remedy."""
    shown = "FAILED" if check.state == "failed" else check.state
    click.echo(f"{shown:9}{check.name}")
    if check.state == "ok":
        return
    for label, text in (("found", check.detail), ("remedy", check.remedy)):
        first, *more = text.splitlines() or [""]
        if first:
            click.echo(f"         {label:8}{first}")
        for line in more:
            click.echo(f"                 {line}")
