"""DescribeAcls, CreateAcls and DeleteAcls, and what ACLs do."""

import base64

import pytest

from conformance.brokers.score import rules_with_questions, verdicts_of
from conformance.reference.broker.broker import Broker
from tests.reference.broker.asking import ask, create, metadata, topic

ALICE = "User:alice"
TOPIC, GROUP, CLUSTER = 2, 3, 4
MATCH, LITERAL, PREFIXED = 2, 3, 4
ALL, READ, DELETE, DESCRIBE = 2, 3, 6, 8
DENY, ALLOW = 2, 3


def entry(name="x", operation=READ, **more):
    return {
        "resourceType": TOPIC,
        "resourceName": name,
        "resourcePatternType": LITERAL,
        "principal": ALICE,
        "host": "*",
        "operation": operation,
        "permissionType": ALLOW,
        **more,
    }


def wanted(kind=1, name=None, pattern=1, principal=None, host=None, operation=1, permission=1):
    return {
        "resourceTypeFilter": kind,
        "resourceNameFilter": name,
        "patternTypeFilter": pattern,
        "principalFilter": principal,
        "hostFilter": host,
        "operation": operation,
        "permissionType": permission,
    }


def grant(broker, *entries):
    answer = ask(broker, "CreateAcls", 3, {"creations": list(entries)})
    return answer and [each["errorCode"] for each in answer["results"]]


def names(broker, **asked):
    found = ask(broker, "DescribeAcls", 3, wanted(**asked))
    return found and {each["resourceName"] for each in found["resources"]}


def remove(broker, *filters):
    answer = ask(broker, "DeleteAcls", 3, {"filters": list(filters)})
    return [
        [acl["resourceName"] for acl in each["matchingAcls"]] for each in answer["filterResults"]
    ]


@pytest.fixture
def broker():
    broker = Broker()
    kinds = entry("px", resourcePatternType=PREFIXED), entry("*")
    assert grant(broker, entry("x"), entry("y", DESCRIBE), *kinds) == [0, 0, 0, 0]
    return broker


def test_no_acls_are_an_empty_list():
    assert ask(Broker(), "DescribeAcls", 3, wanted())["resources"] == []


def test_null_and_any_ask_for_all(broker):
    assert names(broker) == {"x", "y", "px", "*"}


def test_each_field_of_a_filter_counts(broker):
    assert names(broker, name="x") == {"x"}
    assert names(broker, pattern=PREFIXED) == {"px"}
    assert names(broker, name="pxq", pattern=MATCH) == {"px", "*"}
    assert names(broker, operation=DESCRIBE) == {"y"}
    assert names(broker, principal="User:bob") == set()
    assert names(broker, host="10.0.0.1") == set()
    assert names(broker, permission=DENY) == set()
    assert names(broker, kind=GROUP) == set()


def test_the_same_again_changes_nothing(broker):
    assert grant(broker, entry("x")) == [0]
    assert len(broker.acls) == 4


def test_errors_stand_in_the_order_of_the_entries_and_stop_nothing(broker):
    assert grant(
        broker,
        entry(""),
        entry("new"),
        entry("foo", resourceType=CLUSTER),
        entry("kafka-cluster", resourceType=CLUSTER),
        entry(principal="alice"),
        entry(operation=99),
        entry(resourceType=-1),
    ) == [42, 0, 42, 0, 42, 42, 42]
    assert names(broker) == {"x", "y", "px", "*", "new", "kafka-cluster"}


@pytest.mark.parametrize(
    "field", ["resourceType", "resourcePatternType", "operation", "permissionType"]
)
def test_unknown_ends_the_connection_and_any_ruins_the_request(broker, field):
    assert grant(broker, entry("new"), entry(**{field: 0})) is None
    assert grant(broker, entry("new"), entry(**{field: 1})) == [-1, -1]
    assert len(broker.acls) == 4


@pytest.mark.parametrize("field", ["kind", "pattern", "operation", "permission"])
def test_unknown_in_a_filter_ends_the_connection(broker, field):
    assert names(broker, **{field: 0}) is None


def test_every_filter_sees_the_acls_as_they_were(broker):
    x = wanted(name="x")
    assert remove(broker, x, wanted(name="none"), x) == [["x"], [], ["x"]]
    assert names(broker) == {"y", "px", "*"}


def test_without_an_authorizer_there_is_no_security():
    broker = Broker(authorizer=False)
    assert ask(broker, "DescribeAcls", 3, wanted())["errorCode"] == 54
    assert grant(broker, entry(), entry()) == [54, 54]
    answer = ask(broker, "DeleteAcls", 3, {"filters": [wanted(), wanted()]})
    assert [each["errorCode"] for each in answer["filterResults"]] == [54, 54]


def test_where_there_is_no_authorizer_no_rule_of_acls_is_judged_but_that_it_is_told():
    rules = [rule for rule in rules_with_questions() if rule.startswith("acls.")]
    verdicts = verdicts_of(Broker(authorizer=False), *rules)
    told = ("acls.no-authorizer-is-told", "acls.unknown-code-refused")
    assert {each.verdict for each in verdicts if each.rule in told} == {"pass"}
    assert {each.verdict for each in verdicts if each.rule not in told} == {"unsupported"}


def test_where_there_is_an_authorizer_its_absence_is_not_judged():
    verdicts = verdicts_of(Broker(), "acls.no-authorizer-is-told")
    assert {each.verdict for each in verdicts} == {"unsupported"}


def test_what_was_made_to_judge_acls_is_gone_afterwards():
    broker = Broker()
    rules = [rule for rule in rules_with_questions() if rule.startswith("acls.")]
    verdicts = verdicts_of(broker, *rules)
    assert {each.rule for each in verdicts} == set(rules)
    assert {each.verdict for each in verdicts if each.rule == "acls.created-is-listed"} == {"pass"}
    assert broker.acls == {}
    assert broker.topics == {}


def test_who_may_do_nothing_learns_nothing_and_who_may_does():
    broker = Broker(users={"alice": "a"}, super_users=frozenset({"User:admin"}))
    session = broker.session()
    ask(session, "SaslHandshake", 1, {"mechanism": "PLAIN"})
    token = base64.b64encode(b"\0alice\0a").decode()
    assert ask(session, "SaslAuthenticate", 2, {"authBytes": token})["errorCode"] == 0

    def seen(names):
        found = ask(session, "Metadata", 9, metadata(names))["topics"]
        return {each["name"]: each["errorCode"] for each in found}

    create(admin_of(broker), topic("x"), topic("y"))
    assert seen(None) == {}
    assert seen(["x", "none"]) == {"x": 29, "none": 29}
    assert create(session, topic("z"))["z"]["errorCode"] == 29
    assert ask(session, "DescribeAcls", 3, wanted())["errorCode"] == 31

    grant(admin_of(broker), entry("x", DELETE))
    assert seen(None) == {"x": 0}
    grant(admin_of(broker), entry("x", DESCRIBE, permissionType=DENY))
    assert seen(["x"]) == {"x": 29}


def admin_of(broker):
    """A session of the super user."""
    session = broker.session()
    session.state = "authenticated"
    session.principal = "User:admin"
    return session
