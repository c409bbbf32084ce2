"""The data that members of a group exchange in requests: subscriptions and assignments.

The coordinator hands these bytes on unchanged, so another client fails if it can't read them.
"""

from __future__ import annotations

import base64
import struct
from collections.abc import Iterator

from conformance.clients.scenarios.visit import Sent, Visit, require
from conformance.dialogue import Broken
from conformance.reference.codec import ReferenceCodec
from conformance.wire.errors import DecodeError

CONSUMER = "consumer"
SUBSCRIPTION, ASSIGNMENT = "ConsumerProtocolSubscription", "ConsumerProtocolAssignment"
_VERSION = struct.Struct(">h")


def told_members(visit: Visit) -> None:
    """Judge that a consumer's data for others can be read as the version that it states."""
    told = require(list(_embedded(visit)), "it told other members nothing")
    for each, message, text in told:
        if wrong := _wrong_with(message, base64.b64decode(text)):
            raise Broken(f"{each.api} v{each.version} has {wrong}", message, each.frame)


def _embedded(visit: Visit) -> Iterator[tuple[Sent, str, str]]:
    """The requests, what is in them, and its bytes; who is assigned nothing may have none."""
    for each in visit.of("JoinGroup"):
        if each.value and each.value["protocolType"] == CONSUMER:
            for protocol in each.value["protocols"]:
                yield each, SUBSCRIPTION, protocol["metadata"]
    for each in visit.of("SyncGroup"):
        if each.value and each.value.get("protocolType") in (None, CONSUMER):
            for assigned in each.value["assignments"]:
                if assigned["assignment"]:
                    yield each, ASSIGNMENT, assigned["assignment"]


def _wrong_with(message: str, data: bytes) -> str:
    """Return why bytes are no such message; empty if they are, or are of a newer version."""
    codec = ReferenceCodec()
    if len(data) < _VERSION.size:
        return f"{len(data)} bytes in place of a version and a {message}"
    (version,) = _VERSION.unpack_from(data)
    if version > codec.versions(message)[-1]:
        return ""
    try:
        codec.read(codec.form(message, version), data, _VERSION.size)
    except (DecodeError, LookupError, ValueError) as error:
        return f"what is no {message} v{version}: {error}"
    return ""
