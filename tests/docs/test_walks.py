"""The documentation's two main paths, walked by somebody new: every command ends as its page says.

Each walk is one test, so that it is walked once. `python -m tests.docs.walk` prints the same walks
with their seconds.
"""

from __future__ import annotations

import os
import re
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from conformance.results.files import read_lines
from conformance.results.lines import Verdict
from tests.docs import walking
from tests.docs.pages import ROOT, page
from tests.docs.walk import (
    first_link,
    parts,
    table,
    to_a_failing_byte,
    to_an_own_codec,
    tool_missing,
)
from tests.docs.walking import Newcomer, Shell, Step, newcomer
from tests.machine import lacking

README = page("README.md")
START = page("docs/start.md")
OWN = page("docs/bring-your-own-codec.md")
Recorder = Callable[[str, object], None]


@pytest.fixture
def user(tmp_path: Path) -> Iterator[Newcomer]:
    if not (ROOT / ".git").exists():
        lacking("needs a checkout: these are the files alone")
    with newcomer(tmp_path) as user:
        yield user


def unexpected(steps: list[Step]) -> str:
    """The steps that did not end as their page says, with what they printed."""
    return "\n".join(f"{step}\n{step.output}" for step in steps if step.code != step.due)


def shows(output: str, shown: str) -> bool:
    """Whether these lines are in the output one below another, however far it indents them."""
    first, *others = map(re.escape, shown.splitlines())
    pattern = "\n".join([f"^(?P<by> *){first}$", *(f"(?P=by){line}$" for line in others)])
    return re.search(pattern, output, re.M) is not None


def test_the_readme_sends_its_reader_on() -> None:
    assert first_link(README.opening) == "docs/start.md"
    assert first_link(README.section("Your own codec")) == "docs/bring-your-own-codec.md"


def test_from_the_readme_to_a_failing_byte(
    user: Newcomer, subtests: pytest.Subtests, record_testsuite_property: Recorder
) -> None:
    steps = list(to_a_failing_byte(user))
    record_testsuite_property("walk to a failing byte", table(steps))
    with subtests.test("each command ends as the page says"):
        assert [step.command for step in steps] == START.commands
        assert not unexpected(steps)
    with subtests.test("the command is the one that was installed"):
        found = user.shell.run("command -v kafka-conformance").output.strip()
        assert Path(found) == user.checkout / ".venv" / "bin" / "kafka-conformance"
    with subtests.test("what the page shows is what is printed"):
        assert what_is_shown_and_not_printed(steps) == []
    with subtests.test("the site has the failing byte"):
        has_the_failing_byte(user.checkout / "site")


def what_is_shown_and_not_printed(steps: list[Step]) -> list[str]:
    """What the page shows below its commands that judge a wrong codec, each in its own section."""
    wanting = []
    for part in parts(START):
        printed = "".join(step.output for step in steps if step.command in part.commands)
        wanting += [text for text in part.shown("text") if not shows(printed, text)]
    return wanting


def has_the_failing_byte(site: Path) -> None:
    """The site leads to a page of the codec, whose data have the case and where it is wrong."""
    [target] = (site / "targets").glob("*.html")
    assert (site / "index.html").is_file()
    assert target.stem in (site / "data" / "index.js").read_text("utf-8")
    kept = "".join(f.read_text("utf-8") for f in (site / "data" / target.stem).iterdir())
    [case] = {word for word in " ".join(START.commands).split() if word.endswith("/roundtrip")}
    assert case in kept
    assert "offset 52 (_tags(size), uvarint): expected 00, got 01" in kept


def test_lines_are_shown_only_as_they_stand() -> None:
    printed = "head\n" + textwrap.indent("a\n> b\n", "   ")
    assert shows(printed, "a\n> b\n")
    assert not shows(printed, "a\nb\n")
    assert not shows(printed, "a\n  > b\n")
    assert not shows(printed, "> b\na\n")


def test_a_command_that_does_not_end_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(walking, "STEP_TIMEOUT_S", 1)
    shell = Shell(tmp_path, dict(os.environ))
    assert shell.run("cd / && false").code == 1
    assert shell.run("pwd").output == "/\n"
    with pytest.raises(AssertionError, match="the shell ended in: sleep 600"):
        shell.run("sleep 600")
    shell.close()


def test_the_page_shows_what_a_wrong_byte_looks_like() -> None:
    assert len(START.shown("text")) == 2


def test_from_nothing_to_an_own_codec(
    user: Newcomer, subtests: pytest.Subtests, record_testsuite_property: Recorder
) -> None:
    steps = list(to_an_own_codec(user))
    record_testsuite_property("walk to an own codec", table(steps))
    here = [part for part in parts(OWN) if tool_missing(part) is None]
    with subtests.test("each command ends as the page says"):
        due = [command for part in here for command in part.commands]
        assert [step.command for step in steps][-len(due) :] == due
        assert not unexpected(steps)
    left_out = sorted({tool for part in parts(OWN) if (tool := tool_missing(part))})
    if left_out:
        lacking(f"walked but for the parts that need {' and '.join(left_out)}")
    verdicts = [v for v in read_lines(user.own / "results.ndjson") if isinstance(v, Verdict)]
    assert {"pass", "unsupported"} <= {each.verdict for each in verdicts}
    assert {each.message for each in verdicts} == {"ApiVersionsRequest"}


@pytest.mark.parametrize("codec", ["-- node adapter.js", "adapter:Codec", "-- ./gocodec"])
def test_each_way_to_bring_a_codec_is_checked_and_judged(codec: str) -> None:
    told = [line for line in OWN.commands if line.endswith(codec)]
    assert any(line.startswith("kafka-conformance smoke ") for line in told)
    assert any(line.startswith("kafka-conformance codec ") for line in told)
