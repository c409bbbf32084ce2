"""A real Apache Kafka of one broker: started, killed, started again, and gone."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest

from conformance.brokers.started.kafka import running_kafka
from conformance.targets.errors import TargetNotFound
from tests.brokers.started.real_kafka import (
    PATIENCE_S,
    admin,
    advertised,
    gone_in_the_end,
    java_of,
    processes,
    read,
    wait_for,
)

API_VERSIONS = 18


@pytest.mark.java
def test_a_killed_broker_comes_back_with_its_topics(tmp_path: Path) -> None:
    with gone_in_the_end(tmp_path) as kafka:
        address = kafka.address
        assert (kafka.config, kafka.other) == (None, None)
        assert kafka.alive()
        assert API_VERSIONS in advertised(address)
        with admin(address) as client:
            client.create_topics(["kept"])
        os.kill(java_of(tmp_path, 1), signal.SIGKILL)
        assert not kafka.alive()
        kafka.restart()
        assert kafka.alive()
        assert kafka.address == address
        with admin(address) as client:
            wait_for(client.list_topics, ["kept"])


@pytest.mark.java
def test_a_port_that_was_taken_meanwhile_is_left_to_who_has_it(tmp_path: Path) -> None:
    properties = tmp_path / "kafka" / "node-1" / "server.properties"
    with Thief(properties) as thief, gone_in_the_end(tmp_path) as kafka:
        assert thief.port not in (0, kafka.ports["PLAINTEXT"])
        assert API_VERSIONS in advertised(kafka.address)


@pytest.mark.java
def test_it_ends_with_the_process_that_started_it(tmp_path: Path) -> None:
    code = (
        "import pathlib, time; from conformance.brokers.started.kafka import running_kafka\n"
        f"with running_kafka(pathlib.Path({str(tmp_path / 'in')!r})):\n"
        "    print('started', flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as starter:
        assert starter.stdout is not None
        assert starter.stdout.readline() == b"started\n"
        starter.kill()
    deadline = time.monotonic() + PATIENCE_S
    while processes(tmp_path):
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.mark.java
def test_a_version_that_is_not_pinned_is_refused(tmp_path: Path) -> None:
    with (
        pytest.raises(TargetNotFound, match=r"no Apache Kafka '0\.7' can be started"),
        running_kafka(tmp_path, "0.7"),
    ):
        pass


class Thief:
    """Takes a broker's port as soon as it is written down, once."""

    def __init__(self, properties: Path) -> None:
        self.port = 0
        self._properties = properties
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._steal)
        self._listening = socket.socket()

    def __enter__(self) -> Thief:
        self._thread.start()
        return self

    def __exit__(self, *_) -> None:
        self._over.set()
        self._thread.join()
        self._listening.close()

    def _steal(self) -> None:
        while not self.port and not self._over.wait(0.01):
            with suppress(OSError, KeyError):
                first = read(self._properties)["listeners"].split(",")[0]
                port = int(first.rpartition(":")[2])
                self._listening.bind(("127.0.0.1", port))
                self._listening.listen()
                self.port = port
