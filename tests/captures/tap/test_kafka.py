"""Real clients speak through a tap to a real Apache Kafka, which advertises where the tap is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from conformance.brokers.started.kafka import running_kafka
from conformance.clients.scenarios.actions import ACTIONS
from conformance.results.lines import Summary, Verdict
from tests.captures.drivers import all_actions, renew_topics, unlisted
from tests.captures.kafka_behind import VERSION, KafkaBehind, kafka_behind
from tests.captures.speaking import audited
from tests.captures.tap.lines import judged, running
from tests.clients.available import drivers

pytestmark = pytest.mark.java
kafka = pytest.importorskip("kafka")
admin = pytest.importorskip("kafka.admin")

NUMBER = 500
TOPIC = "tapped"
MADE_UP = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def write_and_read(address: str) -> list[bytes]:
    """What is read of a topic to which records were written."""
    with closing(admin.KafkaAdminClient(bootstrap_servers=address)) as client:
        client.create_topics([TOPIC], wait_for_metadata=True)
    with closing(kafka.KafkaProducer(bootstrap_servers=address)) as producer:
        for number in range(NUMBER):
            producer.send(TOPIC, b"%d" % number)
        producer.flush()
    consumer = kafka.KafkaConsumer(
        TOPIC, bootstrap_servers=address, group_id="g", auto_offset_reset="earliest"
    )
    with closing(consumer):
        return [record.value for _, record in zip(range(NUMBER), consumer, strict=False)]


def test_kafka_python_and_apache_kafka_break_nothing_through_a_tap(tmp_path: Path) -> None:
    results, capture = tmp_path / "t.ndjson", tmp_path / "t.pcapng"
    with kafka_behind(tmp_path / "kafka") as broker:
        behind = broker.kafka.ports[broker.listener]
        files = ("--results", results, "--pcapng", capture)
        with running(behind, *files, port=broker.port) as run:
            found = write_and_read(broker.address)
            assert run.interrupt() == 0
    assert sorted(found) == sorted(b"%d" % number for number in range(NUMBER))
    assert f"kafka-python {kafka.__version__}" in run.out
    assert run.out.splitlines()[-3].endswith(": no failure")
    (summary,) = [line for line in judged(results) if isinstance(line, Summary)]
    assert summary.cases > 30
    tables, _ = audited(capture, ports=None)
    assert dict(tables.verdicts) == summary.verdicts
    assert {api for _, api, _ in tables.used} >= {"CreateTopics", "Produce", "Fetch", "JoinGroup"}


@pytest.fixture
def direct(tmp_path: Path) -> Iterator[str]:
    """The address of a new broker that clients come to without a tap."""
    with running_kafka(tmp_path / "direct", VERSION) as kafka:
        yield kafka.address


@pytest.fixture
def behind(tmp_path: Path) -> Iterator[KafkaBehind]:
    """Another one, which no client has been to either: offsets are the same."""
    with kafka_behind(tmp_path / "behind") as broker:
        yield broker


def what_it_tells(name: str, address: str) -> dict[str, tuple[str, list[str]]]:
    """How each action ends, and what a driver tells of one that went well, in no order.

    The name of a group may be one that a client has made up.
    """
    return {
        action: (
            ended.outcome,
            sorted(MADE_UP.sub("", ended.text).split()) if ended.outcome == "ok" else [],
        )
        for action, ended in all_actions(name, address).items()
    }


@pytest.mark.traffic
@pytest.mark.parametrize("name", drivers())
def test_each_client_does_through_a_tap_what_it_does_without_and_apache_kafka_breaks_nothing(
    direct: str, behind: KafkaBehind, tmp_path: Path, name: str
) -> None:
    renew_topics(direct)
    without = what_it_tells(name, direct)
    with behind.recorded():
        renew_topics(behind.address)
    results = tmp_path / "t.ndjson"
    upstream = behind.kafka.ports[behind.listener]
    with running(upstream, "--results", results, port=behind.port) as run:
        through = what_it_tells(name, behind.address)
        assert run.interrupt() in (0, 1), run.err
    print(run.out)
    assert through == without
    verdicts = [line for line in judged(results) if isinstance(line, Verdict)]
    answers = [each for each in verdicts if each.message.endswith("Response")]
    assert len(answers) > len(ACTIONS)
    assert [each for each in answers if each.verdict != "pass"] == []
    assert unlisted(name, verdicts) == []
