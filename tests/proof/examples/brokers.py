"""The examples of rules of brokers, made from dialogues and mutants.

The reference broker and each mutant of a rule hold its dialogues in this process. The last answer
in which they differ to the same request is the example; of all examples, the shortest is taken.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from conformance.brokers.dialogues import DialogueCase, asked_of, ends
from conformance.brokers.dialogues.talk import Facts
from conformance.brokers.exchange import exchange
from conformance.brokers.in_process import OTHER, SessionEndpoint, SessionLine
from conformance.brokers.mutants import BrokerMutant, broker_mutants, stocked
from conformance.brokers.score import made_with
from conformance.dialogue import Broken, Received, Who
from conformance.reference.broker.broker import Broker
from conformance.reference.codec import ReferenceCodec
from conformance.rules import catalogue
from conformance.rules.examples import ExampleRow
from conformance.rules.examples.exchanges import BROKERS, Exchange, Side
from tests.proof.examples.making import Maker, exchange_of, once
from tests.proof.examples.sides import (
    ROWS,
    asked,
    counting,
    cut,
    cut_short,
    is_bad_size,
    of_either,
    request,
    response,
    rows_of,
    wrong_row,
)

_MOST_GIVEN = 3
_ENDS = {
    "closed": "the connection is closed",
    "reset": "the connection is closed",
    "silent": "no answer",
    "flood": "a frame is announced that is larger than any answer",
}


@dataclass(frozen=True, slots=True)
class Heard:
    """The frame or end that a dialogue received when it listened.

    `given` are the frames that waited for an answer, `rest` the bytes after them that are no whole
    frame.
    """

    given: tuple[bytes, ...]
    rest: bytes
    received: Received

    @property
    def key(self) -> tuple[str, bytes]:
        """The visible part of it."""
        return self.received.kind, self.received.frame

    @property
    def asked(self) -> tuple[tuple[bytes, ...], bytes]:
        """The frames and bytes that it answers."""
        return self.given, self.rest


class _Line(SessionLine):
    """A connection whose answers are kept."""

    def __init__(self, broker: Broker, who: Who, heard: list[Heard]) -> None:
        super().__init__(broker, who)
        self.heard = heard
        self.rest = b""
        self.waiting: list[bytes] = []

    def send(self, data: bytes, pieces: int = 0, gap_s: float = 0.0) -> None:
        frames, self.rest = cut(self.rest + data)
        self.waiting += frames
        super().send(data, pieces, gap_s)

    def hear(self, patience_s: float | None = None) -> Received:
        received = super().hear(patience_s)
        self.heard.append(Heard(tuple(self.waiting), self.rest, received))
        if received.kind == "reply":
            answered = answered_by(self.waiting, received.frame)
            self.waiting = [each for each in self.waiting if each not in answered]
        return received


def answered_by(given: Sequence[bytes], answer: bytes) -> Sequence[bytes]:
    """Return the request with an answer's correlation id, or the first that waits."""
    same = [each for each in given if each[4:8] == answer[:4]]
    return (same or given)[:1]


class _Endpoint(SessionEndpoint):
    """A broker whose answers are kept."""

    def __init__(self, broker: Broker) -> None:
        super().__init__(broker)
        self.broker = broker
        self.heard: list[Heard] = []

    def connect(self, who: Who = "self", node: int | None = None) -> SessionLine:
        del node
        return _Line(self.broker, who, self.heard)


@dataclass(frozen=True, slots=True)
class Record:
    """The answers in a dialogue, and its failure."""

    heard: list[Heard]
    broken: Broken | None


