"""A real client speaks through a tap to a real Apache Kafka, which advertises where the tap is."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from conformance.results.lines import Summary
from tests.captures.kafka_behind import kafka_behind
from tests.captures.speaking import audited
from tests.captures.tap.lines import judged, running

kafka = pytest.importorskip("kafka")
admin = pytest.importorskip("kafka.admin")

NUMBER = 500
TOPIC = "tapped"


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


@pytest.mark.java
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
    assert run.out.splitlines()[-2].endswith(": no failure")
    (summary,) = [line for line in judged(results) if isinstance(line, Summary)]
    assert summary.cases > 30
    tables, _ = audited(capture, ports=None)
    assert dict(tables.verdicts) == summary.verdicts
    assert {api for _, api, _ in tables.used} >= {"CreateTopics", "Produce", "Fetch", "JoinGroup"}
