"""What parts two forms is shown by bytes that come out as something else."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.definitions.foreign.comparing import compare
from conformance.definitions.foreign.finding_importers import importer_for
from conformance.definitions.foreign.kafka import Kafka
from conformance.definitions.mutants.foreign import DSL
from conformance.definitions.mutants.foreign_samples import ENUMS, KMSG, RELEASE
from conformance.definitions.proofs.misreadings import shown
from conformance.schema.finding import Proof

RAFT = """\
AddRaftVoterRequest => key 80, max version 0, flexible v0+
  Cluster: nullable-string
  TimeoutMillis
  Voter: int32
  Directory: uuid
  Listeners: [=>]
    Name: string
    Host: string
    Port: int16
"""


def proof_of(folder: Path, rule: str, old: str = "", new: str = "") -> Proof | None:
    """The proof of the one finding of a rule."""
    (folder / DSL).write_text(KMSG.replace(old, new) if old else KMSG)
    (folder / "80_raft").write_text(RAFT)
    (folder / "enums").write_text(ENUMS)
    examined = compare(importer_for(folder).read(folder), Kafka(RELEASE), "theirs", shown)
    wanted = "AddRaftVoterRequest" if not old else ""
    (found,) = [
        one
        for each in examined
        for one in each.findings
        if one.rule == rule and (each.name == wanted if wanted else each.file == DSL)
    ]
    return found.proof


def test_a_sign_is_shown_by_a_value_that_has_one(tmp_path: Path) -> None:
    proof = proof_of(tmp_path, "foreign.same-fields")

    assert proof is not None
    ports = [each["listeners"][0]["port"] for each in (proof.value, proof.read)]
    assert sorted({proof.writer, proof.reader}) == ["Kafka 4.3.1", "theirs"]
    assert (ports[0] - ports[1]) % 65536 == 0
    assert ports[0] != ports[1]


@pytest.mark.parametrize(
    ("rule", "old", "new", "reader"),
    [
        ("foreign.same-nullability", "nullable-string // v3+", "string // v3+", "theirs"),
        ("foreign.no-other-nulls", "MemberID: string", "MemberID: nullable-string", "Kafka 4.3.1"),
        ("foreign.tag-versions", "Fence: bool", "Fence: bool\n  X: [uuid] // tag 0", "Kafka 4.3.1"),
    ],
)
def test_the_reader_is_the_one_that_can_not_have_it(
    rule: str, old: str, new: str, reader: str, tmp_path: Path
) -> None:
    proof = proof_of(tmp_path, rule, old, new)

    assert proof is not None
    assert proof.reader == reader


def test_a_kind_that_kafka_has_not_goes_without(tmp_path: Path) -> None:
    proof = proof_of(tmp_path, "foreign.same-fields", "\n  Epoch: int32", "\n  Epoch: varint")

    assert proof is None
