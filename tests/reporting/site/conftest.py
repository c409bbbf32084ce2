"""A real browser, Debian's own, and the sites that it is shown.

It is installed where that can be done; elsewhere the machine lacks it (`tests.machine`).
"""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner
from filelock import FileLock

from conformance.cli import main
from conformance.data import cache_dir
from conformance.rule_pages.in_releases import newest
from conformance.targets.toolchains import CHROMIUM
from tests.machine import lacking
from tests.reporting.site.lines import a_failure, a_file, a_verdict

REPORTS = Path(__file__).parents[3] / "reports"
AXE = "axe-core@4.10.3"
INSTALL_TIMEOUT_S = 300
_PACKAGES = ("chromium", "chromium-driver")
_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1280,900",
)


def _installed():
    return [shutil.which(name) for name in CHROMIUM.programs]


def _install():
    """Ask Debian for the browser, once, however many workers want it."""
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        lacking("needs chromium and chromium-driver, and only root can install them")
    cache_dir().mkdir(parents=True, exist_ok=True)
    with FileLock(cache_dir() / "browser.lock", timeout=INSTALL_TIMEOUT_S):
        for command in (["update"], ["install", "-y", "--no-install-recommends", *_PACKAGES]):
            if all(_installed()):
                return
            _apt_get(command)


def _apt_get(command):
    try:
        run = subprocess.run(
            ["apt-get", "-q", *command],
            capture_output=True,
            text=True,
            check=False,
            timeout=INSTALL_TIMEOUT_S,
            env=os.environ | {"DEBIAN_FRONTEND": "noninteractive"},
        )
    except subprocess.TimeoutExpired:
        lacking(f"chromium can't be installed in {INSTALL_TIMEOUT_S} s")
    if run.returncode:
        lacking(f"chromium can't be installed: {run.stderr.strip()[-200:]}")


@pytest.fixture(scope="session")
def start_browser(tmp_path_factory):
    """Starts browsers, each with a folder of its own; they end with the session."""
    from selenium.webdriver import Chrome, ChromeOptions, ChromeService

    if not all(_installed()):
        _install()
    binary, driver = _installed()
    started = []

    def start(*flags):
        options = ChromeOptions()
        options.binary_location = binary
        for flag in (*_FLAGS, *flags, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        started.append(Chrome(options=options, service=ChromeService(driver)))
        return started[-1]

    yield start
    for browser in started:
        browser.quit()


@pytest.fixture(scope="session")
def one_browser(start_browser):
    return start_browser()


@pytest.fixture
def browser(one_browser):
    """The browser as new; a test that used it left no error in its console."""
    one_browser.set_window_size(1280, 900)
    one_browser.get("about:blank")
    one_browser.get_log("browser")
    yield one_browser
    assert one_browser.get_log("browser") == []


def make(site, *arguments):
    result = CliRunner().invoke(main, ["site", *map(str, arguments), "-o", str(site)])
    assert result.exit_code == 0, result.output
    return site


@pytest.fixture(scope="session")
def matrix(tmp_path_factory):
    """The site of the newest published reports, of each kind of target."""
    return make(tmp_path_factory.mktemp("matrix") / "site", *newest(REPORTS))


@pytest.fixture(scope="session")
def small(tmp_path_factory):
    """The site of two targets, one of them judged twice."""
    folder = tmp_path_factory.mktemp("small")
    older = {"started": "2026-11-01T00:00:00+00:00", "target_version": "mine 0.9"}
    a_file(folder / "old", "mine", a_failure("a"), **older)
    mended = a_verdict(case="a", op="roundtrip")
    a_file(folder / "new", "mine", mended, a_failure("b"), a_verdict("note", "c", detail="taken"))
    a_file(folder, "other")
    return make(folder / "site", folder)


@pytest.fixture(scope="session")
def axe(tmp_path_factory):
    """The source of axe, which finds what keeps people out."""
    name = AXE.replace("@", "-")
    kept = cache_dir() / f"{name}.min.js"
    if not kept.is_file():
        if shutil.which("npm") is None:
            lacking("needs npm, to fetch axe-core")
        folder = tmp_path_factory.mktemp("axe")
        run = subprocess.run(
            ["npm", "pack", AXE],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        if run.returncode:
            lacking(f"axe-core can't be fetched: {run.stderr.strip()[-200:]}")
        [packed] = folder.glob("*.tgz")
        shutil.unpack_archive(packed, folder, filter="data")
        kept.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(folder / "package" / "axe.min.js", folder / "axe.js")
        (folder / "axe.js").rename(kept)
    return kept.read_text("utf-8")
