"""What the header of a request says, and whether the request has an answer."""

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
    """What the header of a request says; `message` is empty where it is of no definition."""

    api_key: int
    version: int
    correlation_id: int
    message: str = ""


def request_head(codec: PlainCodec, frame: bytes) -> RequestHead | None:
    """What a request asks, None of bytes that are too short for one."""
    if len(frame) < LEAST_REQUEST:
        return None
    key, version, number = _START.unpack_from(frame)
    return RequestHead(key, version, number, _message(codec.release, key, version))


@lru_cache(4096)
def _message(release: str, key: int, version: int) -> str:
    """The request of this key and version, empty where no stored release has one."""
    message = request_name(release, key, version)
    return message if message and form_for(release, message, version) else ""


def is_silent(codec: PlainCodec, head: bytes, request: RequestHead) -> bool:
    """Whether a request, as far as its begin tells, has no answer: a Produce with acks 0."""
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
    """The name of an API without "Request", or its key where it has none."""
    return request_names().get(key, f"api key {key}").removesuffix("Request")
