"""Records `docs/sample.pcap`: `python -m tests.captures.sample docs/sample.pcap`.

The reference client lists the topics of two brokers, one of which has the best-known defect of
all: its answers to ApiVersions have a tag section in their header, which stays version 0 (KIP-511).
"""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path

from conformance.brokers.mutants import broker_mutants, stocked
from conformance.reference.broker.broker import Broker, play
from conformance.reference.broker.connections.server import serving
from tests.captures.proxy import recorded
from tests.captures.writing import Tcp, pcap, written

DEFECT = "ApiVersionsWithTaggedHeader"


def said_to(broker: Broker) -> list[Tcp]:
    """What a client says to a broker from its first byte on, and is told."""
    listening = socket.create_server(("127.0.0.1", 0))
    address = f"127.0.0.1:{listening.getsockname()[1]}"
    with serving(stocked(broker)) as behind, recorded(behind, listening) as recording:
        client = [sys.executable, "-m", "conformance.reference.client.program", "topics", address]
        subprocess.run(client, capture_output=True, check=False, timeout=60)
    return recording.packets


if __name__ == "__main__":
    brokers = (play("newest"), broker_mutants()[DEFECT]())
    packets = [packet for broker in brokers for packet in said_to(broker)]
    written(Path(sys.argv[1]), pcap(packets))
