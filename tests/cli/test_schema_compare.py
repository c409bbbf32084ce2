"""`schema compare` as a user meets it: forms, findings with bytes, exit codes, results."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from conformance.data import data_root
from conformance.definitions.mutants.foreign_samples import ENUMS, KAFKA, KMSG, RELEASE
from conformance.results.files import read_lines
from conformance.results.lines import Finding, Run, Verdict
from tests.cli.conftest import Ended, run

HEARTBEAT = KAFKA["HeartbeatRequest.json"]
WIDER = HEARTBEAT.replace('"Generation", "type": "int32"', '"Generation", "type": "int64"')
OTHER_NULL = HEARTBEAT.replace(
    '"string", "versions": "0+" },',
    """"string", "versions": "0+",
      "nullableVersions": "0+" },""",
    1,
)

OWN = """\
from conformance.definitions.foreign.interface import Imported
from conformance.schema.model import Field, Message, Type
from conformance.schema.versions import EVERY, NONE, Versions


class Lines:
    \"\"\"A message a file; a field a line.\"\"\"

    name = "lines"

    def detect(self, path):
        return path.suffix == ".lines"

    def read(self, path):
        fields = tuple(
            Field(name, Type(kind), EVERY, path=(number,))
            for number, line in enumerate(path.read_text().splitlines(), 1)
            for name, kind in [line.split()]
        )
        message = Message(path.stem, "request", 12, Versions(0, 0), NONE, fields)
        yield Imported(path.name, path.stem, message)