@dataclass(frozen=True, slots=True)
class _Shown:
    """A mutant whose answer differs from the reference's."""

    mutant: type[BrokerMutant]
    case: str
    asked: tuple[bytes, ...]
    rest: bytes
    right: Received
    wrong: Received

    @property
    def worth(self) -> tuple[int, int, str, str]:
        """A sort key, the best first: two answers, then one; then the fewest bytes."""
        frames = (self.right.kind, self.wrong.kind).count("reply")
        size = sum(map(len, (*self.asked, self.rest, self.right.frame, self.wrong.frame)))
        return 2 - frames, size, self.case, self.mutant.__name__

    def example(self) -> Exchange:
        """Return it in the form in which it is stored."""
        sides = self._side(self.right), self._side(self.wrong)
        return exchange_of(self.mutant, self.case, self._given(), sides, self._rows(*sides))

    def _side(self, received: Received) -> Side:
        if received.kind != "reply":
            return Side(says=_ENDS[received.kind])
        names = next(map(asked, answered_by(self.asked, received.frame)), None)
        return response(received.frame, names)

    def _given(self) -> list[Side]:
        """Return the answered requests, or all if none was, and bytes that are no whole frame."""
        answers = [each.frame for each in (self.right, self.wrong) if each.kind == "reply"]
        answered = [one for answer in answers for one in answered_by(self.asked, answer)]
        shown = [each for each in self.asked if each in (answered or self.asked)]
        rest = [cut_short(self.rest)] if self.rest else []
        return [*map(request, shown[:_MOST_GIVEN]), *rest]

    def _rows(self, right: Side, wrong: Side) -> list[ExampleRow]:
        if self.right.kind != self.wrong.kind and self.asked:
            rows = rows_of(request(self.asked[0]), self.asked[0])
            if (at := wrong_row(rows)) is not None:
                return ROWS.alone(rows, at)
        return of_either(right, self.right, wrong, self.wrong)


def _shown(mutant: type[BrokerMutant]) -> Iterator[_Shown]:
    """Yield for each dialogue the last answer in which a mutant differs."""
    for case in _cases(mutant(), mutant.breaks):
        wrong = _record(mutant, mutant.breaks, case.id)
        if wrong.broken is None or wrong.broken.judged_by not in ("", mutant.breaks):
            continue
        right = _right(mutant, case.id)
        for one, other in reversed(list(zip(right.heard, wrong.heard, strict=False))):
            if one.key != other.key and one.asked == other.asked and _is_shown(one, other):
                yield _Shown(mutant, case.id, *one.asked, one.received, other.received)
                break


def _is_shown(one: Heard, other: Heard) -> bool:
    """True if bytes show the difference: an answer, or a size that nothing follows."""
    return "reply" in (one.received.kind, other.received.kind) or is_bad_size(one.rest)


def _right(mutant: type[BrokerMutant], case: str) -> Record:
    """Return the reference's answers in a mutant's dialogue, with what the mutant builds on."""
    bases = (each for each in mutant.__mro__[1:] if issubclass(each, Broker))
    base = next(each for each in bases if not getattr(each, "breaks", ""))
    record = _record(base, mutant.breaks, case)
    return _record(Broker, mutant.breaks, case) if record.broken else record


@once
def _record(made_by: type[Broker], rule: str, case: str) -> Record:
    """Return a broker's answers in one dialogue, which is held once."""
    broker = made_by(**made_with(rule))
    counting(broker)
    endpoint = _Endpoint(stocked(broker))
    [item] = [each for each in _cases(broker, rule) if each.id == case]
    broken = exchange(item.begin(), endpoint).broken
    return Record(endpoint.heard, broken)


def _cases(broker: Broker, rule: str) -> list[DialogueCase]:
    facts = Facts(
        broker.versions,
        prefix="x-",
        codec=_codec(),
        writes=True,
        other=OTHER,
        authenticates=broker.users is not None,
        mechanism="PLAIN" if broker.users is not None else "",
        session_lifetime_ms=broker.session_lifetime_ms,
    )
    return list(ends(asked_of(facts, {rule: catalogue()[rule]})))


@cache
def _codec() -> ReferenceCodec:
    return ReferenceCodec()


BROKERS_MADE = Maker("broker", BROKERS, broker_mutants, _shown)
