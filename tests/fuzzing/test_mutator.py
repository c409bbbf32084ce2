"""Mutations know what the bytes say."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from conformance.fuzzing.inputs import HEAD_BYTES, InputSubject, name_code, seeds, split
from conformance.fuzzing.mutator import Mutator
from conformance.reference.codec import ReferenceCodec
from conformance.schema.releases import message_names
from conformance.wire.errors import WireError

CODEC = ReferenceCodec()
MOST = 4096


def blindly(data: bytes, most: int) -> bytes:
    return data[:most]


def mutated(data: bytes, times: int, seed: int = 1) -> list[bytes]:
    mutator = Mutator(CODEC, blindly, random.Random(seed))
    return [mutator(data, MOST).data for _ in range(times)]


def is_read(data: bytes) -> bool:
    parted = split(data)
    assert parted is not None
    subject, body = parted
    try:
        return CODEC.decode(subject.message, subject.version, body)[1] == 0
    except WireError:
        return False


def body_seed(message: str, version: int) -> bytes:
    found = seeds([message], frozenset({version}))
    return max((each for each in found if each[3] == 0), key=len)


def test_no_two_messages_have_one_number():
    assert len({name_code(name) for name in message_names()}) == len(message_names())


def test_an_input_says_what_it_is_about():
    subject = InputSubject("MetadataRequest", 12)
    assert split(subject.head + b"abc") == (subject, b"abc")


def test_a_request_is_what_its_own_header_says():
    frame = bytes.fromhex("0003000c00000001ffff00")
    parted = split(InputSubject("ApiVersionsRequest", 3, framed=True).head + frame)
    assert parted == (InputSubject("MetadataRequest", 12, framed=True), frame)


@pytest.mark.parametrize("data", [b"", b"\0\0\0", b"\xff\xff\xff\xff", InputSubject("X", 0).head])
def test_what_is_about_nothing_is_none(data: bytes):
    assert split(data) is None


@pytest.mark.parametrize("message", ["MetadataResponse", "ApiVersionsResponse", "FetchRequest"])
def test_many_stay_well_formed_and_many_do_not(message: str):
    made = mutated(body_seed(message, 4 if message != "ApiVersionsResponse" else 3), 400)
    well = Counter(is_read(each) for each in made if each != made[0])
    assert well[True] > 40
    assert well[False] > 40


def test_the_message_stays_and_the_version_seldom_does_not():
    made = [split(each) for each in mutated(body_seed("MetadataResponse", 12), 400)]
    subjects = Counter(each[0] for each in made if each)
    assert {each.message for each in subjects} == {"MetadataResponse"}
    assert subjects[InputSubject("MetadataResponse", 12)] > 380
    assert len(subjects) > 2


def test_what_was_made_to_be_well_formed_says_its_value_and_a_fault_that_it_is_one():
    mutator = Mutator(CODEC, blindly, random.Random(1))
    seed = body_seed("MetadataResponse", 12)
    made = [mutator(seed, MOST) for _ in range(400)]
    values = [each for each in made if each.value is not None]
    assert len(values) > 40
    for each in values:
        assert CODEC.decode("MetadataResponse", 12, each.data[HEAD_BYTES:])[0] == each.value
    assert sum(each.is_fault for each in made) > 40


def test_a_seed_repeats_a_run():
    seed = body_seed("MetadataResponse", 12)
    assert mutated(seed, 100, 7) == mutated(seed, 100, 7)
    assert mutated(seed, 100, 7) != mutated(seed, 100, 8)


def test_nothing_is_longer_than_it_may_be():
    mutator = Mutator(CODEC, blindly, random.Random(1))
    seed = body_seed("MetadataResponse", 12)
    assert max(len(mutator(seed, 64).data) for _ in range(300)) <= 64


def test_what_is_no_message_is_mutated_blindly():
    junk = InputSubject("MetadataResponse", 12).head + b"\xff" * 9
    assert set(mutated(junk, 20)) == {junk}
