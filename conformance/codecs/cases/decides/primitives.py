"""Primitive types, and the lengths of inflexible versions."""

from __future__ import annotations

from conformance.codecs.cases.decides.predicates import EMPTY, body
from conformance.codecs.cases.evidence import Evidence
from conformance.codecs.cases.plan import NUMBER

WIDE_INTEGERS = ("int16", "int32", "int64", "uint16", "uint32")


@body("primitives.integers-big-endian", "filled")
def _integers(vector: Evidence) -> bool:
    return vector.has(*WIDE_INTEGERS)


@body("primitives.integers-signed", "lowest", "highest")
def _signed(vector: Evidence) -> bool:
    return vector.has("int8", "int16", "int32", "int64")


@body("primitives.uint16-unsigned", "filled", "highest")
def _uint16(vector: Evidence) -> bool:
    return vector.has("uint16")


@body("primitives.boolean-one-or-zero", "filled", "defaults")
def _boolean(vector: Evidence) -> bool:
    return vector.has("bool")


@body("primitives.float64-bits", "filled", "subnormal", "largest")
def _float64(vector: Evidence) -> bool:
    return vector.has("float64")


@body("primitives.float64-special-values", "negative-zero", "infinity", "negative-infinity", "nan")
def _special_floats(_vector: Evidence) -> bool:
    return True


@body("primitives.uuid-byte-order", "filled")
def _uuid(vector: Evidence) -> bool:
    return vector.has("uuid")


@body("primitives.zero-uuid-is-none", "defaults", "empty-nested")
def _zero_uuid(vector: Evidence) -> bool:
    return vector.has("uuid")


@body("primitives.varint-groups", "unknown-tag", "tagged-long", "length", "elements", NUMBER)
def _varint_groups(vector: Evidence) -> bool:
    if vector.shape == NUMBER:
        return vector.has("uvarint")
    if vector.shape in ("unknown-tag", "tagged-long"):
        return True
    long = int(vector.about.rpartition("-")[2]) > 126
    return long and vector.has("string", "bytes", "records", "array", compact=True)


@body("primitives.varint-shortest", "filled")
def _varint_shortest(vector: Evidence) -> bool:
    return vector.flexible or vector.has("uvarint")


@body("primitives.string-length-int16", "filled", "length")
def _string_length(vector: Evidence) -> bool:
    return vector.has("string", compact=False)


@body("primitives.string-counts-bytes", "utf8")
def _string_counts_bytes(vector: Evidence) -> bool:
    return vector.has("string")


@body("primitives.string-plain-utf8", "utf8-unusual")
def _string_plain_utf8(vector: Evidence) -> bool:
    return vector.has("string")


@body("primitives.null-string", "null", "unused")
def _null_string(vector: Evidence) -> bool:
    return _about(vector, "string", compact=False)


@body("primitives.empty-string-not-null", *EMPTY)
def _empty_string(vector: Evidence) -> bool:
    return vector.has_nullable_empty("string", compact=False)


@body("primitives.bytes-length-int32", "filled", "length")
def _bytes_length(vector: Evidence) -> bool:
    return vector.has("bytes", compact=False)


@body("primitives.null-bytes", "null")
def _null_bytes(vector: Evidence) -> bool:
    return _about(vector, "bytes", compact=False)


@body("primitives.empty-bytes-not-null", *EMPTY)
def _empty_bytes(vector: Evidence) -> bool:
    return vector.has_nullable_empty("bytes", compact=False)


@body("primitives.array-count-int32", "filled", "two", "elements")
def _array_count(vector: Evidence) -> bool:
    return vector.has("array", compact=False)


@body("primitives.null-array", "null")
def _null_array(vector: Evidence) -> bool:
    return _about(vector, "array", compact=False)


@body("primitives.empty-array-not-null", *EMPTY)
def _empty_array(vector: Evidence) -> bool:
    return vector.has_nullable_empty("array", compact=False)


@body("primitives.records-length-int32", "filled", "length")
def _records_length(vector: Evidence) -> bool:
    return vector.has("records", compact=False)


@body("primitives.null-records", "null")
def _null_records(vector: Evidence) -> bool:
    return _about(vector, "records", compact=False)


@body("primitives.records-opaque", "filled")
def _records_opaque(vector: Evidence) -> bool:
    return vector.has("records")


def _about(vector: Evidence, kind: str, compact: bool) -> bool:
    type_ = vector.about_field.type
    return type_.kind == kind and type_.compact == compact
