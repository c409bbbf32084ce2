"""The types of the protocol as a message, though no definition has it.

Libraries export readers and writers of types which no message of theirs uses, or none that an
adapter can reach. `Primitives` asks for them one by one: each of its versions is a value of one
type and nothing else, in a field that bears the type's name. So a testee declares the versions of
the types that it has. A version's number is for ever; what is new comes at the end.
"""

from __future__ import annotations

from conformance.schema.layout import ZERO_UUID, Form, Layout, WireField, WireType

PRIMITIVES = "Primitives"
KIND = "primitive"
"""The type of its forms, which no definition's message has."""


_NUMBERS = ("int8", "int16", "int32", "int64", "uint16", "uint32")
_INT32 = WireType("int32")
_TYPES: dict[str, tuple[WireType, object]] = {
    "boolean": (WireType("bool"), False),
    **{kind: (WireType(kind), 0) for kind in _NUMBERS},
    "float64": (WireType("float64"), 0.0),
    "uuid": (WireType("uuid"), ZERO_UUID),
    "string": (WireType("string"), ""),
    "nullableString": (WireType("string", nullable=True), ""),
    "compactString": (WireType("string", compact=True), ""),
    "compactNullableString": (WireType("string", nullable=True, compact=True), ""),
    "bytes": (WireType("bytes"), ""),
    "nullableBytes": (WireType("bytes", nullable=True), ""),
    "compactBytes": (WireType("bytes", compact=True), ""),
    "compactNullableBytes": (WireType("bytes", nullable=True, compact=True), ""),
    "array": (WireType("array", element=_INT32), []),
    "nullableArray": (WireType("array", nullable=True, element=_INT32), []),
    "compactArray": (WireType("array", compact=True, element=_INT32), []),
    "compactNullableArray": (WireType("array", nullable=True, compact=True, element=_INT32), []),
    "stringArray": (WireType("array", element=WireType("string")), []),
    "compactStringArray": (
        WireType("array", compact=True, element=WireType("string", compact=True)),
        [],
    ),
    "varint": (WireType("varint"), 0),
    "varlong": (WireType("varlong"), 0),
    "unsignedVarint": (WireType("uvarint"), 0),
}
LAYOUTS = (
    *(Layout((WireField(name, *of),)) for name, of in _TYPES.items()),
    Layout((), flexible=True),
)
"""The layout of each version; the last is a tag section alone, whose value has no field."""
NAMES = (*_TYPES, "tagSection")
"""The name of each version."""


def primitive(version: int, releases: tuple[str, ...]) -> Form:
    """The form of one type, which all releases of Kafka write alike."""
    return Form(PRIMITIVES, KIND, version, None, LAYOUTS[version], releases)
