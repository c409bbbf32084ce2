"""Tagged fields written at their defaults: each once, in its place, and read as if left out."""

import pytest

from conformance.codecs.cases.golden import families
from conformance.codecs.cases.values.explicit import edited, explicit_defaults
from conformance.codecs.cases.vectors import read_vectors
from conformance.codecs.judge.compare import value_difference
from conformance.reference.codec import PlainCodec
from conformance.rules import catalogue
from conformance.rules.selection import Selection
from conformance.testee_protocol import OPS, Hello, Support

codec = PlainCodec()


def of(message, version, shape):
    form = codec.form(message, version)
    (vector,) = (v for v in read_vectors(message) if v.id == f"{message}-v{version}-{shape}")
    return form, vector, list(explicit_defaults(form, vector.value))


def test_each_tagged_field_that_is_left_out_is_written_once():
    _, _, found = of("FetchResponse", 17, "filled")
    partition = "responses[0].partitions[0]"
    assert [one.path for one in found] == [
        "nodeEndpoints",
        f"{partition}.divergingEpoch",
        f"{partition}.currentLeader",
        f"{partition}.snapshotId",
    ]


def test_one_byte_of_tag_and_size_and_the_default_are_all_that_is_added():
    _, vector, found = of("ApiVersionsResponse", 3, "filled")
    by_path = {one.path: one.data for one in found}
    assert vector.data.endswith(b"\x00")
    assert by_path["zkMigrationReady"] == vector.data[:-1] + b"\x01\x03\x01\x00"
    epoch = b"\x01\x01\x08" + b"\xff" * 8
    assert by_path["finalizedFeaturesEpoch"] == vector.data[:-1] + epoch


@pytest.mark.parametrize(
    "shape", ["filled", "tagged-supportedFeatures", "tagged-finalizedFeatures", "two"]
)
def test_a_strict_reader_reads_the_same_and_writes_it_without(shape):
    form, vector, found = of("ApiVersionsResponse", 4, shape)
    assert found
    for one in found:
        value, end = codec.read(form, one.data)
        assert end == len(one.data)
        assert value_difference(form.layout, vector.value, value) is None
        assert codec.write(form, value) == vector.data


def test_where_all_are_written_there_is_none_to_add():
    assert of("FetchRequest", 17, "tagged-all")[2] == []


def test_vectors_of_no_tagged_field_and_of_one_are_edited():
    assert edited("FetchRequest-v17-filled")
    assert edited("ReadShareGroupStateSummaryResponse-v0@3.9.2-two")
    assert edited("FetchRequest-v17-tagged-topics.partitions.highWatermark")
    assert not edited("FetchRequest-v17-frame")
    assert not edited("FetchRequest-v17-tagged-zero-clusterId")


def test_a_target_is_asked_of_the_tags_of_its_release_alone():
    assert asked("ConsumerGroupMetadataValue", "4.4.0") == ["metadataHash"] * 2
    assert asked("ConsumerGroupMetadataValue", "3.9.2") == []


def asked(message, release):
    said = Hello(
        name="x",
        version="1",
        ops=frozenset(OPS),
        messages={message: Support(versions=((0, 0),), ops=frozenset(OPS))},
        definitions=release,
    )
    found = families(read_vectors(message), said, Selection(rules=catalogue()))
    return [
        case.id.partition("explicit-default:")[2]
        for family in found
        for case in family.cases
        if "explicit-default:" in case.id
    ]
