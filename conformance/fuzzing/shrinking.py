"""An input made smaller step by step, as long as a test accepts it.

Removing bytes alone does not work after a length. So the value that the reference codec reads is
simplified first (elements and fields left out, texts empty, numbers 0) and written again. Then, and
if nothing can be read, pieces of the bytes are removed or become zero. The number of tries is
limited.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from conformance.fuzzing.inputs import InputSubject
from conformance.reference.codec import ReferenceCodec
from conformance.schema.releases import UnknownDefinition
from conformance.wire.errors import WireError

Still = Callable[[bytes], bool]
Put = Callable[[Any], bool]
"""Tries a value in a certain place; whether it stays there."""


class Tries:
    """The smallest body so far, and how many more may be tried."""

    def __init__(self, body: bytes, still: Still, left: int) -> None:
        self.body = body
        self.left = left
        self._still = still

    def take(self, candidate: bytes) -> bool:
        """Return True if a candidate is accepted; it replaces the body then."""
        if candidate == self.body or len(candidate) > len(self.body) or self.left <= 0:
            return False
        self.left -= 1
        if not self._still(candidate):
            return False
        self.body = candidate
        return True


def shrunk(
    subject: InputSubject, body: bytes, still: Still, tries: int, release: str = ""
) -> bytes:
    """The smallest body that was found; values have the names of that release."""
    under_way = Tries(body, still, tries)
    _shrink_value(subject, under_way, release)
    _shrink_bytes(under_way)
    return under_way.body


def _shrink_value(subject: InputSubject, tries: Tries, release: str) -> None:
    codec, data = _codec(release), tries.body
    try:
        *headers, form = subject.forms(codec)
        begins = 0
        for header in headers:
            _, begins = codec.read(header, data)
        value, ends = codec.read(form, data, begins)
    except (WireError, UnknownDefinition):
        return
    before, behind = data[:begins], data[ends:]

    def put(simpler: Any) -> bool:
        try:
            return tries.take(before + codec.write(form, simpler) + behind)
        except WireError:
            return False

    _simplify(value, put)


def _simplify(value: Any, put: Put) -> Any:
    """The value with whatever can be left out of it, or be empty, as `put` allows."""
    if isinstance(value, dict):
        return _simplify_struct(value, put)
    if isinstance(value, list):
        return _simplify_list(value, put)
    simplest = type(value)() if isinstance(value, str | int | float) else value
    return simplest if value != simplest and put(simplest) else value


def _simplify_struct(value: dict[str, Any], put: Put) -> dict[str, Any]:
    for name in list(value):
        without = {other: item for other, item in value.items() if other != name}
        if put(without):  # a tagged field, or unknown tags
            value = without
        else:
            value = {**value, name: _simplify(value[name], _inside(value, name, put))}
    return value


def _inside(value: dict[str, Any], name: str, put: Put) -> Put:
    return lambda item: put({**value, name: item})


def _simplify_list(value: list[Any], put: Put) -> list[Any]:
    size = len(value)
    while size:
        at = 0
        while at < len(value):
            without = value[:at] + value[at + size :]
            if put(without):
                value = without
            else:
                at += size
        size //= 2
    for at, item in enumerate(value):
        value = [*value[:at], _simplify(item, _element(value, at, put)), *value[at + 1 :]]
    return value


def _element(value: list[Any], at: int, put: Put) -> Put:
    return lambda item: put([*value[:at], item, *value[at + 1 :]])


def _shrink_bytes(tries: Tries) -> None:
    """Pieces are left out, the longest first, and bytes become zero."""
    for candidate_of in (_without, _zeroed):
        size = max(len(tries.body) // 2, 1)
        while size and tries.left > 0:
            at = 0
            while at < len(tries.body) and tries.left > 0:
                taken = tries.take(candidate_of(tries.body, at, size))
                if not taken or candidate_of is _zeroed:
                    at += size
            size //= 2


def _without(body: bytes, at: int, size: int) -> bytes:
    return body[:at] + body[at + size :]


def _zeroed(body: bytes, at: int, size: int) -> bytes:
    return body[:at] + bytes(len(body[at : at + size])) + body[at + size :]


@cache
def _codec(release: str) -> ReferenceCodec:
    return ReferenceCodec(release)
