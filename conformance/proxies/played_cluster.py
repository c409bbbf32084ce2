"""The cluster behind a proxy: three brokers, and the detection of a dialogue's own requests."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from conformance.api_keys import DESCRIBE_CLUSTER, FIND_COORDINATOR, PRODUCE
from conformance.brokers.dialogues.talk import framed
from conformance.error_codes import COORDINATOR_NOT_AVAILABLE
from conformance.reference.broker.broker import Broker
from conformance.reference.broker.releases import Ranges
from conformance.reference.codec import PlainCodec, ReferenceCodec
from conformance.reference.proxy.link import api_of
from conformance.reference.proxy.translation import known_versions
from conformance.schema.filling import filled
from conformance.schema.releases import request_name
from conformance.wire.errors import WireError

BROKERS = {node: (f"broker-{node}.upstream", 9092) for node in (1, 2, 3)}
"""The addresses of the brokers if no socket listens."""
_CLIENT_ID = 10
"""The offset of the client id in a request without its length, in any header version."""


class Sorting:
    """The division of requests that arrive at a broker into a dialogue's and the proxy's own.

    A dialogue's requests have a client id that begins with `prefix`. If a proxy declares that it
    changes client ids, or has not yet been seen to keep one, a request with the API and version of
    one that was sent counts as the dialogue's as well.
    """

    def __init__(self, prefix: str, *, renames: bool = False) -> None:
        self._prefix = prefix.encode()
        self._name = re.compile(re.escape(self._prefix) + rb"\d+-client")
        self._names: set[bytes] = set()
        self._old_names: set[bytes] = set()
        self._renames = renames
        self._keeps_names = False
        self._sent: list[tuple[int, int]] = []

    def begin(self) -> None:
        """Forget the requests of earlier dialogues, except the names of their clients."""
        self._sent.clear()
        self._old_names |= self._names
        self._names.clear()

    def sends(self, data: bytes) -> None:
        """Expect the whole requests in the bytes that a dialogue sends."""
        self._names.update(self._name.findall(data))
        while not self._keeps_names and len(data) >= 4:
            end = 4 + int.from_bytes(data[:4], "big")
            self._sent.append(api_of(data[4:end]))
            data = data[end:]

    def is_ours(self, frame: bytes, *, begun: bool) -> bool:
        """True if a frame is a dialogue's.

        On a connection that a dialogue has begun, so is a frame that is no request of a known API:
        a token.
        """
        if self.is_stale(frame):
            return True
        if frame[_CLIENT_ID:].startswith(self._prefix):
            self._keeps_names |= not self._renames and _is_known(*api_of(frame))
            if api_of(frame) in self._sent:
                self._sent.remove(api_of(frame))
        elif not self._keeps_names and api_of(frame) in self._sent:
            self._sent.remove(api_of(frame))
        else:
            return begun and api_of(frame)[0] not in _known()
        return True

    def is_stale(self, frame: bytes) -> bool:
        """True if a frame is a late request of an earlier dialogue."""
        size = max(int.from_bytes(frame[8:_CLIENT_ID], "big", signed=True), 0)
        found = self._name.search(frame, _CLIENT_ID, _CLIENT_ID + size)
        return bool(found and found[0] in self._old_names and found[0] not in self._names)


def _is_known(key: int, version: int) -> bool:
    low, high = _known().get(key, (0, -1))
    return low <= version <= high


@cache
def _known() -> Ranges:
    return known_versions()


def plain_answer(frame: bytes, brokers: Mapping[int, tuple[str, int]]) -> bytes | None:
    """Return an answer to a request without its length: it names all brokers, and no coordinator.

    It is empty for a Produce with acks 0, and None if a broker ends the connection.
    """
    key, version = api_of(frame)
    if not _is_known(key, version):
        return None
    codec = _codec()
    message = str(request_name(codec.release, key, version)).replace("Request", "Response")
    try:
        header, value, _ = codec.decode_request(frame)
    except WireError:
        return None
    if key == PRODUCE and value["acks"] == 0:
        return b""
    layout = codec.form(message, version).layout
    body = layout.default_value()
    if "brokers" in body:  # proxies learn from it
        name = "brokerId" if key == DESCRIBE_CLUSTER else "nodeId"
        body["brokers"] = [
            {name: node, "host": host, "port": port} for node, (host, port) in brokers.items()
        ]
    elif key == FIND_COORDINATOR and "nodeId" in body:
        body |= {"nodeId": -1, "port": -1, "errorCode": COORDINATOR_NOT_AVAILABLE}
    number = {"correlationId": header["correlationId"]}
    return framed(codec.encode_response(message, version, number, filled(layout, body)))


@cache
def _codec() -> PlainCodec:
    return ReferenceCodec("")


class UpstreamBroker(Broker):
    """A broker that lists all APIs of the newest release.

    It answers a proxy's own requests as the reference broker does; requests of dialogues are
    answered by the dialogues.
    """

    def __init__(self, **settings: Any) -> None:
        super().__init__(_known(), **settings)
