"""Turns a run into pytest items, so that selection, workers, JUnit and Allure are pytest's own.

`pytest -p conformance.pytest_plugin --kafka-codec mypackage:Codec --pyargs conformance.checks.codec`
is the gate; the command line is a thin front over the same. Items of one message stay together on
one worker, where their verdicts are made at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from conformance.checks.gate import Gate, Settings, from_json
from conformance.errors import ConformanceError
from conformance.protocol import Target

_GATE = pytest.StashKey[Gate]()
OPENED: dict[Settings, Target] = {}
"""Targets that the command line started before pytest did, to be used by this very process."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options of the gate."""
    group = parser.getgroup("kafka-conformance")
    group.addoption("--kafka-codec", metavar="TARGET", help="judge this codec")
    group.addoption("--kafka-settings", metavar="JSON", help="all settings of a run, as JSON")


def pytest_configure(config: pytest.Config) -> None:
    """Make the gate of this process, where a target was named."""
    settings = _settings(config)
    if settings is None:
        return
    worker = getattr(config, "workerinput", {}).get("workerid", "main")
    try:
        config.stash[_GATE] = Gate(settings, OPENED.get(settings), part=worker)
    except ConformanceError as error:
        raise pytest.UsageError(str(error)) from None


def pytest_unconfigure(config: pytest.Config) -> None:
    """End the target."""
    gate = config.stash.get(_GATE, None)
    if gate is not None:
        gate.close()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One item for each message and rule group."""
    if "conformance_gate" not in metafunc.fixturenames:
        return
    gate = metafunc.config.stash.get(_GATE, None)
    if gate is None:
        raise pytest.UsageError("name the codec to be judged: --kafka-codec TARGET")
    try:
        groups = gate.groups(gate.target.hello)
    except ConformanceError as error:
        raise pytest.UsageError(str(error)) from None
    items = [
        pytest.param(message, group, id=f"{message}-{group}", marks=_together(message))
        for message, group in groups
    ]
    metafunc.parametrize(("message", "group"), items)


@pytest.fixture(scope="session")
def conformance_gate(pytestconfig: pytest.Config) -> Iterator[Gate]:
    """The gate of this process."""
    yield pytestconfig.stash[_GATE]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """A target that is lost ends the run: nothing after it could be judged."""
    try:
        return (yield)
    except ConformanceError as error:
        item.session.shouldstop = str(error)
        raise


def _together(message: str) -> Any:
    return pytest.mark.xdist_group(message)


def _settings(config: pytest.Config) -> Settings | None:
    text = config.getoption("--kafka-settings")
    if text:
        return from_json(text)
    spec = config.getoption("--kafka-codec")
    return Settings(spec=spec) if spec else None
