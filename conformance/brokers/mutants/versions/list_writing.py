"""The base of brokers that write their list of APIs in another form than the protocol's."""

from __future__ import annotations

import struct

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
