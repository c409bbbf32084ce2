"""What is told about two releases: whom a change breaks, by which bytes, and what else changed."""

from __future__ import annotations

from dataclasses import astuple

import pytest

from conformance.definitions.evolution.facts import facts
from conformance.definitions.evolution.pairing import Matched, match
from conformance.definitions.evolution.release import read_release
from conformance.definitions.mutants.evolution import MUTANTS, VALID, EvolutionMutant
from conformance.definitions.proofs.evolution import examined
from conformance.schema.finding import BrokenRule, Proof
from conformance.schema.text.texts import Text, texts_at
from tests.schema.definitions import field, request, text

BY_NAME = {each.name: each for each in (*MUTANTS, *VALID)}


def changed(name: str) -> Matched:
    mutant: EvolutionMutant = BY_NAME[name]
    return match(read_release("1.0", mutant.old()), read_release("1.1", mutant.new()))


def first(name: str) -> BrokenRule:
    return next(finding for each in examined(changed(name)) for finding in each.findings)


def proof(name: str) -> Proof:
    found = first(name).proof
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("mutant", "whom"),
    [
        ("evolution-stable-nullable", "(version 2): breaks an old reader with a new writer"),
        ("evolution-tag-nullable", "(versions 16-18): breaks an old reader with a new writer"),
        (
            "evolution-tag-default-raised",
            "with a new writer and a new reader with an old writer",
        ),
    ],
)
def test_reason_says_which_peers_misread_each_other(mutant: str, whom: str) -> None:
    assert first(mutant).reason.endswith(whom)


def test_swapped_tags_are_misread_without_an_error() -> None:
    found = proof("evolution-tags-swapped")

    assert (found.writer, found.reader) == ("1.1 (new)", "1.0 (old)")
    assert found.value["removingReplicas"] == found.read["addingReplicas"] == []
    assert "removingReplicas" not in found.read


def test_default_that_changed_is_read_from_bytes_without_the_tag() -> None:
    found = proof("evolution-tag-default-null")

    assert found.bytes.endswith(b"\x00")  # no tags
    assert "leader" not in found.read or found.read["leader"] != found.value.get("leader", -1)


def test_refusal_is_told_with_its_offset() -> None:
    assert proof("evolution-flexible-no-more").read.startswith("offset ")


def test_finding_of_a_field_that_is_gone_stands_in_the_older_file() -> None:
    old = read_release("1.0", [Text("old/A.json", text(request(field("Gone"), field("Stays"))))])
    new = read_release("1.1", [Text("new/A.json", text(request(field("Stays"))))])

    (found,) = [finding for each in examined(match(old, new)) for finding in each.findings]

    assert (found.file, found.place) == ("old/A.json", "Gone")


def test_definition_that_can_not_be_read_is_named_and_proves_nothing() -> None:
    whole, broken = Text("A.json", text(request())), Text("SampleRequest.json", "{")
    for old, new in ((whole, broken), (broken, whole)):
        found = match(read_release("1.0", [old]), read_release("1.1", [new]))

        assert [(each.name, each.whole) for each in examined(found)] == [("SampleRequest", False)]
        assert [each.kind for each in facts(found)] == ["not compared"]


def test_second_definition_of_a_name_is_not_dropped_in_silence() -> None:
    first = Text("A.json", text(request(type="data", apiKey=None)))
    second = Text("b/B.json", text(request(field(), type="data", apiKey=None)))
    for sides in (([first], [first, second]), ([first, second], [first])):
        found = match(*(read_release(name, texts) for name, texts in zip("01", sides, strict=True)))

        (fact,) = facts(found)
        assert (fact.kind, fact.message) == ("not compared", "SampleRequest")
        assert fact.what.endswith(": A.json defines SampleRequest too, and is the one compared")
        assert not all(each.whole for each in examined(found))


def test_copy_of_a_definition_is_no_second_one() -> None:
    copies = [Text(file, text(request())) for file in ("A.json", "build/A.json")]

    assert read_release("1.0", copies).unread == ()


def test_facts_name_what_came_and_went() -> None:
    found = match(
        read_release("3.9.2", texts_at("3.9.2")),
        read_release("4.0.2", texts_at("4.0.2")),
    )

    told = {astuple(each) for each in facts(found)}

    assert {
        ("new message", "ShareUpdateKey", "1"),
        ("message retired", "LeaderAndIsrRequest", "had 0-7"),
        ("new version", "ListOffsetsRequest", "10"),
        ("version dropped", "ListOffsetsRequest", "0"),
        (
            "field renamed",
            "VoteRequest",
            "topics.partitions.candidateId is topics.partitions.replicaId",
        ),
    } <= told


def test_facts_name_messages_that_are_called_otherwise() -> None:
    found = match(
        read_release("4.0.2", texts_at("4.0.2")),
        read_release("4.1.2", texts_at("4.1.2")),
    )

    told = {astuple(each) for each in facts(found)}

    assert {
        (
            "message renamed",
            "ListConfigResourcesRequest",
            "(was ListClientMetricsResourcesRequest)",
        ),
        ("data of a coordinator now", "OffsetCommitKey", "is coordinator-key 1"),
        ("tag added", "FetchRequest", "Topics.Partitions.HighWatermark (tag 1 of 18)"),
        ("version now stable", "ReadShareGroupStateRequest", "0"),
        ("version unstable", "InitProducerIdRequest", "6"),
    } <= told
    assert not any(message == "ListClientMetricsResourcesRequest" for _, message, _ in told)


@pytest.mark.parametrize(
    ("change", "fact"),
    [
        ("evolution-valid-tag-added", ("tag added", "SampleRequest", "Rows.More (tag 2 of 2-3)")),
        ("evolution-valid-tag-gone", ("tag gone", "SampleRequest", "Rows.Size (tag 1 of 2-3)")),
        ("evolution-valid-renamed", ("field renamed", "SampleRequest", "rows is lines")),
        ("evolution-valid-version-added", ("new version", "SampleRequest", "4")),
        ("evolution-valid-oldest-dropped", ("version dropped", "FetchRequest", "4-6")),
    ],
)
def test_valid_change_is_told_as_a_fact(change: str, fact: tuple[str, str, str]) -> None:
    assert fact in {astuple(each) for each in facts(changed(change))}
