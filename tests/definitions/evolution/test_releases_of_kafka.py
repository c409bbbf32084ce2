"""What the releases of Apache Kafka did to their definitions, one after another.

Requests and responses kept every rule in all of them. What did not are records and the values that
coordinators write, which nobody but brokers of one release reads: those of features that were in
preview at the time, as KRaft, tiered storage and share groups were, or were not yet in use.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import pytest

from conformance.definitions.evolution.breach import Breach
from conformance.definitions.evolution.pairing import Matched, match
from conformance.definitions.evolution.release import Release, read_release
from conformance.definitions.proofs.evolution import examined, prove
from conformance.schema.finding import BrokenRule
from conformance.schema.releases import releases
from conformance.schema.text.texts import texts_at

FLEXIBLE = "evolution.inflexible-stays"
FORM = "evolution.stable-form-kept"
UNSTABLE = "evolution.unstable-named"

KRAFT = "a record of KRaft, which was a preview up to 3.2"
CONSUMER = "written by the new group coordinator alone, a preview before 4.0"
SHARE = "of share groups, a preview up to 4.1"
TIERED = "of tiered storage, whose first preview is 3.6: CustomMetadata came in before it"

EXCEPTIONS: dict[tuple[str, str], dict[str, tuple[str, str]]] = {
    ("2.8.2", "3.0.2"): {
        "ConfigRecord": (FLEXIBLE, KRAFT),
        "DelegationTokenRecord": (FLEXIBLE, KRAFT),
        "FeatureLevelRecord": (FLEXIBLE, KRAFT),
        "FenceBrokerRecord": (FLEXIBLE, KRAFT),
        "PartitionRecord": (FLEXIBLE, KRAFT),
        "RegisterBrokerRecord": (FLEXIBLE, KRAFT),
        "RemoveTopicRecord": (FLEXIBLE, KRAFT),
        "TopicRecord": (FLEXIBLE, KRAFT),
        "UnfenceBrokerRecord": (FLEXIBLE, KRAFT),
        "UnregisterBrokerRecord": (FLEXIBLE, KRAFT),
        "UserScramCredentialRecord": (FLEXIBLE, KRAFT),
        "LeaderChangeMessage": (FORM, "a Version before all else, in the log of KRaft"),
    },
    ("3.2.3", "3.3.2"): {"FeatureLevelRecord": (FORM, KRAFT)},
    ("3.4.1", "3.5.2"): {
        "UserScramCredentialRecord": (FORM, "SCRAM came to KRaft with 3.5; nobody wrote it before")
    },
    ("3.5.2", "3.6.2"): {
        "ConsumerGroupCurrentMemberAssignmentValue": (FORM, CONSUMER),
        "ConsumerGroupMemberMetadataValue": (FORM, CONSUMER),
        "ConsumerGroupPartitionMetadataValue": (FORM, CONSUMER),
        "DelegationTokenRecord": (FORM, "tokens came to KRaft with 3.6; nobody wrote it before"),
        "RemoteLogSegmentMetadataRecord": (FORM, TIERED),
        "RemoteLogSegmentMetadataSnapshotRecord": (FORM, TIERED),
        "RemoteLogSegmentMetadataUpdateRecord": (FORM, TIERED),
    },
    ("3.6.2", "3.7.2"): {
        "ConsumerGroupHeartbeatRequest": (UNSTABLE, "version 0 was unstable"),
        "ConsumerGroupHeartbeatResponse": (UNSTABLE, "version 0 was unstable"),
    },
    ("3.7.2", "3.8.1"): {
        "ConsumerGroupCurrentMemberAssignmentValue": (FORM, CONSUMER),
        "ConsumerGroupMemberMetadataValue": (FORM, CONSUMER),
        "ConsumerGroupPartitionMetadataValue": (FORM, CONSUMER),
        "ConsumerGroupTargetAssignmentMemberValue": (FORM, CONSUMER),
        "ConsumerGroupDescribeResponse": (UNSTABLE, "version 0 was unstable"),
    },
    ("3.9.2", "4.0.2"): {"ShareGroupPartitionMetadataValue": (FORM, SHARE)},
    ("4.0.2", "4.1.2"): {
        "ReadShareGroupStateSummaryResponse": (UNSTABLE, "version 0 was unstable"),
        "ShareGroupMetadataValue": (FORM, SHARE),
        "ShareGroupStatePartitionMetadataValue": (FORM, SHARE),
        "ShareSnapshotValue": (FORM, SHARE),
        "ShareUpdateValue": (FORM, SHARE),
    },
}
"""By the two releases, the messages that broke a rule: which one, and why nobody was hurt."""

NOTHING_ELSE_CHANGED = ("3.6.2", "3.7.2")
STEPS = list(pairwise(reversed(releases())))
each_step = pytest.mark.parametrize("step", STEPS, ids=[f"{old}-{new}" for old, new in STEPS])


@pytest.fixture(scope="module")
def read() -> dict[str, Release]:
    return {release: read_release(release, texts_at(release)) for release in releases()}


def matched(read: dict[str, Release], step: tuple[str, str]) -> Matched:
    old, new = step
    return match(read[old], read[new])


def findings(found: Matched) -> Iterator[tuple[str, BrokenRule]]:
    return ((each.name, finding) for each in examined(found) for finding in each.findings)


@each_step
def test_release_kept_every_rule_but_where_we_know_why(
    step: tuple[str, str], read: dict[str, Release]
) -> None:
    found = {(name, each.rule) for name, each in findings(matched(read, step))}

    assert found == {(name, rule) for name, (rule, _) in EXCEPTIONS.get(step, {}).items()}


@pytest.mark.parametrize("step", EXCEPTIONS, ids="-".join)
def test_every_exception_is_shown_by_bytes_both_ways(
    step: tuple[str, str], read: dict[str, Release]
) -> None:
    found = list(findings(matched(read, step)))
    assert found
    for _, each in found:
        assert each.proof is not None
        assert "an old reader with a new writer and a new reader with an old writer" in each.reason


@each_step
def test_whatever_else_changed_is_read_alike_by_both(
    step: tuple[str, str], read: dict[str, Release]
) -> None:
    """By the bytes alone, whatever the rules make of the definitions."""
    known = EXCEPTIONS.get(step, {})
    pairs = [pair for pair in matched(read, step).pairs if pair.new.message.name not in known]
    changed = [each for pair in pairs for each in pair.steps if each.old.layout != each.new.layout]

    assert bool(changed) == (step != NOTHING_ELSE_CHANGED)
    misread = [each for each in changed if prove(Breach(""), each).smallest]

    assert [(each.old.message, each.old.version) for each in misread] == []


def test_exceptions_are_no_requests_but_unstable_ones() -> None:
    named = [(name, rule) for known in EXCEPTIONS.values() for name, (rule, _) in known.items()]

    assert all(rule == UNSTABLE for name, rule in named if name.endswith(("Request", "Response")))


def test_only_far_releases_part_further(read: dict[str, Release]) -> None:
    """Between the ends of the history are its exceptions and nothing else."""
    known = {name for step in EXCEPTIONS.values() for name in step}

    found = {name for name, _ in findings(matched(read, ("2.8.2", "4.4.0")))}

    assert found
    assert found <= known
