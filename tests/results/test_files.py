"""Results come back from a file as they were written, whole or cut short."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from conformance.reporting.site.reading import ResultsFile
from conformance.results.files import (
    LineWriter,
    ResultsError,
    check_writable,
    read_lines,
    read_verdicts,
    write_results,
)
from conformance.results.lines import RESULTS_VERSION, Finding, Line, Summary, Verdict
from tests.results.making import RUN, verdict

FINDING = Finding(
    cause="decode of MetadataRequest: refused",
    rules=["tags.ascending"],
    case="MetadataRequest-v9-filled/decode",
    count=2,
    reproduce="kafka-conformance codec small --case MetadataRequest-v9-filled/decode",
)
SUMMARY = Summary(cases=2, verdicts={"fail": 1, "pass": 1}, seconds=0.5, exit_code=1)
VERDICTS = [
    verdict(expected={"topics": None, "x": [1, 2.5, "é"]}, actual="00ff", detail="no"),
    verdict("pass", input=None),
]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "results.ndjson"
    write_results(path, RUN, VERDICTS, [FINDING], SUMMARY)
    return path


def test_every_line_comes_back_as_it_was(file: Path) -> None:
    assert list(read_lines(file)) == [RUN, *VERDICTS, FINDING, SUMMARY]


def test_every_line_is_a_json_object_with_its_type(file: Path) -> None:
    types = [msgspec.json.decode(line)["type"] for line in file.read_bytes().splitlines()]
    assert types == ["run", "verdict", "verdict", "finding", "summary"]


def test_a_pass_takes_no_more_room_than_it_needs(file: Path) -> None:
    line = msgspec.json.decode(file.read_bytes().splitlines()[2])
    assert line.keys().isdisjoint({"input", "expected", "actual", "detail", "first_difference"})
    assert line["class"] == "must"


def test_results_take_the_place_of_earlier_ones(file: Path) -> None:
    write_results(file, RUN, [], [], None)
    assert list(read_lines(file)) == [RUN]


def test_a_line_that_was_cut_short_is_left_out(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-5])
    assert list(read_lines(file)) == [RUN, *VERDICTS, FINDING]


def test_a_broken_line_is_named_with_its_number(file: Path) -> None:
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join([lines[0], b'{"type":"verdict"}\n', *lines[2:]]))
    with pytest.raises(ResultsError, match=r"results\.ndjson:2: Object missing required field"):
        list(read_lines(file))


@pytest.mark.parametrize("line", [b"no json\n", b'{"type":"else"}\n', b"[]\n", b"\xff\n"])
def test_what_is_no_results_file_is_said_to_be_none(tmp_path: Path, line: bytes) -> None:
    path = tmp_path / "x"
    path.write_bytes(line)
    with pytest.raises(ResultsError, match="is it a results file"):
        list(read_lines(path))


def test_a_file_that_is_not_there_is_one_clear_error(tmp_path: Path) -> None:
    with pytest.raises(ResultsError, match="No such file or directory"):
        list(read_lines(tmp_path / "none"))


def test_verdicts_are_read_from_several_parts(tmp_path: Path) -> None:
    parts = [tmp_path / "gw0", tmp_path / "gw1"]
    for part, line in zip(parts, VERDICTS, strict=True):
        with LineWriter(part) as writer:
            writer.write(line)
    assert list(read_verdicts(parts)) == VERDICTS


def test_lines_are_on_disk_long_before_the_end(tmp_path: Path) -> None:
    writer = LineWriter(tmp_path / "part")
    for _ in range(300):
        writer.write(VERDICTS[0])
    found: list[Line] = list(read_lines(tmp_path / "part"))
    assert len(found) > 250
    assert all(isinstance(line, Verdict) for line in found)
    writer.close()


def test_a_full_disk_is_one_clear_error() -> None:
    with pytest.raises(ResultsError, match=r"/dev/full: No space left on device \(free some room"):
        write_results(Path("/dev/full"), RUN, VERDICTS, [], None)
    assert Path("/dev/full").is_char_device()


def test_a_folder_can_not_be_written(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none" / "file"):
        with pytest.raises(ResultsError, match="choose a place that can be written"):
            check_writable(path)
        with pytest.raises(ResultsError, match="choose a place that can be written"):
            write_results(path, RUN, [], [], None)


def test_to_check_a_file_changes_nothing(file: Path) -> None:
    before = file.read_bytes()
    check_writable(file)
    assert file.read_bytes() == before
    check_writable(file.with_name("new"))
    assert not file.with_name("new").exists()


def test_a_control_case_has_its_own_name(tmp_path: Path) -> None:
    path = tmp_path / "new.ndjson"
    write_results(path, RUN, [verdict(control_case="v/decode")], [], None)
    header, line = path.read_text().splitlines()
    assert msgspec.json.decode(header)["results_version"] == RESULTS_VERSION == 2
    assert msgspec.json.decode(line)["control_case"] == "v/decode"


def test_lines_of_a_newer_version_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "newer.ndjson"
    path.write_bytes(msgspec.json.encode(msgspec.structs.replace(RUN, results_version=3)) + b"\n")
    with pytest.raises(ResultsError, match="results of version 3, newer than 2"):
        list(read_lines(path))
    with pytest.raises(ResultsError, match="results of version 3, newer than 2"):
        ResultsFile(path)
