"""Options that several commands share, and the console that they print to."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from functools import reduce
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import click
from rich.console import Console
from rich.text import Text

from conformance.cli import completing
from conformance.cli.grouped import JUDGE, OUTPUT, SELECT, TARGET, option, repeated
from conformance.errors import UNREACHABLE
from conformance.waiting import LogLines, say_by

_F = TypeVar("_F", bound=Callable[..., Any])


class _Console(Console):
    """A console that survives a closed pipe, so that files and an exit code still follow."""

    def on_broken_pipe(self) -> None:
        self.quiet = True
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def console() -> Console:
    """Return the console for results: at least 100 columns wide unless it is a terminal."""
    shown = _Console(highlight=False)
    if not shown.is_terminal:
        say_by(LogLines())
        return _Console(highlight=False, width=max(shown.width, 100))
    status = shown.status("")

    def say(what: str) -> None:
        status.update(Text(what))
        status.start() if what else status.stop()

    say_by(say)
    return shown


def examples(*commands: str) -> str:
    """Return the end of a command's help; each command is given without the program's name."""
    lines = (f"  kafka-conformance {command}\n" for command in commands)
    return "\b\nExamples:\n" + "".join(lines)


def print_json(values: Iterable[object]) -> None:
    """Print a list for machines."""
    click.echo(json.dumps(list(values), indent=2, ensure_ascii=False))


as_json_option = option(OUTPUT, "--json", "as_json", is_flag=True, help="Print a JSON array.")


def end(ctx: click.Context, code: int, cut_short: Iterable[str]) -> NoReturn:
    """End with this exit code, or with 3 where results are not whole, each of which is named."""
    from conformance.results.lines import CUT_SHORT

    named = list(dict.fromkeys(cut_short))
    for name in named:
        click.echo(f"kafka-conformance: {name}: {CUT_SHORT}", err=True)
    ctx.exit(UNREACHABLE if named else code)


def options(*decorators: Callable[[_F], _F]) -> Callable[[_F], _F]:
    """Return several decorators as one, which adds their options in this order."""
    return lambda function: reduce(lambda f, decorate: decorate(f), reversed(decorators), function)


def by_message(says: str) -> Callable[[_F], _F]:
    """Return the option that selects messages by name."""
    return repeated(SELECT, "--message", "messages", metavar="NAME", help=says)


def by_version(says: str) -> Callable[[_F], _F]:
    """Return the option that selects versions of messages."""
    return repeated(SELECT, "--api-version", "versions", type=int, metavar="N", help=says)


def memory(least: int, says: str) -> Callable[[_F], _F]:
    """Return the option for the memory of the target's processes."""
    kind = click.IntRange(min=least)
    return option(TARGET, "--memory", type=kind, default=2048, metavar="MIB", help=says)


def written_to(flag: str, says: str) -> Callable[[_F], _F]:
    """Return the option for the folder of a run."""
    kind = click.Path(path_type=Path, file_okay=False)
    return option(OUTPUT, "-o", flag, "folder", type=kind, metavar="DIR", help=says)


codecs_argument = click.argument(
    "arguments",
    nargs=-1,
    type=click.UNPROCESSED,
    metavar="TARGET... | -- COMMAND...",
    shell_complete=completing.codecs,
)
"""The names of codecs, or the command of one."""

of_rules = options(
    repeated(
        SELECT,
        "--rule",
        "rules",
        metavar="ID",
        shell_complete=completing.rules,
        help="Judge by rules of this id alone, such as 'tags.*'.",
    ),
    repeated(
        SELECT,
        "--class",
        "classes",
        metavar="CLASS",
        shell_complete=completing.classes,
        help="Judge by rules of this class alone: must, kafka, lenient or harden.",
    ),
    repeated(
        SELECT,
        "--message",
        "messages",
        metavar="NAME",
        shell_complete=completing.messages,
        help="Judge this message alone, such as MetadataRequest.",
    ),
)
"""Which rules, and about which messages."""

selection = options(
    of_rules,
    by_version("Judge this version of messages alone."),
    repeated(
        SELECT,
        "--case",
        "cases",
        metavar="ID",
        help="Judge this case alone, by the id that a finding names.",
    ),
)

timeout_option = option(
    TARGET,
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    default=10.0,
    metavar="S",
    help="Wait so many seconds for one answer.",
)

limits = options(
    timeout_option,
    memory(1, "Let the target's process have so many MiB of memory."),
)


def skip_missing(what: str) -> Callable[[_F], _F]:
    """Return the option to go on without targets that can't be built on this machine."""
    said = f"Go on where the toolchain of a {what} is missing, and say which it is."
    return option(TARGET, "--skip-missing", is_flag=True, help=said)


