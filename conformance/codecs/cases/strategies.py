"""Hypothesis strategies for any message in any version, for one's own property tests.

    from hypothesis import given
    from conformance.codecs.cases.strategies import frames, malformed, messages

    @given(messages("MetadataResponse", 12))
    def test_round_trip(value): ...

Values are in the JSON form of the testee protocol, and shrink field by field towards the message
whose fields are all at their defaults, so that what is left of a counter-example is what matters:
tagged fields vanish, arrays lose elements, nulls come before values only where null is the
default.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from conformance.codecs.cases.mutate.fault import Edit
from conformance.codecs.cases.mutate.faults import refused_edits
from conformance.reference.codec import ReferenceCodec
from conformance.schema.layout import Form, Layout, WireField, WireType
from conformance.schema.releases import definitions, form_for, releases
from conformance.wire.reader import FORMATS, UNKNOWN_TAGS
from conformance.wire.text import bytes_to_text, float_to_text, uuid_to_text

Value = dict[str, Any]

UNKNOWN_TAG_NUMBERS = (5_000, 2**31 - 2)
"""The range of unknown tags: above the tags of definitions, up to the highest of Apache Kafka."""
_MOST_BYTES = 40
_MOST_ELEMENTS = 4
_WIDTHS = {"int8": 8, "int16": 16, "int32": 32, "int64": 64}


def messages(
    message: str, version: int, release: str = "", *, unknown_tags: bool = False
) -> SearchStrategy[Value]:
    """Values of a message by its name in the definitions, "MetadataRequest".

    `release` is a stored Kafka release, "" for the newest. `unknown_tags` also puts tagged fields
    without a definition into any struct of a flexible version. Raises ValueError where the release
    has no such message or version.
    """
    return _struct(_form(message, version, release).layout, unknown_tags)


def bodies(
    message: str, version: int, release: str = "", *, unknown_tags: bool = False
) -> SearchStrategy[bytes]:
    """Well-formed canonical bytes of a message, without a header."""
    codec = _codec(release)
    values = messages(message, version, release, unknown_tags=unknown_tags)
    return values.map(lambda value: codec.encode(message, version, value))


def frames(
    message: str, version: int, release: str = "", *, unknown_tags: bool = False
) -> SearchStrategy[bytes]:
    """Whole frames without their length: the header that belongs to this version, then the body."""
    codec, form = _codec(release), _form(message, version, release)
    if form.type not in ("request", "response"):
        raise ValueError(f"{message} is neither a request nor a response, and has no header")
    encode = codec.encode_request if form.type == "request" else codec.encode_response
    headers = _struct(codec.header_form(form).layout, unknown_tags).map(_given)
    values = messages(message, version, release, unknown_tags=unknown_tags)
    return st.builds(lambda header, value: encode(message, version, header, value), headers, values)


def malformed(message: str, version: int, release: str = "") -> SearchStrategy[Edit]:
    """Bytes of a message with one fault, which Apache Kafka refuses.

    An edit has the bytes as `data`, and says in `why` what is wrong with them.
    """
    form = _form(message, version, release)
    edited = bodies(message, version, release).map(lambda data: list(refused_edits(form, data)))
    return edited.filter(bool).flatmap(st.sampled_from)


def _given(header: Value) -> Value:
    """Return the part of a header that is given to encode it: the message implies the rest."""
    return {name: value for name, value in header.items() if not name.startswith("requestApi")}


@cache
def _codec(release: str) -> ReferenceCodec:
    return ReferenceCodec(definitions(release or releases()[0]).release)


def _form(message: str, version: int, release: str) -> Form:
    release = release or releases()[0]
    form = form_for(release, message, version)
    if form is None:
        raise ValueError(f"Kafka {release} has no {message} version {version}")
    return form


def _struct(layout: Layout, unknown_tags: bool) -> SearchStrategy[Value]:
    plain = {item.name: _field(item, unknown_tags) for item in layout.fields}
    tagged = {item.name: _field(item, unknown_tags) for item in layout.tagged}
    if layout.flexible and unknown_tags:
        tagged[UNKNOWN_TAGS] = _unknown_tags()
    return st.fixed_dictionaries(plain, optional=tagged)


def _field(item: WireField, unknown_tags: bool) -> SearchStrategy[Any]:
    """A field: its default first, to which all else shrinks."""
    values = _value(item.type, unknown_tags)
    if item.type.kind in ("struct", "array") and item.default is not None:
        return values
    return st.just(item.default) | values


def _value(type_: WireType, unknown_tags: bool) -> SearchStrategy[Any]:
    if type_.kind == "array":
        values: SearchStrategy[Any] = st.lists(
            _value(type_.item, unknown_tags), max_size=_MOST_ELEMENTS
        )
    elif type_.kind == "struct":
        values = _struct(type_.layout, unknown_tags)
    else:
        values = _scalar(type_.kind)
    return values | st.none() if type_.nullable else values


@cache
def _scalar(kind: str) -> SearchStrategy[Any]:
    if kind in _WIDTHS:
        half = 1 << (_WIDTHS[kind] - 1)
        return st.integers(-half, half - 1)
    match kind:
        case "bool":
            return st.booleans()
        case "uint16":
            return st.integers(0, 2**16 - 1)
        case "uint32":
            return st.integers(0, 2**32 - 1)
        case "float64":
            return st.floats().map(float_to_text)
        case "uuid":
            return st.binary(min_size=16, max_size=16).map(uuid_to_text)
        case "string":
            return st.text(st.characters(codec="utf-8"), max_size=_MOST_BYTES)
    assert kind not in FORMATS, kind
    return st.binary(max_size=_MOST_BYTES).map(bytes_to_text)


def _unknown_tags() -> SearchStrategy[list[Value]]:
    entry: SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
        {
            "tag": st.integers(*UNKNOWN_TAG_NUMBERS),
            "bytes": st.binary(max_size=_MOST_BYTES).map(bytes_to_text),
        }
    )
    entries = st.lists(entry, min_size=1, max_size=3, unique_by=lambda item: item["tag"])
    return entries.map(lambda found: sorted(found, key=lambda item: item["tag"]))
