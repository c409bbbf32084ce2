"""Compact types, and the version from which on they are used."""

from __future__ import annotations

from conformance.codecs.cases.decides.predicates import EMPTY, PLAIN, body
from conformance.codecs.cases.evidence import Evidence

BORDER_RULE = "compact.first-flexible-version"


@body(BORDER_RULE, *PLAIN)
def _first_flexible_version(vector: Evidence) -> bool:
    return vector.at_border


@body("compact.string-length", "filled", "length")
def _compact_string(vector: Evidence) -> bool:
    return vector.has("string", compact=True, depth=0)


@body("compact.bytes-length", "filled", "length")
def _compact_bytes(vector: Evidence) -> bool:
    return vector.has("bytes", compact=True)


@body("compact.array-count", "filled", "elements")
def _compact_array(vector: Evidence) -> bool:
    return vector.has("array", compact=True, depth=0)


@body("compact.records-length", "filled", "length")
def _compact_records(vector: Evidence) -> bool:
    return vector.has("records", compact=True)


@body("compact.null-is-zero", "null", "unused")
def _compact_null(vector: Evidence) -> bool:
    return vector.about_field.type.compact


@body("compact.empty-is-one", *EMPTY)
def _compact_empty(vector: Evidence) -> bool:
    kinds = ("string", "bytes", "records", "array")
    return any(vector.has_nullable_empty(kind, compact=True) for kind in kinds)


@body("compact.every-depth", "filled")
def _every_depth(vector: Evidence) -> bool:
    return any(
        spot.type.compact and spot.depth > 0 and spot.value is not None for spot in vector.spots
    )


@body("compact.string-elements", "filled", "two")
def _string_elements(vector: Evidence) -> bool:
    return any(
        spot.element and spot.type.kind == "string" and spot.type.compact for spot in vector.spots
    )


@body("compact.struct-elements-end-with-tags", "two")
def _struct_elements(vector: Evidence) -> bool:
    return vector.flexible and any(s.element and s.type.kind == "struct" for s in vector.spots)


@body("compact.primitive-elements-without-tags", "two")
def _primitive_elements(vector: Evidence) -> bool:
    return vector.flexible and any(s.element and s.type.kind != "struct" for s in vector.spots)


@body("compact.inflexible-never-compact", "filled", "two")
def _never_compact(vector: Evidence) -> bool:
    return vector.never_flexible and vector.has("string", "bytes", "array")
