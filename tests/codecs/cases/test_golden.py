"""Families: what a target is asked about a vector, in its own names, and how the cases are tied."""

import pytest

from conformance.codecs.cases.case import Reads, Refuses, RefusesOrWrites, Writes
from conformance.codecs.cases.golden import families
from conformance.codecs.cases.known_definitions import followed_release
from conformance.codecs.cases.values.unknown_tags import without_unknown_tags
from conformance.codecs.cases.vectors import read_vectors
from conformance.rules import catalogue
from conformance.rules.selection import Selection
from conformance.testee_protocol import OPS, Hello, Support
from conformance.wire.reader import UNKNOWN_TAGS

EVERYTHING = Selection(rules=catalogue())


def hello(message, versions, definitions="4.4.0", ops=OPS, unknown_tags="kept"):
    support = Support(versions=(versions,), ops=frozenset(ops))
    return Hello(
        name="x",
        version="1",
        ops=frozenset(ops),
        messages={message: support},
        definitions=definitions,
        unknown_tags=unknown_tags,
    )


def family_of(identifier, said, selection=EVERYTHING):
    message = identifier.split("-v")[0]
    found = {f.vector: f for f in families(read_vectors(message), said, selection)}
    return found[identifier]


def case_of(family, suffix):
    return next(case for case in family.cases if case.id == f"{family.vector}/{suffix}")


def test_a_body_is_asked_in_three_ways_and_cut_short():
    family = family_of("HeartbeatRequest-v3-filled", hello("HeartbeatRequest", (0, 4)))
    assert [case.id.split("/", 1)[1] for case in family.cases][:7] == [
        "decode",
        "decode/truncated",
        "decode/halved",
        "encode",
        "roundtrip",
        "roundtrip/truncated",
        "roundtrip/trailing-byte",
    ]


def test_a_frame_is_asked_in_two_ways_and_cut_short():
    family = family_of("HeartbeatRequest-v3-frame", hello("HeartbeatRequest", (0, 4)))
    assert [case.id.split("/", 1)[1] for case in family.cases][:3] == [
        "decode-request",
        "decode-request/truncated",
        "encode-request",
    ]


def test_only_declared_versions_are_asked():
    found = families(
        read_vectors("HeartbeatRequest"), hello("HeartbeatRequest", (1, 2)), EVERYTHING
    )
    assert {case.request.version for family in found for case in family.cases} == {1, 2}


def test_an_operation_that_is_not_declared_is_unsupported():
    said = hello("HeartbeatRequest", (0, 4), ops=("roundtrip",))
    family = family_of("HeartbeatRequest-v3-filled", said)
    assert case_of(family, "decode").unsupported
    assert not case_of(family, "roundtrip").unsupported


def test_a_reading_case_rests_on_its_truncation():
    family = family_of("HeartbeatRequest-v3-filled", hello("HeartbeatRequest", (0, 4)))
    decode = case_of(family, "decode")
    (control_case,) = decode.control_cases
    truncated = family.cases[control_case]
    assert truncated.request.bytes == decode.request.bytes[:-1]
    assert isinstance(truncated.expects, Refuses)
    assert family.cases[truncated.control_cases[0]] is decode


def test_a_round_trip_rests_on_a_form_that_nobody_writes():
    family = family_of("HeartbeatRequest-v4-filled", hello("HeartbeatRequest", (0, 4)))
    control_case = family.cases[case_of(family, "roundtrip").control_cases[1]]
    assert control_case.id.endswith("overlong-varint")
    assert control_case.request.bytes.endswith(b"\x80\x00")
    assert isinstance(control_case.expects, RefusesOrWrites)


def test_a_missing_last_tag_section_is_a_rule_of_its_own():
    family = family_of("HeartbeatRequest-v4-filled", hello("HeartbeatRequest", (0, 4)))
    assert case_of(family, "decode/truncated").rules == ("tags.section-required",)


def test_an_empty_body_rests_on_the_truncation_of_another_version():
    said = hello("ApiVersionsRequest", (0, 3))
    family = family_of("ApiVersionsRequest-v0-defaults", said)
    decode = case_of(family, "decode")
    truncated = family.cases[decode.control_cases[0]]
    assert truncated.request.version == 3
    assert truncated.rules == ()


def test_an_empty_body_is_not_cut():
    family = family_of("ApiVersionsRequest-v0-defaults", hello("ApiVersionsRequest", (0, 3)))
    assert case_of(family, "decode/halved").unsupported == "no body to cut"


def test_values_are_in_the_names_of_the_targets_release():
    identifier = "TxnOffsetCommitRequest-v3-filled"
    newest = family_of(identifier, hello("TxnOffsetCommitRequest", (0, 5), "4.4.0"))
    older = family_of(identifier, hello("TxnOffsetCommitRequest", (0, 4), "3.9.2"))
    assert "generationIdOrMemberEpoch" in case_of(newest, "encode").request.value
    assert "generationId" in case_of(older, "encode").request.value


def test_a_tag_newer_than_the_targets_release_is_an_unknown_tag():
    identifier = "FetchRequest-v17-tagged-topics.partitions.replicaDirectoryId"
    said = hello("FetchRequest", (4, 17), "3.9.2")
    expects = case_of(family_of(identifier, said), "decode").expects
    assert isinstance(expects, Reads)
    assert "replicaDirectoryId" in expects.value["topics"][0]["partitions"][0]


def test_an_unstable_version_is_judged_by_its_own_release_alone():
    message = "ReadShareGroupStateSummaryResponse"
    newer = families(read_vectors(message), hello(message, (0, 0), "4.4.0"), EVERYTHING)
    older = families(read_vectors(message), hello(message, (0, 0), "3.9.2"), EVERYTHING)
    assert {"@3.9.2" in family.vector for family in newer} == {False}
    assert {"@3.9.2" in family.vector for family in older} == {True}


def test_a_codec_that_drops_unknown_tags_may_drop_or_keep_them():
    said = hello("HeartbeatRequest", (0, 4), unknown_tags="dropped")
    family = family_of("HeartbeatRequest-v4-unknown-tag", said)
    expects = case_of(family, "roundtrip").expects
    assert isinstance(expects, Writes)
    kept, dropped = expects.options
    assert kept == case_of(family, "roundtrip").request.bytes
    assert len(dropped) < len(kept)
    assert case_of(family, "encode").unsupported


def test_a_selected_case_keeps_its_control_cases_without_their_rules():
    identifier = "HeartbeatRequest-v3-filled"
    selection = Selection(rules=catalogue(), cases=frozenset({f"{identifier}/decode"}))
    found = list(
        families(read_vectors("HeartbeatRequest"), hello("HeartbeatRequest", (0, 4)), selection)
    )
    (family,) = found
    assert [case.id for case in family.cases if case.rules] == [f"{identifier}/decode"]


@pytest.mark.parametrize(
    ("said", "followed"),
    [("3.9.2", "3.9.2"), ("", "4.4.0"), ("4.2.0", "4.2.2"), ("2.4.0", "2.8.2"), ("9.0.0", "4.4.0")],
)
def test_a_target_of_an_unknown_release_is_judged_by_the_nearest(said, followed):
    assert followed_release(hello("HeartbeatRequest", (0, 4), said)) == followed


def test_unknown_tags_are_taken_out_at_every_depth():
    value = {"a": [{"b": 1, UNKNOWN_TAGS: [1]}], UNKNOWN_TAGS: [2]}
    assert without_unknown_tags(value) == ({"a": [{"b": 1}]}, True)
    assert without_unknown_tags({"a": [{"b": 1}]}) == ({"a": [{"b": 1}]}, False)
