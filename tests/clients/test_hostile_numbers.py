"""Numbers that lie are played at several sizes, and each differs from the truth in nothing else."""

import base64
import struct
from typing import Any

import pytest

from conformance.clients.mutants import client_mutants
from conformance.clients.scenarios import scenarios
from conformance.clients.scenarios.answers.pieces import HUGE, LEAST, brokers, compact, host
from conformance.clients.scenarios.control_cases import control_case_of
from conformance.clients.scenarios.records.hostile import HonestBatch, written
from conformance.clients.scenarios.visit import does_well, survives
from conformance.clients.score import meet
from conformance.reference.client import Client, Failed

SCENARIOS = scenarios()
LIES: list[Any] = [each for each in SCENARIOS.values() if control_case_of(each) is HonestBatch]
PLACES = {each.place for each in LIES}


def read(data: bytes):
    return Client().records_in(base64.b64encode(data).decode(), 0)


def test_the_control_case_is_read():
    does_well(meet(Client(), HonestBatch))
    (record,), behind = read(written().data)
    assert (record["key"], len(record["headers"]), behind) == ("aw==", 1, 1)


@pytest.mark.parametrize("scenario", LIES, ids=lambda each: each.__name__)
def test_a_client_that_asks_again_is_given_every_size(scenario):
    played = scenario()
    [topic] = [each for each in played.topics.values() if each.name == "events"]
    given = [played.records_from(topic, 0, 0) for _ in range(2 * len(scenario.numbers))]
    assert given[: len(scenario.numbers)] == given[len(scenario.numbers) :]
    assert len(set(given)) == len(scenario.numbers)
    assert written().data not in given


@pytest.mark.parametrize("scenario", LIES, ids=lambda each: each.__name__)
def test_no_lie_about_a_batch_is_believed(scenario):
    for number in scenario.numbers:
        data = written(scenario.place, number).data
        if (scenario.place, number) == ("batch", HUGE):
            assert read(data) == ([], 0)  # it may be a batch of which more is to come
        else:
            with pytest.raises(Failed):
                read(data)


@pytest.mark.parametrize("place", sorted(PLACES))
def test_each_number_is_negative_far_too_large_or_just_beyond(place):
    sizes = {number for each in LIES if each.place == place for number in each.numbers}
    assert min(sizes) < -1
    assert max(sizes) in (HUGE, -1)


@pytest.mark.parametrize("number", [LEAST, -100, -13, -2, -1, 0, 1, 127, 10_000_000, HUGE])
def test_a_compact_number_is_one_more_in_as_few_bytes_as_do(number):
    value = 0
    for index, byte in enumerate(compact(number)):
        value |= (byte & 0x7F) << 7 * index
    assert value == (number + 1) % 2**32
    assert brokers(number)[0] == struct.pack(">i", number)


def test_a_text_has_the_length_that_is_said_for_either_form():
    plain, flexible = host(-13, -13)
    assert plain[8:10] == struct.pack(">h", -13)
    assert flexible[5:] == compact(-13) + b"ab"


@pytest.mark.parametrize(
    ("mutant", "scenario"),
    [
        ("NegativeCountsAreRoom", "ArrayOfNegativeCount"),
        ("BatchesAreLongerThanNone", "BatchShorterThanItsHead"),
        ("StaysAtNoBytes", "BatchOfNoBytes"),
        ("KeyWithinTheBatch", "KeyOneByteTooLong"),
    ],
)
def test_a_defect_that_minus_one_does_not_show_is_shown(mutant, scenario):
    client = client_mutants()[mutant]
    survives(meet(client(), SCENARIOS["BatchOfNegativeLength"]))
    survives(meet(client(), SCENARIOS["NullBrokers"]))
    assert meet(client(), SCENARIOS[scenario]).ended.outcome in ("crashed", "hung")
