"""The terminal view of a running tap: clients, what they request, and which rules were broken."""

from __future__ import annotations

from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from conformance.captures.audit.auditing import Auditor
from conformance.captures.audit.report import clients_table, frames_of, uses_table
from conformance.captures.audit.tables import Tables
from conformance.results.text import counted

_AROUND = 10
"""The number of screen lines that are no rows of the tables."""


class LiveTable:
    """The tables of a running audit on a terminal; nothing is shown elsewhere.

    `found` are the verdicts so far.
    """

    def __init__(self, console: Console, auditor: Auditor, found: Tables) -> None:
        self._auditor = auditor
        self._found = found
        self._console = console
        self._said = "Ctrl-C ends it"
        self._live = Live(console=console, auto_refresh=False, transient=True)

    def __enter__(self) -> LiveTable:
        if self._console.is_terminal:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.stop()

    def say(self, what: str) -> None:
        """Show this text below the tables from now on."""
        self._said = what

    def refresh(self) -> None:
        """Show the current tables."""
        if self._live.is_started:
            self._live.update(self._shown(), refresh=True)

    def _shown(self) -> Group:
        now = Tables()
        for row in self._auditor.totals():
            now.take(row)
        rows = max(self._console.height - _AROUND, 2) // 2
        tables = (clients_table(now, rows), uses_table(now, rows))
        broken = counted(len(self._found.violations), "rule")
        said = f"{frames_of(now)}; {broken} broken; {self._said}"
        return Group(*(table for table in tables if table.row_count), Text(said))
