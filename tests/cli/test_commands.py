"""The other commands, and the help of all."""

from __future__ import annotations

import json

import pytest

from tests.cli.conftest import Cli, program


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


def test_a_testee_is_smoked(cli: Cli) -> None:
    right = cli("smoke", "faulty:Right")
    assert (right.code, right.out.splitlines()[-1]) == (0, "a testee")
    assert cli("smoke", *program("dies")).code == 3
