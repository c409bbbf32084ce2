"""The pytest plugin that replaces pytest's own terminal output.

Items report their number of verdicts in what pytest calls user properties, which reach this plugin
from the workers.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import pytest

VERDICTS = "verdicts"
"""The property of an item that counts its verdicts."""


class ProgressPlugin:
    """A plugin that reports how far a run is, and remembers why it ended early."""

    def __init__(self, advance: Callable[[int], None]) -> None:
        self._advance = advance
        self.interrupted = False
        self.broken = ""
        """The fault of the run itself, "" if there is none."""

    @pytest.hookimpl(trylast=True)
    def pytest_configure(self, config: pytest.Config) -> None:
        """Silence pytest's reporter: plugins may write to it, but its output is not shown."""
        reporter = config.pluginmanager.getplugin("terminalreporter")
        if reporter is not None:
            reporter._tw._file = io.StringIO()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count an item once."""
        if report.when == "teardown":
            self._advance(_verdicts(report))

    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        """Distinguish a user who interrupts from a session that stops by itself."""
        self.interrupted = excinfo.type is KeyboardInterrupt

    def pytest_internalerror(self, excrepr: Any) -> None:
        """Keep the last line of an internal error."""
        self.broken = str(excrepr).strip().splitlines()[-1]

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: object) -> None:
        """Keep that a worker died: the rest of its items was not judged."""
        if error:
            self.broken = f"worker {node.gateway.id} ended: {error}"

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Keep the reason of a run that a lost target ended."""
        if isinstance(session.shouldstop, str):
            self.broken = session.shouldstop


def _verdicts(report: pytest.TestReport) -> int:
    return sum(int(str(value)) for name, value in report.user_properties if name == VERDICTS)
