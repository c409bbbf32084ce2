"""What any command prints for machines is JSON, of JSON's own types: no repr of Python's."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

import conformance.clients.scenarios as scenarios
import conformance.proxies.dialogues as proxy_dialogues
from conformance.cli import main

REPR = re.compile(
    r"(?<![\w.])(?:True|False|None)(?![\w.])|\bb'|\bb\"|<[\w.]+ object at 0x|^\(.*,\)$"
)
"""What str() and repr() make of values that JSON has a form of its own for."""
METADATA = "00030004 00000007 0001 78 00000001 0001 61 01"
"""A MetadataRequest v4 with a boolean, and a topic of one letter."""
BODY = ("explain", "--json", "--body", "--message", "Primitives", "--api-version")
CALLS: dict[str, tuple[str, ...]] = {
    "compare": ("compare", "{results}", "{other}", "--anyway", "--json"),
    "doctor": ("doctor", "--json"),
    "explain": ("explain", METADATA, "--json"),
    "explain a float that is none": (*BODY, "7", "7ff8000000000000"),
    "explain an infinite float": (*BODY, "7", "fff0000000000000"),
    "explain a boolean": (*BODY, "0", "01"),
    "explain null": (*BODY, "14", "ffffffff"),
    "explain bytes": (*BODY, "13", "000000020102"),
    "explain a literal": ("explain", r"b'\x00\x03\x00\x04\x00\x00\x00\x07\x00\x01x'", "--json"),
    "findings": ("findings", "{results}", "--json"),
    "rules list": ("rules", "list", "tags.*", "--json"),
    "rules show": ("rules", "show", "primitives.boolean*", "--json"),
    "rules clauses": ("rules", "clauses", "--json"),
    "schema list": ("schema", "list", "--json"),
    "schema list of one": ("schema", "list", "4.4.0", "--json"),
    "schema history": ("schema", "history", "MetadataRequest", "--json"),
    "targets": ("targets", "--json"),
    "triage": ("triage", "{results}", "--no-minimise", "--json"),
    "vectors list": ("vectors", "list", "MetadataRequest", "--json"),
}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Results of a codec that is right, and of one that fails booleans and tags."""
    folder = tmp_path_factory.mktemp("json")
    only = ("--message", "MetadataRequest", "--api-version", "9")
    targets = {"other": "reference", "results": "conformance.codecs.mutants:TagSizePlusOne"}
    made = {}
    for name, target in targets.items():
        made[name] = str(folder / f"{name}.ndjson")
        made[f"{name}-badge"] = str(folder / f"{name}.json")
        outputs = ("--results", made[name], "--badge", made[f"{name}-badge"])
        call("codec", target, *only, "-q", *outputs)
    return made


def call(*words: str) -> str:
    """What a command prints on stdout."""
    ended = CliRunner().invoke(main, list(words), catch_exceptions=False)
    assert ended.exit_code in (0, 1), ended.output
    return ended.stdout


def parsed(text: str) -> list[Any]:
    """A whole document, or an object a line."""
    try:
        return [json.loads(text, parse_constant=pytest.fail)]
    except json.JSONDecodeError:
        return [json.loads(line, parse_constant=pytest.fail) for line in text.splitlines()]


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from leaves(inner, f"{path}.{name}")
    elif isinstance(value, list):
        for inner in value:
            yield from leaves(inner, f"{path}[]")
    else:
        yield path, value


@pytest.mark.parametrize("words", CALLS.values(), ids=CALLS)
def test_what_is_printed_for_machines_holds_no_python(
    files: dict[str, str], words: tuple[str, ...]
) -> None:
    found = parsed(call(*(word.format(**files) if "{" in word else word for word in words)))
    assert found
    shown = [(path, value) for each in found for path, value in leaves(each)]
    assert shown
    assert [each for each in shown if isinstance(each[1], str) and REPR.search(each[1])] == []


@pytest.mark.parametrize("name", ["results", "other", "results-badge"])
def test_what_is_written_for_machines_holds_no_python(files: dict[str, str], name: str) -> None:
    shown = [leaf for each in parsed(Path(files[name]).read_text()) for leaf in leaves(each)]
    assert shown
    assert [each for each in shown if isinstance(each[1], str) and REPR.search(each[1])] == []


def test_no_scenario_or_dialogue_says_a_value_as_python_does() -> None:
    """What is said of a client or a broker stands in results: a null is null, not None."""
    told = re.compile(r"![rsa]\}|\brepr\(")
    folders = [Path(package.__path__[0]) for package in (scenarios, proxy_dialogues)]
    found = [
        f"{file.name}:{number}"
        for folder in folders
        for file in folder.rglob("*.py")
        for number, line in enumerate(file.read_text("utf-8").splitlines(), start=1)
        if told.search(line)
    ]
    assert found == []


def test_values_have_the_types_that_they_have_on_the_wire() -> None:
    [found] = parsed(call("explain", METADATA, "--json"))
    rows = {row["path"]: row for row in found}
    assert rows["allowAutoTopicCreation"]["value"] is True
    assert rows["header.correlationId"]["value"] == 7
    assert rows["topics[0].name"]["value"] == "a"


def test_every_command_with_json_is_tried() -> None:
    tried = {" ".join(words) for words in CALLS.values()}
    assert [
        name for name in with_json(main, "") if not any(each.startswith(name) for each in tried)
    ] == []


def with_json(command: click.Command, name: str) -> Iterator[str]:
    """The commands that have an option --json."""
    if isinstance(command, click.Group):
        context = click.Context(command)
        for inner in command.list_commands(context):
            found = command.get_command(context, inner)
            assert found is not None
            yield from with_json(found, f"{name} {inner}".strip())
    elif any("--json" in parameter.opts for parameter in command.params):
        yield name
