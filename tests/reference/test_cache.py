"""Generated code is kept on disk, and never in anybody's way."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from conformance.data import cache_dir
from conformance.reference import codec as reference
from conformance.reference.codec import Compiled, PlainCodec, load_compiled
from conformance.schema.layout import Form
from conformance.schema.releases import definitions, wire_forms
from conformance.wire.compiled import compiler

(FORM, *_) = wire_forms("FindCoordinatorRequest")[4]
VALUE = {"keyType": 0, "coordinatorKeys": ["g1"]}
DATA = PlainCodec().write(FORM, VALUE)


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache folder that does not exist yet."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("KAFKA_CONFORMANCE_CACHE", str(folder))
    return folder


@pytest.fixture
def compilations(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The messages that are compiled from now on."""
    seen: list[str] = []
    original: Callable[[Form], str] = compiler.compile_form

    def compile_form(form: Form) -> str:
        seen.append(form.message)
        return original(form)

    monkeypatch.setattr(compiler, "compile_form", compile_form)
    return seen


def sources(cache: Path) -> list[Path]:
    return sorted(cache.rglob("*.py"))


def works(compiled: Compiled) -> bool:
    return compiled.encode(VALUE) == DATA and compiled.decode(DATA, 0) == (VALUE, len(DATA))


def test_environment_chooses_the_folder(cache: Path) -> None:
    assert cache_dir() == cache


def test_first_use_leaves_one_module_and_nothing_else(cache: Path) -> None:
    assert works(load_compiled(FORM))

    (source,) = sources(cache)
    assert source.name.startswith("FindCoordinatorRequest_v4_")
    assert list(cache.rglob("*.tmp")) == []


def test_second_use_takes_the_file(cache: Path, compilations: list[str]) -> None:
    load_compiled(FORM)
    assert works(load_compiled(FORM))

    assert compilations == ["FindCoordinatorRequest"]


def test_functions_are_where_coverage_and_debuggers_find_them(cache: Path) -> None:
    compiled = load_compiled(FORM)

    (source,) = sources(cache)
    assert compiled.decode.__code__.co_filename == str(source)
    assert compiled.encode.__code__.co_filename == str(source)


def test_another_form_of_the_same_version_has_a_file_of_its_own(cache: Path) -> None:
    for form in wire_forms("ReadShareGroupStateSummaryResponse")[0]:
        load_compiled(form)

    assert len(sources(cache)) == 2


def test_releases_that_agree_share_a_file(cache: Path) -> None:
    for release in ("4.4.0", "3.9.2"):
        load_compiled(definitions(release).form("FindCoordinatorRequest", 4))

    assert len(sources(cache)) == 1


def test_another_compiler_never_takes_old_files(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    load_compiled(FORM)
    monkeypatch.setattr(reference, "_compiler_digest", lambda: "another")
    load_compiled(FORM)

    assert len(sources(cache)) == 2


def test_unwritable_cache_is_done_without(cache: Path, compilations: list[str]) -> None:
    cache.write_text("a file where the folder should be")

    assert works(load_compiled(FORM))
    assert compilations
    assert cache.is_file()


def test_file_that_can_not_be_read_is_done_without(cache: Path) -> None:
    load_compiled(FORM)
    (source,) = sources(cache)
    source.unlink()
    source.mkdir()

    assert works(load_compiled(FORM))


@pytest.mark.parametrize(
    "broken", ["", "def decode(b, p):", "raise KeyError", "decode = 1\n", "\0", "import nothing_\n"]
)
def test_broken_file_is_done_without_and_mended(cache: Path, broken: str) -> None:
    load_compiled(FORM)
    (source,) = sources(cache)
    source.write_text(broken)

    assert works(load_compiled(FORM))
    assert "def encode" in source.read_text()


def test_failure_to_write_leaves_no_scraps(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)

    assert works(load_compiled(FORM))
    assert [path for path in cache.rglob("*") if path.is_file()] == []


PROGRAM = """
from conformance.reference.codec import ReferenceCodec
from conformance.schema.releases import wire_forms
codec = ReferenceCodec()
for name in ("FindCoordinatorRequest", "FetchRequest", "MetadataResponse"):
    for version in codec.versions(name):
        form = codec.form(name, version)
        value = form.layout.default_value()
        assert codec.read(form, codec.write(form, value))[0] == value
"""


def test_processes_that_compile_at_once_do_not_break_each_other(cache: Path) -> None:
    running = [
        subprocess.Popen([sys.executable, "-c", PROGRAM], stderr=subprocess.PIPE) for _ in range(3)
    ]
    answers = [process.communicate()[1] for process in running]

    assert [process.returncode for process in running] == [0, 0, 0], answers
    assert list(cache.rglob("*.tmp")) == []
    for source in sources(cache):
        compile(source.read_text("utf-8"), str(source), "exec")
