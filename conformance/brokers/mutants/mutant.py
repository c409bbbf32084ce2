"""The base of a broker's mutants: the reference broker with one method overridden.

A defect of the connection is in a nested class `Sessions`, any other in the broker itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from conformance.reference.broker.broker import Broker
from conformance.reference.broker.cluster import Topic
from conformance.reference.broker.connections.session import Session
from conformance.wire.errors import DecodeError

TOPICS = {"events": 1, "orders.v2": 2}
"""The topics of a broker that is judged in this process, and their partitions: without any, a
broker that hides or misdescribes topics would look like one that does not.
"""


class BrokerMutant(Broker):
    """The reference broker with one defect, which the docstring tells in one sentence.

    `breaks` is the rule that it breaks, `implies` are others that are broken with it, since they
    demand the same of it. `made_with` are the settings of a broker that it is about.
    """

    breaks: ClassVar[str] = ""
    implies: ClassVar[tuple[str, ...]] = ()
    made_with: ClassVar[Mapping[str, Any]] = {}
    known: ClassVar[list[type[BrokerMutant]]] = []

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        sessions = vars(cls).get("Sessions", cls.sessions)
        assert issubclass(sessions, Session)
        cls.sessions = sessions
        BrokerMutant.known.append(cls)

    def __init__(self, *versions: Any, **settings: Any) -> None:
        super().__init__(*versions, **{**self.made_with, **settings})

    @classmethod
    def says(cls) -> str:
        """Return the defect of this mutant, in one sentence."""
        return " ".join((cls.__doc__ or "").split())


class LetsPass(Session):
    """A connection that drops what it can't read, and goes on."""

    def respond(self, frame: bytes) -> bytes | None:
        """The answer where there is one."""
        try:
            return super().respond(frame)
        except DecodeError:
            return None


def stocked(broker: Broker) -> Broker:
    """Return the broker, with topics added."""
    for name, partitions in TOPICS.items():
        replicas = [[broker.node_id] for _ in range(partitions)]
        broker.add_topic(Topic(name, broker.new_topic_id(), replicas))
    return broker