"""


def folder(path: Path, text: str = HEARTBEAT) -> Path:
    path.mkdir()
    (path / "HeartbeatRequest.json").write_text(text, encoding="utf-8")
    return path


def compare(*arguments: object, **kept: Any) -> Ended:
    return run("schema", "compare", *arguments, "--release", RELEASE, **kept)


def test_definitions_of_the_same_bytes_end_with_0(tmp_path):
    done = compare(folder(tmp_path / "theirs"), "--message", "HeartbeatRequest")

    assert done.code == 0
    assert done.out.endswith(": no failure\n1 definitions, 11 rules: 0 failed, 11 passed\n")


def test_a_finding_shows_what_one_side_writes_and_the_other_reads(tmp_path):
    done = compare(folder(tmp_path / "theirs", WIDER), "--message", "HeartbeatRequest")

    place, rule, _, _, writes, data, reads, *block = done.out.splitlines()
    assert done.code == 1
    assert place == (
        "HeartbeatRequest.json:7: Generation:"
        " int64 here, int32 in Kafka 4.3.1 (generationId, version 0-4)"
    )
    assert rule.startswith("    fail foreign.same-fields (must): ")
    assert writes.startswith("    Kafka 4.3.1 writes version 0: ")
    assert bytes.fromhex(data.split()[1])
    assert reads.startswith("    theirs refuses: ")
    assert block[0] == "theirs: 1 defect breaks the protocol"
    assert ": 1 failed, " in block[1]


@pytest.mark.parametrize(("profile", "code"), [("spec", 0), ("kafka", 1)])
def test_a_null_that_only_they_have_fails_by_the_profile_of_kafka(tmp_path, profile, code):
    theirs = folder(tmp_path / "theirs", OTHER_NULL)

    done = compare(theirs, "--profile", profile, "--message", "HeartbeatRequest")

    assert done.code == code
    assert "foreign.no-other-nulls (kafka)" in done.out


def test_the_form_of_franz_go_is_found_out(tmp_path):
    (tmp_path / "12_some").write_text(KMSG, encoding="utf-8")
    (tmp_path / "enums").write_text(ENUMS, encoding="utf-8")

    done = compare(tmp_path, "--class", "must")

    assert done.code == 0
    assert " 0 failed" in done.out


def test_an_importer_of_ones_own_is_found_beside_the_command(tmp_path):
    (tmp_path / "proxy_lines.py").write_text(OWN, encoding="utf-8")
    (tmp_path / "HeartbeatRequest.lines").write_text("Group string\nRound int64\nMember string\n")

    done = compare(
        "HeartbeatRequest.lines", "--format", "proxy_lines:Lines", "--class", "must", cwd=tmp_path
    )

    assert done.code == 1
    assert done.out.startswith("HeartbeatRequest.lines:2: Round: int64 here, int32 in Kafka 4.3.1")


def giving(words: str) -> str:
    """A module with an importer that does this where it reads."""
    return OWN.replace("        yield Imported(path.name, path.stem, message)", f"        {words}")


@pytest.mark.parametrize(
    ("module", "error"),
    [
        ("class Lines(:", "importer 'proxy_lines:Lines' can't be loaded: SyntaxError: "),
        ("exit(0)", "importer 'proxy_lines:Lines' can't be loaded: SystemExit: 0"),
        (
            OWN.replace('name = "lines"', "def __init__(self):\n        {}['what']"),
            "importer 'proxy_lines:Lines' can't be made: KeyError: 'what'",
        ),
        (giving("raise SystemExit(0)"), "importer lines broke off: SystemExit: 0"),
        (giving("yield None"), "importer lines gave what is no proper Imported: a NoneType"),
        (giving("yield Imported(1, 2, 3)"), "importer lines gave what is no proper Imported: "),
        (
            OWN.replace("Type(kind)", "Type('array')"),
            "importer lines gave what is no proper Imported: HeartbeatRequest: 'Group': an array",
        ),
        (
            giving("yield Imported(path.name, path.stem, message, lambda _: {}['line'])"),
            "importer lines broke off in line_of: KeyError: 'line'",
        ),
    ],
)
def test_an_importer_that_breaks_is_named_in_one_line(tmp_path, module, error):
    (tmp_path / "proxy_lines.py").write_text(module, encoding="utf-8")
    (tmp_path / "HeartbeatRequest.lines").write_text("Group string\nRound int64\nMember string\n")

    done = compare("HeartbeatRequest.lines", "--format", "proxy_lines:Lines", cwd=tmp_path)

    assert done.code == 2
    assert error in done.error
    assert not done.out


def test_of_one_file_only_what_is_in_it_is_told(tmp_path):
    theirs = folder(tmp_path / "theirs")

    alone, among = compare(theirs / "HeartbeatRequest.json"), compare(theirs)

    assert alone.out.endswith("\n1 definitions, 11 rules: 0 failed, 11 passed\n")
    assert "theirs: FetchRequest: not here; " in among.out


def test_a_jar_is_no_single_file(tmp_path):
    with ZipFile(tmp_path / "theirs.jar", "w") as jar:
        jar.writestr("common/message/HeartbeatRequest.json", HEARTBEAT)

    done = compare(tmp_path / "theirs.jar")

    assert "theirs.jar: FetchRequest: not here; " in done.out


def test_where_nothing_is_a_definition_there_is_nothing_to_compare(tmp_path):
    (tmp_path / "package.json").write_text('{"name": "proxy", "version": "1.0.0"}')

    done = compare(tmp_path)

    assert done.code == 3
    assert "can be understood as a definition: package.json:1: " in done.error


@pytest.mark.parametrize("others", [True, False])
def test_a_broken_definition_is_an_error_even_alone(tmp_path, others):
    theirs = folder(tmp_path / "theirs", HEARTBEAT.replace('"int32"', '"int31"'))
    if others:
        (theirs / "ApiVersionsResponse.json").write_text(KAFKA["ApiVersionsResponse.json"])

    done = compare(theirs, "--class", "must")

    assert done.code == 3
    assert done.out.startswith("HeartbeatRequest.json:7: Generation: unknown type 'int31'\n")


def test_the_nearest_release_is_found_by_the_versions(tmp_path):
    theirs = tmp_path / "theirs"
    theirs.symlink_to(Path(str(data_root())) / "schemas" / "3.9.2")
    results = tmp_path / "compare.ndjson"

    done = run("schema", "compare", theirs, "--release", "nearest", "-q", "--results", results)

    run_, *lines = read_lines(results)
    assert done.code == 0
    assert isinstance(run_, Run)
    assert run_.definitions == "3.9.2"
    assert {line.verdict for line in lines if isinstance(line, Verdict)} == {"pass"}


def test_results_say_how_to_see_it_again(tmp_path):
    results = tmp_path / "compare.ndjson"
    theirs = folder(tmp_path / "theirs", WIDER)

    compare(theirs, "--results", results)

    [finding] = [line for line in read_lines(results) if isinstance(line, Finding)]
    assert finding.rules == ["foreign.same-fields"]
    assert finding.reproduce == (
        f"kafka-conformance schema compare {theirs} --release {RELEASE} --rule foreign.same-fields"
    )


@pytest.mark.parametrize(
    ("arguments", "code", "error"),
    [
        (["nowhere"], 3, "no such folder or file"),
        (["empty"], 3, "holds no definitions in a form that is known"),
        (["theirs", "--format", "thrift"], 2, "no importer is called 'thrift'"),
        (["theirs", "--format", "no_such_module:Mine"], 2, "can't be loaded"),
        (["theirs", "--release", "0.8.0"], 2, "Kafka 0.8.0 are not stored"),
        (["theirs", "--rule", "tags.ascending"], 3, "no rule of definitions is left"),
    ],
)
def test_one_line_says_what_is_wrong(tmp_path, arguments, code, error):
    folder(tmp_path / "theirs")
    (tmp_path / "empty").mkdir()

    done = run("schema", "compare", *arguments, cwd=tmp_path)

    assert done.code == code
    assert error in done.error
