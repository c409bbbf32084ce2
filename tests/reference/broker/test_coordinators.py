"""FindCoordinator: one key flat, many in order, each with an error of its own."""

import pytest

from conformance.reference.broker.broker import Broker
from tests.reference.broker.asking import ask

GROUP, TRANSACTION, SHARE = range(3)
SHARE_KEY = "g:AAAAAAAAAAAAAAAAAAAAAQ:0"


def find(keys, kind=GROUP, version=6):
    value = {"keyType": kind, "coordinatorKeys": keys}
    return ask(Broker(port=9092), "FindCoordinator", version, value)["coordinators"]


@pytest.mark.parametrize("version", [0, 1, 2, 3])
def test_one_key_has_a_flat_answer(version):
    value = {"key": "g"} if version == 0 else {"key": "g", "keyType": TRANSACTION}
    found = ask(Broker(port=9092), "FindCoordinator", version, value)
    assert (found["errorCode"], found["nodeId"], found["port"]) == (0, 1, 9092)


@pytest.mark.parametrize("version", [4, 5, 6])
def test_each_key_is_answered_in_order_also_one_given_twice(version):
    found = find(["b", "a", "b", ""], version=version)
    assert [each["key"] for each in found] == ["b", "a", "b", ""]
    assert {(each["errorCode"], each["nodeId"]) for each in found} == {(0, 1)}


def test_no_keys_have_no_answers():
    assert find([]) == []


@pytest.mark.parametrize(("kind", "version"), [(9, 6), (-1, 6), (SHARE, 5), (SHARE, 4)])
def test_a_kind_of_key_that_the_version_has_not_is_refused_for_each_key(kind, version):
    found = find([SHARE_KEY, "b"], kind, version)
    assert [each["errorCode"] for each in found] == [42, 42]


def test_a_key_that_fails_has_no_address_and_the_others_succeed():
    good, bad = find([SHARE_KEY, "no share"], SHARE)
    assert good["errorCode"] == 0
    assert (bad["errorCode"], bad["nodeId"], bad["host"], bad["port"]) == (42, -1, "", -1)
