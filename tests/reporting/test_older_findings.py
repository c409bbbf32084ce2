"""Findings of files without kinds get theirs of the verdicts."""

import pytest

from conformance.reporting.older_findings import with_kind
from conformance.results.lines import Finding

CLASSES = {"a.must": "must", "a.harden": "harden", "b.harden": "harden", "a.kafka": "kafka"}
ENDED = {"a.must": {"crash"}, "a.harden": {"crash", "hang"}, "b.harden": {"hang"}}


def finding(*rules: str, case: str = "withheld", kind: str = "") -> Finding:
    return Finding(cause="", rules=[*rules], case=case, count=1, reproduce="", kind=kind)


@pytest.mark.parametrize(
    ("found", "kind", "ends"),
    [
        (finding("a.must", "a.harden"), "must", "crash"),
        (finding("a.harden", "b.harden"), "hang", "hang"),
        (finding("a.harden"), "crash", "crash"),
        (finding("a.must", "b.harden"), "must", ""),
        (finding("a.harden", "a.kafka", case="c"), "harden", ""),
        (finding("a.kafka", case="c"), "kafka", ""),
        (finding("a.kafka", case="c", kind="must"), "must", ""),
    ],
)
def test_a_finding_has_the_gravest_kind_of_its_rules_and_ends_what_all_end(
    found: Finding, kind: str, ends: str
) -> None:
    told = with_kind(found, CLASSES, ENDED)
    assert (told.kind, told.ends) == (kind, ends)
