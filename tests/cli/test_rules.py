"""`kafka-conformance rules`: the catalogue and the clauses, for people and for programs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conformance.rules.pages import pages
from tests.cli.conftest import Cli


@pytest.mark.parametrize("command", ["clauses", "pages"])
def test_each_has_help_with_examples(cli: Cli, command: str) -> None:
    ended = cli("rules", command, "--help")
    assert (ended.code, ended.err) == (0, "")
    assert f"  kafka-conformance rules {command}" in ended.out


def test_rules_are_listed_by_target_and_group(cli: Cli) -> None:
    listed = json.loads(
        cli("rules", "list", "--applies", "broker", "--group", "request-header", "--json").out
    )
    assert listed
    assert all(rule["group"] == "request-header" for rule in listed)
    assert all("broker" in rule["applies"] for rule in listed)


def test_disputed_rules_are_listed_with_who_holds_what(cli: Cli) -> None:
    every = json.loads(cli("rules", "list", "--group", "tags", "--json").out)
    listed = json.loads(cli("rules", "list", "--group", "tags", "--disputed", "--json").out)
    assert listed == [rule for rule in every if rule.get("disputed")]
    assert 0 < len(listed) < len(every)
    shown = " ".join(
        cli("rules", "list", "--disputed", listed[0]["id"], COLUMNS="1000").out.split()
    )
    assert f"disputed: {listed[0]['disputed']}" in shown


def test_an_id_in_a_list_is_whole(cli: Cli) -> None:
    narrow = cli("rules", "list", "--class", "must", COLUMNS="60")
    assert narrow.code == 0, narrow.err
    assert "tags.ascending" in narrow.out
    assert "…" not in narrow.out


def test_a_codec_is_both_of_its_directions(cli: Cli) -> None:
    def ids(*arguments: str) -> set[str]:
        return {rule["id"] for rule in json.loads(cli("rules", "list", "--json", *arguments).out)}

    directions = ids("--applies", "codec-decode", "--applies", "codec-encode")
    assert ids("--applies", "codec") == directions


def test_a_list_ends_with_its_number(cli: Cli) -> None:
    assert cli("rules", "list", "tags.ascending").out.splitlines()[-1] == "1 rule"


def test_a_rule_is_shown_as_json_with_its_clauses(cli: Cli) -> None:
    [rule] = json.loads(cli("rules", "show", "tags.ascending", "--json").out)
    assert (rule["id"], rule["class"]) == ("tags.ascending", "must")
    assert "KIP-482/40" in rule["clauses"]


def test_a_rule_is_shown_with_its_clauses(cli: Cli) -> None:
    assert "  clauses: KIP-482/" in cli("rules", "show", "tags.ascending").out


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ("tag.ascending", "tags.ascending"),
        ("tags.asending", "tags.ascending"),
        ("ascending", "tags.ascending"),
    ],
)
def test_an_unknown_rule_is_refused_with_a_near_one(cli: Cli, asked: str, meant: str) -> None:
    ended = cli("rules", "show", asked)
    assert ended.code == 2
    assert ended.error.startswith(f"no rule matches {asked!r} (did you mean {meant}")


def test_what_is_like_no_rule_is_refused_with_the_way_to_all(cli: Cli) -> None:
    assert cli("rules", "show", "zzz").error == (
        "no rule matches 'zzz' (list them with `rules list`)"
    )


def test_unknown_targets_and_groups_are_refused(cli: Cli) -> None:
    assert "the targets are codec-decode" in cli("rules", "list", "--applies", "router").error
    assert "groups are acls, api-versions, " in cli("rules", "list", "--group", "nothing").error


def test_clauses_are_listed_and_counted(cli: Cli) -> None:
    listed = cli("rules", "clauses", "KIP-699")
    assert listed.code == 0
    assert "KIP-699/1 " in listed.out
    assert "KIP-482/" not in listed.out
    assert " clauses: " in listed.out.splitlines()[-1]
    assert max(map(len, listed.out.splitlines())) <= 100


def test_a_clause_is_told_as_json(cli: Cli) -> None:
    [clause] = json.loads(cli("rules", "clauses", "KIP-511/20", "--json").out)
    assert (clause["id"], clause["status"]) == ("KIP-511/20", "unobservable")


def test_an_unknown_kip_is_refused_with_those_there_are(cli: Cli) -> None:
    ended = cli("rules", "clauses", "KIP-35")
    assert ended.code == 2
    assert ended.error.endswith("(there are those of KIP-4, KIP-482, KIP-511, KIP-699)")


def test_pages_are_written(cli: Cli, tmp_path: Path) -> None:
    folder = tmp_path / "docs" / "rules"
    assert cli("rules", "pages", folder).code == 0
    assert {file.name: file.read_text("utf-8") for file in folder.iterdir()} == pages()


def test_a_rule_is_shown_with_what_to_do_and_an_example_in_bytes(cli: Cli) -> None:
    shown = cli("rules", "show", "compact.null-is-zero").out
    assert "what to do: Write null as the single byte 0" in shown
    assert "right: 00\n" in shown
    assert "wrong: ff ff ff ff 0f\n" in shown
    [rule] = json.loads(cli("rules", "show", "compact.null-is-zero", "--json").out)
    assert rule["example"]["rows"][0]["wrong"] == "ff"


def test_a_rule_that_bytes_cannot_show_says_why(cli: Cli) -> None:
    shown = cli("rules", "show", "tags.unknown-by-the-thousand").out
    assert "no example: a thousand tagged fields" in shown
