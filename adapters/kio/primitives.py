"""kio's readers and writers of the protocol's types, one by one.

Those of arrays are for null as well, so arrays are asked as those that may be null. It has none for
a section of tagged fields.
"""

import io

import adapter
import records
from kio.serial import readers, writers

MESSAGE = "Primitives"
OPS = ["decode", "encode", "roundtrip"]
ZERO_UUID = "A" * 22
TYPES = {  # by version: the field's name, the reader, the writer
    0: ("boolean", readers.read_boolean, writers.write_boolean),
    1: ("int8", readers.read_int8, writers.write_int8),
    2: ("int16", readers.read_int16, writers.write_int16),
    3: ("int32", readers.read_int32, writers.write_int32),
    4: ("int64", readers.read_int64, writers.write_int64),
    5: ("uint16", readers.read_uint16, writers.write_uint16),
    6: ("uint32", readers.read_uint32, writers.write_uint32),
    7: ("float64", readers.read_float64, writers.write_float64),
    8: ("uuid", readers.read_uuid, writers.write_uuid),
    9: ("string", readers.read_legacy_string, writers.write_legacy_string),
    10: (
        "nullableString",
        readers.read_nullable_legacy_string,
        writers.write_nullable_legacy_string,
    ),
    11: ("compactString", readers.read_compact_string, writers.write_compact_string),
    12: (
        "compactNullableString",
        readers.read_compact_string_nullable,
        writers.write_nullable_compact_string,
    ),
    13: ("bytes", readers.read_legacy_bytes, writers.write_legacy_bytes),
    14: ("nullableBytes", readers.read_nullable_legacy_bytes, writers.write_nullable_legacy_bytes),
    15: ("compactBytes", readers.read_compact_string_as_bytes, writers.write_compact_string),
    16: (
        "compactNullableBytes",
        readers.read_compact_string_as_bytes_nullable,
        writers.write_nullable_compact_string,
    ),
    18: (
        "nullableArray",
        readers.legacy_array_reader(readers.read_int32),
        writers.legacy_array_writer(writers.write_int32),
    ),
    20: (
        "compactNullableArray",
        readers.compact_array_reader(readers.read_int32),
        writers.compact_array_writer(writers.write_int32),
    ),
    23: ("varint", readers.read_signed_varint, writers.write_signed_varint),
    24: ("varlong", readers.read_signed_varlong, writers.write_signed_varlong),
    25: ("unsignedVarint", readers.read_unsigned_varint, writers.write_unsigned_varint),
}


def conversions(name):
    kind = "bytes" if name.lower().endswith("bytes") else name
    show, take = adapter.CONVERSIONS.get(kind, (lambda item: item, lambda item: item))
    null = ZERO_UUID if name == "uuid" else None  # for which its value is None
    return adapter.with_null(show, answer=null), adapter.with_null(take, null)


def written(version, item):
    buffer = io.BytesIO()
    TYPES[version][2](buffer, item)
    return buffer.getvalue()


class Codec(records.Codec):
    def hello(self):
        said = super().hello()
        versions = [[version, version] for version in TYPES]
        said["messages"][MESSAGE] = {"versions": versions, "ops": OPS}
        return said

    def decode(self, message, version, data):
        if message != MESSAGE:
            return super().decode(message, version, data)
        name, read, _ = TYPES[version]
        item, size = read(data, 0)
        remaining = len(data) - size if size >= 0 else None  # a length below -1 takes 0.5 backwards
        return {name: conversions(name)[0](item)}, remaining

    def encode(self, message, version, value):
        if message != MESSAGE:
            return super().encode(message, version, value)
        name = TYPES[version][0]
        return written(version, conversions(name)[1](value[name]))

    def roundtrip(self, message, version, data):
        if message != MESSAGE:
            return super().roundtrip(message, version, data)
        item, _ = TYPES[version][1](data, 0)
        try:
            return written(version, item)
        except Exception as error:
            error.stage = "encode"
            raise
