"""The score of the dialogues: which defects of a broker they catch, each by the rule it breaks.

A mutant is judged by its own rule alone and in this process: a dialogue talks to a session and to
no socket, so that silence is known at once and nothing waits.
`python -m conformance.brokers.score` prints the table.
"""

from __future__ import annotations

import struct
import sys
from functools import cache
from typing import Any, Self

from conformance.brokers.connection.endpoint import MAX_FRAME_BYTES, Address, Unreachable
from conformance.brokers.converse import converse
from conformance.brokers.dialogues import asked_of, ends, questions
from conformance.brokers.dialogues.controls import Controls
from conformance.brokers.dialogues.talk import Facts
from conformance.brokers.mutants import BrokerMutant, broker_mutants, stocked
from conformance.codecs.score import Score, show, wrong
from conformance.dialogue import Received, Who
from conformance.reference.broker.broker import Broker
from conformance.reference.broker.releases import stored_versions
from conformance.reference.codec import ReferenceCodec
from conformance.results.lines import Verdict
from conformance.rules import catalogue
from conformance.wire.errors import EncodeError

OTHER = "User:other"


class SessionEndpoint:
    """A broker in this process."""

    def __init__(self, broker: Broker) -> None:
        self._broker = broker

    def connect(self, who: Who = "self", node: int | None = None) -> SessionLine:
        """A fresh connection; there is one node, whichever is named."""
        del node
        return SessionLine(self._broker, who)

    def follow(self, host: str, port: int) -> SessionLine:
        """A fresh connection. Raise Unreachable at an address that is not the broker's."""
        if (host, port) != (self._broker.host, self._broker.port):
            raise Unreachable(f"{Address(host, port)}: Connection refused")
        return self.connect()


class SessionLine:
    """A connection to a broker in this process. What is not there when we listen never comes."""

    def __init__(self, broker: Broker, who: Who = "self") -> None:
        self._session = broker.session()
        self._received = bytearray()
        if who != "nobody":
            self._session.state = "authenticated"
        if who == "other":
            self._session.principal = OTHER

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def send(self, data: bytes, pieces: int = 0, gap_s: float = 0.0) -> None:
        """Have the broker read the bytes, whole or in pieces, and answer."""
        del gap_s
        step = pieces or max(len(data), 1)
        for start in range(0, len(data), step):
            if self._session.closed:
                return
            self._read(data[start : start + step])

    def _read(self, data: bytes) -> None:
        try:
            for answer in self._session.answers(data):
                self._received += answer
        except (EncodeError, LookupError, struct.error):  # a mutant that stumbles hangs up
            self._session.closed = True

    def hear(self, patience_s: float | None = None) -> Received:
        """Return the next frame, or what came instead of one."""
        if self._session.pending is not None:
            self._read(b"")  # another connection may have done what the answer waits for
        if patience_s is not None and self._session.delay_s > patience_s:
            return Received("silent")
        if len(self._received) >= 4:
            (size,) = struct.unpack_from(">i", self._received)
            if not 0 <= size <= MAX_FRAME_BYTES:
                return Received("flood", bytes(self._received[:64]), f"a frame of {size} bytes")
            if len(self._received) >= 4 + size:
                frame = bytes(self._received[4 : 4 + size])
                del self._received[: 4 + size]
                return Received("reply", frame)
        if self._session.closed:
            return Received("reset" if self._received else "closed", bytes(self._received[:64]))
        return Received("silent", bytes(self._received[:64]))

    def finish(self) -> None:
        """Close the session, as a broker does if its peer closed; all answers are there."""
        self._session.closed = True

    def reset(self) -> None:
        """Close the session, and drop what was received."""
        self._session.closed = True
        self._received.clear()


@cache
def _codec() -> ReferenceCodec:
    """Return one codec for all brokers, since it compiles each form once."""
    return ReferenceCodec()


def verdicts_of(broker: Broker, *rules: str, quick: bool = False) -> list[Verdict]:
    """The verdicts of some rules on a broker, by every dialogue that decides them.

    `quick` holds each in its lowest and its highest version alone.
    """
    selected = {rule: catalogue()[rule] for rule in rules}
    facts = Facts(
        broker.versions,
        codec=_codec(),
        writes=True,
        other=OTHER,
        authenticates=broker.users is not None,
        mechanism="PLAIN" if broker.users is not None else "",
        session_lifetime_ms=broker.session_lifetime_ms,
    )
    every = asked_of(facts, selected)
    asked = ends(every) if quick else every
    endpoint, controls = SessionEndpoint(broker), Controls(facts)
    return list(converse(asked, endpoint, selected, "kafka", controls=controls))


def score() -> list[Score]:
    """Return the score of every mutant on its own rule, in the order of the rules."""
    order = list(catalogue())
    by_rule = sorted(broker_mutants().values(), key=lambda mutant: order.index(mutant.breaks))
    return [score_of(mutant) for mutant in by_rule]


def made_with(rule: str) -> dict[str, Any]:
    """The settings of a broker that a rule is about, as its mutants have them.

    It serves all APIs that any of them serves.
    """
    about = [mutant for mutant in broker_mutants().values() if mutant.breaks == rule]
    settings = {name: value for mutant in about for name, value in mutant.made_with.items()}
    if "versions" in settings:
        each = [mutant.made_with.get("versions", stored_versions()) for mutant in about]
        settings["versions"] = {key: versions[key] for versions in each for key in versions}
    return settings


def rules_with_questions() -> list[str]:
    """Return the ids of the rules that dialogues decide, in the order of the dialogues."""
    return list(dict.fromkeys(item.rule for item in questions()))


def score_of(mutant: type[BrokerMutant]) -> Score:
    """Return the score of one mutant on its own rule."""
    verdicts = verdicts_of(stocked(mutant()), mutant.breaks)
    found = wrong(verdicts)
    return Score(mutant.__name__, mutant.breaks, bool(found), len(verdicts), len(found))


if __name__ == "__main__":
    sys.exit(show(score()))
