"""Answers in forms that the protocol allows and few brokers send, and some that it does not."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import ClassVar

from conformance.peers.cluster import Request, Value
from conformance.peers.session import Session
from conformance.scenarios import Scenario
from conformance.scenarios.visit import succeeds, survives

VERSIONS_FLEXIBLE_SINCE = 3
METADATA_FLEXIBLE_SINCE = 9
HUGE = 2**31 - 1


class _Tags(Scenario):
    """Answers with tagged fields that nobody knows."""

    tags: ClassVar[list[Value]] = [
        {"tag": 100, "bytes": "AQID"},
        {"tag": 2**31 - 2, "bytes": ""},
    ]


class UnknownTagsInVersions(_Tags):
    """Answers ApiVersions with unknown tags in the body and in each element."""

    decides: ClassVar = {"client-answers.unknown-tags-skipped": succeeds}

    def api_versions(self, request: Request) -> Value:
        """With tags, where there is a place for them."""
        answer = super().api_versions(request)
        if request.version < VERSIONS_FLEXIBLE_SINCE:
            return answer
        tagged = [{**each, "_unknownTaggedFields": self.tags} for each in answer["apiKeys"]]
        return {**answer, "apiKeys": tagged, "_unknownTaggedFields": self.tags}


class UnknownTagsInMetadata(_Tags):
    """Answers Metadata with unknown tags in header, body, brokers, topics and partitions."""

    about = "MetadataRequest"
    decides: ClassVar = {"client-answers.unknown-tags-skipped": succeeds}

    class Sessions(Session):
        """Writes tags into the header, where that has a place for them."""

        def write(self, name: str, version: int, correlation_id: int, body: Value) -> bytes:
            """With it."""
            frame = super().write(name, version, correlation_id, body)
            flexible = name == "Metadata" and version >= METADATA_FLEXIBLE_SINCE
            return frame[:4] + b"\x01\x63\x02\xab\xcd" + frame[5:] if flexible else frame

    sessions = Sessions

    def metadata(self, request: Request) -> Value:
        """With tags everywhere."""
        answer = super().metadata(request)
        if request.version < METADATA_FLEXIBLE_SINCE:
            return answer
        for topic in answer["topics"]:
            for partition in topic["partitions"]:
                partition["_unknownTaggedFields"] = self.tags
        for each in (*answer["topics"], *answer["brokers"], answer):
            each["_unknownTaggedFields"] = self.tags
        return answer


class SplitAnswers(Scenario):
    """Sends the first bytes of each answer one by one."""

    about = "MetadataRequest"
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


class WrongCorrelationId(Scenario):
    """Answers Metadata with another correlation id."""

    about = "MetadataRequest"
    decides: ClassVar = {"client-answers.other-correlation-id-survived": survives}

    class Sessions(Session):
        """Adds a thousand to it."""

        def write(self, name: str, version: int, correlation_id: int, body: Value) -> bytes:
            """With it."""
            shift = 1000 if name == "Metadata" else 0
            return super().write(name, version, correlation_id + shift, body)

    sessions = Sessions


class HugeAnswer(Scenario):
    """Announces an answer of two gigabytes to Metadata, and sends nothing of it."""

    about = "MetadataRequest"
    decides: ClassVar = {"client-answers.huge-size-survived": survives}

    class Sessions(Session):
        """Knows what it answers when it writes it."""

        answers_metadata = False

        def write(self, name: str, version: int, correlation_id: int, body: Value) -> bytes:
            """With it."""
            self.answers_metadata = name == "Metadata"
            return super().write(name, version, correlation_id, body)

        def answers(self, data: bytes) -> Iterator[bytes]:
            """With it."""
            for answer in super().answers(data):
                yield struct.pack(">i", HUGE) if self.answers_metadata else answer

    sessions = Sessions
