"""The header of a request, and whether the request has an answer."""

from __future__ import annotations

import struct
from functools import lru_cache
from typing import NamedTuple

from conformance.reference.codec import PlainCodec
from conformance.schema.releases import form_for, request_name, request_names
from conformance.wire.errors import DecodeError
from conformance.wire.reader import Reader

LEAST_REQUEST = 8
_START = struct.Struct(">hhi")


class RequestHead(NamedTuple):
    """The header of a request; `message` is empty if no definition describes it."""

    api_key: int
    version: int
    correlation_id: int
    message: str = ""


def request_head(codec: PlainCodec, frame: bytes) -> RequestHead | None:
    """Return the header of a request, None if the bytes are too short for one."""
    if len(frame) < LEAST_REQUEST:
        return None
    key, version, number = _START.unpack_from(frame)
    return RequestHead(key, version, number, _message(codec.release, key, version))


@lru_cache(4096)
def _message(release: str, key: int, version: int) -> str:
    """Return the request of this key and version, empty if no stored release has one."""
    message = request_name(release, key, version)
    return message if message and form_for(release, message, version) else ""


def is_silent(codec: PlainCodec, head: bytes, request: RequestHead) -> bool:
    """True if a request, as far as its begin shows, has no answer: a Produce with acks 0."""
    if request.message != "ProduceRequest":
        return False
    form = codec.form(request.message, request.version)
    reader = Reader(head)
    try:
        reader.struct(codec.header_form(form).layout)
        for item in form.layout.fields:
            value = reader.value(item.type, item.name)
            if item.name == "acks":
                return bool(value == 0)
    except DecodeError:
        pass
    return False


def api_name(key: int) -> str:
    """Return the name of an API without "Request", or its key if it has no name."""
    return request_names().get(key, f"api key {key}").removesuffix("Request")
