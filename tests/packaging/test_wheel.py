"""The wheel works alone: in an empty environment, away from the checkout, in every Python."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from conformance.targets.toolchains import FUZZ, PIPELINE, Extra
from tests.machine import lacking, released_pythons
from tests.packaging.conftest import PART, ROOT, environment, install, run


def test_the_wheel_holds_every_data_file(wheel: Path) -> None:
    inside = set(zipfile.ZipFile(wheel).namelist())
    tracked = run("git", "ls-files", "vectors", "schemas", "adapters", cwd=ROOT).splitlines()
    assert tracked
    assert {f"conformance/_data/{name}" for name in tracked} <= inside
    rules = {
        file.relative_to(ROOT).as_posix() for file in (ROOT / "conformance/rules").rglob("*.toml")
    }
    assert rules
    assert rules <= inside


def test_the_wheel_holds_nothing_that_was_built(wheel: Path) -> None:
    inside = zipfile.ZipFile(wheel).namelist()
    assert not [name for name in inside if "/target/" in name or "__pycache__" in name]


def test_the_first_commands_run_from_an_empty_environment(installed: Path, tmp_path: Path) -> None:
    clean = environment(KAFKA_CONFORMANCE_CACHE=tmp_path / "cache")
    command = installed / "kafka-conformance"

    assert "What do you have?" in run(command, cwd=tmp_path, env=clean)
    told = json.loads(run(command, "doctor", "--json", cwd=tmp_path, env=clean))
    [extra] = [each for each in told if each["name"] == "atheris"]
    assert (extra["lacks"], extra["remedy"]) == ("missing", FUZZ.remedy)
    assert "kio" in run(command, "targets", cwd=tmp_path, env=clean)
    quick = run(command, "codec", "reference", "--quick", cwd=tmp_path, env=clean)
    assert "reference 0.1.0: no failure\n" in quick


def ended(*words: str | Path, cwd: Path, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(words, cwd=cwd, env=env, capture_output=True, text=True, check=False)


TO_FIND = (
    "codec",
    "conformance.codecs.mutants:TagSizePlusOne",
    "--rule",
    "tags.size*",
    "--message",
    "ApiVersionsRequest",
)


@pytest.mark.parametrize(
    ("words", "extra"),
    [
        ("fuzz reference --time 1", FUZZ),
        ("campaign reference --cases 10 -o run", PIPELINE),
        ("fuzz reference --master local[1] -o run", PIPELINE),
        ("audit some.pcap --master local[1]", PIPELINE),
        ("triage found.ndjson --master local[1]", PIPELINE),
        ("triage found.ndjson -o causes", PIPELINE),
        ("site campaign -o site", PIPELINE),
        ("vectors mint --into new --master local[1]", PIPELINE),
    ],
)
def test_a_missing_extra_is_one_line_with_the_command_that_installs_it(
    installed: Path, tmp_path: Path, words: str, extra: Extra
) -> None:
    clean = environment(KAFKA_CONFORMANCE_CACHE=tmp_path / "cache")
    command = installed / "kafka-conformance"
    if "found.ndjson" in words:
        ended(command, *TO_FIND, "--results", "found.ndjson", cwd=tmp_path, env=clean)
    (tmp_path / "campaign" / "runs").mkdir(parents=True)
    (tmp_path / "some.pcap").write_bytes(b"")
    done = ended(command, *words.split(), cwd=tmp_path, env=clean)
    assert done.returncode == 2
    [line] = done.stderr.splitlines()
    assert line.endswith(f"({extra.remedy})")
    assert "not installed" in line
    assert done.stdout == ""


def test_triage_tells_causes_without_spark(installed: Path, tmp_path: Path) -> None:
    clean = environment(KAFKA_CONFORMANCE_CACHE=tmp_path / "cache")
    command = installed / "kafka-conformance"
    for words in ((*TO_FIND, "--results", "found.ndjson"), ("triage", "found.ndjson")):
        done = ended(command, *words, cwd=tmp_path, env=clean)
        assert (done.returncode, done.stderr) == (1, "")
    assert "tags.size-is-plain-length" in done.stdout


def test_blanks_and_letters_beyond_ascii_in_every_path(installed: Path, tmp_path: Path) -> None:
    here = tmp_path / "ein Ordner (größer) мой"
    here.mkdir()
    clean = environment(KAFKA_CONFORMANCE_CACHE=here / "ein Cache, 缓存")
    command = installed / "kafka-conformance"
    results = here / "Ergebnisse für dich.ndjson"

    assert "no failure" in run(*(command, *PART, "--results", results), cwd=here, env=clean)
    assert json.loads(results.read_text("utf-8").splitlines()[-1])["verdicts"]["pass"] > 500
    assert len(list((here / "ein Cache, 缓存" / "wire").rglob("*.py"))) > 5
    run(command, "smoke", "kio", cwd=here, env=clean)


def test_a_checkout_in_a_folder_with_blanks(tmp_path: Path) -> None:
    here = tmp_path / "ein Auszug, größer"
    for name in ("conformance", "vectors", "schemas", "adapters"):
        shutil.copytree(ROOT / name, here / name, ignore=shutil.ignore_patterns("__pycache__"))
    clean = environment(KAFKA_CONFORMANCE_CACHE=tmp_path / "cache", PYTHONPATH=here)

    where = "import conformance.data as d; print(d.data_root())"
    assert run(sys.executable, "-c", where, cwd=tmp_path, env=clean).strip() == str(here)
    command = (sys.executable, "-m", "conformance.cli", *PART)
    assert "no failure" in run(*command, cwd=here, env=clean)


FROM_A_ZIP = """
import json, sys
sys.path.insert(0, "kafka_conformance.zip")
import conformance
assert conformance.__file__.startswith(sys.path[0]), conformance.__file__
from conformance.codecs.cases.vectors import read_vectors
from conformance.reference.codec import ReferenceCodec
from conformance.rules import catalogue
from conformance.targets.registry import names, serve_path
codec, read = ReferenceCodec(), 0
for vector in read_vectors("FindCoordinatorRequest"):
    if vector.header is None:
        value, left = codec.decode(vector.message, vector.version, vector.data)
        assert (value, left) == (vector.value, 0), vector.id
        read += 1
