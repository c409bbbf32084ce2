"""The command line: a thin front over the package."""

from __future__ import annotations

import click

from conformance import __version__, clock
from conformance.cli.group import CommandGroup

_EXAMPLES = """\b
Examples:
  kafka-conformance codec kio
  kafka-conformance smoke -- ./my-testee
  kafka-conformance rules show tags.ascending
"""


_START = """\
kafka-conformance {version} judges what speaks the Kafka protocol: which rules
are broken, the bytes that prove it, and what to do. What do you have?

  a codec              kafka-conformance smoke mypackage.codec:Codec
  a broker             kafka-conformance broker localhost:9092 --quick
  a client             kafka-conformance client -- ./my-client {{bootstrap}}
  message definitions  kafka-conformance schema lint my-definitions/
  captured traffic     kafka-conformance audit capture.pcapng
  nothing yet          kafka-conformance codec kafka-python --quick

All commands:          kafka-conformance --help"""


@click.group(
    cls=CommandGroup,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=_EXAMPLES,
    invoke_without_command=True,
)
@click.version_option(__version__, prog_name="kafka-conformance")
@click.pass_context
def main(ctx: click.Context) -> None:
    """Say of anything that speaks the Kafka protocol whether it keeps the protocol's rules."""
    clock.begin()
    ctx.call_on_close(clock.end)
    if ctx.invoked_subcommand is None:
        click.echo(_START.format(version=__version__))
