"""Several nodes: what is told of those that are down, and dialogues that end one."""

from collections import Counter

import pytest

from conformance.brokers.converse import converse
from conformance.brokers.dialogues import asked_of
from conformance.brokers.dialogues.talk import Facts
from conformance.brokers.mutants.mutant import stocked
from conformance.brokers.mutants.topics.dead_replicas import (
    DeadReplicaIsNoError,
    DeadReplicaToldAtFirst,
)
from conformance.brokers.score import SessionEndpoint
from conformance.reference.broker.broker import Broker
from conformance.reference.broker.cluster import Topic
from conformance.rules import catalogue
from tests.reference.broker.asking import ask, create, metadata, topic

DEAD_REPLICAS = "metadata.dead-replica-by-version"
FORWARDED = "topics.controller-or-handed-on"


class Control:
    """Ends and starts the other nodes of a broker in this process."""

    def __init__(self, broker):
        self.broker = broker
        self.ended = []

    def alive(self):
        return True

    def restart(self):
        pass

    def stop(self, node):
        self.ended.append(node)
        self.broker.other_nodes = tuple(set(self.broker.other_nodes) - {node})

    def start(self, node):
        self.broker.other_nodes = (*self.broker.other_nodes, node)


def judged(broker, rule):
    """The verdicts of a rule on a cluster whose nodes may be ended, and its control."""
    control = Control(broker)
    selected = {rule: catalogue()[rule]}
    nodes = tuple(broker.nodes)
    facts = Facts(broker.versions, writes=True, nodes=nodes, stops=True)
    asked = asked_of(facts, selected)
    verdicts = converse(asked, SessionEndpoint(broker), selected, "kafka", control)
    return {verdict.case: verdict.verdict for verdict in verdicts}, control


def partitions(broker, version):
    found = ask(broker, "Metadata", version, metadata(["a"], version))
    return [
        (each["errorCode"], each["leaderId"], each["replicaNodes"], each["isrNodes"])
        for each in found["topics"][0]["partitions"]
    ]


def half_dead():
    broker = Broker(other_nodes=(2,))
    broker.add_topic(Topic("a", broker.new_topic_id(), [[3, 2], [3], [1, 2]]))
    return broker


def test_version_0_leaves_out_what_is_down():
    assert partitions(half_dead(), 0) == [
        (9, 2, [2], [2]),
        (5, -1, [], []),
        (0, 1, [1, 2], [1, 2]),
    ]


@pytest.mark.parametrize("version", [1, 4, 5, 9])
def test_later_versions_keep_what_is_down(version):
    assert partitions(half_dead(), version) == [
        (0, 2, [3, 2], [2]),
        (5, -1, [3], []),
        (0, 1, [1, 2], [1, 2]),
    ]


def test_replicas_that_nobody_assigned_go_round_the_nodes():
    broker = Broker(other_nodes=(2, 3))
    create(broker, topic("a", 3, 2))
    assert broker.topics["a"].replicas == [[1, 2], [2, 3], [3, 1]]


def test_a_node_is_ended_and_started_again():
    verdicts, control = judged(stocked(Broker(other_nodes=(2, 3))), DEAD_REPLICAS)
    assert set(verdicts.values()) == {"pass"}
    assert control.ended == [3]
    assert control.broker.nodes == [1, 2, 3]


@pytest.mark.parametrize("mutant", [DeadReplicaIsNoError, DeadReplicaToldAtFirst])
def test_a_defect_is_seen_where_a_node_is_ended(mutant):
    broker = mutant(other_nodes=(2, 3))
    verdicts, _ = judged(broker, DEAD_REPLICAS)
    assert verdicts["MetadataRequest/broker-that-was-ended"] == "fail"


def test_every_node_hands_on_what_is_for_the_controller():
    verdicts, _ = judged(Broker(other_nodes=(2, 3), controller=2), FORWARDED)
    assert set(verdicts.values()) == {"pass"}


def test_a_node_may_refuse_what_is_for_the_controller():
    verdicts, _ = judged(Broker(other_nodes=(2,), controller=2, forwards=False), FORWARDED)
    assert Counter(verdicts.values()).keys() == {"pass", "unsupported"}
