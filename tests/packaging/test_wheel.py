"""The wheel works alone: in an empty environment, away from the checkout."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def run(*command, cwd, **more):
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False, **more)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--wheel", "--outdir", str(folder), str(ROOT), cwd=ROOT)
    (found,) = folder.glob("*.whl")
    return found


def test_the_wheel_holds_every_data_file(wheel):
    inside = set(zipfile.ZipFile(wheel).namelist())
    tracked = run("git", "ls-files", "vectors", "schemas", "adapters", cwd=ROOT).splitlines()
    assert tracked
    assert {f"conformance/_data/{name}" for name in tracked} <= inside
    rules = {
        f"conformance/rules/{file.name}" for file in (ROOT / "conformance/rules").glob("*.toml")
    }
    assert rules
    assert rules <= inside


def test_the_wheel_holds_nothing_that_was_built(wheel):
    inside = zipfile.ZipFile(wheel).namelist()
    assert not [name for name in inside if "/target/" in name or "__pycache__" in name]


def test_the_gate_runs_from_an_empty_environment(wheel, tmp_path):
    home = tmp_path / "umgebung mit leerzeichen"
    run(sys.executable, "-m", "venv", str(home), cwd=tmp_path)
    binaries = home / "bin"
    run(str(binaries / "python"), "-m", "pip", "-q", "install", str(wheel), cwd=tmp_path)
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    clean["KAFKA_CONFORMANCE_CACHE"] = str(tmp_path / "cache")
    out = run(
        str(binaries / "kafka-conformance"),
        "codec",
        "reference",
        "--message",
        "MetadataResponse",
        cwd=tmp_path,
        env=clean,
    )
    assert "reference: no failure" in out
    assert "kio" in run(str(binaries / "kafka-conformance"), "targets", cwd=tmp_path, env=clean)
