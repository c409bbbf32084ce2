"""The first words to a broker: ApiVersions, in the one version that all since 0.10 understand.

Metadata, in the version that most of them do, tells whether anybody is served.
"""

from __future__ import annotations

import struct

_NUMBER = 0x6B636F6E
_CLIENT_ID = b"kafka-conformance"


def _request(api_key: int, version: int, body: bytes = b"") -> bytes:
    """A request in header version 1, and its length."""
    header = struct.pack(">hhih", api_key, version, _NUMBER, len(_CLIENT_ID)) + _CLIENT_ID
    return struct.pack(">i", len(header) + len(body)) + header + body


GREETING = _request(18, 0)
"""ApiVersions version 0."""
METADATA = _request(3, 1, bytes(4))
"""Metadata version 1 of no topic."""


def answers_greeting(frame: bytes) -> bool:
    """Whether a frame begins as the answer does: with the correlation id."""
    return frame.startswith(struct.pack(">i", _NUMBER))


def advertised_in(frame: bytes) -> dict[int, tuple[int, int]]:
    """The versions of each api key that the answer lists; none where it is no such answer."""
    if not answers_greeting(frame):
        return {}
    try:
        error, count = struct.unpack_from(">hi", frame, 4)
        entries = [struct.unpack_from(">hhh", frame, 10 + 6 * i) for i in range(count)]
    except (struct.error, OverflowError):
        return {}
    return {} if error else {key: (low, high) for key, low, high in entries}