def profile_by_default(profile: str) -> Callable[[_F], _F]:
    """Return the option for the profile, which says which rules fail a run, with this default."""
    return option(
        JUDGE,
        "--profile",
        type=click.Choice(["spec", "kafka"]),
        default=profile,
        help="Fail by what the protocol's texts demand (spec), or also by what Apache Kafka alone "
        "does (kafka).",
    )


profile_option = profile_by_default("spec")
results_option = option(
    OUTPUT,
    "--results",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write every verdict to this file, a line of JSON each. `findings`, `convert` and "
    "`site` read it.",
)
quiet_option = option(OUTPUT, "-q", "--quiet", is_flag=True, help="Print the outcome alone.")
findings_option = option(OUTPUT, "-v", "--verbose", is_flag=True, help="Print every finding.")


def _workers(_ctx: click.Context, _parameter: click.Parameter, value: str) -> str:
    if value not in ("auto", "logical") and not value.isdecimal():
        raise click.BadParameter(f"{value!r} is neither a number of processes nor `auto`")
    return value


def _name(_ctx: click.Context, _parameter: click.Parameter, value: str) -> str:
    name = " ".join(value.split())
    if value and not name:
        raise click.BadParameter("it is blank")
    return name


_FILE = click.Path(path_type=Path)
outputs_but_profile = options(
    option(
        SELECT,
        "-k",
        "keyword",
        default="",
        metavar="EXPRESSION",
        help="Judge what pytest's -k selects alone, by message and rule group.",
    ),
    option(
        JUDGE,
        "--known",
        metavar="FILE",
        help="Expect the failures that this file lists: only others fail the run. `bundled` is the "
        "adapter's own list.",
    ),
    option(JUDGE, "--update-known", is_flag=True, help="Write what fails now to the --known file."),
    option(
        JUDGE,
        "-n",
        "workers",
        default="0",
        show_default=False,
        metavar="WORKERS",
        callback=_workers,
        help="Judge in so many processes, or `auto`: one for each core. By default in one.",
    ),
    option(
        OUTPUT,
        "--name",
        default="",
        metavar="NAME",
        callback=_name,
        help="Call the target so in what is printed and written, whatever it calls itself.",
    ),
    results_option,
    option(
        OUTPUT,
        "--publish",
        "reports",
        type=click.Path(path_type=Path, file_okay=False),
        metavar="DIR",
        help="Write what each target got, fit to be published, to today's folder in this one. It "
        "is Markdown, and results without what could do harm.",
    ),
    option(OUTPUT, "--junit", type=_FILE, metavar="FILE", help="Write JUnit XML."),
    option(
        OUTPUT,
        "--allure",
        type=click.Path(path_type=Path),
        metavar="DIR",
        help="Write Allure results.",
    ),
    option(
        OUTPUT,
        "--summary",
        type=_FILE,
        metavar="FILE",
        help="Write Markdown for the page of a job.",
    ),
    option(
        OUTPUT,
        "--badge",
        type=_FILE,
        metavar="FILE",
        help="Write the JSON of a badge, for an endpoint of shields.io.",
    ),
    option(
        OUTPUT,
        "--annotate",
        type=click.Choice(["auto", "github", "none"]),
        default="auto",
        help="Print findings as this build service shows them; `auto` looks where it runs.",
    ),
    quiet_option,
    option(
        OUTPUT,
        "-v",
        "--verbose",
        is_flag=True,
        help="Print every finding, and tables of rules and verdicts.",
    ),
)
outputs = options(profile_option, outputs_but_profile)
"""The options for the profile of a run, and for the places where results are written."""


def check_outputs(chosen: Mapping[str, Any], targets: int, what: str) -> None:
    """Raise UsageError if options contradict each other, ConformanceError if a name is unknown."""
    if targets > 1 and any(chosen[name] for name in _OF_ONE):
        *names, last = (f"--{name}" for name in _OF_ONE)
        raise click.UsageError(f"{', '.join(names)} and {last} take one {what} at a time")
    if chosen["update_known"] and not chosen["known"]:
        raise click.UsageError("--update-known needs --known FILE")
    if chosen["quiet"] and chosen["verbose"]:
        raise click.UsageError("--quiet or --verbose")
    _check_selection(chosen)


def _check_selection(chosen: Mapping[str, Any]) -> None:
    """Raise UnknownName, NothingSelected or ResultsError before anything is built or started."""
    from conformance.gate.settings import Settings
    from conformance.results.files import check_writable
    from conformance.results.known import read_known

    Settings(
        rules=tuple(chosen.get("rules", ())),
        classes=tuple(chosen.get("classes", ())),
        messages=tuple(chosen.get("messages", ())),
        cases=tuple(chosen.get("cases", ())),
    ).selection()
    known = chosen["known"]
    if known not in (None, "bundled") and not chosen["update_known"]:
        read_known(Path(known))
    if chosen["results"]:
        check_writable(chosen["results"])


_OF_ONE = ("name", "results", "junit", "allure", "badge")
"""The options for one run: its name, and files that hold one."""
