"""kio's readers and writers of the protocol's types, one by one; older releases have fewer.

Those of arrays are for null as well, so arrays are asked as those that may be null. It has none for
a section of tagged fields.
"""

import base64
import io
from uuid import UUID

import adapter
from kio.serial import readers, writers

MESSAGE = "Primitives"
OPS = ["decode", "encode", "roundtrip"]
NOT_FINITE = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}
ZERO_UUID = "A" * 22
TYPES = {  # by version: the field's name, and kio's in a reader's and a writer's name
    0: ("boolean", "boolean", "boolean"),
    1: ("int8", "int8", "int8"),
    2: ("int16", "int16", "int16"),
    3: ("int32", "int32", "int32"),
    4: ("int64", "int64", "int64"),
    5: ("uint16", "uint16", "uint16"),
    6: ("uint32", "uint32", "uint32"),
    7: ("float64", "float64", "float64"),
    8: ("uuid", "uuid", "uuid"),
    9: ("string", "legacy_string", "legacy_string"),
    10: ("nullableString", "nullable_legacy_string", "nullable_legacy_string"),
    11: ("compactString", "compact_string", "compact_string"),
    12: ("compactNullableString", "compact_string_nullable", "nullable_compact_string"),
    13: ("bytes", "legacy_bytes", "legacy_bytes"),
    14: ("nullableBytes", "nullable_legacy_bytes", "nullable_legacy_bytes"),
    15: ("compactBytes", "compact_string_as_bytes", "compact_string"),
    16: ("compactNullableBytes", "compact_string_as_bytes_nullable", "nullable_compact_string"),
    18: ("nullableArray", "legacy_array", "legacy_array"),
    20: ("compactNullableArray", "compact_array", "compact_array"),
    23: ("varint", "signed_varint", "signed_varint"),
    24: ("varlong", "signed_varlong", "signed_varlong"),
    25: ("unsignedVarint", "unsigned_varint", "unsigned_varint"),
}


def reader(own):
    if own.endswith("array"):
        return getattr(readers, f"{own}_reader")(readers.read_int32)
    return getattr(readers, f"read_{own}", None)


def writer(own):
    if own.endswith("array"):
        return getattr(writers, f"{own}_writer")(writers.write_int32)
    return getattr(writers, f"write_{own}", None)


def to_json(name, item):
    if name == "uuid":
        data = bytes(16) if item is None else item.bytes
        return base64.urlsafe_b64encode(data)[:22].decode()
    if isinstance(item, bytes):
        return base64.b64encode(item).decode()
    return NOT_FINITE.get(str(item), item) if name == "float64" else item


def from_json(name, value):
    if name == "uuid":
        return None if value == ZERO_UUID else UUID(bytes=base64.urlsafe_b64decode(value + "=="))
    if name.lower().endswith("bytes") and value is not None:
        return base64.b64decode(value)
    return float(value) if name == "float64" else value


def written(version, item):
    buffer = io.BytesIO()
    writer(TYPES[version][2])(buffer, item)
    return buffer.getvalue()


class Codec(adapter.Codec):
    def hello(self):
        said = super().hello()
        own = TYPES.items()
        versions = [
            [each, each] for each, (_, read, write) in own if reader(read) and writer(write)
        ]
        said["messages"][MESSAGE] = {"versions": versions, "ops": OPS}
        return said | {"ops": OPS}

    def decode(self, _message, version, data):
        name, own, _ = TYPES[version]
        stream = io.BytesIO(data)
        item = reader(own)(stream)
        return {name: to_json(name, item)}, len(data) - stream.tell()

    def encode(self, message, version, value):
        if message != MESSAGE:
            return super().encode(message, version, value)
        name = TYPES[version][0]
        return written(version, from_json(name, value[name]))

    def roundtrip(self, message, version, data):
        if message != MESSAGE:
            return super().roundtrip(message, version, data)
        item = reader(TYPES[version][1])(io.BytesIO(data))
        try:
            return written(version, item)
        except Exception as error:
            error.stage = "encode"
            raise
