"""Answers that come in pieces, to something else, not at all, or with a size that lies."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping, Sequence
from itertools import cycle
from typing import ClassVar, cast

from conformance.clients.scenarios.judging import all_of, bears, where_asked
from conformance.clients.scenarios.playing import Closes, Cuts, Resets, Rewrites, Silent
from conformance.clients.scenarios.scenario import Scenario
from conformance.clients.scenarios.visit import Visit, succeeds, survives
from conformance.dialogue import Broken
from conformance.reference.broker.cluster import Value
from conformance.reference.broker.connections.session import Session
from conformance.schema.layout import Form

HUGE = 2**31 - 1
LEAST = -(2**31)
HEADER = 4
"""The bytes of the least response header."""
COUNT_AT_LEAST = 3
"""The first version of Metadata that begins with the throttle time."""


class SplitAnswers(Scenario, about="MetadataRequest"):
    """Sends the first bytes of each answer one by one."""

    answers = ""
    decides: ClassVar = {"client-answers.split-anywhere": succeeds}

    class Sessions(Session):
        """Cuts what it writes."""

        def answers(self, data: bytes) -> Iterator[bytes]:
            for answer in super().answers(data):
                for index in range(32):
                    yield answer[index : index + 1]
                yield answer[32:]


class NoAnswer(Silent):
    """Never answers Metadata, and keeps the connection."""

    holds = staticmethod(survives)
    decides: ClassVar = {"client-answers.end-survived": survives}


class ClosedInPlaceOfAnswer(Closes):
    """Closes the connection on Metadata."""

    holds = staticmethod(survives)
    decides: ClassVar = {"client-answers.end-survived": survives}


class ResetInPlaceOfAnswer(Resets):
    """Resets the connection on Metadata."""

    holds = staticmethod(survives)
    decides: ClassVar = {"client-answers.end-survived": survives}


class CutAnswer(Cuts):
    """Closes the connection in the middle of every answer to Metadata."""

    holds = staticmethod(survives)
    decides: ClassVar = {"client-answers.end-survived": survives}


class ClosedOnce(Closes):
    """Closes the connection on the first Metadata, and answers the next."""

    control_case = ClosedInPlaceOfAnswer
    left = 1
    decides: ClassVar = {"client-answers.asked-again": succeeds}


class ResetOnce(Resets):
    """Resets the connection on the first Metadata, and answers the next."""

    control_case = ResetInPlaceOfAnswer
    left = 1
    decides: ClassVar = {"client-answers.asked-again": succeeds}


class CutOnce(Cuts):
    """Closes the connection in the middle of the first answer to Metadata alone."""

    control_case = CutAnswer
    left = 1
    decides: ClassVar = {"client-answers.asked-again": succeeds}


def not_taken(visit: Visit) -> None:
    """The client did not take any answer to Metadata, none of which has its correlation id."""
    survives(visit)
    if visit.ended.outcome == "ok" and visit.of("Metadata"):
        what = "the client says that all is well, and no answer to Metadata had its correlation id"
        raise Broken(what, "an error", "ok")


class WrongCorrelationId(Scenario, about="MetadataRequest"):
    """Answers Metadata with another correlation id."""

    control_case = ClosedInPlaceOfAnswer
    decides: ClassVar = {"client-answers.other-correlation-id-survived": not_taken}

    class Sessions(Session):
        """Adds a thousand to it."""

        def write(self, name: str, version: int, correlation_id: int, body: Value) -> bytes:
            shift = 1000 if name == "Metadata" else 0
            return super().write(name, version, correlation_id + shift, body)


class AnswersBeforehand(Scenario, about="MetadataRequest"):
    """Sends an answer that nobody asked for before the one to Metadata."""

    control_case = ClosedInPlaceOfAnswer
    decides: ClassVar = {"client-answers.other-correlation-id-survived": survives}

    class Sessions(Session):
        """Has one more."""

        stray = False

        def write(self, name: str, version: int, correlation_id: int, body: Value) -> bytes:
            self.stray = name == "Metadata"
            return super().write(name, version, correlation_id, body)

        def answers(self, data: bytes) -> Iterator[bytes]:
            for answer in super().answers(data):
                yield struct.pack(">iii", 8, 123456, 0) + answer if self.stray else answer


class _SizedSession(Session):
    """Announces another size than the answer to Metadata has."""

    answers_metadata = False

    def write(self, name: str, version: int, correlation_id: int, body: Value) -> bytes:
        """Write an answer, and note whether it is for Metadata."""
        self.answers_metadata = name == "Metadata"
        return super().write(name, version, correlation_id, body)

    def answers(self, data: bytes) -> Iterator[bytes]:
        """The size, and as many bytes as a client needs to have it all; the next size next time."""
        broker = cast("_Sized", self.broker)
        for answer in super().answers(data):
            if self.answers_metadata:
                size = next(broker.turns)
                yield struct.pack(">i", size) + (answer[4 : 4 + size] if 0 < size < HEADER else b"")
            else:
                yield answer


class _Sized(Scenario, about="MetadataRequest"):
    """Announces answers of other sizes to Metadata, one size an answer, and sends nothing more."""

    control_case = ClosedInPlaceOfAnswer
    sessions = _SizedSession
    sizes: ClassVar[Sequence[int]] = (HUGE,)

    def __init__(self, **settings: object) -> None:
        super().__init__(**settings)
        self.turns = cycle(self.sizes)


class HugeAnswer(_Sized):
    """Announces an answer of two gigabytes to Metadata, and sends nothing of it."""

    decides: ClassVar = {"client-answers.huge-size-survived": all_of(survives, bears)}


class NegativeAnswer(_Sized):
    """Announces an answer of -1 bytes to Metadata, and other negative sizes when asked again."""

    sizes = (-1, -2, -13, -100)
    decides: ClassVar = {"client-answers.negative-size-survived": all_of(survives, bears)}


class LeastNegativeAnswer(_Sized):
    """Announces an answer of -2,147,483,648 bytes to Metadata."""

    sizes = (LEAST, -100, -13, -2)
    decides: ClassVar = {"client-answers.negative-size-survived": all_of(survives, bears)}


class EmptyAnswer(_Sized):
    """Sends an answer of no bytes to Metadata."""

    sizes = (0,)
    decides: ClassVar = {"client-answers.negative-size-survived": survives}


class AnswerShorterThanItsHeader(_Sized):
    """Sends an answer of 3 bytes to Metadata, and of fewer when asked again."""

    sizes = (3, 2, 1)
    decides: ClassVar = {"client-answers.negative-size-survived": survives}


def compact(count: int) -> bytes:
    """A count or a length as a compact one, in 32 bits, whatever it is."""
    number, written = (count + 1) & 0xFFFFFFFF, bytearray()
    while number >= 0x80:
        written.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*written, number])


class _Spoiled(Rewrites):
    """Answers Metadata with something else where the array of brokers begins."""

    control_case = ClosedInPlaceOfAnswer
    turns: ClassVar[Sequence[tuple[bytes, bytes]]]
    """The bytes put there, in turn: each for plain versions and for flexible ones."""

    def __init__(self, **settings: object) -> None:
        super().__init__(**settings)
        self._turn = cycle(self.turns)

    def frame(self, form: Form, frame: bytes) -> bytes:
        at = 4 + form.flexible + (4 if form.version >= COUNT_AT_LEAST else 0)
        return frame[:at] + next(self._turn)[form.flexible]


def brokers(number: int, *ids: int) -> tuple[bytes, bytes]:
    """Return an array that states a number of brokers and holds those of these ids."""
    plain, flexible = struct.pack(">i", number), compact(number)
    for each in ids:
        node, port = struct.pack(">i", each), struct.pack(">i", 9092)
        plain += node + b"\0\x01h" + port + b"\xff\xff"
        flexible += node + b"\x02h" + port + b"\0\0"
    return plain, flexible


def host(length: int, least: int, text: bytes = b"ab") -> tuple[bytes, bytes]:
    """Return one broker whose host states this length; `least` where lengths have 16 bits."""
    plain = struct.pack(">iih", 1, 1, least) + text
    return plain, compact(1) + struct.pack(">i", 1) + compact(length) + text


_SPOILED: Mapping[str, tuple[str, Sequence[tuple[bytes, bytes]]]] = {
    "ArrayWithoutEnd": (
        "an array of 2,147,483,647 brokers, none of which is there",
        [(brokers(HUGE)[0], compact(HUGE - 1)), brokers(HUGE)],
    ),
    "ArrayOfManyMore": (
        "an array of ten million brokers, none of which is there",
        [brokers(10_000_000)],
    ),
    "ArrayOfNegativeCount": (
        "an array of -2 brokers, or of -13, -100 and fewer when asked again",
        [brokers(each) for each in (-2, -13, -100, LEAST)],
    ),
    "ArrayOfLeastCount": ("an array of -2,147,483,648 brokers", [brokers(LEAST)]),
    "ArrayOfOneMore": (
        "an array of two brokers, the second of which is not there",
        [brokers(2, 1)],
    ),
    "TextWithoutEnd": (
        "a broker whose host is longer than the answer",
        [host(HUGE - 1, 2**15 - 1)],
    ),
    "TextOfOneMore": (
        "a broker whose host is longer by one byte than what is left",
        [host(10, 10, b"localhost")],
    ),
    "TextOfNegativeLength": (
        "a broker whose host has a negative length, another when asked again",
        [host(-2, -(2**15)), host(-13, -13), host(-100, -100), host(LEAST, -2)],
    ),
    "TextOfLeastLength": (
        "a broker whose host has the lowest length that its field can hold, or -2",
        [host(LEAST, -2)],
    ),
}
for _name, (_says, _turns) in _SPOILED.items():
    _decides = {"client-answers.hostile-lengths-survived": all_of(survives, bears)}
    _Spoiled.variant(_name, f"Answers Metadata with {_says}.", turns=_turns, decides=_decides)


class NullBrokers(_Spoiled):
    """Answers Metadata with null in place of the array of brokers, and nothing behind it."""

    turns = (brokers(-1),)
    decides: ClassVar = {"client-answers.forbidden-null-survived": all_of(survives, bears)}


class ClosedInPlaceOfCoordinators(Closes, about="FindCoordinatorRequest", action="groups"):
    """Closes the connection on FindCoordinator."""

    holds = staticmethod(survives)
    decides: ClassVar = {"client-answers.end-survived": survives}


class NullCoordinators(Rewrites, about="FindCoordinatorRequest", action="groups"):
    """Answers FindCoordinator with null in place of the array of coordinators."""

    control_case = ClosedInPlaceOfCoordinators
    decides: ClassVar = {
        "client-answers.forbidden-null-survived": where_asked(
            "FindCoordinator", survives, range(4, 100)
        )
    }

    def frame(self, form: Form, frame: bytes) -> bytes:
        return frame[:9] + b"\0\0" if form.version >= 4 else frame
