"""The command line: a thin front over what the package does."""

from __future__ import annotations

import click

from conformance import __version__
from conformance.cli.group import CommandGroup

_EXAMPLES = """\b
Examples:
  kafka-conformance codec kio
  kafka-conformance smoke -- ./my-testee
  kafka-conformance rules show tags.ascending
"""


@click.group(
    cls=CommandGroup, context_settings={"help_option_names": ["-h", "--help"]}, epilog=_EXAMPLES
)
@click.version_option(__version__, prog_name="kafka-conformance")
def main() -> None:
    """Say of anything that speaks the Kafka protocol whether it keeps the protocol's rules."""
