"""Answers that come in pieces, to something else, not at all, or with a size that lies."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import ClassVar, cast

from conformance.peers.cluster import Value
from conformance.peers.session import Session
from conformance.scenarios import Scenario
from conformance.scenarios.judging import all_of, bears, where_asked
from conformance.scenarios.playing import Closes, Cuts, Resets, Rewrites, Silent
from conformance.scenarios.visit import succeeds, survives
from conformance.schema.layout import Form

HUGE = 2**31 - 1
COUNT_AT_LEAST = 3
"""The first version of Metadata that begins with the throttle time."""


class SplitAnswers(Scenario):
    """Sends the first bytes of each answer one by one."""

    about = "MetadataRequest"
    answers = ""
    decides: ClassVar = {"client-answers.split-anywhere": succeeds}

    class Sessions(Session):
        """Cuts what it writes."""

        def answers(self, data: bytes) -> Iterator[bytes]:
            """With it."""
            for answer in super().answers(data):
                for index in range(32):
                    yield answer[index : index + 1]
                yield answer[32:]

    sessions = Sessions


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

    twin = ClosedInPlaceOfAnswer
    left = 1
    decides: ClassVar = {"client-answers.asked-again": succeeds}


class ResetOnce(Resets):
    """Resets the connection on the first Metadata, and answers the next."""

    twin = ResetInPlaceOfAnswer
    left = 1
    decides: ClassVar = {"client-answers.asked-again": succeeds}


class CutOnce(Cuts):
    """Closes the connection in the middle of the first answer to Metadata alone."""

    twin = CutAnswer
    left = 1
    decides: ClassVar = {"client-answers.asked-again": succeeds}


class WrongCorrelationId(Scenario):
    """Answers Metadata with another correlation id."""

    about = "MetadataRequest"
    twin = ClosedInPlaceOfAnswer
    decides: ClassVar = {"client-answers.other-correlation-id-survived": survives}

    class Sessions(Session):
        """Adds a thousand to it."""

        def write(self, name: str, version: int, correlation_id: int, body: Value) -> bytes:
            """With it."""
            shift = 1000 if name == "Metadata" else 0
            return super().write(name, version, correlation_id + shift, body)

    sessions = Sessions


class AnswersBeforehand(Scenario):
    """Sends an answer that nobody asked for before the one to Metadata."""

    about = "MetadataRequest"
    twin = ClosedInPlaceOfAnswer
    decides: ClassVar = {"client-answers.other-correlation-id-survived": survives}

    class Sessions(Session):
        """Has one more."""

        stray = False

        def write(self, name: str, version: int, correlation_id: int, body: Value) -> bytes:
            """Knows what it answers."""
            self.stray = name == "Metadata"
            return super().write(name, version, correlation_id, body)

        def answers(self, data: bytes) -> Iterator[bytes]:
            """With it."""
            for answer in super().answers(data):
                yield struct.pack(">iii", 8, 123456, 0) + answer if self.stray else answer

    sessions = Sessions


class _SizedSession(Session):
    """Announces another size than the answer to Metadata has."""

    answers_metadata = False

    def write(self, name: str, version: int, correlation_id: int, body: Value) -> bytes:
        """Knows what it answers when it writes it."""
        self.answers_metadata = name == "Metadata"
        return super().write(name, version, correlation_id, body)

    def answers(self, data: bytes) -> Iterator[bytes]:
        """The size alone."""
        size = cast("_Sized", self.broker).size
        for answer in super().answers(data):
            yield struct.pack(">i", size) if self.answers_metadata else answer


class _Sized(Scenario):
    """Announces an answer of another size to Metadata, and sends nothing of it."""

    about = "MetadataRequest"
    twin = ClosedInPlaceOfAnswer
    sessions = _SizedSession
    size = HUGE


class HugeAnswer(_Sized):
    """Announces an answer of two gigabytes to Metadata, and sends nothing of it."""

    decides: ClassVar = {"client-answers.huge-size-survived": all_of(survives, bears)}


class NegativeAnswer(_Sized):
    """Announces an answer of -1 bytes to Metadata."""

    size = -1
    decides: ClassVar = {"client-answers.negative-size-survived": all_of(survives, bears)}


class LeastNegativeAnswer(_Sized):
    """Announces an answer of -2,147,483,648 bytes to Metadata."""

    size = -(2**31)
    decides: ClassVar = {"client-answers.negative-size-survived": all_of(survives, bears)}


class EmptyAnswer(_Sized):
    """Sends an answer of no bytes to Metadata."""

    size = 0
    decides: ClassVar = {"client-answers.negative-size-survived": survives}


_LENGTHS = {"client-answers.hostile-lengths-survived": all_of(survives, bears)}


class _Spoiled(Rewrites):
    """Answers Metadata with something else where the array of brokers begins."""

    twin = ClosedInPlaceOfAnswer
    spoils: ClassVar[tuple[bytes, bytes]]
    """In place of the count: of an array that is not compact, and of one that is."""

    def frame(self, form: Form, frame: bytes) -> bytes:
        """Spoiled, and much shorter."""
        at = 4 + form.flexible + (4 if form.version >= COUNT_AT_LEAST else 0)
        return frame[:at] + self.spoils[form.flexible]


class ArrayWithoutEnd(_Spoiled):
    """Answers Metadata with an array of 2,147,483,647 brokers, none of which is there."""

    spoils = bytes.fromhex("7fffffff"), bytes.fromhex("ffffffff07")
    decides: ClassVar = _LENGTHS


class ArrayOfManyMore(_Spoiled):
    """Answers Metadata with an array of ten million brokers, none of which is there."""

    spoils = bytes.fromhex("00989680"), bytes.fromhex("8190e204")
    decides: ClassVar = _LENGTHS


class TextWithoutEnd(_Spoiled):
    """Answers Metadata with a broker whose host is longer than the answer."""

    spoils = (
        bytes.fromhex("00000001 00000001 7fff 6162"),
        bytes.fromhex("02 00000001 ffffffff07 6162"),
    )
    decides: ClassVar = _LENGTHS


class TextOfNegativeLength(_Spoiled):
    """Answers Metadata with a broker whose host has a negative length."""

    spoils = (
        bytes.fromhex("00000001 00000001 8000 6162"),
        bytes.fromhex("02 00000001 ffffffff0f 6162"),
    )
    decides: ClassVar = _LENGTHS


class NullBrokers(_Spoiled):
    """Answers Metadata with null in place of the array of brokers, and nothing behind it."""

    spoils = bytes.fromhex("ffffffff"), b"\0"
    decides: ClassVar = {"client-answers.forbidden-null-survived": all_of(survives, bears)}


class ClosedInPlaceOfCoordinators(Closes):
    """Closes the connection on FindCoordinator."""

    api = "FindCoordinator"
    about = "FindCoordinatorRequest"
    action = "groups"
    holds = staticmethod(survives)


class NullCoordinators(Rewrites):
    """Answers FindCoordinator with null in place of the array of coordinators."""

    api = "FindCoordinator"
    about = "FindCoordinatorRequest"
    action = "groups"
    twin = ClosedInPlaceOfCoordinators
    decides: ClassVar = {
        "client-answers.forbidden-null-survived": where_asked(
            "FindCoordinator", survives, range(4, 100)
        )
    }

    def frame(self, form: Form, frame: bytes) -> bytes:
        """From the count on."""
        return frame[:9] + b"\0\0" if form.version >= 4 else frame
