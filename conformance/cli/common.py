"""Options that several commands share, and the console that they print to."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any, TypeVar

import click
from rich.console import Console

_F = TypeVar("_F", bound=Callable[..., Any])


def console() -> Console:
    """Where results are printed: at least 100 columns where nobody's terminal says otherwise."""
    shown = Console(highlight=False)
    return shown if shown.is_terminal else Console(highlight=False, width=max(shown.width, 140))


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
        type=float,
        default=10.0,
        show_default=True,
        metavar="S",
        help="For one answer.",
    ),
    click.option(
        "--memory", type=int, default=2048, show_default=True, metavar="MIB", help="Of the target."
    ),
)
