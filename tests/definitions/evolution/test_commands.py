"""`schema diff` and `schema history` as a user meets them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conformance.definitions.mutants.evolution import MUTANTS
from tests.cli.conftest import Cli, cli
from tests.schema.definitions import field, request, text

__all__ = ["cli"]

SWAPPED = next(each for each in MUTANTS if each.name == "evolution-tags-swapped")


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    """Two releases of one definition, the newer with tags that changed their fields."""
    for name, texts in (("old", SWAPPED.old()), ("new", SWAPPED.new())):
        (tmp_path / name).mkdir()
        for each in texts:
            (tmp_path / name / each.file).write_text(each.text, "utf-8")
    return tmp_path / "old", tmp_path / "new"


@pytest.mark.parametrize("command", ["diff", "history"])
def test_command_has_help_with_examples(cli: Cli, command: str) -> None:
    ended = cli("schema", command, "--help")

    assert (ended.code, ended.err) == (0, "")
    assert f"  kafka-conformance schema {command} " in ended.out.split("Example")[1]


def test_release_that_kept_every_rule_is_clean(cli: Cli) -> None:
    ended = cli("schema", "diff", "4.3.1", "4.4.0", "--profile", "kafka")

    assert (ended.code, ended.err) == (0, "")
    assert "new version: ApiVersionsRequest/Response 5; DeleteGroupsRequest/Response 3" in ended.out
    assert "9 rules: 0 failed" in ended.out


def test_broken_rule_is_shown_with_place_remedy_and_bytes(
    cli: Cli, folders: tuple[Path, Path]
) -> None:
    ended = cli("schema", "diff", *folders)

    assert ended.code == 1
    assert (
        "PartitionChangeRecord.json:56: RemovingReplicas: tag 4 was that of AddingReplicas"
        in ended.out
    )
    assert "remedy: take the next free tag" in ended.out
    assert 'new (new) writes version 0: {"partitionId": -1,' in ended.out


def test_refusal_is_shown_as_one_and_not_as_a_value(cli: Cli, tmp_path: Path) -> None:
    for name, kind in (("old", "int32"), ("new", "int64")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "A.json").write_text(text(request(field(type=kind))), "utf-8")

    ended = cli("schema", "diff", tmp_path / "old", tmp_path / "new")

    assert "new (new) refuses: offset 4, count: 8 bytes expected, 4 left" in ended.out
    assert "reads:" not in ended.out


def test_second_definition_of_a_name_is_told_and_proves_nothing(cli: Cli, tmp_path: Path) -> None:
    for name, content in (("A.json", request()), ("B.json", request(field()))):
        (tmp_path / name).write_text(text(content), "utf-8")

    ended = cli("schema", "diff", tmp_path / "A.json", tmp_path)

    assert ended.code == 3
    assert "not compared: SampleRequest B.json of" in ended.out


def test_results_have_the_bytes_and_the_command(
    cli: Cli, folders: tuple[Path, Path], tmp_path: Path
) -> None:
    results = tmp_path / "results.ndjson"

    cli("schema", "diff", *folders, "--results", results, "-q")

    lines = [json.loads(line) for line in results.read_text("utf-8").splitlines()]
    (failed,) = [line for line in lines if line.get("verdict") == "fail"]
    (finding,) = [line for line in lines if line["type"] == "finding"]
    assert (failed["op"], failed["message"]) == ("diff", "PartitionChangeRecord")
    assert bytes.fromhex(failed["input"])
    assert "removingReplicas" in failed["expected"] or "addingReplicas" in failed["expected"]
    assert finding["reproduce"].startswith("kafka-conformance schema diff ")
    assert lines[-1]["exit_code"] == 1


def test_unstable_version_is_noted_and_fails_nothing(cli: Cli) -> None:
    ended = cli("schema", "diff", "3.6.2", "3.7.2", "--message", "ConsumerGroupHeartbeatRequest")

    assert ended.code == 0
    assert "note evolution.unstable-named" in ended.out
    assert "version now stable: ConsumerGroupHeartbeatRequest 0" in ended.out


def test_places_without_a_message_in_common_are_refused(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "A.json").write_text("{", "utf-8")

    ended = cli("schema", "diff", tmp_path / "A.json", "4.4.0")

    assert ended.code == 3
    assert "no message is in both" in ended.error
    assert "A.json: not JSON" in ended.error


def test_unknown_place_is_refused(cli: Cli) -> None:
    ended = cli("schema", "diff", "9.9.9", "4.4.0")

    assert ended.code == 3
    assert "9.9.9: no such folder, jar or file, nor a stored release" in ended.error


def test_history_is_a_table_of_versions_and_fields(cli: Cli) -> None:
    ended = cli("schema", "history", "AlterPartitionRequest")

    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in ended.out.splitlines()]
    assert ended.code == 0
    assert ["2.8.2", "3.1.2", "AlterIsrRequest", "0", "0", "0", ""] in rows
    assert ["PartitionEpoch", "3.2.3", "", "int32", "0+", "", "", ""] in rows
    assert ["(was CurrentIsrVersion)", "2.8.2", "3.1.2", "int32", "0+", "", "", ""] in rows


def test_history_for_machines(cli: Cli) -> None:
    found = json.loads(cli("schema", "history", "PartitionRecord", "--json").out)

    (field,) = [each for each in found["fields"] if each["field"] == "LastKnownElr"]
    assert [(each["from"], each["name"], each["tag"]) for each in field["states"]] == [
        ("3.7.2", "LastKnownELR", 2),
        ("3.8.1", "LastKnownElr", 2),
    ]


def test_history_of_an_unknown_message_names_near_ones(cli: Cli) -> None:
    ended = cli("schema", "history", "FetchReq")

    assert ended.code == 2
    assert ended.error.startswith("no stored release has a message 'FetchReq'")
    assert "FetchRequest" in ended.error
