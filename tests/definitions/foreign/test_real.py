"""What libraries that are out there have otherwise than Kafka, each looked up in the bytes.

franz-go's kmsg 1.12.0 had fields of wrong widths, which 1.13.0 mended, and kafka-python's resources
are Kafka's own. Go fetches the modules; their texts are no part of the suite.
"""

from __future__ import annotations

import shutil
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from conformance.definitions.foreign.comparing import compare
from conformance.definitions.foreign.finding_importers import ModuleMissing, importer_for, place_of
from conformance.definitions.foreign.kafka import Kafka, nearest_release
from conformance.rules import catalogue
from conformance.schema.finding import BrokenRule
from tests.machine import lacking

FRANZ_GO = "github.com/twmb/franz-go"
KMSG_1_12, KMSG_1_13, KMSG_1_15 = (
    f"{FRANZ_GO}@v1.20.7",
    f"{FRANZ_GO}@v1.21.2",
    f"{FRANZ_GO}@v1.22.2",
)
KAFKA_PYTHON = "3.0.12"

Found = dict[str, list[BrokenRule]]


def fetched(module: str) -> Path:
    """A Go module's folder."""
    if shutil.which("go") is None:
        lacking("needs Go")
    try:
        return place_of(module)
    except ModuleMissing as error:
        lacking(str(error))


def differing(path: Path, release: str = "") -> Found:
    """The findings of each message, by rules that are not lenient."""
    imported = list(importer_for(path).read(path))
    kafka = Kafka(release or nearest_release(imported))
    binding = {rule.id for rule in catalogue().values() if rule.class_ != "lenient"}
    kept = {
        each.name: [one for one in each.findings if one.rule in binding]
        for each in compare(imported, kafka, path.name)
    }
    assert kept
    return {name: findings for name, findings in kept.items() if findings}


def of(found: Found, *rules: str) -> set[tuple[str, str]]:
    """The messages and places of the findings of these rules."""
    return {
        (name, each.place)
        for name, each_of in found.items()
        for each in each_of
        if each.rule in rules
    }


def test_the_wrong_widths_of_kmsg_1_12_are_found() -> None:
    found = differing(fetched(KMSG_1_12))

    widths = {
        (name, each.place, each.reason.partition(" (")[0])
        for name, findings in found.items()
        for each in findings
        if each.rule == "foreign.same-fields"
    }

    assert {
        (
            "AlterPartitionRequest",
            "Topics.Partitions.NewEpochISR.BrokerEpoch",
            "int32 here, int64 in Kafka 4.1.2",
        ),
        ("DescribeTopicPartitionsResponse", "Topics.ErrorCode", "int32 here, int16 in Kafka 4.1.2"),
        (
            "DescribeTopicPartitionsResponse",
            "Topics.Partitions.ErrorCode",
            "int32 here, int16 in Kafka 4.1.2",
        ),
        ("AddRaftVoterRequest", "Listeners.Port", "int16 here, uint16 in Kafka 4.1.2"),
        ("UpdateRaftVoterRequest", "Listeners.Port", "int16 here, uint16 in Kafka 4.1.2"),
    } <= widths


def test_kmsg_1_13_mended_all_but_one_message() -> None:
    before = of(differing(fetched(KMSG_1_12)), "foreign.same-fields", "foreign.same-flexibility")
    after = of(differing(fetched(KMSG_1_13)), "foreign.same-fields", "foreign.same-flexibility")

    assert {name for name, _ in before} == {
        *("AddRaftVoterRequest", "UpdateRaftVoterRequest", "AlterPartitionRequest"),
        *("DescribeTopicPartitionsResponse", "EndQuorumEpochRequest", "ShareFetchRequest"),
        *("UpdateFeaturesResponse", "StopReplicaRequest"),
        *("TransactionLogValue", "LeaderChangeMessage"),
    }
    assert {name for name, _ in after} == {"StopReplicaRequest"}


def test_kmsg_1_15_differs_from_kafka_4_4_0_in_what_is_known() -> None:
    """Two fields stand in each other's place, which the adapter's bytes show as well.

    Tags are written in every flexible version, and Kafka's reader refuses them in those that have
    them not. And null is no batch of records in a share fetch from version 1 on.
    """
    found = differing(fetched(KMSG_1_15), "4.4.0")

    assert of(found, "foreign.same-fields") == {
        ("StopReplicaRequest", "ControllerEpoch"),
        ("StopReplicaRequest", "IsKRaftController"),
    }
    assert of(found, "foreign.no-other-nulls") == {
        ("ShareFetchResponse", "Topics.Partitions.Records")
    }
    assert of(found, "foreign.tag-versions") == {
        ("ProduceResponse", "Topics.Partitions.CurrentLeader"),
        ("ProduceResponse", "Brokers"),
        ("FetchRequest", "ReplicaState"),
        ("FetchRequest", "Topics.Partitions.ReplicaDirectoryID"),
        ("FetchRequest", "Topics.Partitions.HighWatermark"),
        ("FetchResponse", "Brokers"),
        ("VoteResponse", "NodeEndpoints"),
        ("FetchSnapshotRequest", "Topics.Partitions.ReplicaDirectoryID"),
        ("FetchSnapshotResponse", "NodeEndpoints"),
        ("BrokerHeartbeatRequest", "OfflineLogDirs"),
        ("BrokerHeartbeatRequest", "CordonedLogDirs"),
    }
    assert sum(map(len, found.values())) == 14


def test_the_resources_of_kafka_python_are_those_of_kafka() -> None:
    try:
        installed = distribution("kafka-python")
    except PackageNotFoundError:
        lacking("needs kafka-python")
    if installed.version != KAFKA_PYTHON:
        lacking(f"needs kafka-python {KAFKA_PYTHON}, this is {installed.version}")
    path = Path(str(installed.locate_file("kafka/protocol/schemas/resources")))

    assert differing(path) == {}
    assert differing(path, "4.4.0") == {}
