"""What the page on bringing a codec says beside its commands, which `test_walks.py` runs."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from conformance.results.known import read_known
from tests.cli.conftest import run
from tests.docs.pages import page

PAGE = page("docs/bring-your-own-codec.md")
ADAPTER = PAGE.files["adapter.js"]
needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="needs Node: no node")


def test_the_adapter_fits_one_screen() -> None:
    lines = ADAPTER.splitlines()
    assert len(lines) <= 60
    assert max(map(len, lines)) <= 100


def test_an_entry_of_the_page_is_one(tmp_path: Path) -> None:
    [entry] = PAGE.shown("toml")
    (tmp_path / "known.toml").write_text(entry, encoding="utf-8")
    assert len(read_known(tmp_path / "known.toml")) == 1


@needs_node
def test_smoke_says_what_the_page_shows(tmp_path: Path) -> None:
    wrong = ADAPTER.replace(", remaining: reader.left() }", " }")
    assert wrong != ADAPTER
    (tmp_path / "wrong.js").write_text(wrong, encoding="utf-8")
    [shown] = PAGE.shown("text")
    done = run("smoke", "--", "node", "wrong.js", cwd=tmp_path)
    assert done.code == 3
    assert shown in done.out
