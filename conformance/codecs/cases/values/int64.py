"""64-bit integers as decimal text, for targets whose JSON can not carry them as numbers.

Many languages read every JSON number as a double, which holds integers up to 2^53 only. A target
that says `"int64":"string"` is sent them as text; which fields those are is a matter of the
definition that it follows.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from conformance.codecs.cases.known_definitions import followed_release
from conformance.reference.codec import PlainCodec
from conformance.schema.layout import Layout, WireType
from conformance.schema.releases import UnknownDefinition
from conformance.testee_protocol import Hello, Value


def int64_as_text(hello: Hello, message: str, version: int, value: Value) -> Value:
    """Return a copy of a message's value with its int64 fields as decimal strings.

    Fields that the target's form of the message lacks stay as they are, and so does the whole value
    if there is no such form: some requests are for a version that no release has.
    """
    try:
        form = _codec(followed_release(hello)).form(message, version)
    except UnknownDefinition:
        return value
    return _struct(form.layout, value)


@cache
def _codec(release: str) -> PlainCodec:
    return PlainCodec(release)


def _struct(layout: Layout, value: dict[str, Any]) -> dict[str, Any]:
    types = {item.name: item.type for item in (*layout.fields, *layout.tagged)}
    return {
        name: _value(types[name], given) if name in types else given
        for name, given in value.items()
    }


def _value(type_: WireType, value: Any) -> Any:
    if value is None:
        return None
    if type_.kind in ("int64", "varlong"):
        return str(value)
    if type_.kind == "array":
        return [_value(type_.item, item) for item in value]
    if type_.kind == "struct":
        return _struct(type_.layout, value)
    return value
