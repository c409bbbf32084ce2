"""`kafka-conformance smoke`: is this a testee at all?"""

from __future__ import annotations

import click

from conformance.cli.codec import split_targets
from conformance.cli.common import examples, limits
from conformance.errors import UNREACHABLE


@click.command("smoke", epilog=examples("smoke kio", "smoke -- ./my-testee --flag"))
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="TARGET | -- COMMAND...")
@limits
@click.pass_context
def command(ctx: click.Context, arguments: tuple[str, ...], timeout: float, memory: int) -> None:
    """Check an adapter alone, with a remedy for each mistake."""
    from conformance.targets.resolve import open_target
    from conformance.targets.smoke import smoke

    specs, program = split_targets(ctx, arguments)
    if len(specs) > 1:
        raise click.UsageError("one target at a time")
    target = open_target(
        specs[0] if specs else None, program or None, timeout_s=timeout, memory_mib=memory
    )
    failed = 0
    try:
        for check in smoke(target):
            click.echo(f"{'ok' if check.ok else 'FAILED':8}{check.name}")
            if not check.ok:
                failed += 1
                click.echo(f"        {check.remedy}")
    finally:
        target.close()
    click.echo(f"{failed} checks failed" if failed else "a testee")
    ctx.exit(UNREACHABLE if failed else 0)
