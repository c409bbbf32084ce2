"""Every reader of results says that a file is not whole, and ends with 3."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from conformance.errors import UNREACHABLE
from conformance.results.files import write_results
from conformance.results.last import LastRun
from conformance.results.lines import CUT_SHORT, Finding, Summary
from tests.cli.conftest import run
from tests.results.making import RUN, verdict

SUMMARY = Summary(cases=1, verdicts={"fail": 1}, seconds=1.0, exit_code=1)
READERS = {
    "findings": ["findings"],
    "compare": ["compare", "WHOLE"],
    "triage": ["triage", "--no-minimise"],
    "convert": ["convert", "--summary", "-"],
    "site": ["site", "-o", "SITE"],
    "site compared": ["site", "WHOLE", "-o", "SITE", "--compare", "WHOLE"],
}


def write(path: Path) -> Path:
    broken = verdict()
    finding = Finding(cause="tags", rules=[broken.rule], case=broken.case, count=1, reproduce="")
    write_results(path, RUN, [broken], [finding], SUMMARY)
    return path


def without_its_end(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-10])


def without_its_last_line(path: Path) -> None:
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:-1]))


def within_a_verdict(path: Path) -> None:
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + lines[1][:20])


def read(reader: str, path: Path, folder: Path, *options: str) -> Any:
    places = {"WHOLE": str(write(folder / "whole.ndjson")), "SITE": str(folder / "site")}
    return run(*(places.get(word, word) for word in READERS[reader]), path, *options, cwd=folder)


@pytest.mark.parametrize("cut", [without_its_end, without_its_last_line, within_a_verdict])
@pytest.mark.parametrize("reader", READERS)
def test_a_reader_says_that_results_are_cut_short(
    tmp_path: Path, reader: str, cut: Callable[[Path], None]
):
    path = write(tmp_path / "cut.ndjson")
    cut(path)
    done = read(reader, path, tmp_path)
    assert done.code == UNREACHABLE, done
    assert f"cut.ndjson: {CUT_SHORT}" in done.err


@pytest.mark.parametrize("reader", READERS)
def test_a_reader_says_nothing_of_whole_results(tmp_path: Path, reader: str):
    done = read(reader, write(tmp_path / "new.ndjson"), tmp_path)
    assert done.code == (1 if reader == "triage" else 0), done
    assert CUT_SHORT not in done.err


@pytest.mark.parametrize("reader", ["site", "convert"])
def test_so_are_compressed_results_whose_stream_breaks_off(tmp_path: Path, reader: str):
    path = tmp_path / "cut.ndjson.gz"
    path.write_bytes(gzip.compress(write(tmp_path / "a.ndjson").read_bytes())[:-20])
    done = read(reader, path, tmp_path)
    assert done.code == UNREACHABLE, done
    assert f"cut.ndjson.gz: {CUT_SHORT}" in done.err


def test_what_machines_read_says_so_on_the_error_output(tmp_path: Path):
    path = write(tmp_path / "cut.ndjson")
    without_its_last_line(path)
    done = read("findings", path, tmp_path, "--json")
    assert done.code == UNREACHABLE
    assert CUT_SHORT in done.err


def test_the_last_run_was_interrupted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("KAFKA_CONFORMANCE_CACHE", str(tmp_path))
    LastRun().add(RUN, [], [], None)
    done = run("findings", "last")
    assert done.code == UNREACHABLE
    assert f"last/small: {CUT_SHORT}" in done.err


def test_what_was_whole_stays_whole_as_one_that_was_judged_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("KAFKA_CONFORMANCE_CACHE", str(tmp_path))
    other = msgspec.structs.replace(RUN, target="other")
    for each in (RUN, other):
        LastRun().add(each, [], [], SUMMARY)
    assert run("findings", "last/small").code == 0
    LastRun().add(RUN, [], [], SUMMARY)
    assert run("findings", "last/other").code == 0


def test_a_site_says_what_it_is_at_and_where_to_look_in_the_end(tmp_path: Path):
    done = read("site", write(tmp_path / "new.ndjson"), tmp_path)
    steps = [line.removeprefix("kafka-conformance: ") for line in done.err.splitlines()]
    assert steps[:3] == [
        "a site of 1 results file",
        f"target 1 of 1: small 1.0, from {tmp_path / 'new.ndjson'}",
        "pages of rules and messages",
    ]
    index = tmp_path / "site" / "index.html"
    files = sum(path.is_file() for path in index.parent.rglob("*"))
    assert done.out.startswith(f"{index}: 1 target, {files} files, ")
    assert done.out.endswith(f"open it in a browser: {index.as_uri()}\n")
