"""Whatever is wrong with what a user gives: one clear line, its remedy, and the exit code."""

from __future__ import annotations

import shutil
import stat
import zipfile
from pathlib import Path

import pytest

from conformance.data import data_root
from tests.cli.conftest import Cli, program

QUICK = ("--message", "ControlledShutdownResponse")


@pytest.mark.parametrize(
    ("arguments", "code", "text"),
    [
        (["kafka-client"], 2, "no target 'kafka-client' (did you mean 'kafka-clients'"),
        (
            ["kio@0.0.1"],
            2,
            "the adapter kio has no version '0.0.1' (any from 0.5.0 on; tried: 0.6.5)",
        ),
        (["./adapter"], 2, "put it after two dashes: -- ./adapter)"),
        (["unimportable:Codec"], 3, "No module named 'no_such_library' (is it in "),
        (["no_such_module:Codec"], 3, "cannot import 'no_such_module'"),
        (["faulty:Gone"], 3, "'faulty' has no 'Gone'"),
        (["faulty:not_a_codec"], 3, "int has no method hello"),
        (["--", "./no-such-program"], 2, "there is no program ./no-such-program (looked for"),
        (["--", "true"], 3, "true exited with status 0 before it answered hello (it must answer"),
        (["--", "echo", "hello"], 3, "the answer to hello is not JSON: 'hello' (stdout carries"),
        (["--", "true", "\udcff"], 2, "a word of the command line is not UTF-8"),
        (["reference", "--message", "MetadataReq"], 2, "'MetadataReq' (did you mean MetadataReq"),
        (["reference", "--rule", "tags.nothing-such"], 2, "no rule matches 'tags.nothing-such'"),
        (["reference", "--class", "may"], 2, "there is no class of rules 'may' (the classes are"),
        (["reference", "--case", "Metadata-v0-x/decode"], 2, "no message 'Metadata' (did you mean"),
        (["reference", "--api-version", "99", *QUICK], 3, "nothing is selected that reference"),
        (["reference", "--case", "MetadataRequest-v1-x/decode"], 3, "nothing is selected"),
        (["reference", "--case", "MetadataRequest-v1-filled/x"], 3, "nothing is selected"),
        (["reference", "-k", "nothing", *QUICK], 3, "nothing is selected"),
        (["reference", "--rule", "compact.*", "--class", "lenient"], 3, "no rule is of both"),
        (["reference", "-k", "a and (", *QUICK], 2, "Wrong expression passed to '-k': a and ("),
        (program("nothing"), 3, "nothing is selected that -- "),
    ],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, list) else "",
)
def test_one_line_says_what_is_wrong(cli: Cli, arguments: list[str], code: int, text: str) -> None:
    ended = cli("codec", *arguments)
    assert (ended.code, ended.out) == (code, "")
    assert ended.err.startswith("kafka-conformance: ")
    assert text in ended.error


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ([], "name a target, or a command after two dashes"),
        (["--"], "or one command after two dashes"),
        (["reference", "--", "true"], "give targets by name, or one command after two dashes"),
        (["reference", "-n", "some"], "'some' is neither a number of processes nor `auto`"),
        (["reference", "-n", "-1"], "'-1' is neither a number of processes nor `auto`"),
        (["reference", "--timeout", "0"], "0.0 is not in the range x>0"),
        (["reference", "--memory", "0"], "0 is not in the range x>=1"),
        (["reference", "--profile", "none"], "'none' is not one of 'spec', 'kafka'"),
        (["reference", "--no-such-option"], "No such option '--no-such-option'"),
        (["reference", "kio", "--results", "x"], "take one target at a time"),
        (["reference", "kio", "--name", "x"], "take one target at a time"),
        (["reference", "--name", " "], "it is blank"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_wrong_usage_ends_with_2(cli: Cli, arguments: list[str], text: str) -> None:
    ended = cli("codec", *arguments)
    assert (ended.code, ended.out) == (2, "")
    assert text in ended.err


@pytest.mark.parametrize(
    ("how", "text"),
    [
        ("rubbish", "answers in a row break the testee protocol, the last: not JSON"),
        ("wrong-id", "answers come in the order of the requests"),
        ("out-of-order", "answers come in the order of the requests"),
        ("dies", "5 requests in a row ended in crashed, the last: exited with status 139"),
    ],
)
def test_a_testee_that_can_not_be_kept_alive_ends_with_3(
    cli: Cli, tmp_path: Path, how: str, text: str
) -> None:
    results = tmp_path / "results.ndjson"
    ended = cli("codec", "--results", results, *program(how))
    assert (ended.code, ended.err) == (3, "")
    closing = " ".join(ended.out.split())
    assert "not judged to the end: " in closing
    assert text in closing
    assert '"type":"run"' in results.read_text()
    assert '"type":"summary"' not in results.read_text()


def test_workers_tell_why_a_target_was_lost(cli: Cli) -> None:
    ended = cli("codec", "-n", "2", *program("rubbish"))
    assert ended.code == 3
    assert "break the testee protocol, the last: not JSON" in " ".join(ended.out.split())


def test_workers_tell_which_expression_they_refuse(cli: Cli) -> None:
    ended = cli("codec", "reference", "-n", "2", "-k", "a and (", *QUICK)
    assert ended.code == 3
    assert "Wrong expression passed to '-k'" in " ".join(ended.out.split())


@pytest.mark.parametrize("option", ["--results", "--junit", "--allure"])
def test_what_can_not_be_written_is_said_before_the_run(
    cli: Cli, tmp_path: Path, option: str
) -> None:
    (tmp_path / "file").touch()
    place = tmp_path / "file" / "results"
    ended = cli("codec", "faulty:Slow", option, place)
    assert (ended.code, ended.out) == (2, "")
    assert ended.error.startswith(f"{place}: Not a directory (choose a ")


def test_results_do_not_go_onto_a_folder(cli: Cli, tmp_path: Path) -> None:
    ended = cli("codec", "faulty:Slow", "--results", tmp_path)
    assert (ended.code, ended.out) == (2, "")
    assert ended.error == f"{tmp_path}: Is a directory (choose a place that can be written)"


def test_a_mistake_leaves_earlier_results_alone(cli: Cli, tmp_path: Path) -> None:
    results = tmp_path / "results.ndjson"
    results.write_text("earlier\n")
    assert cli("codec", "faulty:Gone", "--results", results).code == 3
    assert results.read_text() == "earlier\n"
    assert cli("codec", "faulty:Gone", "--results", tmp_path / "new").code == 3
    assert not (tmp_path / "new").exists()


def test_a_full_disk_is_said_and_what_was_judged_is_shown(cli: Cli) -> None:
    ended = cli("codec", "reference", *QUICK, "--results", "/dev/full")
    assert ended.code == 2
    assert ended.error == "/dev/full: No space left on device (free some room)"
    assert ": no failure" in ended.out
    assert stat.S_ISCHR(Path("/dev/full").stat().st_mode)


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A copy of the package with vectors of its own, for PYTHONPATH."""
    root = Path(str(data_root()))
    ignored = shutil.ignore_patterns("__pycache__", "_data")
    shutil.copytree(root / "conformance", tmp_path / "conformance", ignore=ignored)
    (tmp_path / "schemas").symlink_to(root / "schemas")
    (tmp_path / "vectors").mkdir()
    shutil.copy(root / "vectors" / "ControlledShutdownResponse.jsonl", tmp_path / "vectors")
    return tmp_path


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        ('"bytes":"', '"bytes":"0', "non-hexadecimal number found"),
        ('"message":"Controlled', '"message":"Other', "a vector of Other"),
        ('"covers":', '"covered":', "Object missing required field `covers`"),
        ("{", "", "Expected `object`"),
        (',"comment"', ',,"comment"', "JSON is malformed"),
    ],
)
def test_a_broken_vector_file_is_told_with_file_and_line(
    cli: Cli, package: Path, old: str, new: str, text: str
) -> None:
    file = package / "vectors" / "ControlledShutdownResponse.jsonl"
    lines = file.read_text("utf-8").splitlines(keepends=True)
    lines[2] = lines[2].replace(old, new, 1)
    file.write_text("".join(lines), "utf-8")
    ended = cli("codec", "reference", PYTHONPATH=str(package), cwd=package)
    assert (ended.code, ended.out) == (2, "")
    assert f"{file}:3: " in ended.error
    assert text in ended.error
    assert "mend the line, or mint the vectors again" in ended.error


def test_a_vector_id_that_is_there_twice_is_told(cli: Cli, package: Path) -> None:
    file = package / "vectors" / "ControlledShutdownResponse.jsonl"
    text = file.read_text("utf-8")
    file.write_text(text + text.splitlines(keepends=True)[0], "utf-8")
    ended = cli("codec", "reference", PYTHONPATH=str(package), cwd=package)
    assert ended.code == 2
    assert "is there twice" in ended.error


def test_a_jar_without_definitions_is_told(cli: Cli, tmp_path: Path) -> None:
    jar = tmp_path / "empty.jar"
    with zipfile.ZipFile(jar, "w") as file:
        file.writestr("META-INF/MANIFEST.MF", "")
    ended = cli("schema", "import", "9.9.9", "--jar", jar, "--into", tmp_path)
    assert ended.code == 2
    assert str(jar) in ended.error
    broken = tmp_path / "broken.jar"
    broken.write_text("no zip")
    ended = cli("schema", "import", "9.9.9", "--jar", broken, "--into", tmp_path)
    assert ended.code == 2
    assert str(broken) in ended.error
    assert cli("schema", "import", "9.9.9", "--jar", tmp_path / "none.jar").code == 2


def test_an_unknown_release_is_told(cli: Cli) -> None:
    ended = cli("schema", "list", "1.2.3")
    assert ended.code == 2
    assert "the definitions of Kafka 1.2.3 are not stored (stored are: 4." in ended.error


def test_an_unknown_vector_is_told(cli: Cli) -> None:
    for identifier in ("MetadataRequest-v0-nothing", "Nothing-v0-x", "../x"):
        ended = cli("vectors", "show", identifier)
        assert (ended.code, ended.out) == (2, "")
        assert ended.error


def test_an_unknown_rule_is_told(cli: Cli) -> None:
    ended = cli("rules", "show", "tags.unknown-skiped")
    assert ended.code == 2
    assert "did you mean tags.unknown-skipped" in ended.error


def test_smoke_names_each_mistake(cli: Cli) -> None:
    ended = cli("smoke", *program("wrong-id"))
    assert ended.code == 3
    assert ended.out.splitlines()[-1].endswith("failed")
