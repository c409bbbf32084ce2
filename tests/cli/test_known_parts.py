"""A part of a run that is clean as a whole is clean, and a list hides no second defect."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from conformance.codecs.crash_limit import is_skipped
from conformance.results.files import read_lines
from conformance.results.known import read_known
from conformance.results.lines import Line, Verdict
from tests.cli.conftest import Cli
from tests.packaging.conftest import once, shared

__all__ = ["shared"]

CODEC = ("codec", "--rule", "tags.*", "--rule", "primitives.null-array")
TESTEE = ("--", sys.executable, "-S", "testee.py", "dies-of-tags")
BROKER = ("broker", "--start", "mutant:OldHeaderOfFlexibleAnswers")
CLIENT = ("client", "mutant:SilentWhereNothingIsCommon")
PLAYED = (
    *("--message", "MetadataRequest", "--message", "CreateTopicsRequest"),
    *("--rule", "client-versions.nothing-in-common-*", "--rule", "client-versions.highest-of-both"),
)


@pytest.fixture(scope="module")
def codec(cli: Cli, shared: Path) -> Path:
    return listed(cli, shared / "known-codec", CODEC, TESTEE)


@pytest.fixture(scope="module")
def broker(cli: Cli, shared: Path) -> Path:
    return listed(cli, shared / "known-broker", BROKER)


@pytest.fixture(scope="module")
def client(cli: Cli, shared: Path) -> Path:
    return listed(cli, shared / "known-client", (*CLIENT, *PLAYED))


def listed(cli: Cli, folder: Path, command: tuple[str, ...], target: tuple[str, ...] = ()) -> Path:
    """The list of what a whole run fails, which all processes of a test run share."""

    def make(folder: Path) -> None:
        folder.mkdir()
        done = cli(*command, "--known", folder / "known.toml", "--update-known", *target)
        assert done.code == 0, done.out

    return once(folder, make) / "known.toml"


PARTS = [
    ("-n", "2"),
    ("--message", "VoteResponse"),
    ("--api-version", "2"),
    ("--case", "MetadataRequest-v2-null-topics/roundtrip"),
    ("--case", "VoteResponse-v1-unknown-tag/roundtrip"),
]


@pytest.mark.parametrize("part", PARTS, ids=map(" ".join, PARTS))
def test_of_a_codec_that_dies_more_often_than_is_asked(
    cli: Cli, codec: Path, part: tuple[str, ...]
) -> None:
    assert any(entry.not_all_asked for entry in read_known(codec))
    ended = cli(*CODEC, *part, "--known", codec, *TESTEE)
    assert ended.code == 0, ended.out
    assert "did not happen" not in ended.out


@pytest.mark.parametrize(
    "part",
    [
        ("--quick",),
        ("--rule", "response-header.flexible-adds-tags"),
        ("--api-version", "3"),
        ("--case", "FindCoordinatorRequest-v4/whole-answer"),
    ],
    ids=" ".join,
)
def test_of_a_broker(cli: Cli, broker: Path, part: tuple[str, ...]) -> None:
    assert read_known(broker)
    ended = cli(*BROKER, *part, "--known", broker)
    assert (ended.code, "nothing new" in ended.out) == (0, True), ended.out


@pytest.mark.parametrize(
    "part",
    [
        ("--rule", "client-versions.nothing-in-common-fails", "--message", "MetadataRequest"),
        ("--case", "MetadataRequest/metadata-out-of-reach"),
    ],
    ids=" ".join,
)
def test_of_a_client(cli: Cli, client: Path, part: tuple[str, ...]) -> None:
    assert read_known(client)
    ended = cli(*CLIENT, *part, "--known", client)
    assert (ended.code, "nothing new" in ended.out) == (0, True), ended.out


def test_a_second_defect_in_a_message_with_a_known_one_fails_the_run(
    cli: Cli, tmp_path: Path
) -> None:
    """Both fail the same rule on the same versions of the same message."""
    known, one_rule = tmp_path / "known.toml", ("--rule", "primitives.null-array")
    first = ("codec", "faulty:RefusesNulls", *one_rule, "--known", known)
    assert cli(*first, "--update-known").code == 0
    second = cli("codec", "faulty:RefusesNullsAndWritesNone", *first[2:])
    assert second.code == 1
    assert "MetadataRequest-v1-null-topics/encode" in second.out
    assert "MetadataRequest-v1-null-topics/decode" not in second.out


@pytest.fixture(scope="module")
def released(cli: Cli, shared: Path) -> Path:
    """What kio fails on two messages, on which it crashes as well."""
    messages = ("--message", "SaslHandshakeResponse", "--message", "VoteRequest")
    return listed(cli, shared / "known-kio", ("codec", "kio", *messages))


@pytest.mark.parametrize(
    "part",
    [
        ("--message", "SaslHandshakeResponse"),
        ("--message", "SaslHandshakeResponse", "--api-version", "1"),
        ("--message", "VoteRequest", "--rule", "tags.unknown-skipped"),
    ],
    ids=" ".join,
)
def test_of_a_released_codec(cli: Cli, released: Path, part: tuple[str, ...]) -> None:
    assert "crash" in {entry.verdict for entry in read_known(released)}
    ended = cli("codec", "kio", *part, "--known", released)
    assert (ended.code, "nothing new" in ended.out) == (0, True), ended.out


@pytest.mark.parametrize("how", ["dies-of-tags", "dies-of-quorums"])
def test_of_a_codec_that_dies_often_workers_write_the_lines_of_one_process(
    cli: Cli, tmp_path: Path, how: str
) -> None:
    """Each of them sees too few crashes to leave out what one process leaves out.

    Of quorums: the second worker begins with a message of which every case ends the codec.
    """

    def lines(workers: str) -> list[Line]:
        file = tmp_path / workers
        assert cli(*CODEC, "-n", workers, "--results", file, *TESTEE[:-1], how).code == 1
        return list(read_lines(file))[1:-1]

    one = lines("0")
    assert any(isinstance(line, Verdict) and is_skipped(line) for line in one)
    assert lines("2") == one
