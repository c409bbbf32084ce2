"""Options that several commands share, and the console that they print to."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import reduce
from pathlib import Path
from typing import Any, TypeVar

import click
from rich.console import Console

_F = TypeVar("_F", bound=Callable[..., Any])


class _Console(Console):
    """Goes on where nobody reads any more: there are files to write, and an exit code to give."""

    def on_broken_pipe(self) -> None:
        self.quiet = True
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def console() -> Console:
    """Where results are printed: at least 100 columns where nobody's terminal says otherwise."""
    shown = _Console(highlight=False)
    return shown if shown.is_terminal else _Console(highlight=False, width=max(shown.width, 100))


def examples(*commands: str) -> str:
    """The end of a command's help; each is what follows the program's name."""
    lines = (f"  kafka-conformance {command}\n" for command in commands)
    return "\b\nExamples:\n" + "".join(lines)


def options(*decorators: Callable[[_F], _F]) -> Callable[[_F], _F]:
    """Several option decorators as one."""
    return lambda function: reduce(lambda f, decorate: decorate(f), reversed(decorators), function)


selection = options(
    click.option(
        "--rule", "rules", multiple=True, metavar="ID", help="Only rules of this id (globs)."
    ),
    click.option(
        "--class", "classes", multiple=True, metavar="CLASS", help="Only rules of this class."
    ),
    click.option("--message", "messages", multiple=True, metavar="NAME", help="Only this message."),
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
    click.option("--junit", type=click.Path(path_type=Path), metavar="FILE", help="JUnit XML."),
    click.option(
        "--allure", type=click.Path(path_type=Path), metavar="DIR", help="Allure results."
    ),
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
