"""Brokers that do nothing, and must get nothing for it."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.reference.broker.broker import Broker
from conformance.reference.broker.connections.session import Session


class HangsUp(Session):
    """Hangs up as soon as anything comes."""

    def answers(self, data: bytes) -> Iterator[bytes]:
        del data
        self.close()
        yield from ()


class Silent(Session):
    """Reads everything and says nothing."""

    def answers(self, data: bytes) -> Iterator[bytes]:
        del data
        yield from ()


class Echoes(Session):
    """Hands back what it was sent."""

    def answers(self, data: bytes) -> Iterator[bytes]:
        yield data


class HangingUp(Broker):
    """A broker that hangs up at once."""

    sessions = HangsUp


class Mute(Broker):
    """A broker that never answers."""

    sessions = Silent


class Echoing(Broker):
    """A broker that hands back what it was sent."""

    sessions = Echoes


BASELINES: tuple[type[Broker], ...] = (HangingUp, Mute, Echoing)
