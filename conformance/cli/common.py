"""Options that several commands share, and the console that they print to."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from functools import reduce
from pathlib import Path
from typing import Any, TypeVar

import click
from rich.console import Console
from rich.text import Text

from conformance.cli import completing
from conformance.waiting import show_with

_F = TypeVar("_F", bound=Callable[..., Any])


class _Console(Console):
    """Goes on where nobody reads any more: there are files to write, and an exit code to give."""

    def on_broken_pipe(self) -> None:
        self.quiet = True
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def console() -> Console:
    """Where results are printed: at least 100 columns where nobody's terminal says otherwise."""
    shown = _Console(highlight=False)
    if not shown.is_terminal:
        return _Console(highlight=False, width=max(shown.width, 100))
    show_with(lambda what: shown.status(Text(what)))
    return shown


def examples(*commands: str) -> str:
    """The end of a command's help; each is what follows the program's name."""
    lines = (f"  kafka-conformance {command}\n" for command in commands)
    return "\b\nExamples:\n" + "".join(lines)


def print_json(values: Iterable[object]) -> None:
    """Print a list for machines."""
    click.echo(json.dumps(list(values), indent=2, ensure_ascii=False))


as_json_option = click.option("--json", "as_json", is_flag=True, help="Print a JSON array.")


def options(*decorators: Callable[[_F], _F]) -> Callable[[_F], _F]:
    """Several option decorators as one."""
    return lambda function: reduce(lambda f, decorate: decorate(f), reversed(decorators), function)


of_rules = options(
    click.option(
        "--rule",
        "rules",
        multiple=True,
        metavar="ID",
        shell_complete=completing.rules,
        help="Only rules of this id (globs).",
    ),
    click.option(
        "--class",
        "classes",
        multiple=True,
        metavar="CLASS",
        shell_complete=completing.classes,
        help="Only rules of this class.",
    ),
    click.option(
        "--message",
        "messages",
        multiple=True,
        metavar="NAME",
        shell_complete=completing.messages,
        help="Only this message.",
    ),
)
"""Which rules, and about which messages."""

selection = options(
    of_rules,
    click.option(
        "--api-version", "versions", multiple=True, type=int, metavar="N", help="Only this version."
    ),
    click.option("--case", "cases", multiple=True, metavar="ID", help="Only this case."),
)

limits = options(
    click.option(
        "--timeout",
        type=click.FloatRange(min=0, min_open=True),
        default=10.0,
        show_default=True,
        metavar="S",
        help="For one answer.",
    ),
    click.option(
        "--memory",
        type=click.IntRange(min=1),
        default=2048,
        show_default=True,
        metavar="MIB",
        help="Of the target.",
    ),
)


def _workers(_ctx: click.Context, _parameter: click.Parameter, value: str) -> str:
    if value not in ("auto", "logical") and not value.isdecimal():
        raise click.BadParameter(f"{value!r} is neither a number of processes nor `auto`")
    return value


_FILE = click.Path(path_type=Path)
outputs = options(
    click.option(
        "--profile", type=click.Choice(["spec", "kafka"]), default="spec", show_default=True
    ),
    click.option(
        "--known", metavar="FILE", help="Known failures, or `bundled` for the adapter's own."
    ),
    click.option("--update-known", is_flag=True, help="Write what fails now to the --known file."),
    click.option(
        "--results",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="NDJSON, a line a verdict.",
    ),
    click.option(
        "--reports",
        type=click.Path(path_type=Path, file_okay=False),
        metavar="DIR",
        help="What each target got, to be published: today's folder in there.",
    ),
    click.option("--junit", type=_FILE, metavar="FILE", help="JUnit XML."),
    click.option(
        "--allure", type=click.Path(path_type=Path), metavar="DIR", help="Allure results."
    ),
    click.option("--summary", type=_FILE, metavar="FILE", help="Markdown for the page of a job."),
    click.option("--badge", type=_FILE, metavar="FILE", help="JSON for an endpoint of shields.io."),
    click.option(
        "--annotate",
        type=click.Choice(["auto", "github", "none"]),
        default="auto",
        show_default=True,
        help="Findings as a build service shows them; auto looks where it runs.",
    ),
    click.option("-q", "--quiet", is_flag=True, help="Say the outcome alone."),
    click.option(
        "-n",
        "workers",
        default="0",
        metavar="WORKERS",
        callback=_workers,
        help="Processes (pytest-xdist).",
    ),
    click.option(
        "-k", "keyword", default="", metavar="EXPRESSION", help="Only items of this name."
    ),
)
"""What a run is held against, and where it is written."""


def check_outputs(chosen: Mapping[str, Any], targets: int, what: str) -> None:
    """Raises UsageError where options about results contradict each other."""
    if targets > 1 and any(chosen[name] for name in _OF_ONE):
        *names, last = (f"--{name}" for name in _OF_ONE)
        raise click.UsageError(f"{', '.join(names)} and {last} take one {what} at a time")
    if chosen["update_known"] and not chosen["known"]:
        raise click.UsageError("--update-known needs --known FILE")
    if chosen["quiet"] and chosen["verbose"]:
        raise click.UsageError("--quiet or --verbose")


_OF_ONE = ("results", "junit", "allure", "badge")
"""The options for files that hold one run."""
