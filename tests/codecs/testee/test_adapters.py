"""Adapters are read, built once, and started as their manifests say."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Callable
from importlib.resources.abc import Traversable
from pathlib import Path

import pytest

import conformance
from conformance.codecs.resolve import open_target
from conformance.data import vector_messages
from conformance.targets import registry
from conformance.targets.errors import (
    BadManifest,
    BuildFailed,
    TargetNotFound,
    ToolchainMissing,
)

TOP = 'name = "a"\nlanguage = "c"\nlicence = "MIT"\nversions = ["2.0", "1.0"]\nabout = "x"\n'
START = '[start]\ncommand = ["{folder}/run", "{version}"]\n'

Make = Callable[..., registry.Adapter]


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data root with an `adapters` folder, and a cache of its own."""
    (tmp_path / "adapters").mkdir()
    monkeypatch.setattr(registry, "data_root", lambda: tmp_path)
    monkeypatch.setenv("KAFKA_CONFORMANCE_CACHE", str(tmp_path / "cache"))
    return tmp_path


@pytest.fixture
def make(root: Path) -> Make:
    """Write an adapter named `a`, with more files if they are given."""

    def write(manifest: str = TOP + START, **files: str) -> registry.Adapter:
        folder = root / "adapters" / "a"
        folder.mkdir(exist_ok=True)
        (folder / "adapter.toml").write_text(manifest)
        for name, content in files.items():
            (folder / name).write_text(content)
        return registry.read_adapter(folder)

    return write


def counting(root: Path) -> str:
    """A build that leaves a line each time it runs, after a while."""
    code = f"import time; time.sleep(0.3); open({str(root / 'count')!r}, 'a').write('x')"
    return f'[build]\ncommand = ["{{python}}", "-c", "{code}"]\n'


def test_the_bundled_adapters_can_be_read() -> None:
    adapters = registry.adapters()
    assert [adapter.name for adapter in adapters] == registry.names()


def test_what_an_adapter_leaves_out_is_a_message_or_some_of_its_versions() -> None:
    known = vector_messages()
    for adapter in registry.adapters():
        for name, reason in adapter.left_out:
            message, _, versions = name.partition(" ")
            assert message in known, (adapter.name, name)
            assert re.fullmatch(r"|\d+|\d+-\d+|\d+ and later", versions), (adapter.name, name)
            assert not reason.endswith("."), (adapter.name, name)


def test_what_an_adapter_leaves_out_is_told_with_the_reason(make: Make) -> None:
    make(TOP + START + '[left_out]\n"FetchRequest 0-3" = "it takes no replica"\n')
    assert registry.left_out_of("a@1.0") == ["FetchRequest 0-3: it takes no replica"]
    assert registry.left_out_of("elsewhere:Codec") == []


def test_a_manifest_is_read(make: Make) -> None:
    adapter = make()
    assert (adapter.name, adapter.versions, adapter.default_version) == (
        "a",
        ("2.0", "1.0"),
        "2.0",
    )
    assert [each.name for each in registry.adapters()] == ["a"]


@pytest.mark.parametrize(
    ("manifest", "text"),
    [
        ("name =", "is not TOML"),
        (TOP, "lacks command"),
        (TOP.replace('name = "a"\n', "") + START, "the top of adapters/a/adapter.toml lacks name"),
        (TOP.replace('"a"', '"b"') + START, "says name = 'b'"),
        (TOP.replace('["2.0", "1.0"]', "[]") + START, "lacks versions"),
        (TOP.replace('"2.0"', '"../2"') + START, "can not be part of a file's name"),
        (TOP.replace('"2.0"', "2.0") + START, "versions in the top"),
        (TOP.replace("about", 'oldest = "new"\nabout') + START, "oldest is no release: 'new'"),
        (TOP + 'licens = "x"\n' + START, "unknown keys: licens"),
        (TOP + START.replace("version", "verison"), "unknown placeholder {verison}"),
        (TOP + '[build]\nrequirements = ["kio"]\n' + START, "not pinned"),
        (TOP + "build = 1\n" + START, "[build] of adapters/a/adapter.toml is not a table"),
    ],
)
def test_a_mistake_in_a_manifest_is_named(make: Make, manifest: str, text: str) -> None:
    with pytest.raises(BadManifest) as raised:
        make(manifest)
    assert text in raised.value.message


