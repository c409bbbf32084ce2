"""Each hint of a quick run fits the bytes that differ, and one defect is one finding."""

from __future__ import annotations

from collections.abc import Collection

import pytest

from conformance.reporting.breaches import in_a_clause
from conformance.reporting.sorts import bytes_that_differ
from conformance.results.lines import Finding, Verdict
from tests.codecs.diagnosis.unseen_quick import defects
from tests.codecs.diagnosis.unseen_quick.defects import DEFECTS, Defect
from tests.codecs.diagnosis.unseen_quick.quick import quick_results

OTHERS = {
    "a value": ("tag", "length", "null", "count", "ascending", "header", "type of a field"),
    "a tag": ("order of integers", "client id", "type of a field"),
}
"""What is not said of a place: words of hints that are about others."""


@pytest.mark.parametrize("defect", DEFECTS, ids=lambda defect: defect.name)
def test_one_defect_is_one_finding_that_fits_the_bytes(defect: Defect) -> None:
    results = quick_results(getattr(defects, defect.name)())
    [finding] = results.findings
    said = said_of(finding)
    assert any(name.lower() in said.lower() for name in defect.names), said
    [example] = [each for each in results.failures if each.case == finding.case][:1]
    differs = bytes_that_differ(example)
    assert not differs or not defect.place or not set(differs).isdisjoint(defect.place), differs
    if is_value(differs):
        assert not [word for word in OTHERS["a value"] if word in said], said


def said_of(finding: Finding) -> str:
    return finding.diagnosis or in_a_clause(finding)


def is_value(differs: Collection[str]) -> bool:
    return bool(differs) and set(differs) <= {
        "int8",
        "int16",
        "int32",
        "int64",
        "uint16",
        "float64",
        "bool",
        "uuid",
    }


def test_the_issue_s_three_are_named() -> None:
    names = [each.name for each in DEFECTS[:3]]
    assert names == ["Int64AsDouble", "FlexibleFromFour", "ThrottleFromTwo"]
    looks = [quick_results(getattr(defects, name)()).findings[0].diagnosis for name in names]
    assert "by way of a double" in looks[0]
    assert "takes ApiVersionsRequest for flexible from version 4 on, not 3" in looks[1]
    assert "has ApiVersionsResponse.ThrottleTimeMs from version 2 on, not 1" in looks[2]


def test_a_codec_without_defect_gets_no_finding() -> None:
    results = quick_results(defects.Codec())
    assert results.ok, results
    assert isinstance(results.failures, list)
    assert not [each for each in results.failures if isinstance(each, Verdict)]
