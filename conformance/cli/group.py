"""The end of every command: one line for errors that a user can mend, and the exit code."""

from __future__ import annotations

import io
import os
import signal
import sys
from difflib import get_close_matches
from importlib import import_module

import click
from click.shell_completion import CompletionItem

from conformance.errors import INTERRUPTED, UNREACHABLE, ConformanceError

DEBUG = "KAFKA_CONFORMANCE_DEBUG"
TYPED = "conformance.typed"
"""The key under which the arguments are kept as they were typed."""


SECTIONS = {
    "Judge": {
        "codec": "Judge codecs: what they read and write, byte by byte.",
        "broker": "Judge brokers by what they answer.",
        "client": "Judge clients by what they do at a broker that we play.",
        "proxy": "Judge proxies by what comes out of what went in.",
        "schema": "Judge, compare, import and list message definitions.",
        "audit": "Judge the frames of captured traffic.",
        "tap": "Judge what passes between clients and a broker.",
    },
    "Begin": {
        "doctor": "Say what this machine has, and what each of it is for.",
        "targets": "List the codecs, clients, brokers and proxies known by name.",
        "smoke": "Check whether an adapter of a codec can be judged at all.",
    },
    "Search": {
        "fuzz": "Hunt for inputs that break a codec.",
        "campaign": "Judge codecs by millions of generated cases, on Spark.",
        "triage": "Tell what many runs found as few causes.",
    },
    "Read results": {
        "findings": "Show what a run found, each with its bytes and command.",
        "compare": "Tell what broke between two runs.",
        "convert": "Write results in the forms that build services read.",
        "site": "Write results as a site of pages.",
    },
    "Look up": {
        "explain": "Name every byte of a frame or a capture.",
        "rules": "List rules, or show one with its source and an example.",
        "vectors": "List, show, build and mint golden vectors.",
    },
}
"""The help line of each command, so that no command has to be loaded for it."""

COMMANDS = sorted(name for section in SECTIONS.values() for name in section)
"""The names of the commands; each has a module of its name, which is loaded on demand."""


class CommandGroup(click.Group):
    """A group that turns errors that a user can mend into one line and the right exit code."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Return all commands, by their names."""
        return COMMANDS

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Return a command by its name, None if it does not exist."""
        if cmd_name not in COMMANDS:
            return None
        found: click.Command = import_module(f"{__package__}.{cmd_name}").command
        return found

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command of the first word; the error for an unknown one names similar ones."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError:
            name = args[0]
            if name.startswith("-"):
                raise
            near = get_close_matches(name, COMMANDS, n=3, cutoff=0.5)
            hint = f"did you mean {' or '.join(near)}?" if near else "--help lists them"
            raise click.UsageError(f"there is no command {name!r}: {hint}", ctx) from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write all commands by their purpose, each in one line."""
        for title, commands in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl(list(commands.items()), col_spacing=2)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Return the commands with their help lines, or the options in front of a command."""
        offered = [
            CompletionItem(name, help=about)
            for section in SECTIONS.values()
            for name, about in section.items()
            if name.startswith(incomplete)
        ]
        return [*offered, *click.Command.shell_complete(self, ctx, incomplete)]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Keep the arguments as they were typed."""
        ctx.meta[TYPED] = list(args)  # click removes the two dashes, which matter here
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
    """Treat SIGTERM and SIGHUP like Ctrl-C, so that targets are ended and results kept."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, signal.default_int_handler)
