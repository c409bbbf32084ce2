"""What is left behind by a broker judged again and again, and by a thousand connections at once.

    python -m tests.bench.endurance [MINUTES] [WHAT --start takes]

One process judges one broker in a loop, with writes, and counts after each run what it holds: file
handles, threads, children, what is in the temporary directory, topics of ours on the broker. The
first run is the yardstick; growth past it ends the loop with exit code 1.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import NamedTuple

from conformance.brokers.connection.endpoint import Address, Endpoint
from conformance.brokers.dialogues.cleaning import all_topics
from conformance.brokers.dialogues.talk import Facts, Talk
from conformance.brokers.exchange import exchange
from conformance.brokers.started.starting import started
from conformance.cli import main as command
from conformance.dialogue import Dialogue, OpenConnections

OURS = "kafka-conformance-"
CROWD = 1000
TIMEOUT_S = 10.0
SETTLED_S = 5.0
"""A broker of our own lives in this very process, and closes what was left a little later."""


class Held(NamedTuple):
    """What this process holds, and what it left on disk and on the broker."""

    handles: int
    threads: int
    children: int
    folders: int
    topics: int


def main() -> int:
    """Judge until the time is over; 1 where more and more is held."""
    minutes = float(sys.argv[1]) if len(sys.argv) > 1 else 30.0
    what = sys.argv[2] if len(sys.argv) > 2 else "kafka:4.3.1"
    end = time.monotonic() + 60 * minutes
    with tempfile.TemporaryDirectory(prefix="endurance-") as home, started(what) as broker:
        tempfile.tempdir = home  # where nobody else leaves anything
        address = broker.address
        first = _judged(address)
        rounds, last = 1, first
        while time.monotonic() < end and _no_more(last, first):
            last = _judged(address)
            rounds += 1
            print(f"{rounds} runs: {last}", flush=True)
        crowded = _crowded(address)
        print(f"after {rounds} runs in {minutes:g} min: {first} became {last}")
        print(f"after {CROWD} connections at once: {crowded}")
    return 0 if _no_more(last, first) and _no_more(crowded, first) else 1


def _judged(address: str) -> Held:
    output = io.StringIO()
    try:
        with contextlib.redirect_stdout(output):
            command(["broker", address, "--allow-writes"])
    except SystemExit as ended:
        if ended.code:
            raise RuntimeError(output.getvalue()) from None
    return _held(address)


def _crowded(address: str) -> Held:
    def crowd(talk: Talk) -> Dialogue:
        yield OpenConnections(CROWD)
        yield from talk.ask("ApiVersions", 0, {})

    endpoint = Endpoint(Address.parse(address), TIMEOUT_S)
    found = exchange(crowd(Talk(Facts(endpoint.advertised))), endpoint)
    if found.broken:
        raise found.broken
    time.sleep(SETTLED_S)
    return _held(address)


def _held(address: str) -> Held:
    children = Path(f"/proc/self/task/{threading.get_native_id()}/children").read_text().split()
    folders = list(Path(tempfile.gettempdir()).iterdir())
    return Held(
        handles=len(os.listdir("/proc/self/fd")),
        threads=threading.active_count(),
        children=len(children),
        folders=len(folders),
        topics=len([name for name in _topics(address) if name.startswith(OURS)]),
    )


def _topics(address: str) -> list[str]:
    names: list[str] = []
    endpoint = Endpoint(Address.parse(address), TIMEOUT_S)
    exchange(all_topics(Talk(Facts(endpoint.advertised)), names), endpoint)
    return names


def _no_more(now: Held, then: Held) -> bool:
    return all(mine <= before for mine, before in zip(now, then, strict=True))


if __name__ == "__main__":
    sys.exit(main())
