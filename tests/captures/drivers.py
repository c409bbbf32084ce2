"""What a bundled driver does with a real Apache Kafka, and what is known of its client."""

from __future__ import annotations

import time
from collections.abc import Iterable
from contextlib import closing, suppress
from pathlib import Path

from conformance.clients.names import command_of
from conformance.clients.program import ClientProgram, VisitEnded
from conformance.clients.scenarios.actions import ACTIONS, FILLED, Action
from conformance.results.known import read_known
from conformance.results.lines import BROKEN, Verdict
from conformance.targets import registry

PATIENCE_S = 60.0
READABLE = "client-requests.readable"
MADE = "made-by-a-client"
GROUPS = ("group-a", "group-b")
_TO_THE_END = -1


def all_actions(name: str, address: str) -> dict[Action, VisitEnded]:
    """How each action of a driver ends."""
    program = ClientProgram(command_of(name))
    return {action: program.visit(address, action, PATIENCE_S) for action in ACTIONS}


def renew_topics(address: str) -> None:
    """The topic that clients read is there, and empty; the one that they make is not there.

    Not every client reads what every other one has written, such as records in zstd. Groups have
    their coordinators: a broker that has just begun is still loading them.
    """
    from kafka import TopicPartition
    from kafka.admin import KafkaAdminClient
    from kafka.errors import RetriableError

    with closing(KafkaAdminClient(bootstrap_servers=address)) as client:
        for group in GROUPS:
            while True:
                with suppress(RetriableError):
                    client.list_group_offsets(group)
                    break
                time.sleep(0.1)
        there = client.list_topics()
        if MADE in there:
            client.delete_topics([MADE])
        if FILLED in there:
            client.delete_records({TopicPartition(FILLED, 0): _TO_THE_END})
        else:
            client.create_topics([FILLED], wait_for_metadata=True)


def unlisted(name: str, verdicts: Iterable[Verdict]) -> list[Verdict]:
    """What a client breaks and its `known.toml` does not list.

    A played broker takes a request that can't be read for that alone, whichever rule its bytes
    break. What a scenario shows of a message may be seen in any connection.
    """
    adapter, _ = registry.find(name, None, registry.CLIENTS)
    entries = read_known(Path(str(adapter.folder / "known.toml")))
    listed = {(place.rule, place.message) for entry in entries for place in entry.places()}
    return [
        each
        for each in verdicts
        if each.verdict in BROKEN
        and listed.isdisjoint(
            (rule, message) for rule in (each.rule, READABLE) for message in (each.message, "")
        )
    ]
