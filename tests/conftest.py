"""What the tests share: another language's are skipped where its tools are missing."""

import shutil
import signal

import pytest

from tests.machine import runs_all


def pytest_configure(config):
    """A shell has what it starts in the background ignore Ctrl-C, as would all that we start."""
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items):
    missing = [tool for tool in ("java", "mvn") if shutil.which(tool) is None]
    if missing and not runs_all():
        skip = pytest.mark.skip(reason=f"needs Java 17 and Maven: no {' and no '.join(missing)}")
        for item in items:
            if "java" in item.keywords:
                item.add_marker(skip)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session):
    """Where all tests are to be run, one that was skipped, for whatever reason, fails the run."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if runs_all() and reporter and reporter.stats.get("skipped") and not session.exitstatus:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
