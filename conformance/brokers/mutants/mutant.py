"""The base of a broker's mutants: the reference broker with one method overridden.

A defect of the connection is in a nested class `Sessions`, any other in the broker itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from conformance.mutants import Breaks
from conformance.reference.broker.broker import Broker
from conformance.reference.broker.cluster import Topic
from conformance.reference.broker.connections.session import Session
from conformance.wire.errors import DecodeError

TOPICS = {"events": 1, "orders.v2": 2}
"""The topics of a broker that is judged in this process, and their partitions: without any, a
broker that hides or misdescribes topics would look like one that does not.
"""


class BrokerMutant(Breaks, Broker):
    """The reference broker with one defect; `made_with` are the broker's settings."""

    made_with: ClassVar[Mapping[str, Any]] = {}

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        sessions = vars(cls).get("Sessions", cls.sessions)
        assert issubclass(sessions, Session)
        cls.sessions = sessions

    def __init__(self, *versions: Any, **settings: Any) -> None:
        super().__init__(*versions, **{**self.made_with, **settings})


class LetsPass(Session):
    """A connection that drops what it can't read, and goes on."""

    def respond(self, frame: bytes) -> bytes | None:
        """The answer where there is one."""
        try:
            return super().respond(frame)
        except DecodeError:
            return None


def stocked(broker: Broker) -> Broker:
    """Add the topics of `TOPICS` to a broker, and return it."""
    for name, partitions in TOPICS.items():
        replicas = [[broker.node_id] for _ in range(partitions)]
        broker.add_topic(Topic(name, broker.new_topic_id(), replicas))
    return broker
