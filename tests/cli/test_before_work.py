"""What was mistyped, or is missing, is said before anything is built or started."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import run

KINDS = {
    "codec": ["codec", "kio"],
    "broker": ["broker", "--start", "kafka:4.3.1"],
    "client": ["client", "kafka-python"],
    "proxy": ["proxy", "--start", "reference"],
}
MISTAKES = {
    "rule": (["--rule", "tag.*"], "no rule matches 'tag.*' (did you mean tags.*?)"),
    "class": (["--class", "mast"], "there is no class of rules 'mast' (did you mean must?)"),
    "message": (["--message", "MetadataRequst"], "did you mean MetadataRequest"),
    "known": (["--known", "nowhere.toml"], "nowhere.toml"),
    "results": (["--results", "nowhere/r.ndjson"], "nowhere/r.ndjson"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
@pytest.mark.parametrize("kind", KINDS)
def test_a_mistake_is_refused_before_anything_is_started(tmp_path: Path, kind: str, mistake: str):
    options, said = MISTAKES[mistake]
    empty = str(tmp_path)  # no Java, no builds: what is built or started would fail otherwise
    done = run(*KINDS[kind], *options, cwd=tmp_path, PATH=empty, KAFKA_CONFORMANCE_CACHE=empty)
    assert done.code == 2, done
    assert said in done.error


def test_a_missing_java_is_said_of_a_broker_that_needs_it(tmp_path: Path):
    done = run("broker", "--start", "kafka:4.3.1", cwd=tmp_path, PATH=str(tmp_path))
    assert done.code == 3, done
    assert "needs java on the PATH (install a Java runtime" in done.error


@pytest.mark.parametrize(("typed", "meant"), [("brokr", "broker"), ("finding", "findings")])
def test_a_mistyped_command_is_told_with_the_one_that_was_meant(typed: str, meant: str):
    done = run(typed)
    assert done.code == 2
    assert f"there is no command {typed!r}: did you mean {meant}" in done.err


def test_a_mistyped_option_is_told_with_the_one_that_was_meant():
    assert "--rule" in run("codec", "reference", "--rul", "x").err


def test_a_mistyped_message_is_told_by_the_fuzzer(tmp_path: Path):
    done = run("fuzz", "reference", "--message", "MetadataRequst", cwd=tmp_path)
    assert "did you mean 'MetadataRequest'" in done.err
