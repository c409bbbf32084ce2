"""Each line that is printed for somebody to copy works, and asks the same case again."""

from __future__ import annotations

import html
import json
import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from conformance.brokers.mutants import broker_mutants
from conformance.reference.broker.connections.server import serving
from conformance.results.files import read_lines
from conformance.results.lines import BROKEN, Verdict
from tests.cli.conftest import Cli, Ended, run

SAID = re.compile(r"kafka-conformance [^`\n<]*--(?:case|rule) [^`\n<]*")
CODEC = ("--message", "MetadataRequest", "--rule", "primitives.null-array", "--api-version", "1")
CLIENT = ("--rule", "client-versions.nothing-in-common-fails", "--message", "MetadataRequest")
MUTANT = (sys.executable, "-m", "conformance.clients.mutants", "{action}", "{bootstrap}")
BROKER = ("--rule", "response-header.flexible-adds-tags", "--message", "FindCoordinatorRequest")
BROKEN_BROKER = "OldHeaderOfFlexibleAnswers"

KINDS = {
    "bundled codec": ("codec", "kio", "--rule", "tags.unknown-skipped", "--message", "VoteRequest"),
    "module": ("codec", "faulty:RefusesNulls", *CODEC, "--profile", "kafka", "--timeout", "20"),
    "command": ("codec", *CODEC, "--", sys.executable, "serves.py", "RefusesNulls", "of two words"),
    "bundled client": ("client", "mutant:SilentWhereNothingIsCommon", *CLIENT),
    "client's command": ("client", *CLIENT, "--", *MUTANT, "SilentWhereNothingIsCommon"),
    "started broker": ("broker", "--start", f"mutant:{BROKEN_BROKER}", *BROKER),
}
FORMS = ("--summary", "--publish", "--junit", "--results", "--allure")


@pytest.mark.parametrize("command", KINDS.values(), ids=KINDS)
def test_of_each_kind_of_target(cli: Cli, tmp_path: Path, command: tuple[str, ...]) -> None:
    ended = cli(*with_forms(command, tmp_path), GITHUB_ACTIONS="true")
    assert ended.code == 1, ended.out + ended.err
    site = cli("site", tmp_path / "results", "-o", tmp_path / "site")
    assert site.code == 0, site.err
    executed(copied(ended, tmp_path), tmp_path)


def test_of_a_broker_at_an_address(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "log in.properties").write_text("security.protocol=PLAINTEXT\n")
    with serving(broker_mutants()[BROKEN_BROKER](), "127.0.0.1", 0) as port:
        config = ("--config", str(tmp_path / "log in.properties"))
        command = ("broker", f"127.0.0.1:{port}", *config, *BROKER)
        ended = cli(*with_forms(command, tmp_path))
        assert ended.code == 1, ended.out
        executed(copied(ended, tmp_path), tmp_path)


def test_of_definitions(cli: Cli, tmp_path: Path) -> None:
    folder = tmp_path / "my definitions"
    folder.mkdir()
    (folder / "ARequest.json").write_text('{"type": "request", "name": "ARequest"}')
    results = tmp_path / "results"
    ended = cli("schema", "lint", folder, "--rule", "definitions.v*", "--results", results)
    assert ended.code == 1, ended.out + ended.err
    assert cli("site", results, "-o", tmp_path / "site").code == 0
    first = found_in(results)
    for number, line in enumerate(sorted(copied(ended, tmp_path))):
        words, again = shlex.split(line)[1:], tmp_path / f"again-{number}"
        run(*with_results(words, again))
        assert {(each.rule, each.verdict) for each in found_in(again)} <= {
            (each.rule, each.verdict) for each in first if each.rule in words
        }, line
        assert found_in(again), line


def with_forms(command: tuple[str, ...], folder: Path) -> list[str]:
    """The command with all forms of output asked for."""
    at = command.index("--") if "--" in command else len(command)
    forms = [word for form in FORMS for word in (form, str(folder / form.strip("-")))]
    return [*command[:at], *forms, *command[at:]]


def copied(ended: Ended, folder: Path) -> set[str]:
    """All commands that somebody could copy from what was printed or written."""
    texts = [ended.out, *map(text_of, filter(Path.is_file, folder.rglob("*")))]
    found = {line.strip() for text in texts for line in SAID.findall(text)}
    assert found
    return found


def text_of(file: Path) -> str:
    """What a file shows: markup and JSON are undone."""
    text = file.read_text("utf-8", errors="replace")
    if file.suffix in (".js", ".json") or file.name == "results":
        return "\n".join(strings(text))
    return html.unescape(text)


def strings(text: str) -> Iterator[str]:
    for found in re.findall(r'"(?:[^"\\]|\\.)*"', text):
        yield json.loads(found)


def executed(lines: set[str], folder: Path) -> None:
    """Run each, from where the first was run: its case or rule fails as it did."""
    for number, line in enumerate(sorted(lines)):
        words = shlex.split(line)
        results = folder / f"again-{number}"
        ended = run(*with_results(words[1:], results))
        broken = [each for each in found_in(results) if each.verdict in BROKEN]
        if "--case" in words:
            assert words[words.index("--case") + 1] in {each.case for each in broken}, line
        else:
            assert words[words.index("--rule") + 1] in {each.rule for each in broken}, line
        assert ended.code == 1, line


def found_in(results: Path) -> list[Verdict]:
    return [each for each in read_lines(results) if isinstance(each, Verdict)]


def with_results(words: list[str], results: Path) -> list[str]:
    at = words.index("--") if "--" in words else len(words)
    return [*words[:at], "--results", str(results), *words[at:]]
