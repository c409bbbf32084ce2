"""What an application gave is what is asked: other ways to say the same are none the worse."""

import pytest

from conformance.clients.program import VisitEnded
from conformance.clients.scenarios import scenarios
from conformance.clients.scenarios.actions import FILLED, OTHER
from conformance.clients.scenarios.cluster.altering import difference
from conformance.clients.scenarios.requests.headers import names_itself
from conformance.clients.scenarios.scenario import id_of
from conformance.clients.scenarios.visit import Sent, Visit
from conformance.dialogue import Broken, NotApplicable

RULE = "client-requests.asked-as-given"
LITERAL, PREFIXED = 3, 4
TO_READ = {"operation": 3, "permissionType": 3}
ACL = {
    "resourceType": 2,
    "resourceName": FILLED,
    "resourcePatternType": LITERAL,
    "principal": "User:alice",
    "host": "*",
    **TO_READ,
}
CONFIG = {"name": "log.cleaner.threads", "configOperation": 0, "value": "2"}
BROKER = {"resourceType": 4, "resourceName": "1"}
BY_ID = {"name": None, "topicId": id_of(OTHER)}


def visit(*requests, control_case=None):
    return Visit(sent=list(requests), ended=VisitEnded("ok"), control_case=control_case)


def sent(api, value, client_id="c"):
    return Sent(0.0, 0, 1, b"", api, 1, {"correlationId": 0, "clientId": client_id}, value)


def is_broken(judgement, met):
    try:
        judgement(met)
    except Broken:
        return True
    return False


def breaks(api, **value):
    judgement = scenarios()[f"OneOf{api}"].decides[RULE]
    return is_broken(judgement, visit(sent(api, value)))


@pytest.mark.parametrize(
    ("api", "value"),
    [
        ("CreateAcls", {"creations": [ACL]}),
        (
            "AlterConfigs",
            {"resources": [{**BROKER, "configs": [{"name": CONFIG["name"], "value": "2"}]}]},
        ),
        ("AlterConfigs", {"resources": []}),
        (
            "IncrementalAlterConfigs",
            {"resources": [{**BROKER, "configs": [CONFIG]}], "validateOnly": False},
        ),
        ("DeleteTopics", {"topicNames": [OTHER]}),
        ("DeleteTopics", {"topics": [{"name": OTHER, "topicId": id_of("")}]}),
        ("DeleteTopics", {"topics": [BY_ID]}),
        ("DescribeLogDirs", {"topics": None}),
        ("DescribeLogDirs", {"topics": [{"topic": FILLED, "partitions": [0]}]}),
    ],
)
def test_what_was_given_is_asked(api, value):
    assert not breaks(api, **value)


@pytest.mark.parametrize(
    ("api", "value"),
    [
        ("CreateAcls", {"creations": [{**ACL, "resourcePatternType": PREFIXED}]}),
        ("CreateAcls", {"creations": [ACL, ACL]}),
        ("AlterConfigs", {"resources": [{**BROKER, "resourceType": 2, "configs": [CONFIG]}]}),
        (
            "IncrementalAlterConfigs",
            {"resources": [{**BROKER, "configs": [{**CONFIG, "configOperation": 1}]}]},
        ),
        (
            "IncrementalAlterConfigs",
            {"resources": [{**BROKER, "configs": [CONFIG]}], "validateOnly": True},
        ),
        ("DeleteTopics", {"topicNames": [FILLED]}),
        ("DeleteTopics", {"topics": [{**BY_ID, "topicId": id_of(FILLED)}]}),
        ("DescribeLogDirs", {"topics": []}),
    ],
)
def test_what_was_not_given_is_not_asked(api, value):
    assert breaks(api, **value)


def test_a_difference_is_told_with_the_field_that_it_is_in():
    assert difference({"a": [{"b": 1}]}, {"a": [{"b": 2, "c": 3}]}) == "b is 2, and 1 was given"


def test_what_is_not_asked_shows_nothing():
    with pytest.raises(NotApplicable):
        scenarios()["OneOfDeleteTopics"].decides[RULE](visit(sent("Metadata", {})))


def test_an_empty_client_id_may_be_taken_for_none():
    usual = visit(sent("Metadata", {}, "adminclient-1"))
    for name, broken in (("", False), ("adminclient-1", False), ("c", True)):
        met = visit(sent("Metadata", {}, name), control_case=usual)
        assert is_broken(names_itself(""), met) == broken


def test_another_client_id_is_what_was_given():
    usual = visit(sent("Metadata", {}, "adminclient-1"))
    for name, broken in (("given", False), ("adminclient-1", True), (None, True)):
        met = visit(sent("Metadata", {}, name), control_case=usual)
        assert is_broken(names_itself("given"), met) == broken
