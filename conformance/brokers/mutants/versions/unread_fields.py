"""Requests of which a broker serves the plain one alone: a field is not read, or lists are short.

What comes after a field that is not read is taken for something else. A request that can't be read
gets an answer without a body.
"""

from __future__ import annotations

from conformance.brokers.mutants.mutant import BrokerMutant
from conformance.brokers.mutants.records.log import OfLogs
from conformance.reference.broker.cluster import Request, Value
from conformance.reference.broker.connections.session import Session
from conformance.reference.broker.defaults import whole
from conformance.reference.broker.releases import NAMES
from conformance.schema.filling import filled
from conformance.wire.errors import DecodeError
from conformance.wire.forgetful import without
from conformance.wire.reader import Reader

_CORRELATION_ID = slice(4, 8)
_LAST = 2
"""The last version of CreateTopics whose assignments are not read."""
_PATIENCE_MS = 1000


class _Misread(Exception):
    """A legal request can't be read without one of its fields."""


class AssignmentsUnread(BrokerMutant, breaks="api-versions.any-request-served"):
    """Does not read the assignments of CreateTopics below version 3, and takes them for configs."""

    class Sessions(Session):
        def respond(self, frame: bytes) -> bytes | None:
            try:
                return super().respond(frame)
            except _Misread:
                return frame[_CORRELATION_ID]

        def read_request(self, api_key: int, version: int, frame: bytes) -> Request:
            if NAMES[api_key] != "CreateTopics" or version > _LAST:
                return super().read_request(api_key, version, frame)
            reads = self.broker.reads
            form = reads.form("CreateTopicsRequest", version)
            header, offset = reads.read(reads.header_form(form), frame)
            lacking = without(form.layout, "topics[].assignments")
            try:
                value = filled(form.layout, Reader(frame[offset:]).struct(lacking))
            except DecodeError:
                super().read_request(api_key, version, frame)  # what is malformed is refused
                raise _Misread from None
            value |= {"timeoutMs": _PATIENCE_MS, "validateOnly": frame[-1:] == b"\1"}
            return Request(api_key, version, header, whole(form.layout, value), self.principal)


class SeveralKeysUnanswered(BrokerMutant, breaks="api-versions.any-request-served"):
    """Answers FindCoordinator of more than one key without a body."""

    class Sessions(Session):
        is_of_several = False

        def read_request(self, api_key: int, version: int, frame: bytes) -> Request:
            request = super().read_request(api_key, version, frame)
            of_keys = NAMES[api_key] == "FindCoordinator"
            self.is_of_several = of_keys and len(request.value["coordinatorKeys"]) > 1
            return request

        def respond(self, frame: bytes) -> bytes | None:
            self.is_of_several = False
            answer = super().respond(frame)
            return frame[_CORRELATION_ID] if self.is_of_several else answer


class OffsetsCutShort(OfLogs, breaks="api-versions.any-request-served"):
    """Writes the offset of a topic that exists in four bytes in the answer to ListOffsets."""

    class Sessions(Session):
        def write(self, name: str, version: int, correlation_id: int, body: Value) -> bytes:
            frame = super().write(name, version, correlation_id, body)
            if name != "ListOffsets":
                return frame
            found = [each for topic in body["topics"] for each in topic["partitions"]]
            return frame if any(each["errorCode"] for each in found) else frame[:-4]
