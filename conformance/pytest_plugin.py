"""Turns a run into pytest items, so that selection, workers, JUnit and Allure are pytest's own.

This is the gate, and the command line is a thin front over the same:

    pytest -p conformance.pytest_plugin --kafka-codec NAME --pyargs conformance.checks.codec

Items of one message stay together on one worker, where their verdicts are made at once.
"""

from __future__ import annotations

import gc
import signal
from collections.abc import Iterator
from typing import Any

import pytest

from conformance.checks.gate import Gate, Settings, from_json
from conformance.checks.gates import gate_of
from conformance.errors import ConformanceError
from conformance.protocol import Target

_GATE = pytest.StashKey[Gate]()
OPENED: dict[Settings, Target] = {}
"""Targets that the command line started before pytest did, to be used by this very process."""
_NEW_OBJECTS = 100_000
"""So many before garbage is looked for: cases are many, and hold no cycles."""


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
    if worker != "main":
        signal.signal(signal.SIGTERM, signal.default_int_handler)  # to end the target first
    gc.set_threshold(_NEW_OBJECTS)
    try:
        config.stash[_GATE] = gate_of(settings, OPENED.get(settings), worker)
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
        gate.lose(str(error))
        raise pytest.UsageError(str(error)) from None
    items = [pytest.param(*both, id="-".join(both)) for both in groups]
    metafunc.parametrize(("message", "group"), items)


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(config: pytest.Config) -> Iterator[None]:
    """Hand on why a worker refuses its options, such as -k: pytest-xdist does not."""
    try:
        return (yield)
    except pytest.UsageError as error:
        gate = config.stash.get(_GATE, None)
        if gate is not None:
            gate.lose(str(error))
        raise


def pytest_collection_finish(session: pytest.Session) -> None:
    """Judge nothing but the items that are left, of -k for example."""
    gate = session.config.stash.get(_GATE, None)
    if gate is not None:
        calls = (item.callspec.params for item in session.items if hasattr(item, "callspec"))
        gate.limit((call["message"], call["group"]) for call in calls if "group" in call)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Keep the items of one message on one worker: their cases are asked together, and once.

    What pytest-xdist has for this, its groups, does nothing since pytest 9.2.
    """
    from xdist.scheduler import LoadScopeScheduling  # type: ignore[import-untyped]

    scheduler = LoadScopeScheduling(config, log)
    scheduler._split_scope = lambda nodeid: nodeid.partition("-")[0]
    return scheduler


@pytest.fixture(scope="session")
def conformance_gate(pytestconfig: pytest.Config) -> Gate:
    """The gate of this process."""
    return pytestconfig.stash[_GATE]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """A target that is lost ends the run, and so does a mistake of ours: what came after it would
    look like a pass.
    """
    try:
        return (yield)
    except Exception as error:  # failures and skips of pytest's own are no Exception
        known = isinstance(error, ConformanceError)
        reason = str(error) if known else f"our error in {item.name}: {error!r}"
        item.config.stash[_GATE].lose(reason)
        item.session.shouldstop = reason
        raise


def _settings(config: pytest.Config) -> Settings | None:
    text = config.getoption("--kafka-settings")
    if text:
        return from_json(text)
    spec = config.getoption("--kafka-codec")
    return Settings(spec=spec) if spec else None
