"""The other commands, and the help of all."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import click
import pytest

from conformance.brokers.started.program import programs
from conformance.brokers.started.starting import started
from conformance.cli.group import COMMANDS, SECTIONS
from conformance.targets import registry
from tests.cli.conftest import Cli, program

CLI = Path(import_module("conformance.cli").__file__ or "").parent


def is_command(module: str) -> bool:
    """Whether a module of the command line has a command that stands alone."""
    if module.startswith(("_", "schema_", "explain_", "report_")):
        return False
    return isinstance(
        getattr(import_module(f"conformance.cli.{module}"), "command", None), click.Command
    )


@pytest.mark.parametrize(
    "command",
    [
        [],
        ["codec"],
        ["smoke"],
        ["rules"],
        ["rules", "list"],
        ["rules", "show"],
        ["targets"],
        ["vectors"],
        ["vectors", "build"],
        ["vectors", "mint"],
        ["schema"],
        ["schema", "compare"],
        ["schema", "diff"],
        ["schema", "history"],
        ["schema", "import"],
        ["schema", "lint"],
        ["schema", "list"],
    ],
    ids=" ".join,
)
def test_every_command_has_help_with_examples(cli: Cli, command: list[str]) -> None:
    ended = cli(*command, "--help")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith(f"Usage: kafka-conformance {' '.join(command)}".rstrip())
    assert "Example" in ended.out
    assert "  kafka-conformance " in ended.out.split("Example")[1]


def test_alone_it_asks_what_there_is_and_names_a_command_for_each(cli: Cli) -> None:
    ended = cli()
    lines = ended.out.splitlines()
    assert (ended.code, ended.err) == (0, "")
    assert len(lines) <= 14
    assert max(map(len, lines)) <= 80
    named = re.findall(r"kafka-conformance ([a-z]+) ", ended.out)
    for command in ("smoke", "broker", "client", "schema", "audit"):
        assert command in named
    assert "kafka-conformance --help" in lines[-1]


def test_a_word_that_is_no_command_is_wrong_usage(cli: Cli) -> None:
    assert cli("codecs").code == 2


def test_the_help_tells_of_every_command_in_a_whole_line(cli: Cli) -> None:
    told = cli("--help", COLUMNS="80").out
    assert set(COMMANDS) == {path.stem for path in CLI.glob("*.py") if is_command(path.stem)}
    for name, about in [each for section in SECTIONS.values() for each in section.items()]:
        assert re.search(rf"^  {name} +{re.escape(about)}$", told, re.M), name


def test_the_help_loads_no_command() -> None:
    ask = "import sys, conformance.cli as c; c.main(['--help'], standalone_mode=False); "
    loaded = "print(*(m for m in sys.modules if m.startswith(('conformance.', 'rich', 'pytest'))))"
    done = subprocess.run(
        [sys.executable, "-c", ask + loaded], capture_output=True, text=True, check=True
    )
    ours = {f"conformance.{each}" for each in ("cli", "cli.group", "clock", "errors")}
    assert set(done.stdout.splitlines()[-1].split()) == ours


def test_the_version_is_told(cli: Cli) -> None:
    assert cli("--version").out.startswith("kafka-conformance, version ")


def test_rules_are_listed_by_glob_and_class(cli: Cli) -> None:
    listed = cli("rules", "list", "tags.*", "--class", "must")
    assert listed.code == 0
    assert "tags.unknown-skipped" in listed.out
    assert "primitives." not in listed.out
    assert max(map(len, listed.out.splitlines())) <= 100


def test_a_rule_is_shown_with_its_source(cli: Cli) -> None:
    shown = cli("rules", "show", "tags.unknown-skipped")
    assert shown.out.startswith("tags.unknown-skipped (must; codec-decode")
    assert "  source: KIP-482" in shown.out


def test_targets_are_listed(cli: Cli) -> None:
    listed = cli("targets")
    assert listed.code == 0
    for name in ("reference", "reference-lenient", "kafka-clients", "kio", "kafka-python"):
        assert f"│ {name}" in listed.out


def test_brokers_are_listed_and_can_be_started_by_these_names(cli: Cli) -> None:
    brokers = {
        each["name"]: each["versions"]
        for each in json.loads(cli("targets", "--json").out)
        if each["kind"] == "broker"
    }
    assert set(brokers) == {"reference", "kafka", "secured-kafka", *programs()}
    assert brokers["kafka"] == brokers["secured-kafka"]
    for version in brokers["reference"]:
        with started(f"reference:{version}") as broker:
            assert broker.alive()
    assert "broker --start NAME" in cli("targets").out


@pytest.mark.parametrize(
    ("words", "key"),
    [
        ("targets", "name"),
        ("doctor", "name"),
        ("rules list tags.*", "id"),
        ("rules clauses KIP-482", "id"),
        ("vectors list", "message"),
        ("vectors list MetadataRequest", "id"),
        ("schema list", "release"),
        ("schema list 4.4.0", "message"),
    ],
)
def test_every_list_is_to_be_had_as_json(cli: Cli, words: str, key: str) -> None:
    listed = cli(*words.split(), "--json")
    assert (listed.code, listed.err) == (0, "")
    found = [each[key] for each in json.loads(listed.out)]
    assert len(found) == len(set(found)) or words == "targets"
    assert len(found) > 2


def test_messages_of_a_release_have_their_versions_as_numbers(cli: Cli) -> None:
    found = {
        each["message"]: each for each in json.loads(cli("schema", "list", "4.4.0", "--json").out)
    }
    assert found["ControlledShutdownRequest"]["versions"] is None
    assert found["FindCoordinatorRequest"]["versions"][0] == 0
    assert found["FindCoordinatorRequest"]["flexibleFrom"] == 3


def test_a_vector_is_shown_in_full(cli: Cli) -> None:
    shown = cli("vectors", "show", "MetadataRequest-v1-null-topics")
    vector = json.loads(shown.out)
    assert (vector["bytes"], vector["value"]) == ("ffffffff", {"topics": None})


def test_the_vectors_of_a_message_are_listed(cli: Cli) -> None:
    listed = cli("vectors", "list", "MetadataRequest")
    assert listed.out.startswith("MetadataRequest-v0-defaults  every field at its default\n")


def test_releases_and_their_messages_are_listed(cli: Cli) -> None:
    assert "4.4.0  " in cli("schema", "list").out
    assert "MetadataRequest" in cli("schema", "list", "4.4.0").out


def test_a_testee_is_smoked_and_the_next_command_judges_it(cli: Cli) -> None:
    right = cli("smoke", "--timeout", "30", "faulty:Right")
    *_, said, following = right.out.splitlines()
    assert (right.code, said) == (0, "a testee; next:")
    assert following == "  kafka-conformance codec faulty:Right --quick --timeout 30"
    judged = cli(*shlex.split(following)[1:], "-q")
    assert judged.code in (0, 1), judged.err


def test_of_a_program_the_next_command_has_all_words(cli: Cli) -> None:
    serve = str(registry.serve_path())
    command = ["--", sys.executable, "-W", "ignore:two words", serve, "faulty:Right"]
    *_, following = cli("smoke", *command).out.splitlines()
    assert shlex.split(following) == ["kafka-conformance", "codec", "--quick", *command]


def test_what_is_no_testee_has_no_next_command(cli: Cli) -> None:
    ended = cli("smoke", *program("dies"))
    assert (ended.code, "next" in ended.out) == (3, False)
