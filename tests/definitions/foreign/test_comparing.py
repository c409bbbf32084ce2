"""Each difference on the wire is found by its rule, at its file and line, and names are free."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from conformance.definitions.foreign import comparing
from conformance.definitions.foreign.comparing import compare
from conformance.definitions.foreign.finding_importers import importer_for
from conformance.definitions.foreign.findings import RULES
from conformance.definitions.foreign.interface import Imported
from conformance.definitions.foreign.kafka import Kafka, nearest_release
from conformance.definitions.mutants.foreign import DSL, MUTANTS, Foreign
from conformance.definitions.mutants.foreign_samples import ENUMS, KAFKA, KMSG, RELEASE
from conformance.rules import select
from conformance.schema.differing import Difference, differences
from conformance.schema.finding import NOT_UNDERSTOOD, BrokenRule, Proof
from conformance.schema.layout import Layout
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


def found(path: Path, kafka: Kafka = KAFKA_4_3) -> list[BrokenRule]:
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

    rules = select(applies=["schema"], groups=["foreign"])
    assert rules
    for rule in rules:
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

    assert told == [NOT_UNDERSTOOD]


@pytest.mark.parametrize(
    ("old", "new", "line", "place"),
    [
        ('"name": "Epoch", "type": "int64"', '"name": "Broker", "type": "int64"', 6, "Broker"),
        ('"tag": 1', '"tag": 0', 11, "Cordoned"),
        (
            '"bool", "versions": "0+" },',
            '"bool", "versions": "0+", "nullableVersions": "0+" },',
            8,
            "Fence",
        ),
        ('"int32", "versions": "0+"', '"int32", "versions": "0+", "default": "zz"', 5, "Broker"),
        (
            '"int32", "versions": "0+"',
            '"int32", "versions": "0+", "default": "0xffffffffff"',
            5,
            "Broker",
        ),
    ],
)
def test_what_leaves_bytes_open_is_told_at_its_line_and_not_compared(
    old: str, new: str, line: int, place: str, tmp_path: Path
) -> None:
    name = "BrokerHeartbeatRequest.json"
    text = KAFKA[name].replace(old, new, 1).replace('"type": "int64"', '"type": "int16"')

    told = found(folder(tmp_path, "kafka", **{name: text}))

    assert [(each.rule, each.line, each.place) for each in told] == [(NOT_UNDERSTOOD, line, place)]


def test_what_leaves_bytes_open_is_told_of_every_form(tmp_path: Path) -> None:
    text = KMSG.replace("Epoch: int64(-1) // tag 1", "Epoch: int64(-1) // tag 0")

    told = [
        (each.rule, each.place)
        for each in found(folder(tmp_path, "kmsg", **{DSL: text}))
        if each.rule != COVERED
    ]

    assert told == [(NOT_UNDERSTOOD, "Epoch")]


def test_a_tag_that_may_be_null_in_some_versions_alone_has_no_default_of_all(
    tmp_path: Path,
) -> None:
    """Go's zero is null, which those versions can't write that have no null."""
    tag = "  WantShutdown: bool\n  Cordoned: nullable-v1+[uuid] // tag 1\n"
    text = KMSG.replace("  WantShutdown: bool\n", tag)

    told = [
        (each.rule, each.place)
        for each in found(folder(tmp_path, "kmsg", **{DSL: text}))
        if each.rule != COVERED
    ]

    assert told == [(NOT_UNDERSTOOD, "Cordoned")]


def test_what_a_common_struct_leaves_open_is_told_once(tmp_path: Path) -> None:
    name = "BrokerHeartbeatRequest.json"
    used = "".join(
        f'{{ "name": "{each}", "type": "Pair", "versions": "0+" }},' for each in ("One", "Two")
    )
    pair = (
        '"commonStructs": [{ "name": "Pair", "versions": "0+", "fields": ['
        '{ "name": "A", "type": "int8", "versions": "0+", "default": "zz" }]}],'
    )
    text = KAFKA[name].replace('"fields": [', f'{pair}\n"fields": [{used}', 1)

    told = found(folder(tmp_path, "kafka", **{name: text}))

    assert [each.rule for each in told] == [NOT_UNDERSTOOD]


def test_what_is_missing_of_a_part_is_not_told(tmp_path: Path) -> None:
    path = folder(tmp_path, "kafka")

    examined = compare(importer_for(path).read(path), KAFKA_4_3, "here", whole=False)

    assert len(examined) == len(KAFKA)


def test_of_a_message_that_parts_everywhere_a_few_differences_are_shown() -> None:
    fields = tuple(Field(f"F{line}", Type("int8"), EVERY, path=(line,)) for line in range(1, 301))
    message = Message("HeartbeatRequest", "request", 12, EVERY, Versions(4, 9), fields)
    proof = Proof("one", "other", 0, {}, b"", {})

    (examined, *_) = compare(
        [Imported("own", message.name, message)], KAFKA_4_3, "here", lambda *_: proof
    )

    proven = [each for each in examined.findings if each.proof]
    assert len(examined.findings) > 300
    assert 10 <= len(proven) <= 100


def test_versions_of_one_layout_are_laid_side_by_side_once(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[object] = []

    def counted(ours: Layout, theirs: Layout) -> Iterator[Difference]:
        seen.append(ours)
        return differences(ours, theirs)

    monkeypatch.setattr(comparing, "differences", counted)
    fields = (Field("Group", Type("int8"), EVERY, path=(1,)),)
    message = Message("HeartbeatRequest", "request", 12, EVERY, Versions(4, 9), fields)

    (examined, *_) = compare([Imported("own", message.name, message)], KAFKA_4_3, "here")

    assert len(seen) == 3  # versions 0-2, 3 and 4: a field comes, and then flexibility
    assert any("version 0-4" in each.reason for each in examined.findings)


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
