"""What the suite and real clients say to a real Apache Kafka, recorded here and audited.

Apache Kafka breaks no rule, a client those alone that its `known.toml` lists, and what the suite
sends malformed on purpose is laid at the door of the suite. `tox run -e traffic` records all that
is sent, the usual tests a part of it.
"""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from conformance.captures.audit.tables import FrameVerdict, Tables
from conformance.clients.scenarios.actions import ACTIONS
from tests.captures.drivers import READABLE, all_actions, renew_topics, unlisted
from tests.captures.kafka_behind import KafkaBehind, kafka_behind
from tests.captures.proxy import Recording
from tests.captures.speaking import audited
from tests.captures.writing import pcapng, written
from tests.clients.available import drivers

pytestmark = pytest.mark.java
pytest.importorskip("kafka")

SENT_MALFORMED = {READABLE, "framing.nothing-after-end"}
"""Some of what the suite's requests break on purpose, whichever part of them is sent."""
PART = ("framing.*", "request-header.*", "response-header.*", "produce.*")
SOME = ("confluent-kafka",)


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaBehind]:
    with kafka_behind(tmp_path_factory.mktemp("kafka")) as broker:
        yield broker


def gate(broker: KafkaBehind, *options: str) -> Recording:
    """What is said while the suite judges the broker, to the end of the run.

    What it says of the broker is no matter of this test: Apache Kafka has known failures.
    """
    command = [sys.executable, "-m", "conformance.cli", "broker", broker.address, *options]
    with broker.recorded() as recording:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    return recording


def audited_recording(
    folder: Path, recording: Recording, profile: str
) -> tuple[Tables, list[FrameVerdict]]:
    path = written(folder / "recorded.pcapng", pcapng(recording.packets))
    tables, verdicts = audited(path, profile=profile)
    print(f"{tables.connections} connections, {tables.requests} requests,", end=" ")
    print(f"{tables.responses} responses; passed over: {dict(tables.passed)}")
    print("\n".join(f"{each.rule}, {each.who}: {each.count}" for each in tables.broken))
    return tables, verdicts


def accused(verdicts: list[FrameVerdict]) -> dict[str, Counter[str]]:
    """How often each rule was broken, be it only to be noted, by brokers and by clients."""
    found: dict[str, Counter[str]] = {"broker": Counter(), "client": Counter()}
    for each in verdicts:
        side = "broker" if each.who.startswith("broker ") else "client"
        if each.verdict.verdict != "pass":
            found[side][each.verdict.rule] += 1
    return found


def check_the_suite_alone_is_accused(folder: Path, recording: Recording) -> None:
    tables, verdicts = audited_recording(folder, recording, "kafka")
    assert tables.connections > 300
    assert tables.responses > 500
    found = accused(verdicts)
    assert not found["broker"]
    assert found["client"].keys() >= SENT_MALFORMED


def test_apache_kafka_is_not_accused_of_what_the_suite_sends(
    broker: KafkaBehind, tmp_path: Path
) -> None:
    options = [word for rule in PART for word in ("--rule", rule)]
    recording = gate(broker, "--allow-writes", *options)
    check_the_suite_alone_is_accused(tmp_path, recording)


@pytest.mark.traffic
def test_apache_kafka_is_accused_of_nothing_in_a_whole_run(
    broker: KafkaBehind, tmp_path: Path
) -> None:
    check_the_suite_alone_is_accused(tmp_path, gate(broker, "--allow-writes"))


@pytest.mark.traffic
def test_apache_kafka_is_accused_of_nothing_where_the_suite_logs_in(tmp_path: Path) -> None:
    with kafka_behind(tmp_path / "kafka", "SASL_PLAINTEXT", secured=True) as broker:
        who = [
            broker.kafka.client_properties("SASL_PLAINTEXT", "SCRAM-SHA-256", user)
            for user in ("admin", "other")
        ]
        logins = ("--config", str(who[0]), "--other-config", str(who[1]))
        recording = gate(broker, "--allow-writes", *logins)
    tables, verdicts = audited_recording(tmp_path, recording, "kafka")
    assert tables.responses
    assert not accused(verdicts)["broker"]


@pytest.fixture
def topics(broker: KafkaBehind) -> None:
    with broker.recorded():
        renew_topics(broker.address)


def check_client(broker: KafkaBehind, folder: Path, name: str) -> None:
    """All actions of a driver: of what it sends no rule is broken but those that are listed."""
    with broker.recorded() as recording:
        ended = all_actions(name, broker.address)
    assert {ended[action].outcome for action in ("topics", "produce", "consume")} == {"ok"}
    tables, verdicts = audited_recording(folder, recording, "spec")
    unanswered = unanswered_requests(verdicts)
    assert tables.requests > len(ACTIONS)
    assert tables.requests - tables.responses == unanswered.total()
    assert min(unanswered.values()) >= 0
    assert not accused(verdicts)["broker"]
    assert unlisted(name, [each.verdict for each in verdicts]) == []


def unanswered_requests(verdicts: list[FrameVerdict]) -> Counter[str]:
    """How many requests on each connection had no answer: the last ones, if a client left early."""
    unanswered: Counter[str] = Counter()
    for case, message in {each.verdict.case: each.verdict.message for each in verdicts}.items():
        unanswered[case.rpartition("/")[0]] += 1 if message.endswith("Request") else -1
    return unanswered


@pytest.mark.parametrize("name", drivers(*SOME))
def test_a_client_breaks_what_is_listed_and_apache_kafka_nothing(
    broker: KafkaBehind, topics: None, tmp_path: Path, name: str
) -> None:
    check_client(broker, tmp_path, name)


@pytest.mark.traffic
@pytest.mark.parametrize("name", drivers())
def test_each_client_breaks_what_is_listed_and_apache_kafka_nothing(
    broker: KafkaBehind, topics: None, tmp_path: Path, name: str
) -> None:
    check_client(broker, tmp_path, name)
