"""A codec is held to the tagged fields and the compressors that its hello says it has."""

import pytest

from conformance.codecs.cases.golden import families
from conformance.codecs.cases.known_definitions import (
    codec_of,
    lost_in_rows,
    tagged_paths,
    tells_of_tags,
    unlike_a_map,
)
from conformance.codecs.cases.vectors import read_vectors
from conformance.codecs.run import run
from conformance.codecs.testee.in_process import ObjectTarget
from conformance.reference.codec import ReferenceCodec
from conformance.reporting.issue_text import filed
from conformance.results.lines import BROKEN, Run
from conformance.rules import catalogue
from conformance.rules.selection import Selection

UNKNOWN = {
    "FetchRequest": ["replicaState", "topics.partitions.replicaDirectoryId"],
    "ApiVersionsResponse": ["*"],
}
ABOUT_A_TAG = (
    "tags.section-layout",
    "tags.section-ends-struct",
    "tags.size-is-plain-length",
    "tags.count-matches-entries",
    "tags.explicit-default-read",
)


class Declaring:
    """A codec without the tags of UNKNOWN, which says `more` of itself, or keeps silent."""

    def __init__(self, unknown_tags="kept", **more):
        told = ReferenceCodec().hello() | {"unknownFields": UNKNOWN, "unknownTags": unknown_tags}
        codec = codec_of(ObjectTarget(_Saying(told)).hello)
        self.hello = lambda: told | more
        self.decode, self.encode, self.roundtrip = codec.decode, codec.encode, codec.roundtrip


class _Saying:
    def __init__(self, told):
        self.hello = lambda: told


def verdicts(codec, message, *rules):
    target = ObjectTarget(codec)
    selection = Selection({rule: catalogue()[rule] for rule in rules or catalogue()})
    found = families(read_vectors(message), target.hello, selection)
    return list(run(found, target, catalogue(), "kafka"))


@pytest.mark.parametrize("message", ["FetchRequest", "ApiVersionsResponse"])
def test_a_tag_that_a_codec_does_not_know_is_judged_as_an_unknown_one(message):
    found = [each for each in verdicts(Declaring(), message) if "-" not in each.op]
    assert not [each for each in found if each.verdict in BROKEN]
    passed = {each.rule for each in found if each.verdict == "pass"}
    assert passed >= set(ABOUT_A_TAG)


@pytest.mark.parametrize("rule", ABOUT_A_TAG)
def test_who_declares_nothing_is_held_to_know_every_tag(rule):
    silent = Declaring(unknownFields={})
    found = verdicts(silent, "ApiVersionsResponse", rule)
    assert {each.verdict for each in found} & BROKEN


def test_a_tag_that_is_not_known_may_not_be_misread_either():
    class Shifted(Declaring):
        def __init__(self):
            super().__init__()
            decode = self.decode
            self.decode = lambda message, version, data: decode(message, version, data + b"\0")

    assert [
        each
        for each in verdicts(Shifted(), "ApiVersionsResponse", "tags.section-layout")
        if each.verdict in BROKEN
    ]


def test_how_much_a_codec_does_not_know_is_counted_and_named():
    told = tells_of_tags(ObjectTarget(Declaring()).hello)
    assert told.startswith("it does not know 6 of the 72 tagged fields of what it declares")
    assert "FetchRequest replicaState" in told
    assert "FetchRequest clusterId" not in told
    assert tells_of_tags(ObjectTarget(ReferenceCodec()).hello) == ""


def test_tagged_fields_are_those_of_the_versions_that_are_declared():
    hello = ObjectTarget(ReferenceCodec()).hello
    assert tagged_paths(hello, "FetchRequest") == {
        "clusterId",
        "replicaState",
        "topics.partitions.highWatermark",
        "topics.partitions.replicaDirectoryId",
    }


def test_a_message_that_no_release_has_has_no_tagged_fields_that_are_known():
    class Declaring(ReferenceCodec):
        def hello(self):
            said = super().hello()
            said["messages"]["DefaultPrincipal"] = {"versions": [[0, 0]]}
            return said

    assert tells_of_tags(ObjectTarget(Declaring()).hello) == ""


