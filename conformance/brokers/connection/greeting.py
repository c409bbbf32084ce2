"""The first words to a broker: ApiVersions, in the one version that all since 0.10 understand.

Metadata, in the version that most of them do, tells whether anybody is served. An answer that is
wrong is read as far as it goes: a list in another form is a list all the same.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass

from conformance.api_keys import API_VERSIONS
from conformance.dialogue import Received
from conformance.reference.codec import ReferenceCodec
from conformance.wire.errors import DecodeError

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


IN_WORDS = {
    "closed": "it closes the connection",
    "reset": "it tears the connection down",
    "silent": "it stays silent",
    "flood": "it announces more than any answer has",
}
_MESSAGE = "ApiVersionsResponse"


@dataclass(frozen=True, slots=True)
class Greeting:
    """The answer of a broker to the first request.

    `advertised` are the versions of each api key that it lists, as far as they can be read. `wrong`
    is the flaw of the answer, "" if it has none.
    """

    advertised: Mapping[int, tuple[int, int]]
    wrong: str = ""


def greeting_in(received: Received) -> Greeting:
    """Return the greeting that was received in answer to the first request."""
    if received.kind != "reply":
        more = f" ({received.text})" if received.text else ""
        return Greeting({}, f"it is not answered: {IN_WORDS[received.kind]}{more}")
    advertised = advertised_in(received.frame)
    if API_VERSIONS in advertised:
        return Greeting(advertised)
    if advertised:
        return Greeting(advertised, "the list of APIs lacks ApiVersions itself")
    listed = _listed_in(received.frame)
    if not answers_greeting(received.frame):
        return Greeting(listed, "the answer has another correlation id")
    return Greeting(listed, "the answer is no list of APIs in version 0 without an error")


def _listed_in(frame: bytes) -> dict[int, tuple[int, int]]:
    """The versions that an answer lists in any form, whatever its correlation id and its error."""
    codec = ReferenceCodec()
    for version in codec.versions(_MESSAGE):
        try:
            _, value, left, _ = codec.decode_response(_MESSAGE, version, frame)
        except DecodeError:
            continue
        entries = value["apiKeys"]
        if entries and not left:
            return {each["apiKey"]: (each["minVersion"], each["maxVersion"]) for each in entries}
    return {}


def answers_greeting(frame: bytes) -> bool:
    """True if a frame begins as the answer does: with the correlation id."""
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