print(json.dumps([read, len(catalogue()), names(), str(serve_path())]))
"""


def test_the_package_works_from_within_a_zip(wheel: Path, tmp_path: Path) -> None:
    shutil.copy(wheel, tmp_path / "kafka_conformance.zip")
    clean = environment(KAFKA_CONFORMANCE_CACHE=tmp_path / "cache")
    out = run(sys.executable, "-c", FROM_A_ZIP, cwd=tmp_path, env=clean)

    read, rules, adapters, serve = json.loads(out)
    assert read > 5
    assert rules > 50
    assert {"kafka-clients", "kio"} <= set(adapters)
    assert Path(serve).is_file()


def test_the_suite_runs_from_within_a_zip(wheel: Path, tmp_path: Path) -> None:
    zipped = shutil.copy(wheel, tmp_path / "kafka_conformance.zip")
    clean = environment(KAFKA_CONFORMANCE_CACHE=tmp_path / "cache", PYTHONPATH=zipped)
    command = (sys.executable, "-m", "conformance.cli")

    assert "no failure" in run(*command, *PART, cwd=tmp_path, env=clean)
    assert "no failure" in run(*command, *PART, "-n", 2, cwd=tmp_path, env=clean)
    assert "tags." in run(*command, "rules", "list", cwd=tmp_path, env=clean)


def test_the_gate_runs_in_the_newest_python(wheel: Path, tmp_path: Path) -> None:
    version, python = max(released_pythons())
    if version[:2] == sys.version_info[:2]:
        lacking(f"no Python newer than the running {sys.version_info[0]}.{sys.version_info[1]}")
    binaries = install(wheel, python, tmp_path / "newest")
    clean = environment(KAFKA_CONFORMANCE_CACHE=tmp_path / "cache")

    out = run(binaries / "python", "-V", cwd=tmp_path, env=clean)
    assert out.split()[1] == ".".join(map(str, version))
    assert "no failure" in run(binaries / "kafka-conformance", *PART, cwd=tmp_path, env=clean)
