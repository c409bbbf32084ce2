"""Tables: their files say what they are, appear whole, and hold a results file without loss."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

pytest.importorskip("pyarrow", reason="needs the extra `pipeline`")

import pyarrow as pa
import pyarrow.parquet as pq

from conformance.campaigns.storage.results_files import (
    results_of,
    results_to_tables,
    tables_to_results,
)
from conformance.campaigns.storage.tables import (
    NAME_KEY,
    SCHEMA_VERSION,
    SCHEMAS,
    VERSION_KEY,
    TableError,
    partition,
    read_rows,
    target_of,
    write_rows,
)
from conformance.cli import main
from conformance.results.files import write_results
from conformance.results.lines import Annotated, Finding, Run, Summary, Verdict

RUN = Run(
    target="mine:Codec",
    target_version="mine 1",
    language="python",
    definitions="4.4.0",
    suite_version="0.1.0",
    profile="spec",
    started="2026-01-01T00:00:00+00:00",
    selection={"rules": ["tags.*"], "seed": 1},
)
SUMMARY = Summary(cases=2, verdicts={"fail": 1, "pass": 1}, seconds=1.5, exit_code=1, notes=["x"])
FINDING = Finding(cause="it lies", rules=["a", "b"], case="1/2", count=3, reproduce="again")
COUNT = {"rule": "r", "message": "M", "version": 1, "op": "decode", "verdict": "pass", "count": 7}


def verdict(**more: Any) -> Verdict:
    plain: dict[str, Any] = {
        "rule": "r",
        "class_": "must",
        "case": "1/2",
        "message": "M",
        "version": 3,
    }
    return Verdict(**plain | {"op": "decode", "outcome": "value", "verdict": "pass"} | more)


VERDICTS = [
    verdict(),
    verdict(
        case="1/1",
        verdict="fail",
        input="00ff",
        expected={"b": [1, -(2**63), 1.5, None], "a": "é\0"},
        actual={"x": []},
        first_difference="b[0]: expected 1",
        annotated=[
            Annotated(offset=0, bytes="00", path="b", type="int8", value="0", differs=True),
            Annotated(offset=1, actual="ff"),
        ],
        control_case="1/3",
        detail="another value was read",
    ),
]


def results_file(path: Path, summary: Summary | None = SUMMARY) -> Path:
    write_results(path, RUN, VERDICTS, [FINDING], summary)
    return path


@pytest.mark.parametrize("summary", [SUMMARY, None], ids=["whole", "interrupted"])
def test_a_results_file_comes_back_out_of_the_tables_as_it_was(tmp_path, summary):
    path = results_file(tmp_path / "in.ndjson", summary)
    results_to_tables(path, tmp_path / "tables", "run1")
    tables_to_results(tmp_path / "tables", "run1", RUN.target, tmp_path / "out.ndjson")
    assert (tmp_path / "out.ndjson").read_bytes() == path.read_bytes()


def test_tables_come_back_out_of_a_results_file_as_they_were(tmp_path):
    one, other = tmp_path / "one", tmp_path / "other"
    results_to_tables(results_file(tmp_path / "in.ndjson"), one, "run1")
    tables_to_results(one, "run1", RUN.target, tmp_path / "between.ndjson")
    results_to_tables(tmp_path / "between.ndjson", other, "run1")
    for table in ("verdicts", "findings", "runs"):
        rows = list(read_rows(one / table, table))
        assert rows
        assert rows == list(read_rows(other / table, table))


def test_many_verdicts_keep_their_order(tmp_path, monkeypatch):
    monkeypatch.setattr("conformance.campaigns.storage.results_files.ROWS_A_FILE", 3)
    many = [verdict(case=f"1/{(number * 7) % 50}") for number in range(50)]
    write_results(tmp_path / "in.ndjson", RUN, many, [], SUMMARY)
    results_to_tables(tmp_path / "in.ndjson", tmp_path, "run1")
    tables_to_results(tmp_path, "run1", RUN.target, tmp_path / "out.ndjson")
    assert (tmp_path / "out.ndjson").read_bytes() == (tmp_path / "in.ndjson").read_bytes()


def test_a_file_says_which_table_and_version_it_is(tmp_path):
    write_rows(tmp_path, "some", "counts", [COUNT])
    schema = pq.read_schema(tmp_path / "some.parquet")
    assert schema.metadata[NAME_KEY] == b"counts"
    assert schema.metadata[VERSION_KEY] == str(SCHEMA_VERSION).encode()
    assert schema.remove_metadata() == SCHEMAS["counts"]


def test_columns_of_a_newer_version_are_refused(tmp_path):
    newer = {NAME_KEY: b"counts", VERSION_KEY: str(SCHEMA_VERSION + 1).encode()}
    table = pa.Table.from_pylist([COUNT], schema=SCHEMAS["counts"].with_metadata(newer))
    pq.write_table(table, tmp_path / "some.parquet")
    with pytest.raises(TableError, match="newer than"):
        list(read_rows(tmp_path, "counts"))


def test_another_table_is_refused(tmp_path):
    write_rows(tmp_path, "some", "counts", [COUNT])
    with pytest.raises(TableError, match="not of the table coverage"):
        list(read_rows(tmp_path, "coverage"))


def test_what_is_no_table_is_refused(tmp_path):
    (tmp_path / "some.parquet").write_bytes(b"nothing of the kind")
    with pytest.raises(TableError, match="is it a table"):
        list(read_rows(tmp_path, "counts"))


def test_a_file_written_twice_is_there_once(tmp_path):
    for _ in range(2):
        write_rows(tmp_path, "some", "counts", [COUNT])
    assert list(read_rows(tmp_path, "counts")) == [COUNT]
    assert [path.name for path in tmp_path.iterdir()] == ["some.parquet"]


def test_no_rows_are_no_file(tmp_path):
    write_rows(tmp_path / "new", "some", "counts", [])
    assert not (tmp_path / "new").exists()


def test_a_folder_that_cannot_be_written_is_one_clear_line(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(TableError, match="--resume"):
        write_rows(tmp_path / "file" / "below", "some", "counts", [COUNT])


@pytest.mark.parametrize("target", ["kafka-clients@3.9.2", "a.b:C", "mutant:x/y", "é"])
def test_a_partition_has_a_name_that_any_file_system_takes(tmp_path, target):
    folder = partition(tmp_path, "verdicts", "run1", target, 3)
    assert folder.relative_to(tmp_path).parts[0] == "verdicts"
    assert len(folder.relative_to(tmp_path).parts) == 4
    assert target_of(folder) == target


def test_a_campaigns_tables_are_shown_as_a_site(tmp_path: Path) -> None:
    source, root = tmp_path / "source.ndjson", tmp_path / "campaign"
    write_results(source, RUN, VERDICTS, [FINDING], SUMMARY)
    results_to_tables(source, root, "20260101T000000-1")

    done = CliRunner().invoke(main, ["site", str(root), "-o", str(tmp_path / "site")])

    assert done.exit_code == 0, done.output
    assert ": 1 target, " in done.output
    (tmp_path / "again").mkdir()
    [again] = results_of(root, tmp_path / "again")
    assert again.read_bytes() == source.read_bytes()
