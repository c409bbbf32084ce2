"""Structs that may be null, and those that may not."""

from __future__ import annotations

from conformance.codecs.cases.decides.predicates import body
from conformance.codecs.cases.evidence import Evidence


@body("nullable-structs.present-marker", "filled")
def _present_marker(vector: Evidence) -> bool:
    return any(s.type.kind == "struct" and s.type.nullable and s.value for s in vector.spots)


@body("nullable-structs.null-marker", "null")
def _null_marker(vector: Evidence) -> bool:
    return vector.about_field.type.kind == "struct"


@body("nullable-structs.null-has-no-body", "null")
def _null_has_no_body(vector: Evidence) -> bool:
    return vector.about_field.type.kind == "struct"


@body("nullable-structs.non-nullable-unmarked", "filled")
def _plain_struct(vector: Evidence) -> bool:
    return any(
        s.type.kind == "struct" and not s.type.nullable and not s.element and not s.tagged
        for s in vector.spots
    )


@body("nullable-structs.elements-unmarked", "filled", "two")
def _elements_unmarked(vector: Evidence) -> bool:
    return any(
        s.type.kind == "array" and s.type.nullable and s.value and s.type.item.kind == "struct"
        for s in vector.spots
    )
