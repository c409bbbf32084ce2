"""What two answers may have otherwise, and what not."""

import pytest

from conformance.brokers.exploring.batches import up_to_a_marker
from conformance.brokers.exploring.comparing import Comparison
from conformance.brokers.exploring.freedoms import FREEDOMS, freedoms
from conformance.brokers.exploring.identities import PLACE, Identities
from conformance.reference.codec import ReferenceCodec

CODEC = ReferenceCodec()


def difference(api, model, target):
    return Comparison(CODEC, Identities("kafka-conformance-7")).difference(api, model, target)


def test_each_freedom_has_a_reason_and_stands_once():
    assert all(each.reason for each in FREEDOMS)
    assert len({(each.where, each.how) for each in FREEDOMS}) == len(FREEDOMS)


@pytest.mark.parametrize(
    ("api", "model", "target"),
    [
        ("Fetch", {"throttleTimeMs": 0}, {"throttleTimeMs": 7}),
        ("CreateTopics", {"errorMessage": None}, {"errorMessage": "no"}),
        ("Fetch", {"abortedTransactions": None}, {"abortedTransactions": []}),
        (
            "DeleteTopics",
            {"responses": [{"name": "a"}, {"name": "b"}]},
            {"responses": [{"name": "b"}, {"name": "a"}]},
        ),
        ("Metadata", {"topics": []}, {"topics": [{"name": "another user's", "errorCode": 0}]}),
        ("Produce", {"responses": {"logAppendTimeMs": 5}}, {"responses": {"logAppendTimeMs": 9}}),
        (
            "Produce",
            {"errorCode": 87, "logStartOffset": -1},
            {"errorCode": 87, "logStartOffset": 0},
        ),
        ("ApiVersions", {}, {"supportedFeatures": []}),
        (
            "DescribeConfigs",
            {"results": [{"configs": [{"name": "a", "value": "1", "configSource": 5}]}]},
            {
                "results": [
                    {"configs": [{"name": "a", "value": "2", "configSource": 4}, {"name": "own"}]}
                ]
            },
        ),
    ],
)
def test_what_is_free_is_no_difference(api, model, target):
    assert difference(api, model, target) is None


@pytest.mark.parametrize(
    ("api", "model", "target", "path"),
    [
        ("Fetch", {"errorCode": 0}, {"errorCode": 3}, "Fetch.errorCode"),
        ("Metadata", {"topics": [{"name": f"{PLACE}a"}]}, {"topics": []}, "Metadata.topics"),
        (
            "Produce",
            {"responses": {"logAppendTimeMs": -1}},
            {"responses": {"logAppendTimeMs": 9}},
            "Produce.responses.logAppendTimeMs",
        ),
        (
            "Produce",
            {"errorCode": 0, "logStartOffset": 1},
            {"errorCode": 0, "logStartOffset": 0},
            "Produce.logStartOffset",
        ),
        ("Fetch", {"highWatermark": 3}, {"highWatermark": 4}, "Fetch.highWatermark"),
        (
            "DescribeConfigs",
            {"results": [{"configs": [{"name": "a", "value": "1", "configSource": 1}]}]},
            {"results": [{"configs": [{"name": "a", "value": "2", "configSource": 1}]}]},
            "DescribeConfigs.results.configs.value",
        ),
    ],
)
def test_what_is_not_free_is_a_difference(api, model, target, path):
    found = difference(api, model, target)
    assert found is not None
    assert found.kind == path


def test_the_error_is_named_before_what_follows_from_it():
    found = difference(
        "Fetch", {"highWatermark": 3, "errorCode": 0}, {"highWatermark": -1, "errorCode": 1}
    )
    assert found is not None
    assert (found.path, found.expected, found.actual) == ("Fetch.errorCode", "0", "1")


def test_freedoms_of_one_api_are_not_those_of_another():
    assert "others" in freedoms("Metadata.topics")
    assert "others" not in freedoms("CreateTopics.topics")


def test_an_answer_may_end_before_a_marker_and_before_nothing_else():
    log = [{"attributes": 0, "n": 1}, {"attributes": 48}, {"attributes": 0, "n": 2}]
    assert up_to_a_marker(log[:1], log) == log
    assert up_to_a_marker(log[:2], log) == log[:2]
    assert up_to_a_marker([], log[1:]) == []
    assert up_to_a_marker([{"attributes": 0, "n": 3}], log) == [{"attributes": 0, "n": 3}]
