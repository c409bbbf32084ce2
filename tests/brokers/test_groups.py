"""Groups of two members, on two connections, and their removal at the end of a run."""

from typing import Any

import pytest

from conformance.brokers.dialogues.cleaning import removal
from conformance.brokers.dialogues.talk import Facts, Talk
from conformance.brokers.exchange import exchange
from conformance.brokers.mutants import broker_mutants, stocked
from conformance.brokers.mutants.groups.members import WITH_GROUPS, OfGroups
from conformance.brokers.score import SessionEndpoint, verdicts_of
from conformance.dialogue import Broken, Receive, Reconnect, Send, Switch
from conformance.reference.broker.cluster import ClassicGroup, Member
from conformance.reference.broker.connections.server import serving
from tests.cli.conftest import run

VERSIONS: Any = WITH_GROUPS["versions"]
PREFIX = "kafka-conformance-"


def a_group(name: str, *member_ids: str) -> ClassicGroup:
    members = {each: Member(each, None, "client", {"range": ""}) for each in member_ids}
    leader = next(iter(member_ids), "")
    return ClassicGroup(name, "Stable", "consumer", "range", 1, leader, members)


@pytest.fixture
def broker():
    return stocked(OfGroups())


def test_the_groups_of_a_run_are_deleted_with_their_members_and_no_others(broker):
    for name in (f"{PREFIX}1-group", f"{PREFIX}2-group", "billing"):
        broker.groups[name] = a_group(name, "a", "b")
    left: list[str] = []
    facts = Facts(VERSIONS, writes=True, prefix=PREFIX)
    assert exchange(removal(Talk(facts), left), SessionEndpoint(broker)).broken is None
    assert left == []
    assert list(broker.groups) == ["billing"]
    assert list(broker.groups["billing"].members) == ["a", "b"]


def test_a_run_leaves_no_group_behind(broker):
    rules = ("groups.one-leader", "groups.rebalance-told", "groups.deleted-when-empty")
    assert {each.verdict for each in verdicts_of(broker, *rules)} == {"pass"}
    assert broker.groups == {}


def asked(talk: Talk, number: int) -> Send:
    return Send(talk.served_request(number))


def test_a_dialogue_goes_on_with_the_connection_that_it_names(broker):
    talk = Talk(Facts(VERSIONS))

    def dialogue():
        yield asked(talk, 1)
        yield Switch("other")
        yield asked(talk, 2)
        yield Switch("")
        first = yield Receive()
        yield Switch("other")
        second = yield Receive()
        yield Reconnect()
        nothing = yield Receive()
        numbers = [int.from_bytes(each.frame[:4], "big") for each in (first, second)]
        raise Broken(f"{numbers} {nothing.kind}")

    found = exchange(dialogue(), SessionEndpoint(broker))
    assert found.broken is not None
    assert found.broken.detail == "[1, 2] silent"


def test_what_waits_for_another_member_is_a_silence_until_that_one_acts():
    """The second member's JoinGroup has no answer where the first is not told of it."""
    mutant = broker_mutants()["RebalanceUntold"]
    found = verdicts_of(stocked(mutant()), "groups.rebalance-told")
    assert {each.verdict for each in found} == {"fail"}
    assert all("while another member joins" in each.detail for each in found)


@pytest.mark.parametrize("rule", ["groups.one-leader", "groups.each-its-share"])
def test_over_tcp_a_member_gets_its_answer_once_the_other_has_joined(broker, rule):
    with serving(broker) as port:
        ended = run("broker", f"127.0.0.1:{port}", "--allow-writes", "--rule", rule)
    assert ended.code == 0, ended.out
