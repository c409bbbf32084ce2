"""ApiVersions: lists in another form, and the connection that writes them: a throttle time at the
wrong place, another count.
"""

from __future__ import annotations

import struct

from conformance.brokers.mutants.mutant import BrokerMutant
from conformance.reference.broker.cluster import Value
from conformance.reference.broker.connections.session import Session

NO_TAGS = bytes(1)
THROTTLE_TIME = bytes(4)


class ListWriter(Session):
    """A connection that writes a list of its own form where there is no error."""

    def write(self, name: str, version: int, correlation_id: int, body: Value) -> bytes:
        """The frame, changed where it holds a list."""
        frame = super().write(name, version, correlation_id, body)
        if name != "ApiVersions" or body["errorCode"]:
            return frame
        return self.changed(version, frame, body)

    def changed(self, version: int, frame: bytes, body: Value) -> bytes:
        return frame


def entry_bytes(entry: Value) -> bytes:
    """Return the bytes of one API, without tags."""
    return struct.pack(">hhh", entry["apiKey"], entry["minVersion"], entry["maxVersion"])


def _plain(body: Value) -> bytes:
    entries = body["apiKeys"]
    return struct.pack(">i", len(entries)) + b"".join(map(entry_bytes, entries))


class ThrottleTimeFirst(BrokerMutant, breaks="api-versions.throttle-time-after-list"):
    """Writes the throttle time of ApiVersions 1 and 2 before the list."""

    class Sessions(ListWriter):
        def changed(self, version: int, frame: bytes, body: Value) -> bytes:
            return frame[:6] + THROTTLE_TIME + _plain(body) if version in (1, 2) else frame


class NoThrottleTimeInVersion1(BrokerMutant, breaks="api-versions.throttle-time-after-list"):
    """Leaves the throttle time of ApiVersions 1 out."""

    implies = ("api-versions.advertised-is-served",)

    class Sessions(ListWriter):
        def changed(self, version: int, frame: bytes, body: Value) -> bytes:
            return frame[:-4] if version == 1 else frame


class TagsInVersion2(BrokerMutant, breaks="api-versions.throttle-time-after-list"):
    """Ends ApiVersions 2 with a tag section."""

    class Sessions(ListWriter):
        def changed(self, version: int, frame: bytes, body: Value) -> bytes:
            return frame + NO_TAGS if version == 2 else frame


class ThrottleTimeInVersion0(BrokerMutant, breaks="api-versions.version-0-has-list-alone"):
    """Writes a throttle time in ApiVersions 0."""

    implies = ("api-versions.advertised-is-served",)

    class Sessions(ListWriter):
        def changed(self, version: int, frame: bytes, body: Value) -> bytes:
            return frame if version else frame + THROTTLE_TIME


class PlainCountInFlexible(BrokerMutant, breaks="api-versions.compact-list"):
    """Writes the number of APIs as INT32 in flexible versions too."""

    implies = ("api-versions.advertised-is-served",)

    class Sessions(ListWriter):
        def changed(self, version: int, frame: bytes, body: Value) -> bytes:
            if version < 3:
                return frame
            entries = b"".join(entry_bytes(each) + NO_TAGS for each in body["apiKeys"])
            count = struct.pack(">i", len(body["apiKeys"]))
            return frame[:6] + count + entries + THROTTLE_TIME + NO_TAGS


class EntriesWithoutTags(BrokerMutant, breaks="api-versions.compact-list"):
    """Writes the APIs of flexible versions without a tag section each."""

    implies = ("api-versions.advertised-is-served",)

    class Sessions(ListWriter):
        def changed(self, version: int, frame: bytes, body: Value) -> bytes:
            if version < 3:
                return frame
            count = bytes([len(body["apiKeys"]) + 1])
            entries = b"".join(map(entry_bytes, body["apiKeys"]))
            return frame[:6] + count + entries + THROTTLE_TIME + NO_TAGS


class CountWithoutOneMore(BrokerMutant, breaks="api-versions.compact-list"):
    """Writes the number of APIs itself in flexible versions, where one more is due."""

    implies = ("api-versions.advertised-is-served",)

    class Sessions(ListWriter):
        def changed(self, version: int, frame: bytes, body: Value) -> bytes:
            return frame[:6] + bytes([frame[6] - 1]) + frame[7:] if version >= 3 else frame
