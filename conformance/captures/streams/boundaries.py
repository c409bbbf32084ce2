"""The search for the begin of a frame, for streams that are entered in the middle.

A request begins with an api key and a version that exist, and a client id that is text. An answer
begins with the correlation id of a request that waits for one. That alone is enough for a frame
that begins where its segment begins and goes on after it, since most writers end a segment with a
frame; any other frame must be there to its end and be readable to its last byte.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from itertools import islice

from conformance.captures.streams.request_head import LEAST_REQUEST, RequestHead, request_head
from conformance.captures.streams.waiting import Waiting
from conformance.reference.codec import ReferenceCodec
from conformance.schema.releases import UnknownDefinition, request_names
from conformance.wire.errors import DecodeError

LEAST_RESPONSE = 4
MOST_BYTES = 128 * 1024 * 1024
"""The largest frame that is taken for the begin of a stream."""
_MOST_TRIED = 256
_MOST_BEGUN = 512
_REQUEST = re.compile(rb"(?=[\x00-\x08]...\x00.\x00[\x00-\x20]....(?:\xff\xff|\x00.))", re.DOTALL)


class Requests:
    """A search for requests."""

    def __init__(self, codec: ReferenceCodec) -> None:
        self._codec = codec

    def seek(self, data: bytes, latest: int) -> int | None:
        """Return the offset at which a request begins, None if none does."""
        whole = _fits(data, latest, LEAST_REQUEST)
        if self._is_whole(data, latest) if whole else self.begins(data[latest:]):
            return latest
        places = (match.start() for match in _REQUEST.finditer(data))
        there = (at for at in places if self._is_followed(data, at))
        return next((at for at in islice(there, _MOST_TRIED) if self._is_whole(data, at)), None)

    def _is_followed(self, data: bytes, at: int) -> bool:
        """True if a frame may begin here, and another one after it unless it is the last."""
        if not _fits(data, at, LEAST_REQUEST) or not self.begins(data[at : at + _MOST_BEGUN]):
            return False
        end = at + 4 + int.from_bytes(data[at : at + 4], "big")
        rest = data[end : end + _MOST_BEGUN]
        return len(rest) < 4 + LEAST_REQUEST or self.begins(rest)

    def begins(self, data: bytes) -> bool:
        """True if a size and a request begin here, as far as the header shows."""
        if len(data) < 4 + LEAST_REQUEST:
            return False
        (size,) = struct.unpack_from(">i", data)
        return LEAST_REQUEST <= size <= MOST_BYTES and self.plausible(data[4 : 4 + size])

    def plausible(self, frame: bytes) -> bool:
        """True if bytes without a size may be the begin of a request that can be read."""
        found = request_head(self._codec, frame)
        return bool(found and found.message) and self.names_api(frame)

    def names_api(self, frame: bytes) -> bool:
        """True if bytes may be the begin of a request of an existing API, in any version."""
        found = request_head(self._codec, frame)
        if found is None or found.api_key not in request_names():
            return False
        if len(frame) < 10 or found.api_key == 7:
            return bool(found.message)
        (length,) = struct.unpack_from(">h", frame, 8)
        try:
            return length >= -1 and frame[10 : 10 + max(length, 0)].decode().isprintable()
        except UnicodeDecodeError:
            return False

    def readable(self, frame: bytes) -> bool:
        """True if bytes are a request, to the last byte."""
        if not self.plausible(frame):
            return False
        try:
            return self._codec.decode_request(frame)[2] == 0
        except (DecodeError, UnknownDefinition):
            return False

    def _is_whole(self, data: bytes, at: int) -> bool:
        (size,) = struct.unpack_from(">i", data, at)
        return at + 4 + size <= len(data) and self.readable(data[at + 4 : at + 4 + size])


class Responses:
    """A search for the answers to waiting requests, by their correlation ids."""

    def __init__(self, codec: ReferenceCodec, waiting: Waiting) -> None:
        self._codec = codec
        self._waiting = waiting

    def seek(self, data: bytes, latest: int) -> int | None:
        """Return the offset at which an answer begins, None if none does."""
        if self._begins(data, latest):
            return latest
        there = islice(self._places(data), _MOST_TRIED)
        return next((at for at in there if self._is_whole(data, at)), None)

    def readable(self, frame: bytes, to: RequestHead) -> bool:
        """True if bytes are the answer to a request, to the last byte."""
        message = f"{to.message.removesuffix('Request')}Response"
        try:
            return self._codec.decode_response(message, to.version, frame)[2] == 0
        except (DecodeError, UnknownDefinition):
            return False

    def _begins(self, data: bytes, at: int) -> bool:
        if at + 8 > len(data):
            return False
        size, number = struct.unpack_from(">ii", data, at)
        if number not in self._waiting or not LEAST_RESPONSE <= size <= MOST_BYTES:
            return False
        return self._is_whole(data, at) if _fits(data, at, LEAST_RESPONSE) else True

    def _places(self, data: bytes) -> Iterator[int]:
        """Yield the offset of each size that fits and is followed by a waiting correlation id."""
        for number in islice(self._waiting, _MOST_TRIED):
            number_at = data.find(struct.pack(">i", number), 4)
            while number_at >= 0:
                if _fits(data, number_at - 4, LEAST_RESPONSE):
                    yield number_at - 4
                number_at = data.find(struct.pack(">i", number), number_at + 1)

    def _is_whole(self, data: bytes, at: int) -> bool:
        size, number = struct.unpack_from(">ii", data, at)
        frame = data[at + 4 : at + 4 + size]
        to_any = dict.fromkeys(self._waiting.of(number))
        return any(to.message and self.readable(frame, to) for to in to_any)


def _fits(data: bytes, at: int, least: int) -> bool:
    """True if the size at an offset is that of a frame which is completely in the data."""
    return least <= int.from_bytes(data[at : at + 4], "big", signed=True) <= len(data) - at - 4
