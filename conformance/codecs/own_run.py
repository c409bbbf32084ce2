"""The hooks of a user's own pytest run on a codec.

Such a run ends with the same closing block as the command line, computed from the verdicts that its
processes leave in a folder.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.codecs.by_cause import judged_together
from conformance.codecs.checking import Judged
from conformance.codecs.gate import CodecSettings
from conformance.errors import ConformanceError
from conformance.gate import items
from conformance.gate.conclusion import verdicts_of
from conformance.results.known import Expectations, read_known


def configure(config: pytest.Config) -> None:
    """Have the items of the gate collected. Raises ConformanceError for wrong options."""
    settings = CodecSettings(
        spec=config.getoption("--kafka-codec"),
        rules=tuple(config.getoption("--kafka-rule")),
        messages=tuple(config.getoption("--kafka-message")),
        profile=config.getoption("--kafka-profile"),
    )
    settings.selection()
    known = _expectations(config)
    config.stash[items.SETTINGS] = settings
    if config.getoption("--kafka-by-cause"):
        config.stash[items.TOGETHER] = judged_together
    config.pluginmanager.register(items, items.__name__)
    if config.getoption("--kafka-known"):
        config.stash[items.GATE].known = known


def pytest_report_header(config: pytest.Config) -> str:
    """Return a line that names the target."""
    return f"{items.NODE}: judges {config.getoption('--kafka-codec')}"


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Print the findings of a user's own run: what to mend first, and how to see it."""
    parts = config.stash.get(items.OWN_PARTS, "")
    if not parts:
        return
    if next(verdicts_of(Path(parts)), None) is None:
        return
    gate = config.stash[items.GATE]
    try:
        hello = gate.target.hello
    except ConformanceError:  # the run has printed why
        return
    gate.close()
    judged = Judged(_expectations(config))
    for verdict in verdicts_of(Path(parts)):
        judged.take(verdict)
    if judged.tally.cases:
        terminalreporter.write_sep("=", items.NODE)
        terminalreporter.write_line(str(judged.results(gate.settings, hello, partial=True)))


def _expectations(config: pytest.Config) -> Expectations:
    """Return the known failures of the named file. Raises KnownError."""
    known = config.getoption("--kafka-known")
    return Expectations(read_known(Path(known)) if known else [])
