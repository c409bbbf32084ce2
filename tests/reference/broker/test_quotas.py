"""Quotas of the reference broker: set, described, taken away, and what they make of answers."""

import pytest

from conformance.reference.broker.broker import Broker
from tests.reference.broker.asking import ask

EXACT, DEFAULT, ANY = range(3)


def alter(broker, name, share=None, key="request_percentage", entity_type="client-id", **fields):
    ops = [{"key": key, "value": share or 0.0, "remove": share is None}]
    entity = [{"entityType": entity_type, "entityName": name}]
    value = {"entries": [{"entity": entity, "ops": ops}], "validateOnly": False, **fields}
    (result,) = ask(broker, "AlterClientQuotas", 1, value)["entries"]
    return result["errorCode"]


def described(broker, match_type, match=None, entity_type="client-id"):
    component = {"entityType": entity_type, "matchType": match_type, "match": match}
    value = {"components": [component], "strict": True}
    answer = ask(broker, "DescribeClientQuotas", 1, value)
    if answer["errorCode"]:
        return answer["errorCode"]
    return {each["entity"][0]["entityName"]: each["values"] for each in answer["entries"]}


def test_a_quota_is_described_until_it_is_taken_away():
    broker = Broker()
    assert alter(broker, "ours", 5.0) == alter(broker, None, 6.0) == 0
    ours = {"ours": [{"key": "request_percentage", "value": 5.0}]}
    assert described(broker, EXACT, "ours") == described(broker, ANY) == ours
    assert list(described(broker, DEFAULT)) == [None]
    assert alter(broker, "ours") == 0
    assert described(broker, ANY) == {}


def test_a_quota_that_is_only_validated_is_not_set():
    broker = Broker()
    assert alter(broker, "ours", 5.0, validateOnly=True) == 0
    assert broker.quotas == {}


@pytest.mark.parametrize(
    "wrong", [{"key": "patience"}, {"share": -1.0}, {"entity_type": "group"}], ids=str
)
def test_a_quota_that_there_is_not_is_refused(wrong):
    broker = Broker()
    assert alter(broker, "ours", **{"share": 5.0, **wrong}) == 42
    assert broker.quotas == {}


def test_a_way_to_match_that_there_is_not_is_refused():
    broker = Broker()
    alter(broker, "ours", 5.0)
    assert described(broker, 9) == described(broker, ANY, entity_type="group") == 42


@pytest.mark.parametrize(("share", "throttle_ms"), [(0.0001, 1000), (50.0, 0)])
def test_who_may_use_next_to_nothing_is_told_to_wait(share, throttle_ms):
    broker = Broker()
    alter(broker, "c", share)
    told = ask(broker, "FindCoordinator", 2, {"key": "g", "keyType": 0}, client_id="c")
    assert told["throttleTimeMs"] == throttle_ms
    assert ask(broker, "ApiVersions", 2, {})["throttleTimeMs"] == 0