def test_an_unknown_name_or_version_is_answered_with_the_known_ones(make: Make) -> None:
    make()
    assert registry.find("a")[1] == "2.0"
    assert registry.find("a", "1.0")[1] == "1.0"
    with pytest.raises(TargetNotFound, match=r"it has 2\.0, 1\.0"):
        registry.find("a", "3.0")
    with pytest.raises(TargetNotFound, match="bundled: a"):
        registry.find("zzz")
    with pytest.raises(TargetNotFound):
        registry.find("../adapters/a")


def test_any_release_from_the_oldest_on_can_be_named(make: Make) -> None:
    make(TOP.replace("about", 'oldest = "0.9.2"\nabout') + START)
    for release in ("1.0", "0.9.2", "0.10.0", "3.0.0rc1", "4.1.0-rc2", "2.0.0-beta.3"):
        assert registry.find("a", release)[1] == release
    for release in ("0.9.1", "0.9.2..", "latest", "3.x", "../3", "3.0.0 --index-url=x"):
        with pytest.raises(TargetNotFound, match=r"any from 0\.9\.2 on; tried: 2\.0, 1\.0"):
            registry.find("a", release)


def test_a_build_with_checks_has_its_variables_and_a_place_of_its_own(make: Make) -> None:
    build = '[build]\ncommand = ["sh", "-c", "echo -n $RACES > races"]\n'
    make(TOP + build + '[build.checks]\nRACES = "looked for"\n' + START)
    places = [registry.build(*registry.find(name, "1.0")) for name in ("a", "a+checks")]
    assert [(place / "races").read_text() for place in places] == ["", "looked for"]
    assert registry.find("a+checks")[1] == registry.version_of("a+checks") == "2.0"


def test_an_adapter_without_a_build_with_checks_says_so(make: Make) -> None:
    make()
    with pytest.raises(TargetNotFound, match="a has no build with checks"):
        registry.find("a+checks")


def test_a_release_that_nobody_tried_may_not_be_there(make: Make) -> None:
    failing = '[build]\ncommand = ["sh", "-c", "echo no such crate; exit 3"]\n'
    adapter = make(TOP.replace("about", 'oldest = "0.9"\nabout') + failing + START)
    with pytest.raises(BuildFailed, match=r"^a@1\.5 can't be built: is there such a release\?"):
        registry.build(adapter, "1.5")


def test_a_start_command_has_its_placeholders_filled(make: Make) -> None:
    adapter = make()
    folder = registry.built_folder(adapter, "1.0")
    assert registry.start_command(adapter, "1.0") == [f"{folder}/run", "1.0"]


def test_a_build_runs_once_in_a_copy(root: Path, make: Make) -> None:
    adapter = make(TOP + counting(root) + START, extra="data")
    folder = registry.build(adapter, "2.0")
    assert registry.build(adapter, "2.0") == folder
    assert (folder / "extra").read_text() == "data"
    assert (root / "count").read_text() == "x"
    assert {entry.name for entry in (root / "adapters" / "a").iterdir()} == {
        "adapter.toml",
        "extra",
    }


def test_a_changed_file_or_version_is_another_build(make: Make) -> None:
    before = registry.build(make(extra="1"), "2.0")
    assert registry.build(make(extra="2"), "2.0") != before
    assert registry.build(make(extra="1"), "1.0") != before
    assert registry.build(make(extra="1"), "2.0") == before


def test_what_tools_leave_behind_is_no_other_build(root: Path, make: Make) -> None:
    before = registry.built_folder(make(), "2.0")
    (root / "adapters/a/__pycache__").mkdir()
    (root / "adapters/a/__pycache__/x.pyc").touch()
    (root / "adapters/a/.DS_Store").touch()
    assert registry.built_folder(make(), "2.0") == before


def test_two_processes_share_one_build(root: Path, make: Make) -> None:
    make(TOP + counting(root) + START)
    program = (
        "from pathlib import Path\n"
        "from conformance.targets import registry\n"
        f"adapter = registry.read_adapter(Path({str(root / 'adapters' / 'a')!r}))\n"
        "registry.build(adapter, '2.0')\n"
    )
    both = [subprocess.Popen([sys.executable, "-c", program]) for _ in range(2)]
    assert [process.wait(20) for process in both] == [0, 0]
    assert (root / "count").read_text() == "x"


def test_an_interrupted_build_is_done_again(root: Path, make: Make) -> None:
    adapter = make(TOP + counting(root) + START)
    folder = registry.built_folder(adapter, "2.0")
    folder.mkdir(parents=True)
    (folder / "half").touch()
    assert registry.build(adapter, "2.0") == folder
    assert not (folder / "half").exists()


