"""aiokafka's types of the protocol, one by one; older releases have fewer.

Its strings, bytes and arrays are all nullable, so they are asked as those that may be null.
"""

import io

import records
from aiokafka.protocol import types
from values import CONVERSIONS, TAGS

MESSAGE = "Primitives"
OPS = ["decode", "encode", "roundtrip"]
TYPES = {  # by version: the field's name, and how the library's type is made
    0: ("boolean", lambda: types.Boolean),
    1: ("int8", lambda: types.Int8),
    2: ("int16", lambda: types.Int16),
    3: ("int32", lambda: types.Int32),
    4: ("int64", lambda: types.Int64),
    6: ("uint32", lambda: types.UInt32),
    7: ("float64", lambda: types.Float64),
    10: ("nullableString", lambda: types.String("utf-8")),
    12: ("compactNullableString", lambda: types.CompactString("utf-8")),
    14: ("nullableBytes", lambda: types.Bytes),
    16: ("compactNullableBytes", lambda: types.CompactBytes),
    18: ("nullableArray", lambda: types.Array(types.Int32)),
    20: ("compactNullableArray", lambda: types.CompactArray(types.Int32)),
    23: ("varint", lambda: types.VarInt32),
    24: ("varlong", lambda: types.VarInt64),
    25: ("unsignedVarint", lambda: types.UnsignedVarInt32),
    26: (TAGS, lambda: types.TaggedFields),
}


def has(make):
    try:
        return make() is not None
    except AttributeError:
        return False


def known(version):
    """The field's name, the library's type, and how its values map to JSON and back."""
    name, make = TYPES[version]
    kind = make()
    return name, kind, CONVERSIONS.get(kind, (lambda item: item, lambda item: item))


class Codec(records.Codec):
    def hello(self):
        said = super().hello()
        versions = [[version, version] for version, (_, make) in TYPES.items() if has(make)]
        said["messages"][MESSAGE] = {"versions": versions, "ops": OPS}
        return said

    def decode(self, message, version, data):
        if message != MESSAGE:
            return super().decode(message, version, data)
        name, kind, (show, _) = known(version)
        stream = io.BytesIO(data)
        item = kind.decode(stream)
        value = {} if name == TAGS and not item else {name: show(item)}
        return value, len(data) - stream.tell()

    def encode(self, message, version, value):
        if message != MESSAGE:
            return super().encode(message, version, value)
        name, kind, (_, take) = known(version)
        return kind.encode(take(value.get(name, [])))

    def roundtrip(self, message, version, data):
        if message != MESSAGE:
            return super().roundtrip(message, version, data)
        _, kind, _ = known(version)
        item = kind.decode(io.BytesIO(data))
        try:
            return kind.encode(item)
        except Exception as error:
            error.stage = "encode"
            raise
