"""The pytest plugin of the command line, which passes it all settings of a run as JSON."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option for the settings."""
    parser.addoption("--kafka-settings", metavar="JSON", help="all settings of a run")


def pytest_configure(config: pytest.Config) -> None:
    """Have the items of the gate collected."""
    text = config.getoption("--kafka-settings")
    if not text:
        return
    from conformance.gate import items
    from conformance.gate.settings import from_json

    config.stash[items.SETTINGS] = from_json(text)
    config.pluginmanager.register(items, items.__name__)
