"""A real Apache Kafka whose every connection goes through a recorder, and what was recorded."""

from __future__ import annotations

import re
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from conformance.brokers.started.kafka import RunningKafka, running_kafka
from conformance.brokers.started.kafka_properties import HOST
from conformance.brokers.started.ports import free_ports
from tests.captures.proxy import Recording, recorded

VERSION = "4.3.1"
ONLY_NODE = 1
_BACKLOG = 512


@dataclass(frozen=True)
class KafkaBehind:
    """A broker that tells its clients to come to `port`, where they are recorded."""

    port: int
    listener: str
    kafka: RunningKafka

    @property
    def address(self) -> str:
        """HOST:PORT of the recorder."""
        return f"{HOST}:{self.port}"

    @contextmanager
    def recorded(self) -> Iterator[Recording]:
        """Record what is said within the `with`."""
        listening = socket.create_server((HOST, self.port), backlog=_BACKLOG)
        with recorded(self.kafka.ports[self.listener], listening) as recording:
            yield recording


@contextmanager
def kafka_behind(
    folder: Path, listener: str = "PLAINTEXT", *, secured: bool = False
) -> Iterator[KafkaBehind]:
    """Apache Kafka, one listener of which is known by the recorder's port."""
    with running_kafka(folder, VERSION, secured=secured) as kafka:
        (port,) = free_ports(1, HOST)
        kafka.stop(ONLY_NODE)
        properties = folder / "kafka" / f"node-{ONLY_NODE}" / "server.properties"
        advertised = rf"(?m)^(advertised\.listeners=.*?\b{listener}://{HOST}):\d+"
        text, times = re.subn(advertised, rf"\g<1>:{port}", properties.read_text())
        assert times == 1
        properties.write_text(text)
        kafka.start(ONLY_NODE)
        yield KafkaBehind(port, listener, kafka)
