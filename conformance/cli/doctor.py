"""`kafka-conformance doctor`: the programs on this machine that parts of the suite need."""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec

import click
from rich.markup import escape
from rich.table import Table

from conformance import __version__
from conformance.cli.common import as_json_option, console, examples, print_json
from conformance.errors import ConformanceError
from conformance.spark.jobs.requirements import check_installed
from conformance.targets import registry
from conformance.targets.toolchains import CHROMIUM, FUZZ, TOOLCHAINS, Toolchain, major, version_of

_ELSEWHERE = {
    "Maven": "import definitions (`schema import`)",
    "Go": "compare definitions of a Go module (`schema compare`)",
    "Chromium": "test the pages that `site` writes: only who changes the suite does",
}
"""The use of a toolchain other than building adapters."""

_USES = {
    "": "judge the codec",
    registry.CLIENTS: "judge the client",
    registry.BROKERS: "start the broker",
    registry.PROXIES: "start the proxy",
}
"""The use of an adapter of each kind."""


@dataclass(frozen=True, slots=True)
class Found:
    """A program that may be needed. `lacks` is the missing part of it, "" if it is complete."""

    name: str
    version: str
    lacks: str
    uses: tuple[str, ...]
    remedy: str


@click.command("doctor", epilog=examples("doctor", "doctor --json"))
@as_json_option
def command(as_json: bool) -> None:
    """Say what this machine has, its version, what each of it is for, and how to get the rest.

    The exit code is 0 whatever is missing: to judge a codec in Python, a broker or a capture,
    nothing else is needed.
    """
    examined = list(_examined())
    if as_json:
        print_json(map(asdict, examined))
        return
    table = Table.grid(padding=(0, 2))
    for each in examined:
        state = f"[yellow]{escape(each.lacks)}[/]" if each.lacks else escape(each.version)
        table.add_row(f"[bold]{each.name}[/]", state, escape("; ".join(each.uses)))
        if each.lacks:
            table.add_row("", "", f"[yellow]get it:[/] {escape(each.remedy)}")
    shown = console()
    shown.print(f"kafka-conformance {__version__}", markup=False)
    shown.print(table)
    lacking = [each.name for each in examined if each.lacks]
    rest = "the rest of the suite works without"
    told = f"missing: {', '.join(lacking)}; {rest}" if lacking else "nothing is missing"
    shown.print(told, markup=False)


def _examined() -> Iterator[Found]:
    """Yield all programs that may be needed; they are asked for their versions at the same time."""
    programs = (*TOOLCHAINS, CHROMIUM)
    with ThreadPoolExecutor(len(programs)) as pool:
        told = list(pool.map(_version, programs))
    yield _python()
    for toolchain, text in zip(programs, told, strict=True):
        yield _found(toolchain, text)
    yield _package("atheris", FUZZ.check, "hunt for inputs that break a codec (`fuzz`)")
    yield _package(
        "PySpark",
        check_installed,
        "judge by millions of cases (`campaign`)",
        "make causes short (`triage`)",
        "use a cluster (`--master`)",
    )


def _python() -> Found:
    uses = _adapters(lambda each: bool(each.requirements))
    lacks, remedy = ("", "") if find_spec("ensurepip") else ("no venv", "apt install python3-venv")
    return Found("Python", platform.python_version(), lacks, ("run the suite", *uses), remedy)


def _version(toolchain: Toolchain) -> str:
    return version_of(toolchain.programs[0], toolchain.ask)


def _found(toolchain: Toolchain, told: str) -> Found:
    programs, lacks = set(toolchain.programs), _lack(toolchain, told)
    uses = [*_adapters(lambda each: not programs.isdisjoint(each.needs))]
    uses += [_ELSEWHERE[toolchain.name]] if toolchain.name in _ELSEWHERE else []
    return Found(toolchain.name, told, lacks, tuple(uses), toolchain.remedy if lacks else "")


def _lack(toolchain: Toolchain, told: str) -> str:
    if missing := toolchain.missing():
        return "missing" if len(missing) == len(toolchain.programs) else f"no {', '.join(missing)}"
    if not told:
        return "does not run"
    too_old = toolchain.oldest and major(told) < toolchain.oldest
    return f"{told}, too old" if too_old else ""


def _package(name: str, check: Callable[[], None], *uses: str) -> Found:
    try:
        told = version(name)
    except PackageNotFoundError:
        told = ""
    try:
        check()
    except ConformanceError as error:
        return Found(name, told, f"{told} can't run" if told else "missing", uses, error.hint)
    return Found(name, told, "", uses, "")


def _adapters(needed: Callable[[registry.Adapter], bool]) -> Iterator[str]:
    """Yield the uses of the adapters that need something, kind by kind."""
    for kind, use in _USES.items():
        if names := [each.name for each in registry.adapters(kind) if needed(each)]:
            yield f"{use}{'s' * (len(names) > 1)} {', '.join(names)}"
