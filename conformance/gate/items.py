"""The gate as pytest items, so that selection, workers, JUnit and Allure are pytest's own.

An item is a message and a rule group. The items of one message stay together on one worker, where
their verdicts are made at once. A user's own pytest run has other tests as well: the hooks here
change only our items. The plugin that was loaded says what is judged: `conformance.gate.plugin` for
the command line, `conformance.codecs.plugin` for a user's own run.
"""

from __future__ import annotations

import gc
import shutil
import signal
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from conformance.errors import ConformanceError
from conformance.gate import allure_fields
from conformance.gate.gate import Gate, JudgedItem
from conformance.gate.progress import VERDICTS
from conformance.gate.settings import ALONE, Settings
from conformance.testee_protocol import Target

NODE = "kafka-conformance"
"""The begin of the names of our items."""
COPY = "conformance_checks.py"
"""The name of the copied checks if the suite lives in a zip, in which pytest finds nothing."""
OPENED: dict[Settings, Target] = {}
"""Targets that the command line started before pytest did, to be used by this very process."""
SETTINGS = pytest.StashKey[Settings]()
"""The settings of the run, which a plugin sets before it registers this module."""
GATE = pytest.StashKey[Gate[Any]]()
OWN_PARTS = pytest.StashKey[str]()
"""The folder of verdicts of a user's own run; the command line brings its own."""
Item = tuple[str, str]
"""A message and a rule group."""
TOGETHER = pytest.StashKey[Callable[[Gate[Any], Sequence[Item], str], Mapping[Item, JudgedItem]]]()
"""The function that judges all items before the first ends, where a plugin wants that."""
_FILE = str(Path(__file__).with_name("checks.py"))
_HERE = Path(__file__).parent
_PARTS = "kafka_conformance_parts"
_JOINS = "kafka_conformance_joins"
_HAS_OURS = pytest.StashKey[bool]()
_IS_OWN = pytest.StashKey[bool]()
"""True in a user's own run, which brings no folder for verdicts."""
_COLLECTS_GARBAGE = pytest.StashKey[tuple[int, int, int]]()
_NEW_OBJECTS = 100_000
"""The new objects before a garbage collection: cases are many, and hold no cycles."""


def pytest_configure(config: pytest.Config) -> None:
    """Make the gate of this process, and have its items collected."""
    worker = getattr(config, "workerinput", {}).get("workerid", ALONE)
    if worker != ALONE:
        signal.signal(signal.SIGTERM, signal.default_int_handler)  # ends the target first
    config.stash[_COLLECTS_GARBAGE] = gc.get_threshold()
    gc.set_threshold(_NEW_OBJECTS)
    settings = config.stash[SETTINGS]
    is_own = config.stash[_IS_OWN] = not settings.parts
    if is_own:
        settings = msgspec.structs.replace(settings, parts=_own_parts(config))
    try:
        config.stash[GATE] = settings.gate(OPENED.get(settings), worker)
    except ConformanceError as error:
        raise pytest.UsageError(str(error)) from None
    if is_own:
        config.args[:] = _with_ours(config)


def _with_ours(config: pytest.Config) -> list[str]:
    """Return the arguments of a user's own run, with our file if our items are to be collected.

    The name of one of our items, as it is printed, stands for that item in our file. If files are
    given to pytest and our option stands only in its configuration, those files are run alone.
    """
    args = [
        f"{_FILE}{arg.removeprefix(NODE)}" if arg.partition("::")[0] == NODE else arg
        for arg in config.args
    ]
    given = config.args_source == pytest.Config.ArgsSource.ARGS
    asked = any(str(arg).startswith("--kafka-") for arg in config.invocation_params.args)
    named = any(arg.partition("::")[0] in (_FILE, "conformance.gate.checks") for arg in args)
    joins = not named and (asked or not given)
    joins = getattr(config, "workerinput", {}).get(
        _JOINS, joins
    )  # a worker does as the main process
    config.stash[_HAS_OURS] = joins
    return [*args, _FILE] if joins else args


def pytest_unconfigure(config: pytest.Config) -> None:
    """End the target."""
    gc.set_threshold(*config.stash.get(_COLLECTS_GARBAGE, gc.get_threshold()))
    gate = config.stash.get(GATE, None)
    if gate is not None:
        gate.close()
    if own := config.stash.get(OWN_PARTS, ""):
        shutil.rmtree(own, ignore_errors=True)


