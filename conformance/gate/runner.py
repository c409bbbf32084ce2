"""pytest as the runner of the gate: its command line, and the result of a run."""

from __future__ import annotations

import contextlib
import io
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from operator import methodcaller
from pathlib import Path
from typing import Any

import msgspec
import pytest
from rich.console import Console

from conformance.errors import ConformanceError, NothingSelected
from conformance.gate import items
from conformance.gate.gate import LOST, NOTES, Gate
from conformance.gate.options import RunOptions
from conformance.gate.progress import ProgressPlugin
from conformance.gate.settings import MORE, SETTLED, Settings, to_json
from conformance.reporting.progress import RunProgress
from conformance.targets.errors import TargetError
from conformance.testee_protocol import Hello

_INTERRUPTIONS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@dataclass(frozen=True, slots=True)
class Ran:
    """The end of a run: `lost` says why it could not be finished, "" if it was.

    `notes` are what the target did that no verdict shows, a line each. `needs` has the missing
    option of each rule that this run could not ask without it.
    """

    hello: Hello
    seconds: float
    interrupted: bool
    lost: str
    notes: list[str]
    needs: Mapping[str, str] = field(default_factory=dict)

    @property
    def complete(self) -> bool:
        """True if everything that was selected was judged."""
        return not self.interrupted and not self.lost


def run_pytest(name: str, settings: Settings, options: RunOptions, console: Console) -> Ran:
    """Run the gate on one target. Its verdicts are in `settings.parts`, however the run ended.

    Raises TargetError, NothingSelected, and ConformanceError if pytest refuses its options.
    """
    clock = time.monotonic()
    with settings.open() as target:
        hello = target.hello
        gate = msgspec.structs.replace(settings, parts="").gate(target)
        expected = len(gate.groups(hello))
        if not expected:
            raise NothingSelected(*gate.why_nothing(name))
        needs = gate.needs()
        if options.workers == "0":
            items.OPENED[settings] = target
        else:
            target.close()  # each worker starts its own
        try:
            with RunProgress(console, name, expected, quiet=options.quiet) as shown:
                plugin = ProgressPlugin(shown.advance)
                interrupted = _run(_arguments(settings, options), plugin)
                if options.workers != "0" and not (interrupted or plugin.broken):
                    interrupted = _afterwards(settings, SETTLED, methodcaller("settle"))
                if gate.asks_more and not (interrupted or plugin.broken):
                    interrupted = _afterwards(settings, MORE, methodcaller("ask_more"))
        finally:
            items.OPENED.pop(settings, None)
    lost = "" if interrupted else next(_left(settings, LOST), "") or plugin.broken
    notes = sorted({line for text in _left(settings, NOTES) for line in text.splitlines()})
    return Ran(hello, time.monotonic() - clock, interrupted, lost, notes, needs)


def _run(arguments: list[str], plugin: ProgressPlugin) -> bool:
    """Run pytest; return True if it was interrupted. Raises ConformanceError if it refuses."""
    with _alone(), contextlib.redirect_stderr(io.StringIO()) as said:
        try:
            code = pytest.main(arguments, plugins=[plugin])
        except KeyboardInterrupt:  # a second one, while it was ending because of the first
            _keep_on()
            return True
        if plugin.interrupted:
            _keep_on()
    if code == pytest.ExitCode.USAGE_ERROR:
        lines = [line.removeprefix("ERROR: ") for line in said.getvalue().splitlines() if line]
        raise ConformanceError("; ".join(lines) or "pytest refused to run", "see -k and -n")
    return plugin.interrupted


def _keep_on() -> None:
    """Ignore any other interruption of this process, so that the results are written."""
    if threading.current_thread() is threading.main_thread():
        for number in _INTERRUPTIONS:
            signal.signal(number, signal.SIG_IGN)


@contextlib.contextmanager
def interruptible() -> Iterator[None]:
    """Have the signals that interrupt a run end what they ended before, once it is over."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in _INTERRUPTIONS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _afterwards(settings: Settings, name: str, act: Callable[[Gate[Any]], None]) -> bool:
    """Have a separate gate add to the verdicts; return True if it was interrupted."""
    with contextlib.closing(settings.gate(name=name)) as gate:
        try:
            act(gate)
        except TargetError as error:
            gate.lose(str(error))
        except KeyboardInterrupt:
            return True
    return False


@contextlib.contextmanager
def _alone() -> Iterator[None]:
    """Hide from pytest the environment variables that the user set for other runs of it."""
    hidden = {name: os.environ.pop(name, None) for name in ("PYTEST_ADDOPTS", "PYTEST_PLUGINS")}
    try:
        yield
    finally:
        os.environ.update({name: value for name, value in hidden.items() if value is not None})


def _left(settings: Settings, suffix: str) -> Iterator[str]:
    """Yield the texts that the run's processes left under this suffix."""
    files = sorted(Path(settings.parts).glob(f"*{suffix}"))
    return (file.read_text("utf-8") for file in files)


_PLUGIN = "conformance.gate.plugin"
_NOT_WANTED = ("no:cacheprovider", "no:logging", "no:threadexception", "no:unraisableexception")
"""The plugins that cost time with every item, or at the end of a run, for output not shown."""


def _arguments(settings: Settings, options: RunOptions) -> list[str]:
    """Return pytest's command line: our items and plugins, independent of the current folder."""
    arguments = [*_checks(Path(settings.parts)), "--disable-plugin-autoload"]
    for plugin in (_PLUGIN, *_NOT_WANTED):
        arguments += ["-p", plugin]
    arguments += ["-c", os.devnull, "--rootdir", settings.parts, "--noconftest"]
    # Workers make a folder; users without a name would share the default one.
    arguments += ["--basetemp", str(Path(settings.parts, "scratch"))]
    # pytest's own summary is not shown, and takes longer than the run for many failures.
    arguments += ["-q", "--no-summary", "--capture=no"]
    arguments += ["--kafka-settings", to_json(settings)]
    if options.workers != "0":
        arguments += ["-p", "xdist.plugin"]
        arguments += ["-n", options.workers, "--dist", "loadscope", "--max-worker-restart", "0"]
    if options.keyword:
        arguments += ["-k", options.keyword]
    if options.allure:
        arguments += ["-p", "allure_pytest.plugin"]
        arguments.append(f"--alluredir={options.allure.absolute()}")
    return arguments


def _checks(parts: Path) -> list[str]:
    """Return the checks, or a copy if the suite lives in a zip, which pytest can't read."""
    source = files("conformance.gate") / "checks.py"
    if isinstance(source, Path):
        return ["--pyargs", "conformance.gate.checks"]
    copy = parts / items.COPY
    copy.write_bytes(source.read_bytes())
    return [str(copy)]
