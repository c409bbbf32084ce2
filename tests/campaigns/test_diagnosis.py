"""A campaign says of a codec's defect what the gate says of it, as far as its cases show it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

pytest.importorskip("pyarrow", reason="needs the extra `pipeline`")

from conformance.campaigns.chunk import ChunkSettings, judge
from conformance.campaigns.diagnosis import diagnosed
from conformance.campaigns.rounds import RunPlan
from conformance.campaigns.storage.folder import About
from conformance.campaigns.tally import CampaignTally
from conformance.codecs.mutants import mutants
from conformance.codecs.mutants.habits.together import together
from conformance.codecs.testee.in_process import ObjectTarget
from conformance.reference.codec import PlainCodec
from conformance.reporting.breaches import in_a_clause
from conformance.results.lines import Finding

MESSAGES = (
    "CreateAclsRequest",
    "DescribeAclsRequest",
    "FindCoordinatorRequest",
    "HeartbeatResponse",
    "ListOffsetsResponse",
    "OffsetCommitRequest",
)
CASES = 1200


def findings(folder: Path, *names: str, told: bool = True) -> Sequence[Finding]:
    """Return the findings of a campaign on a codec with these defects, diagnosed or not."""
    kind = together(*(mutants()[name] for name in names)) if names else PlainCodec
    target = ObjectTarget(kind())
    about = About(
        run="one",
        started="",
        suite_version="",
        seed=1,
        cases=CASES,
        targets=("it",),
        messages=MESSAGES,
    )
    settings = ChunkSettings(run="one", folder=str(folder), seed=1, messages=MESSAGES)
    tally = CampaignTally(folder, about)
    chunks = list(RunPlan(CASES, ("it",)).chunks(0))
    tally.add(0, [(each, judge(settings, each, target)) for each in chunks], 1.0)
    causes = tally.causes["it"]
    if not told:
        return causes.findings()
    explained = diagnosed(folder, about, "it", target.hello, causes.sorts(), rounds=1)
    return causes.findings((), explained)


@pytest.mark.parametrize(
    "name",
    ["LittleEndianNumbers", "StringLengthOfFourBytes"],
)
def test_one_defect_is_one_finding_and_has_its_name(name: str, tmp_path: Path) -> None:
    [found] = findings(tmp_path, name)
    assert f"(mutant {name})" in found.diagnosis
    assert found.rules[0] == mutants()[name].breaks
    assert in_a_clause(found) in f"{mutants()[name].says()[0].lower()}{mutants()[name].says()[1:]}"


def test_two_defects_are_two_findings(tmp_path: Path) -> None:
    found = findings(tmp_path, "LittleEndianInt64", "EmptyStringIsNull")
    said = sorted(each.diagnosis.rpartition("(")[2] for each in found)
    assert said == ["mutant EmptyStringIsNull)", "mutant LittleEndianInt64)"]


def test_reversed_bytes_are_one_cause_without_a_diagnosis(tmp_path: Path) -> None:
    written = [
        each
        for each in findings(tmp_path, "LittleEndianInt64", told=False)
        if each.rules == ["primitives.integers-big-endian"]
    ]
    assert len(written) == 1


def test_what_a_codec_that_is_right_has_is_nothing(tmp_path: Path) -> None:
    assert findings(tmp_path) == []
