"""A codec judged from Python."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from conformance import Results, check_codec
from conformance.errors import ConformanceError
from conformance.targets.errors import TargetError
from tests.cli.conftest import TARGETS
from tests.cli.targets.faulty import RefusesAll, RefusesNulls, Right

PART = {"messages": ["MetadataRequest"], "versions": [1]}


@pytest.fixture(scope="module")
def failed() -> Results:
    return check_codec(RefusesNulls, **PART)  # type: ignore[arg-type]


def test_a_codec_that_keeps_the_rules_is_ok() -> None:
    results = check_codec(Right(), rules=["tags.*"], messages=["MetadataRequest"])
    assert results.ok
    assert results.failures == []
    assert results.verdicts["pass"] > 100
    assert set(results.verdicts) >= {"pass"}


def test_what_it_broke_is_told_with_its_smallest_case(failed: Results) -> None:
    assert not failed.ok
    assert failed.broken_rules == ["primitives.null-array", "versions.nullable-from-version"]
    text = str(failed)
    assert "\nright 0.1.0: 1 defect breaks the protocol\n" in text
    assert "case:     MetadataRequest-v1-null-topics/decode" in text
    assert "looks like: a codec that refuses null" in text


def test_findings_cover_every_failed_case(failed: Results) -> None:
    assert sum(finding.count for finding in failed.findings) == len(
        {(verdict.case, verdict.op) for verdict in failed.failures}
    )


def test_known_failures_are_none(failed: Results, tmp_path: Path) -> None:
    tables = (f'[[known]]\nrule = "{rule}"\nverdict = "fail"\n' for rule in failed.broken_rules)
    known = tmp_path / "known.toml"
    known.write_text("".join(tables))
    assert check_codec(RefusesNulls, known=known, **PART).ok  # type: ignore[arg-type]


def test_a_known_failure_that_did_not_happen_is_not_ok(tmp_path: Path) -> None:
    known = tmp_path / "known.toml"
    known.write_text(
        '[[known]]\nrule = "primitives.null-array"\nverdict = "fail"\n'
        'cases = "null-topics/decode [refused]: MetadataRequest 1"\n'
    )
    results = check_codec(Right, known=known, **PART)  # type: ignore[arg-type]
    assert not results.ok
    assert "known, and did not happen: fail of primitives.null-array" in str(results)


def test_a_codec_that_refuses_everything_is_not_ok() -> None:
    assert not check_codec(RefusesAll, **PART).ok  # type: ignore[arg-type]


def test_a_codec_by_name_has_a_process_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(TARGETS)
    results = check_codec("faulty:RefusesNulls", **PART)  # type: ignore[arg-type]
    assert results.target == "faulty:RefusesNulls"
    assert len(results.broken_rules) == 2


def test_a_command_that_is_no_testee_is_an_error() -> None:
    with pytest.raises(TargetError):
        check_codec([sys.executable, "-c", "print('no')"])


def test_an_empty_selection_is_an_error() -> None:
    with pytest.raises(ConformanceError, match="nothing is selected"):
        check_codec(Right, messages=["FetchRequest"])
