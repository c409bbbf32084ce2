"""Of a defect that was generated, one finding names the message, the version and the field.

The rules that cases were made for say nothing of it: a field that is missing in one version is no
wrong string length, and no wrong header, though a case about those is what fails.
"""

from __future__ import annotations

import pytest

from conformance.reporting.breaches import harm_of, in_a_clause, remedy_of
from tests.codecs.diagnosis.generated import MAKERS, Draw, Generated
from tests.codecs.diagnosis.unseen_quick.quick import quick_results

SEEDS = (3, 7)
DRAWN = [make(Draw(seed, make.__name__)) for seed in SEEDS for make in MAKERS]
OF_OTHERS = (
    "response header",
    "client id",
    "empty string",
    "compact null",
    "type of a field",
    "string length",
    "modified utf-8",
    "unusual characters",
)
"""What no generated defect is: words of rules that their cases are made for."""


@pytest.mark.parametrize("drawn", DRAWN, ids=str)
def test_a_generated_defect_is_one_finding_that_names_its_place(drawn: Generated) -> None:
    results = quick_results(drawn.codec())
    [finding] = results.findings
    said = in_a_clause(finding)
    assert drawn.is_named(said), said
    told = f"{said} {harm_of(finding)} {remedy_of(finding)}".lower()
    assert not [words for words in OF_OTHERS if words in told], told
