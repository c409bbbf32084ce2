"""The standalone archive is whole, always the same, and read alike in five languages."""

import gzip
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tomllib
from io import BytesIO
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from conformance import __version__, data
from conformance.codecs.cases.archive import TOP, contents, pack
from conformance.codecs.cases.vectors import VectorError, all_vectors
from conformance.data import cache_dir, data_root
from tests.machine import lacking

ROOT = Path(__file__).parents[3]
READERS = {
    "python": [sys.executable, "read.py"],
    "node": ["node", "read.mjs"],
    "go": ["go", "run", "read.go"],
    "javac": ["java", "Read.java"],
    "cargo": ["cargo", "run", "--quiet", "--"],
}


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory):
    folder = tmp_path_factory.mktemp("archive")
    with tarfile.open(fileobj=BytesIO(pack(contents()))) as archive:
        archive.extraction_filter = getattr(tarfile, "data_filter", None)  # from Python 3.11.4 on
        archive.extractall(folder)
    return folder / TOP


@pytest.fixture
def root(tmp_path):
    """A copy of the suite's data with the vectors of one message."""
    (tmp_path / "vectors").mkdir()
    for name in ("README.md", "vector.schema.json", "HeartbeatRequest.jsonl"):
        shutil.copy(ROOT / "vectors" / name, tmp_path / "vectors")
    shutil.copytree(ROOT / "vectors" / "readers", tmp_path / "vectors" / "readers")
    shutil.copy(ROOT / "LICENSE", tmp_path)
    return tmp_path


def test_every_line_is_valid_by_the_schema_that_comes_with_it(unpacked):
    validator = Draft202012Validator(json.loads((unpacked / "vector.schema.json").read_bytes()))
    files = [*unpacked.glob("*.jsonl")]
    assert len(files) == len({vector.message for vector in all_vectors()})
    for file in files:
        for line in file.read_bytes().splitlines():
            validator.validate(json.loads(line))


def test_it_holds_every_vectors_file_as_it_is(unpacked):
    def files(folder):
        return {file.name: file.read_bytes() for file in folder.glob("*.jsonl")}

    assert files(unpacked)
    assert files(unpacked) == files(ROOT / "vectors")


def test_it_holds_what_makes_it_stand_alone(unpacked):
    assert {file.name for file in unpacked.iterdir() if file.suffix != ".jsonl"} == {
        "LICENSE",
        "README.md",
        "VERSION",
        "readers",
        "vector.schema.json",
    }
    readers = {file.name for file in (unpacked / "readers").iterdir()}
    assert readers == {"Cargo.toml", "Read.java", "read.go", "read.mjs", "read.py", "read.rs"}
    assert (unpacked / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()


def test_the_version_tells_the_suite_and_how_many(unpacked):
    count = sum(1 for _ in all_vectors())
    assert (unpacked / "VERSION").read_text() == f"suite {__version__}\nvectors {count}\n"


def test_its_bytes_know_no_order_time_or_owner(root):
    files = contents(root)
    packed = pack(files)
    os.utime(root / "LICENSE", (1, 1))
    assert pack(dict(reversed(contents(root).items()))) == packed
    assert packed[3:8] == bytes(5)  # gzip: no name, no time
    with tarfile.open(fileobj=BytesIO(gzip.decompress(packed))) as archive:
        members = archive.getmembers()
    assert [member.name for member in members] == sorted(f"{TOP}/{name}" for name in files)
    assert {(m.mode, m.mtime, m.uid, m.gid, m.uname, m.gname) for m in members} == {
        (0o644, 0, 0, 0, "", "")
    }


def test_lines_keep_one_form_however_the_checkout_writes_them(root):
    file = root / "vectors" / "HeartbeatRequest.jsonl"
    packed = pack(contents(root))
    loose = [json.dumps(json.loads(line)) for line in file.read_text("utf-8").splitlines()]
    file.write_bytes("\r\n".join(loose).encode())
    assert pack(contents(root)) == packed


def test_a_broken_line_never_gets_in(root):
    with (root / "vectors" / "HeartbeatRequest.jsonl").open("a") as file:
        file.write("{}\n")
    with pytest.raises(VectorError, match=r"HeartbeatRequest\.jsonl:\d+"):
        contents(root)


def test_what_was_built_beside_the_readers_stays_out(root):
    before = contents(root)
    (root / "vectors" / "readers" / "target").mkdir()
    for name in ("Read.class", "Cargo.lock", "read"):
        (root / "vectors" / "readers" / name).write_bytes(b"built")
    assert contents(root) == before


def test_an_installed_wheel_has_all_of_it(tmp_path, monkeypatch):
    table = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]
    for source, target in table["build"]["targets"]["wheel"]["force-include"].items():
        (tmp_path / target).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / target).symlink_to(ROOT / source)
    here = contents()
    monkeypatch.setattr(data, "files", lambda _: tmp_path / "conformance")
    data_root.cache_clear()
    try:
        assert data_root() == tmp_path / "conformance" / "_data"
        assert contents() == here
    finally:
        data_root.cache_clear()


def test_one_command_builds_it(tmp_path):
    command = [sys.executable, "-m", "conformance.cli", "vectors", "build", "-o", "vectors.tar.gz"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"{sum(1 for _ in all_vectors())} vectors in vectors.tar.gz\n"
    assert (tmp_path / "vectors.tar.gz").read_bytes() == pack(contents())


@pytest.mark.parametrize("tool", READERS)
def test_a_reader_reads_what_was_written(unpacked, tool):
    if tool != "python" and shutil.which(tool) is None:
        lacking(f"no {tool}")
    done = subprocess.run(
        [*READERS[tool], *sorted(map(str, unpacked.glob("*.jsonl")))],
        cwd=unpacked / "readers",
        env={**os.environ, "CARGO_TARGET_DIR": str(cache_dir() / "vectors-readers")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [expected(vector) for vector in all_vectors()]


def expected(vector):
    header = "-" if vector.header is None else vector.header
    digest = hashlib.sha256(vector.data).hexdigest()
    return f"{vector.id} {vector.message} {vector.version} {header} {len(vector.data)} {digest}"
