"""Options in groups: the help of a command lists the target's options first, the output's last."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar

import click

_F = TypeVar("_F", bound=Callable[..., Any])

TARGET: Final = "Target"
SELECT: Final = "Select"
JUDGE: Final = "Judge"
OUTPUT: Final = "Output"
OTHERS: Final = "Options"
GROUPS: Final = (TARGET, SELECT, JUDGE, OUTPUT, OTHERS)
"""The groups in the order of the help."""


class GroupedOption(click.Option):
    """An option that stands in a group of its command's help."""

    def __init__(self, names: Any, group: str = OTHERS, **settings: Any) -> None:
        super().__init__(names, **settings)
        self.group = group


class GroupedCommand(click.Command):
    """A command whose help has a section for each group of options."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the groups, and `--help` in the last one."""
        records: dict[str, list[tuple[str, str]]] = {group: [] for group in GROUPS}
        for parameter in self.get_params(ctx):
            if not isinstance(parameter, click.Option):
                continue  # arguments are in the text
            if record := parameter.get_help_record(ctx):
                group = parameter.group if isinstance(parameter, GroupedOption) else OTHERS
                records[group].append(record)
        for group, those in records.items():
            if those:
                with formatter.section(group):
                    formatter.write_dl(those)


def option(group: str, *names: str, **settings: Any) -> Callable[[_F], _F]:
    """Return `click.option` for an option of a group, whose default is shown if it has one."""
    settings.setdefault("show_default", bool(settings.get("default")))
    return click.option(*names, cls=GroupedOption, group=group, **settings)


def repeated(group: str, *names: str, help: str, **settings: Any) -> Callable[[_F], _F]:  # noqa: A002
    """Return `option` for an option that may be given several times, as its help says."""
    return option(group, *names, multiple=True, help=f"{help} Repeatable.", **settings)


def command(name: str, **settings: Any) -> Callable[[Callable[..., Any]], GroupedCommand]:
    """Return `click.command` for a command whose options are in groups."""
    return click.command(name, cls=GroupedCommand, **settings)
