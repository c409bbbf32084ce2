"""Predicates for rules on the fields of each version and their order."""

from __future__ import annotations

from conformance.codecs.cases.decides.predicates import body
from conformance.codecs.cases.evidence import Evidence
from conformance.schema.primitives import KIND as PRIMITIVE


@body("versions.only-fields-of-version", "filled")
def _only_fields_of_version(vector: Evidence) -> bool:
    return any(place.layout.absent for place in vector.places)


@body("versions.field-order", "filled")
def _field_order(vector: Evidence) -> bool:
    return any(
        one.type.kind == other.type.kind
        for place in vector.present
        for one, other in zip(place.layout.fields, place.layout.fields[1:], strict=False)
    )


@body(
    "versions.field-types",
    "defaults",
    "elements",
    "empty",
    "empty-nested",
    "filled",
    "highest",
    "length",
    "lowest",
    "mixture",
    "only",
    "tagged-long",
    "zero",
)
def _field_types(vector: Evidence) -> bool:
    of_versions = vector.form.type != PRIMITIVE and bool(vector.form.layout.fields)
    return of_versions and not vector.has_unknown_tags


@body("versions.nullable-from-version", "null")
def _nullable_from_version(vector: Evidence) -> bool:
    return any(not item.type.nullable for item in vector.field_in_other_versions(vector.about))


@body("versions.map-key-in-memory-only", "two")
def _map_key(vector: Evidence) -> bool:
    return any(
        spot.type.kind == "array"
        and spot.type.item.struct is not None
        and any(item.map_key for item in spot.type.item.struct.fields)
        for spot in vector.spots
    )


@body("versions.equal-map-keys-kept", "same-keys")
def _equal_map_keys(_vector: Evidence) -> bool:
    return True
