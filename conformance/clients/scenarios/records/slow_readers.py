"""Brokers that read slowly, so that a client has more to send than the connection takes."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import ClassVar, cast

from conformance.api_keys import PRODUCE
from conformance.clients.scenarios.every_request import readable, records_valid
from conformance.clients.scenarios.plain_brokers import ServesLarge
from conformance.clients.scenarios.scenario import Scenario
from conformance.clients.scenarios.visit import NotDone, Visit, require, succeeds
from conformance.dialogue import Broken, NotApplicable
from conformance.reference.broker.cluster import Request, Value
from conformance.reference.broker.connections.session import Session
from conformance.reference.broker.node import Node

AT_ONCE = 2
"""The number of records given before the client waits for any."""
_KEY = struct.Struct(">4xh")
"""The position of the api key in a frame that has begun."""


def goes_on(visit: Visit) -> None:
    """The second Produce comes on the connection of the first, which is not answered before, and
    all is written in time."""
    written = require(visit.of("Produce"), "it wrote nothing")
    together = [each for each in written if each.connection == written[0].connection]
    if len(together) < AT_ONCE:
        what = "it sent no Produce behind the first one, which is answered when there are two"
        raise NotDone(what, "another Produce", written[0].frame[:64])
    succeeds(visit)


def pipelines(visit: Visit) -> None:
    """Judge that a client goes on, if it pipelines at all. Raises NotApplicable."""
    try:
        goes_on(visit)
    except Broken:
        what = "it sends no Produce before the last one is answered, or not in time"
        raise NotApplicable(what) from None


class _Session(Session):
    """Rests in the midst of the first Produce of all."""

    def __init__(self, broker: Node) -> None:
        super().__init__(broker)
        slow = cast("_Slow", broker)
        slow.opened += 1
        self.number = slow.opened

    def answers(self, data: bytes) -> Iterator[bytes]:
        yield from super().answers(data)
        if self.is_amid_produce():
            slow = cast("_Slow", self.broker)
            self.rest_s, slow.rest_s = slow.rest_s, 0.0

    def is_amid_produce(self) -> bool:
        """True if the incomplete frame is a Produce."""
        begun = bytes(self._received[: _KEY.size])
        return len(begun) == _KEY.size and _KEY.unpack(begun)[0] == PRODUCE


class _Slow(Scenario, is_known=False, about="ProduceRequest", action="large"):
    """Reads nothing for `rest_s` in the midst of the first Produce."""

    control_case: ClassVar[type[Scenario] | None] = ServesLarge
    sessions: ClassVar[type[Session]] = _Session
    is_narrow: ClassVar[bool] = True
    opened = 0
    rest_s = 0.0


class _KeepingSession(_Session):
    """Keeps its answers back from the first Produce of all to the second."""

    kept = b""
    written = 0

    def handle(self, request: Request) -> Value:
        if request.api_key == PRODUCE:
            self.written += 1
            slow = cast("AnswersBehindTheNext", self.broker)
            slow.first = slow.first or self.number
        return super().handle(request)

    def answers(self, data: bytes) -> Iterator[bytes]:
        for answer in super().answers(data):
            self.kept += answer
            first = cast("AnswersBehindTheNext", self.broker).first
            if self.number != first or self.written >= AT_ONCE:
                yield self.kept
                self.kept = b""


class AnswersBehindTheNext(_Slow):
    """Answers the first Produce when another one has come on its connection."""

    is_narrow: ClassVar[bool] = False
    holds = staticmethod(pipelines)
    sessions = _KeepingSession
    first = 0


class ReadsSlowly(AnswersBehindTheNext):
    """Reads nothing for 0.7 s in the midst of the first Produce, and answers it when another one
    has come on its connection."""

    control_case = AnswersBehindTheNext
    is_narrow = True
    rest_s = 0.7
    decides: ClassVar = {"client-requests.sent-without-an-answer": goes_on}


class _LateSession(_Session):
    """Is slow to say what is served, but on the first connection of all."""

    def greet(self, request: Request) -> Value:
        if self.number > 1:
            self.delay_s = cast("ReadsTooSlowly", self.broker).late_s
        return super().greet(request)


class ReadsTooSlowly(_Slow):
    """Takes 1.5 s for ApiVersions on each connection but the first, and reads nothing for 2.25 s in
    the midst of the first Produce, so that records wait longer than they may."""

    sessions = _LateSession
    late_s = 1.5
    rest_s = 2.25
    decides: ClassVar = {
        "client-requests.readable": readable,
        "client-requests.records-valid": records_valid,
    }
