"""ApiVersions: lists in another form: a throttle time at the wrong place, another count."""

from __future__ import annotations

import struct

from conformance.brokers.mutants.mutant import BrokerMutant
from conformance.brokers.mutants.versions.list_writing import (
    NO_TAGS,
    THROTTLE_TIME,
    ListWriter,
    entry_bytes,
)
from conformance.reference.broker.cluster import Value


def _plain(body: Value) -> bytes:
    entries = body["apiKeys"]
    return struct.pack(">i", len(entries)) + b"".join(map(entry_bytes, entries))


class ThrottleTimeFirst(BrokerMutant):
    """Writes the throttle time of ApiVersions 1 and 2 before the list."""

    breaks = "api-versions.throttle-time-after-list"

    class Sessions(ListWriter):
        """A connection that does as with all other answers."""

        def changed(self, version: int, frame: bytes, body: Value) -> bytes:
            return frame[:6] + THROTTLE_TIME + _plain(body) if version in (1, 2) else frame


class NoThrottleTimeInVersion1(BrokerMutant):
    """Leaves the throttle time of ApiVersions 1 out."""

    breaks = "api-versions.throttle-time-after-list"
    implies = ("api-versions.advertised-is-served",)

    class Sessions(ListWriter):
        """A connection that is one version late."""

        def changed(self, version: int, frame: bytes, body: Value) -> bytes:
            return frame[:-4] if version == 1 else frame


class TagsInVersion2(BrokerMutant):
    """Ends ApiVersions 2 with a tag section."""

    breaks = "api-versions.throttle-time-after-list"

    class Sessions(ListWriter):
        """A connection that is one version early."""

        def changed(self, version: int, frame: bytes, body: Value) -> bytes:
            """Return the frame with a byte appended, in version 2."""
            return frame + NO_TAGS if version == 2 else frame


class ThrottleTimeInVersion0(BrokerMutant):
    """Writes a throttle time in ApiVersions 0."""

    breaks = "api-versions.version-0-has-list-alone"
    implies = ("api-versions.advertised-is-served",)

    class Sessions(ListWriter):
        """A connection that is one version early."""

        def changed(self, version: int, frame: bytes, body: Value) -> bytes:
            """Return the frame with four bytes appended, in version 0."""
            return frame if version else frame + THROTTLE_TIME


class PlainCountInFlexible(BrokerMutant):
    """Writes the number of APIs as INT32 in flexible versions too."""

    breaks = "api-versions.compact-list"
    implies = ("api-versions.advertised-is-served",)

    class Sessions(ListWriter):
        """A connection whose array is not compact."""

        def changed(self, version: int, frame: bytes, body: Value) -> bytes:
            if version < 3:
                return frame
            entries = b"".join(entry_bytes(each) + NO_TAGS for each in body["apiKeys"])
            count = struct.pack(">i", len(body["apiKeys"]))
            return frame[:6] + count + entries + THROTTLE_TIME + NO_TAGS


class EntriesWithoutTags(BrokerMutant):
    """Writes the APIs of flexible versions without a tag section each."""

    breaks = "api-versions.compact-list"
    implies = ("api-versions.advertised-is-served",)

    class Sessions(ListWriter):
        """A connection with a tag section at the end alone."""

        def changed(self, version: int, frame: bytes, body: Value) -> bytes:
            if version < 3:
                return frame
            count = bytes([len(body["apiKeys"]) + 1])
            entries = b"".join(map(entry_bytes, body["apiKeys"]))
            return frame[:6] + count + entries + THROTTLE_TIME + NO_TAGS


class CountWithoutOneMore(BrokerMutant):
    """Writes the number of APIs itself in flexible versions, where one more is due."""

    breaks = "api-versions.compact-list"
    implies = ("api-versions.advertised-is-served",)

    class Sessions(ListWriter):
        """A connection that is off by one."""

        def changed(self, version: int, frame: bytes, body: Value) -> bytes:
            return frame[:6] + bytes([frame[6] - 1]) + frame[7:] if version >= 3 else frame
