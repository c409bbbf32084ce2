"""The division of requests that arrive at a played broker into a dialogue's and a proxy's own.

A request is known again by what it is: its client id, its API and version, and its contents. The
client id alone does not decide, as a proxy may lose or change it in some APIs, which is a fault of
its own (`proxy-messages.client-id-kept`) and no request that is lost.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable
from functools import cache

from conformance.api_keys import (
    API_VERSIONS,
    DESCRIBE_CLUSTER,
    FIND_COORDINATOR,
    METADATA,
    SASL_AUTHENTICATE,
    SASL_HANDSHAKE,
)
from conformance.proxies.dialogues.talk import behind_client_id
from conformance.reference.broker.releases import Ranges
from conformance.reference.codec import PlainCodec, ReferenceCodec
from conformance.reference.proxy.link import api_of
from conformance.reference.proxy.translation import known_versions
from conformance.testee_protocol import Value
from conformance.wire.errors import WireError

_CLIENT_ID = 10
"""The offset of the client id in a request without its length, in any header version."""
_LEAST_BYTES = 8
"""The bytes of a header up to the correlation id: what is shorter is no request."""
_MOST_LATE = 64
"""The most requests of earlier dialogues that are remembered because they have not arrived."""
ASKED_BY_PROXIES = frozenset(
    {
        API_VERSIONS,
        DESCRIBE_CLUSTER,
        FIND_COORDINATOR,
        METADATA,
        SASL_AUTHENTICATE,
        SASL_HANDSHAKE,
    }
)
"""The APIs that proxies use by themselves: contents have to tell whose such a request is."""


class Sorting:
    """The expected requests of one dialogue, and the names of earlier ones.

    A dialogue's requests have a client id that begins with `prefix`. A request under another client
    id is the dialogue's if one of its API and version is expected, unless the proxy was seen to
    keep client ids: then its contents have to be those that were sent, except in APIs that no
    proxy uses by itself. `renames` says that the proxy declares that it changes client ids.
    """

    def __init__(self, prefix: str, *, renames: bool = False) -> None:
        self._prefix = prefix.encode()
        self._name = re.compile(re.escape(self._prefix) + rb"\d+-client")
        self._names: set[bytes] = set()
        self._old_names: set[bytes] = set()
        self._renames = renames
        self._kept: set[tuple[int, int]] = set()
        """The APIs and versions in which a client id came as it was sent."""
        self._sent: list[bytes] = []
        self._late: deque[bytes] = deque(maxlen=_MOST_LATE)

    def begin(self) -> None:
        """Forget the requests of earlier dialogues, except those that may still arrive."""
        self._late += self._sent
        self._sent.clear()
        self._old_names |= self._names
        self._names.clear()

    def sends(self, data: bytes) -> None:
        """Expect the whole requests in the bytes that a dialogue sends."""
        self._names.update(self._name.findall(data))
        while len(data) >= 4:
            end = 4 + int.from_bytes(data[:4], "big")
            if len(data) >= end >= 4 + _LEAST_BYTES:
                self._sent.append(data[4:end])
            data = data[end:]

    def is_ours(self, frame: bytes, *, begun: bool) -> bool:
        """True if a frame is a dialogue's.

        On a connection that a dialogue has begun, so is a frame that is no request of a known API:
        a token.
        """
        if self.is_stale(frame):
            return True
        if frame[_CLIENT_ID:].startswith(self._prefix):
            if not self._renames and is_known(*api_of(frame)):
                self._kept.add(api_of(frame))
            self._arrives(frame, (is_same_request, is_of_same_version))
            return True
        return self._arrives_under_another_name(frame) or (
            begun and api_of(frame)[0] not in known_ranges()
        )

    def is_stale(self, frame: bytes) -> bool:
        """True if a frame is a late request of an earlier dialogue."""
        size = max(int.from_bytes(frame[8:_CLIENT_ID], "big", signed=True), 0)
        found = self._name.search(frame, _CLIENT_ID, _CLIENT_ID + size)
        return bool(found and found[0] in self._old_names and found[0] not in self._names)

    def _arrives_under_another_name(self, frame: bytes) -> bool:
        """True if a frame is one that was sent, though its client id is lost or changed."""
        key, _ = api_of(frame)
        if not self._kept:
            likeness: tuple[Likeness, ...] = (is_same_request, is_of_same_version)
        elif key not in ASKED_BY_PROXIES:
            likeness = (is_same_request, is_of_same_version, is_of_same_api)
        elif api_of(frame) not in self._kept:
            likeness = (is_same_request,)
        else:
            return False
        if self._arrives(frame, likeness[:1]):
            return True
        return not self._is_late(frame) and self._arrives(frame, likeness)

    def _arrives(self, frame: bytes, likeness: Iterable[Likeness]) -> bool:
        """Take the expected request that is most like a frame; return False without one."""
        for is_like in likeness:
            for sent in self._sent:
                if is_like(sent, frame):
                    self._sent.remove(sent)
                    return True
        return False

    def _is_late(self, frame: bytes) -> bool:
        """True if a frame without our name is what an earlier dialogue sent."""
        found = next((sent for sent in self._late if is_same_request(sent, frame)), None)
        if found is not None:
            self._late.remove(found)
        return found is not None


Likeness = Callable[[bytes, bytes], bool]


def is_same_request(sent: bytes, frame: bytes) -> bool:
    """True if a request says what was sent, whatever its correlation id and client id."""
    if not is_of_same_version(sent, frame):
        return False
    if behind_client_id(sent) == behind_client_id(frame):
        return True
    said = _said(sent)
    return said is not None and said == _said(frame)


def is_of_same_version(sent: bytes, frame: bytes) -> bool:
    """True if a request has the API and the version of one that was sent."""
    return sent[:4] == frame[:4]


def is_of_same_api(sent: bytes, frame: bytes) -> bool:
    """True if a request has the API of one that was sent, maybe in another version."""
    return sent[:2] == frame[:2]


def is_known(key: int, version: int) -> bool:
    """True if the played brokers know this version of an API."""
    low, high = known_ranges().get(key, (0, -1))
    return low <= version <= high


@cache
def known_ranges() -> Ranges:
    """Return the versions of each API that the played brokers know."""
    return known_versions()


@cache
def played_codec() -> PlainCodec:
    """Return the codec of the played brokers."""
    return ReferenceCodec("")


def _said(frame: bytes) -> Value | None:
    """Return the body of a request, None if it can't be read to its end."""
    try:
        _, value, left = played_codec().decode_request(frame)
    except WireError:
        return None
    return None if left else value
