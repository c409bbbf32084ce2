"""Plain requests: those with no more in them than the plainest of their API and version."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

from conformance.brokers.dialogues import DialogueCase
from conformance.brokers.dialogues.harmless import HARMLESS_SINCE, harmless
from conformance.brokers.dialogues.talk import Facts, Talk
from conformance.brokers.exchange import Exchange
from conformance.dialogue import NotApplicable
from conformance.schema.releases import definitions
from conformance.wire.errors import DecodeError

_KEY_AND_VERSION = struct.Struct(">hh")
_SIZE = 4


def rests_on_any(basic: DialogueCase, found: Exchange, facts: Facts) -> bool:
    """True if what failed may rest on a request of an API and version that is not the plain one.

    An answer that says something wrong to the plain request does not rest on how others are read.
    """
    assert found.broken is not None
    asked = basic.message, basic.version
    if found.broken.unanswered is not None:
        api, version = found.broken.unanswered
        return (f"{api}Request", version) == asked
    return any(
        api_and_version(each) == asked and not is_plain(facts, each)
        for each in _frames(bytes(found.sent))
    )


def _frames(sent: bytes) -> Iterator[bytes]:
    """Yield the requests with their lengths, as far as they are whole."""
    while len(sent) > _SIZE and (size := int.from_bytes(sent[:_SIZE], "big", signed=True)) > 0:
        yield sent[: _SIZE + size]
        sent = sent[_SIZE + size :]


def api_and_version(sent: bytes) -> tuple[str, int]:
    """Return the name and the version of a request with its length, ("", 0) of what is none."""
    if len(sent) < _SIZE + _KEY_AND_VERSION.size:
        return "", 0
    key, version = _KEY_AND_VERSION.unpack_from(sent, _SIZE)
    return definitions().requests.get(key, ""), version


def is_plain(facts: Facts, sent: bytes) -> bool:
    """True if a request with its length has no more elements in any list than the plain one."""
    name, version = api_and_version(sent)
    try:
        _, value, _ = facts.codec.decode_request(sent[_SIZE:])
        api = name.removesuffix("Request")  # an older version names nothing in its harmless request
        plain = harmless(Talk(facts), api, max(version, HARMLESS_SINCE.get(api, 0)))
    except (DecodeError, LookupError, NotApplicable):
        return False
    return _has_no_more(value, plain)


def _has_no_more(value: Any, plain: Any) -> bool:
    if isinstance(value, list):
        least = plain if isinstance(plain, list) else []
        return len(value) <= len(least) and all(map(_has_no_more, value, least))
    if isinstance(value, dict) and isinstance(plain, dict):
        return all(_has_no_more(value[name], plain.get(name)) for name in value)
    return True
