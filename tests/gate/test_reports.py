"""Reports: what may be published, and apart from it what may not."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from conformance.errors import ConformanceError
from conformance.gate.reports import Reports
from conformance.reporting.console import Tally
from conformance.reporting.side_by_side import Matrix
from conformance.results.files import write_results
from conformance.results.lines import Finding, Summary, Verdict
from tests.results.making import RUN, verdict

WEAPON = "00beef00"
BROKEN = verdict("fail", case="harmless", input="0102", detail="it reads another value")
HARMFUL = verdict("crash", case="harmful", input=WEAPON, rule="tags.size-beyond-input-refused")


def written(folder: Path) -> dict[str, str]:
    """Every file that the reports of one target are, by its path, unpacked."""
    results = folder / "results.ndjson"
    findings = [finding("reads another value", BROKEN), finding(f"dies of {WEAPON}", HARMFUL)]
    summary = Summary(cases=2, verdicts={"fail": 1, "crash": 1}, seconds=1.0, exit_code=1)
    write_results(results, RUN, [BROKEN, HARMFUL], findings, summary)
    tally, matrix = Tally("small (small 1.0)"), Matrix(by_case=False)
    for each in (BROKEN, HARMFUL):
        tally.take(each)
        matrix.take("small", each)
    reports = Reports(folder / "reports", "codecs")
    reports.add(RUN, results)
    reports.close([("small", tally, "2 of 2 cases failed")], matrix)
    files = [path for path in (folder / "reports").rglob("*") if path.is_file()]
    return {"/".join(path.parts[-2:]): content(path) for path in files}


def finding(cause: str, example: Verdict) -> Finding:
    return Finding(
        cause=cause,
        rules=[example.rule],
        case=example.case,
        count=1,
        reproduce=f"run {example.input}",
    )


def content(path: Path) -> str:
    data = path.read_bytes()
    return (gzip.decompress(data) if path.suffix == ".gz" else data).decode()


def test_a_finding_is_told_with_its_rule_its_bytes_and_its_command(tmp_path: Path):
    (page,) = (text for path, text in written(tmp_path).items() if path.endswith("small-1.0.md"))
    assert "## 1. reads another value" in page
    assert "tags.ascending" in page
    assert "input:    0102" in page
    assert "1 of 2 findings end, stall or exhaust it: withheld." in page


def test_what_does_harm_is_in_the_private_folder_alone(tmp_path: Path):
    files = written(tmp_path)
    telling = [path for path, text in files.items() if WEAPON in text]
    (private,) = (tmp_path / "reports" / "private").glob("*/*/*")
    assert telling == ["/".join(private.parts[-2:])]
    assert private.stat().st_mode & 0o777 == 0o600
    assert files["private/.gitignore"] == "*\n"


def test_all_targets_are_on_one_page(tmp_path: Path):
    (page,) = (
        text for path, text in written(tmp_path).items() if path.endswith("codecs/README.md")
    )
    assert "| small 1.0 | 2 |" in page
    assert "| tags | 2 fail |" in page


def test_a_folder_that_can_not_be_written_is_said(tmp_path: Path):
    (tmp_path / "file").touch()
    with pytest.raises(ConformanceError, match="file"):
        Reports(tmp_path / "file", "codecs")
