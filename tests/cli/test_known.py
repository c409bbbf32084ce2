"""Failures that are known fail no run; news does, and so does a failure that does not happen."""

from __future__ import annotations

from pathlib import Path

import pytest

import conformance
from conformance.results.known import read_known
from tests.cli.conftest import Cli, Ended

VERSIONS = ("--message", "MetadataRequest", "--api-version", 1, "--api-version", 2)


@pytest.fixture(scope="module")
def listed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("known") / "known.toml"


@pytest.fixture(scope="module")
def updated(cli: Cli, listed: Path) -> Ended:
    return cli("codec", "faulty:RefusesNulls", *VERSIONS, "--known", listed, "--update-known")


def test_an_update_lists_what_fails_and_ends_with_0(updated: Ended, listed: Path) -> None:
    assert (updated.code, updated.err) == (0, "")
    cases = "null-topics/decode null-topics/roundtrip [refused]: MetadataRequest 1-2"
    assert [(entry.rule, entry.cases.strip()) for entry in read_known(listed)] == [
        ("primitives.null-array", cases),
        ("versions.nullable-from-version", cases),
    ]


def test_what_is_listed_is_nothing_new(cli: Cli, updated: Ended, listed: Path) -> None:
    ended = cli("codec", "faulty:RefusesNulls", *VERSIONS, "--known", listed)
    assert ended.code == 0
    assert ": nothing new, its failures are known\n" in ended.out
    assert "again:" not in ended.out


def test_what_is_not_listed_fails_the_run_and_alone_is_shown(
    cli: Cli, updated: Ended, listed: Path, tmp_path: Path
) -> None:
    shorter = tmp_path / "known.toml"
    shorter.write_text(listed.read_text().replace(" 1-2", " 1"))
    ended = cli("codec", "faulty:RefusesNulls", *VERSIONS, "--known", shorter)
    assert ended.code == 1
    assert ": 1 new defect breaks the protocol\n" in ended.out
    assert "MetadataRequest-v2-null-topics/decode" in ended.out
    assert "MetadataRequest-v1-null-topics/decode" not in ended.out


def test_what_is_listed_and_passes_fails_the_run(
    cli: Cli, updated: Ended, listed: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "known.toml"
    copy.write_text(listed.read_text())
    ended = cli("codec", "faulty:Right", *VERSIONS, "--known", copy)
    assert ended.code == 1
    cases = "null-topics/decode null-topics/roundtrip [refused]: MetadataRequest 1-2"
    stale = f"fail of primitives.null-array on {cases}"
    assert f"known, and did not happen: {stale}\n" in ended.out
    assert ": no failure; 8 known failures did not happen\n" in ended.out
    assert cli("codec", "faulty:Right", *VERSIONS, "--known", copy, "--update-known").code == 0
    assert read_known(copy) == []


def test_a_selection_leaves_the_rest_of_the_list_alone(
    cli: Cli, updated: Ended, listed: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "known.toml"
    copy.write_text(listed.read_text())
    one = ("codec", "faulty:RefusesNulls", *VERSIONS[:4], "--known", copy)
    assert cli(*one).code == 0
    assert cli(*one, "--update-known").code == 0
    assert read_known(copy) == read_known(listed)


@pytest.mark.parametrize("text", ["[[known]", "[[knwon]]\nrule = 'x'\n", "[[known]]\nrule = 1\n"])
def test_a_broken_list_ends_with_2_before_anything_runs(
    cli: Cli, tmp_path: Path, text: str
) -> None:
    path = tmp_path / "known.toml"
    path.write_text(text)
    ended = cli("codec", "faulty:RefusesNulls", "--known", path)
    assert (ended.code, ended.out) == (2, "")
    assert ended.error.startswith(f"{path}: ")


def test_a_list_that_is_not_there_ends_with_2(cli: Cli, tmp_path: Path) -> None:
    ended = cli("codec", "reference", "--known", tmp_path / "none.toml")
    assert ended.code == 2
    assert "No such file or directory (--update-known makes one)" in ended.error


def test_an_update_needs_a_file(cli: Cli) -> None:
    ended = cli("codec", "reference", "--update-known")
    assert ended.code == 2
    assert "--update-known needs --known FILE" in ended.err


def test_targets_without_a_folder_get_no_bundled_list(cli: Cli) -> None:
    bundled = ("--known", "bundled", "--update-known")
    assert cli("codec", "reference", "faulty:Right", *VERSIONS, *bundled).code == 0
    assert not (Path(conformance.__file__).parent.parent / "adapters" / "reference").exists()
