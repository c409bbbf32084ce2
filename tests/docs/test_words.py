"""Docstrings, comments and three pages avoid the words that CONTRIBUTING.md lists."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "conformance"
PAGES = ("README.md", "ARCHITECTURE.md", "CHANGELOG.md")
HEADING = "## Words"
STARTS = "at the start of a docstring"

Place = tuple[Path, int]


def rows() -> list[list[str]]:
    """Return the cells of the table of words, without its head."""
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8").partition(HEADING)[2].partition("\n## ")[0]
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[1:]]


def listed(at_start: bool) -> re.Pattern[str]:
    """Return a pattern of the words listed for the start of docstrings, or for all text."""
    words = [
        re.escape(word)
        for words, _ in rows()
        for word in re.findall(r"`([^`]+)`", words)
        if (STARTS in words) == at_start
    ]
    return re.compile(rf"(?:\A|(?<!\w))(?:{'|'.join(words)})(?!\w)", 0 if at_start else re.I)


ANYWHERE = listed(at_start=False)
AT_START = listed(at_start=True)


def said_in(path: Path) -> Iterator[tuple[int, str, bool]]:
    """Yield line and text of each comment and docstring, and True if it is a docstring.

    The docstrings of mutants and scenarios are what reports say of them, and no documentation.
    """
    source = path.read_text("utf-8")
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string.lstrip("# "), False
    is_printed = {"mutants", "scenarios"} & {*path.parts}
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if is_printed and isinstance(node, ast.ClassDef):
            continue
        for each in node.body:
            match each:
                case ast.Expr(ast.Constant(str(text))):
                    yield each.lineno, text, True


def modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def test_the_list_is_read() -> None:
    assert ANYWHERE.search("as whoever asks is told")
    assert AT_START.match("Whether it is there.")
    assert not ANYWHERE.search("a client that asks gets an error")
    assert not AT_START.match("True if it is there.")


@pytest.mark.parametrize("room", sorted({path.relative_to(PACKAGE).parts[0] for path in modules()}))
def test_code_is_described_without_these_words(room: str) -> None:
    found = []
    for path in modules():
        if path.relative_to(PACKAGE).parts[0] != room:
            continue
        for line, text, is_docstring in said_in(path):
            hit = ANYWHERE.search(text) or (is_docstring and AT_START.match(text))
            if hit:
                found.append(f"{path.relative_to(ROOT)}:{line}: {hit[0]!r}")
    assert found == []


@pytest.mark.parametrize("page", PAGES)
def test_pages_for_contributors_avoid_them(page: str) -> None:
    lines = (ROOT / page).read_text("utf-8").splitlines()
    assert [f"{page}:{n}: {line}" for n, line in enumerate(lines, 1) if ANYWHERE.search(line)] == []
