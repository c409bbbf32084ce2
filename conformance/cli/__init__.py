"""The command line: a thin front over what the package does (DESIGN, section 8)."""

from __future__ import annotations

import sys

import click

from conformance import __version__
from conformance.errors import ConformanceError

TYPED = "conformance.typed"
"""Where the arguments as they were typed are kept."""


class _Group(click.Group):
    """Turns what a user can mend into one line and the right exit code."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta[TYPED] = list(args)  # click swallows the two dashes, and they mean something here
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except ConformanceError as error:
            click.echo(f"kafka-conformance: {error}", err=True)
            ctx.exit(error.exit_code)
        except BrokenPipeError:
            sys.stderr.close()
            ctx.exit(0)


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="kafka-conformance")
def main() -> None:
    """Say of anything that speaks the Kafka protocol whether it keeps the protocol's rules."""


def _register() -> None:
    from conformance.cli import codec, rules, schema, smoke, targets, vectors

    for module in (codec, schema, smoke, rules, targets, vectors):
        main.add_command(module.command)


_register()
