"""Old versions of Fetch and Produce have messages in place of batches, as up to Kafka 3.9."""

import pytest

from conformance.clients.scenarios.batches import batch, marker, message
from conformance.reference.broker.records.converting import converted, end_of, newest_magic
from conformance.reference.codec import ReferenceCodec
from conformance.schema.record_batch import RECORD_SET
from conformance.wire.errors import ChecksumError

CODEC = ReferenceCodec()
TWO = batch(3, ("k", "v"), (None, "w")).data


def read(data, magic):
    return CODEC.read(CODEC.form(RECORD_SET, magic), data)[0]


@pytest.mark.parametrize(("version", "magic"), [(0, 0), (1, 0), (2, 1), (3, 1), (4, 2), (18, 2)])
def test_each_version_of_fetch_has_the_newest_format_that_it_may_hold(version, magic):
    assert newest_magic(version) == magic


@pytest.mark.parametrize("magic", [0, 1])
def test_a_batch_becomes_messages_with_its_offsets_keys_and_values(magic):
    found = read(converted(TWO, magic, CODEC), magic)["records"]
    assert [each["offset"] for each in found] == [3, 4]
    assert [(each["key"], each["value"]) for each in found] == [("aw==", "dg=="), (None, "dw==")]


@pytest.mark.parametrize("codec", ["gzip", "snappy", "lz4"])
@pytest.mark.parametrize("magic", [0, 1])
def test_a_compressed_batch_becomes_messages_in_one(magic, codec):
    data = converted(batch(3, ("k", "v"), ("l", "w"), compression=codec).data, magic, CODEC)
    assert [each["offset"] for each in read(data, magic)["records"]] == [3, 4]


def test_control_batches_and_empty_ones_are_left_out():
    assert converted(marker(0).data + batch(1, length=4).data, 1, CODEC) == b""
    assert end_of(marker(0).data + batch(1, length=4).data) == 5


def test_messages_below_the_offset_are_left_out():
    assert [each["offset"] for each in read(converted(TWO, 1, CODEC, 4), 1)["records"]] == [4]
    assert converted(TWO, 1, CODEC, 5) == b""


def test_messages_of_an_older_format_stay_as_they_are():
    old = message(0, "k", "v", 0).data
    assert converted(old, 1, CODEC) == old


def test_a_batch_that_is_cut_off_becomes_a_message_that_is():
    whole = converted(TWO, 1, CODEC)
    cut = converted(TWO + TWO[:40], 1, CODEC)
    assert cut[: len(whole)] == whole
    assert len(cut) == len(whole) + 40
    assert cut[len(whole) + 16] == 1


def test_a_false_checksum_stays_false():
    false = TWO[:17] + b"\0\0\0\0" + TWO[21:]
    with pytest.raises(ChecksumError):
        read(converted(false, 1, CODEC), 1)


def test_what_is_no_batch_stays_as_it_is():
    assert converted(b"nonsense", 0, CODEC) == b"nonsense"
    assert end_of(b"nonsense") is None
