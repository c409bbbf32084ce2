"""Codecs that do nothing, and must get nothing for it.

None of them reads what it is given. Whatever one of them passes is a case that proves nothing;
control cases are there so that next to none is left.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from conformance.reference.codec import PlainCodec, Value
from conformance.schema.layout import Form


class Baseline:
    """Declares all that the reference codec does. What it answers is a baseline's own."""

    def hello(self) -> dict[str, Any]:
        """The reference codec's hello under another name."""
        return {**_hello(), "name": f"baseline {type(self).__name__}"}

    def answer_bytes(self, message: str, version: int, given: bytes) -> bytes:
        """The answer of every writer. `given` is empty where a value was given."""
        raise ValueError("no")

    def answer_value(self, message: str, version: int) -> Value:
        """The answer of every reader, for bodies."""
        raise ValueError("no")

    def answer_header(self, message: str) -> Value:
        """The answer of every reader, for the headers of frames."""
        return {}

    def roundtrip(self, message: str, version: int, data: bytes) -> bytes:
        return self.answer_bytes(message, version, data)

    def decode(self, message: str, version: int, data: bytes) -> tuple[Value, int]:
        return self.answer_value(message, version), 0

    def encode(self, message: str, version: int, value: Value) -> bytes:
        return self.answer_bytes(message, version, b"")

    def decode_request(self, data: bytes) -> tuple[Value, Value, int]:
        """Return some header and value, and 0 bytes left."""
        return self.answer_header("RequestHeader"), self.answer_value("ApiVersionsRequest", 0), 0

    def encode_request(self, message: str, version: int, header: Value, value: Value) -> bytes:
        return self.answer_bytes(message, version, b"")

    def decode_response(self, message: str, version: int, data: bytes) -> tuple[Value, Value, int]:
        """Return some header and value, and 0 bytes left."""
        return self.answer_header("ResponseHeader"), self.answer_value(message, version), 0

    def encode_response(self, message: str, version: int, header: Value, value: Value) -> bytes:
        return self.answer_bytes(message, version, b"")


class RejectsAll(Baseline):
    """Refuses whatever it is asked."""


class AcceptsAll(Baseline):
    """Takes everything, and always answers the same."""

    def answer_bytes(self, message: str, version: int, given: bytes) -> bytes:
        """Return six zeros: a throttle time and an error code."""
        return bytes(6)

    def answer_value(self, message: str, version: int) -> Value:
        return {"throttleTimeMs": 0, "errorCode": 0, "errorMessage": None, "topics": []}

    def answer_header(self, message: str) -> Value:
        numbers = {"requestApiKey": 0, "requestApiVersion": 0, "clientId": ""}
        return {"correlationId": 0, **(numbers if message == "RequestHeader" else {})}


class Echoes(Baseline):
    """Hands back what it was given, which a round trip is meant to do."""

    def answer_bytes(self, message: str, version: int, given: bytes) -> bytes:
        return given

    def answer_value(self, message: str, version: int) -> Value:
        return {}


class EmptyValues(Baseline):
    """Answers with empty values and no bytes."""

    def answer_bytes(self, message: str, version: int, given: bytes) -> bytes:
        return b""

    def answer_value(self, message: str, version: int) -> Value:
        return {}


class AllDefaults(Baseline):
    """Answers with the message that has every field at its default: well-formed, and unread."""

    def answer_bytes(self, message: str, version: int, given: bytes) -> bytes:
        return _codec().write(_form(message, version), self.answer_value(message, version))

    def answer_value(self, message: str, version: int) -> Value:
        return _form(message, version).layout.default_value()

    def answer_header(self, message: str) -> Value:
        return _form(message, 2 if message == "RequestHeader" else 1).layout.default_value()


BASELINES: tuple[type[Baseline], ...] = (RejectsAll, AcceptsAll, Echoes, EmptyValues, AllDefaults)


@cache
def _codec() -> PlainCodec:
    return PlainCodec()


@cache
def _hello() -> dict[str, Any]:
    return _codec().hello()


def _form(message: str, version: int) -> Form:
    return _codec().form(message, version)
