"""A real Apache Kafka of three brokers, one of which may be away."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from kafka.admin import KafkaAdminClient

from conformance.brokers.started.kafka import RunningKafka
from tests.brokers.started.real_kafka import admin, advertised, gone_in_the_end, java_of, wait_for

pytestmark = pytest.mark.java


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("three")


@pytest.fixture(scope="module")
def kafka(folder: Path) -> Iterator[RunningKafka]:
    with gone_in_the_end(folder, brokers=3) as kafka:
        yield kafka


def listed(kafka: RunningKafka, by: int = 1) -> dict[int, str]:
    """The addresses of the brokers that serve, by their ids, as one of them sees it."""
    with admin(kafka.address_of("PLAINTEXT", by)) as client:
        brokers = client.describe_cluster()["brokers"]
    return {
        each["broker_id"]: f"{each['host']}:{each['port']}"
        for each in brokers
        if not each["is_fenced"]
    }


def test_each_lists_all_at_their_addresses(kafka: RunningKafka) -> None:
    everywhere = {node: kafka.address_of("PLAINTEXT", node) for node in (1, 2, 3)}
    for node in (1, 2, 3):
        wait_for(partial(listed, kafka, node), everywhere)
    assert kafka.address == everywhere[1]
    assert all(advertised(address) for address in everywhere.values())


def test_a_topic_is_on_all_of_them(kafka: RunningKafka) -> None:
    with admin(kafka.address) as client:
        client.create_topics(["everywhere"])
        wait_for(lambda: replicas_of(client, "everywhere"), [[1, 2, 3]])


def replicas_of(client: KafkaAdminClient, name: str) -> list[list[int]]:
    """The brokers of each partition, so far as the one that is asked knows."""
    (topic,) = client.describe_topics([name])
    return [sorted(partition["replica_nodes"]) for partition in topic["partitions"]]


def test_a_stopped_one_is_listed_no_more_until_it_is_started_again(kafka: RunningKafka) -> None:
    before = listed(kafka)
    kafka.stop(3)
    assert kafka.alive()
    wait_for(lambda: sorted(listed(kafka)), [1, 2])
    kafka.start(3)
    wait_for(lambda: listed(kafka, 3), before)


def test_a_killed_one_is_missed_and_comes_back(kafka: RunningKafka, folder: Path) -> None:
    before = listed(kafka)
    os.kill(java_of(folder, 2), signal.SIGKILL)
    assert not kafka.alive()
    kafka.restart()
    assert kafka.alive()
    wait_for(lambda: listed(kafka, 2), before)