def _own_parts(config: pytest.Config) -> str:
    """Return the folder in which the processes of a user's own run leave their verdicts."""
    if found := getattr(config, "workerinput", {}).get(_PARTS):
        return str(found)
    config.stash[OWN_PARTS] = tempfile.mkdtemp(prefix="kafka-conformance-")
    return config.stash[OWN_PARTS]


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Pass a worker of pytest-xdist the folder for verdicts, and whether to collect our file."""
    node.workerinput[_PARTS] = node.config.stash.get(OWN_PARTS, "")
    node.workerinput[_JOINS] = node.config.stash.get(_HAS_OURS, False)


def pytest_pycollect_makemodule(
    module_path: Path, parent: pytest.Collector
) -> pytest.Module | None:
    """Name our items by what they are, not by where the suite is installed."""
    if not _is_our_file(module_path):
        return None
    module: pytest.Module = pytest.Module.from_parent(parent, path=module_path, nodeid=NODE)
    return module


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make one item for each message and rule group."""
    if "conformance_gate" not in metafunc.fixturenames:
        return
    gate = metafunc.config.stash[GATE]
    try:
        groups = gate.groups(gate.target.hello)
    except ConformanceError as error:
        gate.lose(str(error))
        if not metafunc.config.stash[_IS_OWN]:
            raise pytest.UsageError(str(error)) from None
        raise pytest.Collector.CollectError(str(error)) from None
    items = [pytest.param(*both, id="-".join(both)) for both in groups]
    metafunc.parametrize(("message", "group"), items)


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(config: pytest.Config) -> Iterator[None]:
    """Record why a worker refuses its options, such as -k: pytest-xdist does not report that."""
    try:
        return (yield)
    except pytest.UsageError as error:
        config.stash[GATE].lose(str(error))
        raise


def pytest_collection_finish(session: pytest.Session) -> None:
    """Judge only the items that are left, of -k for example."""
    session.config.stash[GATE].limit(
        _message_and_group(item) for item in session.items if _is_ours(item)
    )


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Keep the items of one message on one worker: their cases are asked together, and once.

    pytest-xdist's own means for this, groups, have no effect since pytest 9.2. Other tests are
    spread as `--dist` says; if it wants every test on every worker, its own scheduler is used.
    """
    scope = _SCOPES.get(config.getoption("dist"))
    if scope is None:
        return None
    from xdist.scheduler import LoadScopeScheduling  # type: ignore[import-untyped]

    if not config.stash[_IS_OWN]:
        config.option.loadscopereorder = False  # in the order of one process: see `Gate.settle`
    scheduler = LoadScopeScheduling(config, log)
    scheduler._split_scope = lambda node: _message(node) if node.startswith(NODE) else scope(node)
    return scheduler


_SCOPES: dict[str, Callable[[str], str]] = {
    "load": lambda node: node,
    "worksteal": lambda node: node,
    "loadscope": lambda node: node.rpartition("::")[0],
    "loadfile": lambda node: node.partition("::")[0],
    "loadgroup": lambda node: node.rpartition("@")[2],
}


@pytest.fixture(scope="session")
def conformance_gate(pytestconfig: pytest.Config) -> Gate[Any]:
    """Return the gate of this process."""
    return pytestconfig.stash[GATE]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """End the run if the target is lost or we fail: later items would seem to pass."""
    if not _is_ours(item):
        return (yield)
    gate = item.config.stash[GATE]
    try:
        if together := item.config.stash.get(TOGETHER, None):
            if gate.together is None:
                ours = [_message_and_group(each) for each in item.session.items if _is_ours(each)]
                gate.together = together(gate, ours, f"{NODE}::test_conformance[{{}}]")
            judged = gate.together[_message_and_group(item)]
            item.user_properties.append((VERDICTS, judged.verdicts))
            return (yield)
        verdicts = gate.verdicts(*_message_and_group(item))
        item.user_properties.append((VERDICTS, len(verdicts)))
        if item.config.getoption("allure_report_dir", None):
            allure_fields.tell(gate.target.hello, *_message_and_group(item), verdicts)
        return (yield)
    except Exception as error:  # pytest's own failures and skips are not Exceptions
        known = isinstance(error, ConformanceError)
        reason = str(error) if known else f"our error in {item.name}: {error!r}"
        gate.lose(reason)
        item.session.shouldstop = reason
        raise


def _is_ours(item: pytest.Item) -> bool:
    return isinstance(item, pytest.Function) and _is_our_file(item.path)


def _is_our_file(path: Path) -> bool:
    return path.parent == _HERE or path.name == COPY


def _message_and_group(item: pytest.Item) -> tuple[str, str]:
    """Return the message and the rule group of one of our items."""
    assert isinstance(item, pytest.Function)
    given = item.callspec.params
    return str(given["message"]), str(given["group"])


def _message(node: str) -> str:
    return node.partition("[")[2].partition("-")[0]
