"""kafka-python's codecs of types, one by one, as its fields are read and written with.

Its strings, bytes and arrays are all nullable, so they are asked as those that may be null. Of a
section of tagged fields nothing unknown is kept.
"""

import io

import records
from adapter import CONVERSIONS
from kafka.protocol.schemas import ArrayField
from kafka.protocol.schemas.fields import codecs
from kafka.protocol.schemas.fields.codecs import types

MESSAGE = "Primitives"
OPS = ["decode", "encode", "roundtrip"]
TAGS = "tagSection"
STRING = codecs.String("utf-8")
INT32_ARRAY = ArrayField({"name": "Array", "type": "[]int32", "versions": "0+"})
TYPES = {  # by version: the field's name, the library's codec, what it is told
    0: ("boolean", codecs.Boolean, {}),
    1: ("int8", codecs.Int8, {}),
    2: ("int16", codecs.Int16, {}),
    3: ("int32", codecs.Int32, {}),
    4: ("int64", codecs.Int64, {}),
    5: ("uint16", codecs.UnsignedInt16, {}),
    7: ("float64", codecs.Float64, {}),
    8: ("uuid", codecs.UUID, {}),
    10: ("nullableString", STRING, {}),
    12: ("compactNullableString", STRING, {"compact": True}),
    14: ("nullableBytes", codecs.Bytes, {}),
    16: ("compactNullableBytes", codecs.Bytes, {"compact": True}),
    18: ("nullableArray", INT32_ARRAY, {}),
    20: ("compactNullableArray", INT32_ARRAY, {"compact": True}),
    23: ("varint", types.VarInt32, {}),
    24: ("varlong", types.VarInt64, {}),
    25: ("unsignedVarint", codecs.UnsignedVarInt32, {}),
    26: (TAGS, codecs.TaggedFields([]), {}),
}


def conversions(name):
    kind = "bytes" if name.endswith("Bytes") else name
    return CONVERSIONS.get(kind, (lambda item: item, lambda item: item))


class Codec(records.Codec):
    def hello(self):
        said = super().hello()
        versions = [[version, version] for version in TYPES]
        said["messages"][MESSAGE] = {"versions": versions, "ops": OPS}
        return said

    def decode(self, message, version, data):
        if message != MESSAGE:
            return super().decode(message, version, data)
        name, kind, told = TYPES[version]
        stream = io.BytesIO(data)
        item = kind.decode(stream, **told)
        value = {} if name == TAGS else {name: conversions(name)[0](item)}
        return value, len(data) - stream.tell()

    def encode(self, message, version, value):
        if message != MESSAGE:
            return super().encode(message, version, value)
        name, kind, told = TYPES[version]
        return kind.encode(value if name == TAGS else conversions(name)[1](value[name]), **told)

    def roundtrip(self, message, version, data):
        if message != MESSAGE:
            return super().roundtrip(message, version, data)
        _, kind, told = TYPES[version]
        item = kind.decode(io.BytesIO(data), **told)
        try:
            return kind.encode(item, **told)
        except Exception as error:
            error.stage = "encode"
            raise
