"""A codec that has a round trip and no decoder, read by what it writes.

What the reference codec reads of the bytes that the codec wrote stands for the value that the codec
read. So such a codec is fuzzed, and held against the oracles, as any other.
"""

from __future__ import annotations

from typing import Any

import msgspec

from conformance.codecs.cases.known_definitions import codec_of
from conformance.testee_protocol import Hello, Support, Value
from conformance.wire.errors import DecodeError


class Unreadable(AssertionError):
    """The codec wrote bytes that the reference codec refuses."""


class ReadByRoundTrip:
    """A codec whose `decode` is its round trip, where it has no other; all else is its own."""

    def __init__(self, codec: Any, hello: Hello) -> None:
        self._codec = codec
        self._lacks = {
            name for name, support in hello.messages.items() if is_by_round_trip(support)
        }
        self._oracle = codec_of(hello)
        self.hello = msgspec.structs.replace(hello, messages=with_decoders(hello))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._codec, name)

    def decode(self, message: str, version: int, data: bytes) -> tuple[Value, int | None]:
        """The value of what is written again, and None for the bytes that are left.

        Raises Unreadable, and what the codec raises.
        """
        if message not in self._lacks:
            found: tuple[Value, int | None] = self._codec.decode(message, version, data)
            return found
        written = self._codec.roundtrip(message, version, data)
        try:
            value, left = self._oracle.decode(message, version, written)
        except DecodeError as error:
            raise Unreadable(str(error)) from None
        if left:
            raise Unreadable(f"{left} bytes after the last field")
        return value, None


def is_by_round_trip(support: Support) -> bool:
    """True if bodies are read by a round trip alone."""
    return "decode" not in support.ops and "roundtrip" in support.ops


def with_decoders(hello: Hello) -> dict[str, Support]:
    """The messages of a codec, those that it reads by a round trip with a decoder as well."""
    return {
        name: msgspec.structs.replace(support, ops=support.ops | {"decode"})
        if is_by_round_trip(support)
        else support
        for name, support in hello.messages.items()
    }
