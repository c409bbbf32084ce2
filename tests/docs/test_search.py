"""The documentation site's search finds a rule by its id, in a real browser.

The site is built as `tox run -e docs` builds it, and served as the README says. The generator has
an environment of its own: it is in none of the tests' needs.
"""

from __future__ import annotations

import configparser
import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("selenium")

from selenium.webdriver import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

from tests.docs.pages import ROOT
from tests.packaging.conftest import environment, once, run, shared
from tests.reporting.site.conftest import browser, one_browser, start_browser

__all__ = ["browser", "one_browser", "shared", "start_browser"]
pytestmark = pytest.mark.browser

WAIT_S = 20
BUILT = "build/docs"
OPENED = "return [...document.querySelectorAll('*')].find(e => e.shadowRoot)?.shadowRoot"


def commands(folder: Path) -> list[list[str]]:
    """Those of `tox run -e docs`, for another folder."""
    tox = configparser.ConfigParser(interpolation=None)
    tox.read(ROOT / "tox.ini")
    text = tox["testenv:docs"]["commands"].replace("{/}", os.sep)
    lines = text.replace(f"{{posargs:{BUILT}}}", str(folder)).strip().splitlines()
    return [line.split() for line in lines]


def generator(folder: Path) -> Path:
    """A new environment with what makes the site: its Python."""
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["dependency-groups"]
    run(sys.executable, "-m", "venv", "--without-pip", folder, cwd=folder.parent)
    python = folder / "bin" / "python"
    run(sys.executable, "-m", "pip", "-q", "--python", python, "install", *groups["docs"], cwd=ROOT)
    return python


@pytest.fixture(scope="module")
def site(shared: Path) -> Path:
    """The built site, any warning an error."""

    def build(folder: Path) -> None:
        programs = {
            "python": (sys.executable,),
            "kafka-conformance": (sys.executable, "-m", "conformance.cli"),
            "zensical": (generator(shared / "generator"), "-m", "zensical"),
        }
        for program, *words in commands(folder):
            run(*programs[program], *words, cwd=ROOT, env=environment())

    return once(shared / "documentation", build) / "html"


@pytest.fixture(scope="module")
def served(site: Path) -> Iterator[str]:
    """The address of the site, served by the README's command at a port that is free."""
    readme = (ROOT / "README.md").read_text("utf-8")
    [command] = re.findall(r"`python3 (-m http\.server --bind 127\.0\.0\.1 .*?)`", readme)
    words = shlex.split(command.replace(f"{BUILT}/html", shlex.quote(str(site))))
    server = subprocess.Popen(
        [sys.executable, "-u", *words, "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    with server:
        assert server.stdout
        [address] = re.findall(r"\((http://127\.0\.0\.1:\d+/)\)", server.stdout.readline())
        yield address
        server.terminate()


def first_result(browser: Any) -> list[str] | None:
    """Title and address of what the opened search shows first; that changes as one types."""
    found: list[str] | None = browser.execute_script(f"""
        const link = (() => {{ {OPENED} }})()?.querySelector("[role=listbox] a");
        return link && [link.innerText.split("\\n")[0], link.href]""")
    return found


@pytest.mark.parametrize("rule", ["tags.size-is-plain-length", "client-requests.readable"])
def test_a_rule_is_found_by_its_id(browser: Any, served: str, rule: str) -> None:
    wait = WebDriverWait(browser, WAIT_S)
    browser.get(f"{served}index.html")
    browser.find_element(By.CSS_SELECTOR, ".md-search__button").click()
    wait.until(lambda _: browser.execute_script(OPENED))
    ActionChains(browser).send_keys(rule).perform()
    wait.until(lambda _: first_result(browser) == [rule, f"{served}docs/rule/{rule}.html"])
    browser.execute_script(OPENED).find_element(By.CSS_SELECTOR, "[role=listbox] a").click()
    wait.until(lambda _: browser.current_url.startswith(f"{served}docs/rule/{rule}.html"))
    assert browser.find_element(By.TAG_NAME, "h1").text.startswith(rule)
