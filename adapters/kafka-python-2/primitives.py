"""kafka-python's types of the protocol, one by one; older releases have fewer.

Its strings, bytes and arrays are all nullable, so they are asked as those that may be null.
"""

import base64
import io

import records
from kafka.protocol import types

MESSAGE = "Primitives"
OPS = ["decode", "encode", "roundtrip"]
TAGS = "_unknownTaggedFields"
NOT_FINITE = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}
TYPES = {  # by version: the field's name, and how the library's type is made
    0: ("boolean", lambda: types.Boolean),
    1: ("int8", lambda: types.Int8),
    2: ("int16", lambda: types.Int16),
    3: ("int32", lambda: types.Int32),
    4: ("int64", lambda: types.Int64),
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


def to_json(name, item):
    if name == TAGS:
        return [{"tag": tag, "bytes": base64.b64encode(raw).decode()} for tag, raw in item.items()]
    if isinstance(item, bytes):
        return base64.b64encode(item).decode()
    return NOT_FINITE.get(str(item), item) if name == "float64" else item


def from_json(name, value):
    if name == TAGS:
        return {entry["tag"]: base64.b64decode(entry["bytes"]) for entry in value}
    if name.endswith("Bytes") and value is not None:
        return base64.b64decode(value)
    return float(value) if name == "float64" else value


def read(version, data):
    name, make = TYPES[version]
    stream = io.BytesIO(data)
    return name, make().decode(stream), len(data) - stream.tell()


class Codec(records.Codec):
    def hello(self):
        said = super().hello()
        versions = [[version, version] for version, (_, make) in TYPES.items() if has(make)]
        said["messages"][MESSAGE] = {"versions": versions, "ops": OPS}
        return said | {"ops": OPS}

    def decode(self, message, version, data):
        if message != MESSAGE:
            return super().decode(message, version, data)
        name, item, remaining = read(version, data)
        return ({} if name == TAGS and not item else {name: to_json(name, item)}), remaining

    def encode(self, _message, version, value):
        name, make = TYPES[version]
        return make().encode(from_json(name, value.get(name, [])))

    def roundtrip(self, message, version, data):
        if message != MESSAGE:
            return super().roundtrip(message, version, data)
        _, item, _ = read(version, data)
        try:
            return TYPES[version][1]().encode(item)
        except Exception as error:
            error.stage = "encode"
            raise