def test_a_compressor_that_a_codec_lacks_is_unsupported():
    lacking = Declaring(compression=["gzip"])
    found = verdicts(lacking, "RecordBatch", "records.compression-numbers", "records.lz4-frame")
    by_batch = {each.case.split("/")[0].rpartition("-")[2]: each for each in found}
    assert by_batch["gzip"].verdict == "pass"
    assert {by_batch[name].verdict for name in ("snappy", "lz4", "zstd")} == {"unsupported"}
    assert by_batch["lz4"].detail == "declares that it has no lz4"


def a_run_line(**told):
    return Run(
        target="x",
        target_version="x 1",
        language="",
        definitions="4.4.0",
        suite_version="1",
        profile="spec",
        started="2000-01-01",
        **told,
    )


def test_what_a_codec_does_not_know_is_published_with_its_findings():
    run_line = a_run_line(lacks=tells_of_tags(ObjectTarget(Declaring()).hello))
    assert "As it declares, it does not know 6 of the 72 tagged fields" in filed(run_line, [], [])


def test_what_an_adapter_leaves_out_is_published_with_the_reason():
    run_line = a_run_line(left_out=["ProduceRequest: it makes the records itself"])
    told = "Of what it has, the adapter leaves out ProduceRequest: it makes the records itself."
    assert told in filed(run_line, [], [])


def test_a_message_that_only_an_old_release_has_is_not_asked():
    old = Declaring(definitions="2.8.2", messages={"AlterIsrRequest": [0, 0]})
    assert tagged_paths(ObjectTarget(old).hello, "AlterIsrRequest") == frozenset()


HELD = {"OffsetFetchResponse": {"topics": "name", "topics.partitions": "partitionIndex"}}
TWICE = {"name": "a", "partitions": [{"partitionIndex": 1}, {"partitionIndex": 1}]}
ONCE = {"name": "a", "partitions": [{"partitionIndex": 1}, {"partitionIndex": 2}]}


@pytest.mark.parametrize(
    ("topics", "told"),
    [
        ([ONCE], ""),
        ([ONCE, {"name": "b", "partitions": []}], ""),
        ([ONCE, {"name": "a", "partitions": []}], "topics"),
        ([{"name": "b", "partitions": []}, ONCE], "topics"),
        ([TWICE], "topics.partitions"),
        (None, ""),
    ],
)
def test_an_array_that_is_held_as_a_map_has_each_key_once_and_ascending(topics, told):
    hello = ObjectTarget(Declaring(maps=HELD)).hello
    assert unlike_a_map(hello, "OffsetFetchResponse", {"topics": topics}) == told


ROWS = {"OffsetFetchResponse": ["topics.partitions"]}


@pytest.mark.parametrize(
    ("topics", "told"),
    [
        ([ONCE], ""),
        ([ONCE, {**ONCE, "name": "b"}, ONCE], ""),
        ([TWICE], ""),
        ([ONCE, {"name": "b", "partitions": []}], "topics.partitions"),
        ([ONCE, TWICE], "topics.partitions"),
        ([{"name": "b"}], ""),
        (None, ""),
    ],
)
def test_an_array_that_is_held_as_rows_has_elements_around_that_rows_show(topics, told):
    hello = ObjectTarget(Declaring(rows=ROWS)).hello
    assert lost_in_rows(hello, "OffsetFetchResponse", {"topics": topics}) == told


def test_what_rows_can_not_show_is_not_asked_and_all_else_is():
    found = verdicts(Declaring(rows=ROWS), "OffsetFetchResponse", "versions.field-types")
    told = "declares rows of topics.partitions, and these do not show each element around them"
    assert {each.verdict for each in found if each.detail == told} == {"unsupported"}
    assert "pass" in {each.verdict for each in found}


def test_what_a_map_can_not_hold_is_not_asked_and_all_else_is():
    found = verdicts(Declaring(maps=HELD), "OffsetFetchResponse", "versions.field-types")
    told = "declares topics as a map, and its keys are not once each, ascending"
    assert {each.verdict for each in found if each.detail == told} == {"unsupported"}
    assert "pass" in {each.verdict for each in found}
