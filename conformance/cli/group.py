"""What every command does where it ends: one line for what a user can mend, and the exit code."""

from __future__ import annotations

import io
import os
import signal
import sys
from importlib import import_module

import click

from conformance.errors import INTERRUPTED, UNREACHABLE, ConformanceError

DEBUG = "KAFKA_CONFORMANCE_DEBUG"
TYPED = "conformance.typed"
"""Where the arguments as they were typed are kept."""


COMMANDS = (
    "audit",
    "broker",
    "campaign",
    "client",
    "codec",
    "compare",
    "convert",
    "explain",
    "findings",
    "fuzz",
    "report",
    "rules",
    "schema",
    "smoke",
    "targets",
    "triage",
    "vectors",
)
"""Each has a module of its name, which is loaded when it is asked for."""


class CommandGroup(click.Group):
    """Turns what a user can mend into one line and the right exit code."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """All commands, by their names."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """A command by its name, None where there is none."""
        if cmd_name not in COMMANDS:
            return None
        found: click.Command = import_module(f"{__package__}.{cmd_name}").command
        return found

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Keep the arguments as they were typed."""
        ctx.meta[TYPED] = list(args)  # click swallows the two dashes, and they mean something here
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> object:
        """Run a command, and end with its exit code."""
        _end_as_if_interrupted()
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="backslashreplace")  # a terminal may know ASCII only
        try:
            return super().invoke(ctx)
        except ConformanceError as error:
            _say(str(error))
            ctx.exit(error.exit_code)
        except KeyboardInterrupt:
            _say("interrupted")
            ctx.exit(INTERRUPTED)
        except BrokenPipeError:
            sys.stderr.close()
            ctx.exit(0)
        except OSError as error:
            _say(f"{error.filename or 'input or output'}: {error.strerror or error}")
            ctx.exit(UNREACHABLE)
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except Exception as error:
            if os.environ.get(DEBUG):
                raise
            _say(f"our own error, please report it: {error!r} ({DEBUG}=1 shows where)")
            ctx.exit(UNREACHABLE)


def _say(error: str) -> None:
    click.echo(f"kafka-conformance: {error}", err=True)


def _end_as_if_interrupted() -> None:
    """Let a service manager's signal, and the end of a terminal, end targets and keep results."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, signal.default_int_handler)
