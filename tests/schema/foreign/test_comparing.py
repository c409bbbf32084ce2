"""Each difference on the wire is found by its rule, at its file and line, and names are free."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from conformance.mutants.definitions.foreign import DSL, MUTANTS, Foreign
from conformance.mutants.definitions.foreign_samples import ENUMS, KAFKA, KMSG, RELEASE
from conformance.rules import select
from conformance.schema.comparing import compare
from conformance.schema.finding import Finding
from conformance.schema.foreign.finding_importers import importer_for
from conformance.schema.foreign.interface import Imported
from conformance.schema.foreign.kafka import Kafka, nearest_release
from conformance.schema.foreign.parting import RULES
from conformance.schema.model import Field, Message, Type
from conformance.schema.releases import definitions, releases
from conformance.schema.versions import EVERY, Versions

COVERED = "foreign.versions-covered"
KAFKA_4_3 = Kafka(RELEASE)


def folder(where: Path, form: str, **changed: str) -> Path:
    """The samples of a form, some of them changed."""
    texts = {"enums": ENUMS, DSL: KMSG} if form == "kmsg" else KAFKA
    for name, text in {**texts, **changed}.items():
        (where / name).write_text(text)
    return where


def found(path: Path, kafka: Kafka = KAFKA_4_3) -> list[Finding]:
    """What is wrong with the definitions there are."""
    imported = importer_for(path).read(path)
    return [one for each in compare(imported, kafka, "here") for one in each.findings if one.line]


def form_of(mutant: Foreign) -> str:
    return "kmsg" if mutant.file == DSL else "kafka"


# Kafka's broker heartbeats of 4.3.1 have versions that the sample in the language has not.
TWIN = {
    "kmsg": [(COVERED, "BrokerHeartbeatRequest"), (COVERED, "BrokerHeartbeatResponse")],
    "kafka": [],
}


@pytest.mark.parametrize("form", ["kmsg", "kafka"])
def test_what_writes_the_same_bytes_has_no_difference(form: str, tmp_path: Path) -> None:
    path = folder(tmp_path, form)
    examined = compare(importer_for(path).read(path), KAFKA_4_3, "here")

    told = [(one.rule, each.name) for each in examined for one in each.findings if one.line]

    assert told == TWIN[form]


@pytest.mark.parametrize(
    "mutant", MUTANTS, ids=lambda each: f"{form_of(each)}-{each.rule[8:]}-{each.new.strip()[:24]}"
)
def test_a_difference_is_found_where_it_stands(mutant: Foreign, tmp_path: Path) -> None:
    path = folder(tmp_path, form_of(mutant), **{mutant.file: mutant.text})

    places = [(one.file, one.line, one.place) for one in found(path) if one.rule == mutant.rule]

    assert (mutant.file, mutant.line, mutant.place) in places


def test_each_rule_has_two_differences_of_each_form() -> None:
    counts = Counter((each.rule, form_of(each)) for each in MUTANTS)

    for rule in select(applies=["schema"], groups=["foreign"]):
        assert counts[rule.id, "kmsg"] >= 2, rule.id
        assert counts[rule.id, "kafka"] >= 2, rule.id


def test_every_rule_is_asked_and_says_what_to_do() -> None:
    rules = select(applies=["schema"], groups=["foreign"])

    assert {rule.id for rule in rules} == set(RULES)
    assert all(rule.remedy for rule in rules)


def test_a_difference_of_several_versions_is_told_once(tmp_path: Path) -> None:
    text = KMSG.replace("Generation: int32", "Generation: int64")

    (finding,) = [
        each for each in found(folder(tmp_path, "kmsg", **{DSL: text})) if each.rule != COVERED
    ]

    assert finding.reason == "int64 here, int32 in Kafka 4.3.1 (generationId, version 0-4)"


def test_versions_that_a_release_dropped_are_compared_with_an_older_one(tmp_path: Path) -> None:
    text = """\
CreateTopicsRequest => key 19, max version 7, flexible v5+
  Topics: [=>]
    Topic: string
    NumPartitions: int32
    ReplicationFactor: int16
    Assignment: [=>]
      Partition: int32
      Replicas: [int32]
    Configs: [=>]
      Name: string
      Value: string
  TimeoutMillis(60000)
  ValidateOnly: bool // v1+
"""
    told = [
        each.reason
        for each in found(folder(tmp_path, "kmsg", **{"19_more": text}))
        if each.place == "Topics.Configs.Value"
    ]

    assert [each.partition(":")[0] for each in told] == [
        "string here, nullable string in Kafka 3.9.2 (topics.configs.value, version 0-1)",
        "string here, nullable string in Kafka 4.3.1 (topics.configs.value, version 2-7)",
    ]


def test_what_was_read_in_part_is_not_compared(tmp_path: Path) -> None:
    """Else the field that was left out would be one that is missing."""
    name = "HeartbeatRequest.json"
    text = KAFKA[name].replace('"int32"', '"int31"')

    told = [each.rule for each in found(folder(tmp_path, "kafka", **{name: text}))]

    assert told == ["foreign.understood"]


def test_who_names_no_newest_version_has_them_all() -> None:
    fields = tuple(
        Field(name, Type(kind), EVERY, path=(line,))
        for line, (name, kind) in enumerate(
            [("group", "string"), ("round", "int32"), ("member", "string")], 1
        )
    )
    message = Message("HeartbeatRequest", "request", 12, EVERY, Versions(4, 9), fields)
    imported = Imported("own", message.name, message, open_ended=True)

    (examined, *_) = compare([imported], KAFKA_4_3, "here")

    (finding,) = examined.findings
    assert finding.rule == "foreign.same-fields"
    assert finding.reason.endswith("(groupInstanceId, version 3-4)")


def test_what_is_missing_altogether_is_told_of_the_place(tmp_path: Path) -> None:
    path = folder(tmp_path, "kafka")
    examined = compare(importer_for(path).read(path), KAFKA_4_3, "here")

    missing = [each for each in examined if each.file == "here"]

    assert "FetchRequest" in {each.name for each in missing}
    assert "HeartbeatRequest" not in {each.name for each in missing}


@pytest.mark.parametrize("release", releases()[::5])
def test_kafka_does_not_differ_from_itself(release: str, tmp_path: Path) -> None:
    holder = definitions(release)
    for name in holder.names:
        (tmp_path / f"{name}.json").write_text(holder.text(name))
    imported = list(importer_for(tmp_path).read(tmp_path))

    examined = compare(imported, Kafka(release), "here")

    assert [one for each in examined for one in each.findings] == []
    assert nearest_release(imported) == release