def test_a_failed_build_shows_the_end_of_its_output(make: Make) -> None:
    manifest = TOP + '[build]\ncommand = ["sh", "-c", "echo no such symbol; exit 3"]\n' + START
    with pytest.raises(BuildFailed, match=r"a@2\.0 failed .* exit status 3\nno such symbol"):
        registry.build(make(manifest), "2.0")
    with pytest.raises(BuildFailed):  # it does not count as built
        registry.build(make(manifest), "2.0")


def test_a_missing_toolchain_is_named_before_anything_runs(make: Make) -> None:
    manifest = TOP + '[build]\nneeds = ["sh", "no-such-tool"]\n' + START
    with pytest.raises(ToolchainMissing, match="needs no-such-tool on the PATH"):
        registry.build(make(manifest), "2.0")


def test_requirements_go_to_an_environment_of_their_own(
    root: Path, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    wheel(root / "tiny-1.0-py3-none-any.whl")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(root))
    manifest = (
        TOP
        + '[build]\nrequirements = ["tiny=={version}"]\n'
        + '[start]\ncommand = ["{python}", "-c", "import tiny; print(tiny.__file__)"]\n'
    )
    adapter = make(manifest)
    folder = registry.build(adapter, "1.0")
    where = subprocess.check_output(registry.start_command(adapter, "1.0"), text=True)
    assert where.startswith(str(folder))


def wheel(path: Path) -> None:
    info = "tiny-1.0.dist-info"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("tiny.py", "")
        file.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n")
        file.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        file.writestr(f"{info}/RECORD", "")


def test_an_adapter_may_lie_in_a_zip(root: Path) -> None:
    with zipfile.ZipFile(root / "x.zip", "w") as file:
        file.writestr("adapters/a/adapter.toml", TOP + START)
        file.writestr("adapters/a/src/main.c", "int main;")
    with zipfile.ZipFile(root / "x.zip") as file:
        folder: Traversable = zipfile.Path(file, "adapters/a/")
        adapter = registry.read_adapter(folder)
        built = registry.build(adapter, "2.0")
    assert (built / "src/main.c").read_text() == "int main;"


def test_serve_is_a_file_also_from_a_zip(root: Path) -> None:
    package = Path(conformance.__file__).parent
    with zipfile.ZipFile(root / "x.zip", "w") as file:
        for path in package.rglob("*.py"):
            file.write(path, path.relative_to(package.parent))
    printed = subprocess.check_output(
        [
            sys.executable,
            "-c",
            "from conformance.targets import registry as r; print(r.serve_path())",
        ],
        env={**os.environ, "PYTHONPATH": str(root / "x.zip")},
        cwd=root,
        text=True,
    ).strip()
    path = Path(printed)
    assert path.parent == root / "cache/serve"
    assert path.read_bytes() == registry.serve_path().read_bytes()


@pytest.mark.usefixtures("root")
@pytest.mark.parametrize(
    ("spec", "command", "text"),
    [
        (None, None, "name one target"),
        ("x", ["y"], "name one target"),
        ("referense", None, "did you mean 'reference'"),
        ("./run.sh", None, "-- ./run.sh"),
        ("a@9", None, "it has 2"),
        ("b@9", None, "bundled: reference, reference-lenient, a"),
    ],
)
def test_a_target_that_is_not_there(
    make: Make, spec: str | None, command: list[str] | None, text: str
) -> None:
    make()
    with pytest.raises(TargetNotFound) as raised:
        open_target(spec, command)
    assert text in str(raised.value)
    assert raised.value.exit_code == 2


@pytest.mark.usefixtures("nothing_stays")
def test_a_bundled_adapter_is_built_and_opened(make: Make) -> None:
    manifest = TOP + '[start]\ncommand = ["{python}", "{serve}", "adapter:Codec"]\n'
    adapter_py = (
        "class Codec:\n"
        "    def hello(self):\n"
        "        return {'name': 'mine', 'version': '1', 'ops': ['roundtrip'],\n"
        "                'messages': {'A': [0, 0]}}\n"
        "    def roundtrip(self, message, version, data):\n"
        "        return data\n"
    )
    make(manifest, **{"adapter.py": adapter_py})
    with open_target("a@1.0") as target:
        assert (target.hello.name, target.hello.language) == ("mine", "python")


def test_the_reference_is_opened_in_this_process() -> None:
    with open_target("reference") as target:
        assert "decode" in target.hello.ops


def test_the_lenient_reference_is_opened_by_the_release_that_is_named() -> None:
    with open_target("reference-lenient@3.9.2") as target:
        assert (target.hello.name, target.hello.definitions) == ("reference-lenient", "3.9.2")
