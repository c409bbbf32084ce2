"""The form of a fuzzing input: which message and version, as a body or a frame, and the bytes.

    0  UINT16  the message: a checksum of its name, so that an input means the same in each release
    2  UINT8   the version
    3  UINT8   0 for a body, 1 for a frame without its length
    4  …       the bytes

The head is for us alone. A mutator leaves it as it is, or exchanges it for another one as a whole.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from zlib import crc32

from conformance.codecs.cases.vectors import read_vectors
from conformance.data import vector_messages
from conformance.error_codes import UNSUPPORTED_VERSION
from conformance.reference.codec import PlainCodec
from conformance.schema.layout import Form
from conformance.schema.releases import definitions
from conformance.testee_protocol import Op, Request

_HEAD = struct.Struct(">HBB")
HEAD_BYTES = _HEAD.size
_KEY_AND_VERSION = struct.Struct(">hh")
CORRELATION_ID_BYTES = 4


@dataclass(frozen=True, slots=True)
class InputSubject:
    """The subject of an input: a message in a version, as a body or (`framed`) after its header."""

    message: str
    version: int
    framed: bool = False

    @property
    def head(self) -> bytes:
        """The first bytes of an input about this."""
        return _HEAD.pack(name_code(self.message), self.version, self.framed)

    @property
    def op(self) -> Op:
        """The operation that reads it."""
        if not self.framed:
            return "decode"
        return "decode-request" if self.message.endswith("Request") else "decode-response"

    def request(self, data: bytes) -> Request:
        """The request to a codec that reads these bytes."""
        return Request(op=self.op, message=self.message, version=self.version, bytes=data)

    def forms(self, codec: PlainCodec) -> tuple[Form, ...]:
        """Return the forms of the parts of the bytes: a header, if there is one, and the body."""
        form = codec.form(self.message, self.version)
        return (codec.header_form(form), form) if self.framed else (form,)


def name_code(message: str) -> int:
    """The number that stands for a message."""
    return crc32(message.encode()) & 0xFFFF


@cache
def _names() -> dict[int, str]:
    return {name_code(name): name for name in vector_messages()}


def split(data: bytes) -> tuple[InputSubject, bytes] | None:
    """Return the subject of an input, and its bytes; None if its head names none.

    The subject of a request is in its own header.
    """
    if len(data) < HEAD_BYTES:
        return None
    code, version, framed = _HEAD.unpack_from(data)
    message, body = _names().get(code), data[HEAD_BYTES:]
    if message is None or framed > 1:
        return None
    if framed and not message.endswith(("Request", "Response")):
        return None
    if framed and message.endswith("Request"):
        named = _named_by_header(body)
        return (named, body) if named else None
    if framed and is_refusal_of_a_version(message, body):
        return None
    return InputSubject(message, version, bool(framed)), body


def _named_by_header(frame: bytes) -> InputSubject | None:
    """Return the message and version that the header of a request names."""
    if len(frame) < _KEY_AND_VERSION.size:
        return None
    key, version = _KEY_AND_VERSION.unpack_from(frame)
    message = definitions().requests.get(key)
    return InputSubject(message, version, framed=True) if message and version >= 0 else None


def is_refusal_of_a_version(message: str, frame: bytes) -> bool:
    """True if a response is of another version than the request asked for (KIP-511)."""
    if message != "ApiVersionsResponse" or len(frame) < CORRELATION_ID_BYTES + 2:
        return False
    code = int.from_bytes(frame[CORRELATION_ID_BYTES : CORRELATION_ID_BYTES + 2], "big")
    return code == UNSUPPORTED_VERSION


def seeds(messages: Iterable[str], versions: frozenset[int] | None = None) -> list[bytes]:
    """The golden vectors of these messages, as inputs."""
    return [
        InputSubject(message, vector.version, vector.header is not None).head + vector.data
        for message in messages
        for vector in read_vectors(message)
        if vector.hex and (versions is None or vector.version in versions)
    ]
