"""Which rules a golden vector decides: one short function a rule, found by the rule's id.

A vector touches far more rules than it decides. The plans make one change each, so a rule is
decided by the vectors whose change is about it, and by the plain ones only where nothing plainer
shows it. That keeps a defect from failing every rule at once.

The first flexible version and the last one before it are about that border, and about nothing that
another version could show.
"""

from __future__ import annotations

from collections.abc import Callable

from conformance.cases.evidence import Evidence
from conformance.cases.fill import zero
from conformance.wire.reader import UNKNOWN_TAGS

Predicate = Callable[[Evidence], bool]
PREDICATES: dict[str, Predicate] = {}

INTEGERS = ("int8", "int16", "int32", "int64", "uint16", "uint32")
WIDE_INTEGERS = ("int16", "int32", "int64", "uint16", "uint32")
_PLAIN = ("defaults", "filled", "two")
_EMPTY = ("defaults", "empty", "empty-nested")  # a message empty by default has no other vector
_FRAMES = ("frame", "frame-negative-correlation-id")
_BORDER_RULE = "compact.first-flexible-version"
_AT_BORDERS_ALONE = ("primitives.float64-bits",)
"""Rules of types that stand in no version but those two: FLOAT64, in two messages about quotas."""


def covers(evidence: Evidence) -> tuple[str, ...]:
    """The ids of the rules that a vector decides, sorted."""
    decided = {rule for rule, predicate in PREDICATES.items() if predicate(evidence)}
    if evidence.header is None and evidence.shape in _PLAIN and evidence.at_border:
        decided &= {_BORDER_RULE, *_AT_BORDERS_ALONE}
    return tuple(sorted(decided))


def body(rule: str, *shapes: str) -> Callable[[Predicate], Predicate]:
    """The function under this decides a rule, for bodies of these shapes."""

    def register(predicate: Predicate) -> Predicate:
        PREDICATES[rule] = lambda evidence: (
            evidence.header is None and evidence.shape in shapes and predicate(evidence)
        )
        return predicate

    return register


def frame(rule: str, *shapes: str) -> Callable[[Predicate], Predicate]:
    """The function under this decides a rule, for whole frames of these shapes."""

    def register(predicate: Predicate) -> Predicate:
        PREDICATES[rule] = lambda evidence: (
            evidence.header is not None and evidence.shape in shapes and predicate(evidence)
        )
        return predicate

    return register


@body(_BORDER_RULE, *_PLAIN)
def _first_flexible_version(vector: Evidence) -> bool:
    return vector.at_border


@body("framing.nothing-after-end", "filled")
def _nothing_after_end(_vector: Evidence) -> bool:
    return True


# Request and response headers.


@frame("request-header.v1-fields", *_FRAMES)
def _header_v1(vector: Evidence) -> bool:
    return vector.form.type == "request" and vector.header_version == 1


@frame("request-header.flexible-adds-tags", *_FRAMES)
def _header_v2(vector: Evidence) -> bool:
    return vector.form.type == "request" and vector.header_version == 2


@frame("request-header.client-id-not-compact", "frame")
def _client_id_not_compact(vector: Evidence) -> bool:
    return vector.form.type == "request" and vector.header_version == 2


@frame("request-header.controlled-shutdown-v0", *_FRAMES)
def _controlled_shutdown(vector: Evidence) -> bool:
    return vector.form.type == "request" and vector.header_version == 0


@frame("request-header.null-client-id", "frame-null-client-id", "frame-empty-client-id")
def _null_client_id(_vector: Evidence) -> bool:
    return True


@frame("request-header.unknown-tag-skipped", "frame-unknown-tag")
def _request_header_tag(vector: Evidence) -> bool:
    return vector.form.type == "request"


@frame("response-header.v0-fields", *_FRAMES)
def _response_header_v0(vector: Evidence) -> bool:
    return vector.form.type == "response" and not vector.flexible


@frame("response-header.flexible-adds-tags", *_FRAMES)
def _response_header_v1(vector: Evidence) -> bool:
    return vector.form.type == "response" and vector.header_version == 1


@frame("response-header.api-versions-stays-v0", *_FRAMES)
def _api_versions_header(vector: Evidence) -> bool:
    return vector.form.type == "response" and vector.flexible and vector.header_version == 0


@frame("response-header.unknown-tag-skipped", "frame-unknown-tag")
def _response_header_tag(vector: Evidence) -> bool:
    return vector.form.type == "response"


# Primitive types.


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


@body("primitives.varint-groups", "unknown-tag", "length", "elements")
def _varint_groups(vector: Evidence) -> bool:
    if vector.shape == "unknown-tag":
        return True
    long = int(vector.about.rpartition("-")[2]) > 126
    return long and vector.has("string", "bytes", "records", "array", compact=True)


@body("primitives.varint-shortest", "filled")
def _varint_shortest(vector: Evidence) -> bool:
    return vector.flexible


@body("primitives.string-length-int16", "filled", "length")
def _string_length(vector: Evidence) -> bool:
    return vector.has("string", compact=False)


@body("primitives.string-counts-bytes", "utf8")
def _string_counts_bytes(vector: Evidence) -> bool:
    return vector.has("string")


@body("primitives.string-plain-utf8", "utf8-unusual")
def _string_plain_utf8(vector: Evidence) -> bool:
    return vector.has("string")


@body("primitives.null-string", "null")
def _null_string(vector: Evidence) -> bool:
    return _about(vector, "string", compact=False)


@body("primitives.empty-string-not-null", *_EMPTY)
def _empty_string(vector: Evidence) -> bool:
    return vector.has_nullable_empty("string", compact=False)


@body("primitives.bytes-length-int32", "filled", "length")
def _bytes_length(vector: Evidence) -> bool:
    return vector.has("bytes", compact=False)


@body("primitives.null-bytes", "null")
def _null_bytes(vector: Evidence) -> bool:
    return _about(vector, "bytes", compact=False)


@body("primitives.empty-bytes-not-null", *_EMPTY)
def _empty_bytes(vector: Evidence) -> bool:
    return vector.has_nullable_empty("bytes", compact=False)


@body("primitives.array-count-int32", "filled", "two", "elements")
def _array_count(vector: Evidence) -> bool:
    return vector.has("array", compact=False)


@body("primitives.null-array", "null")
def _null_array(vector: Evidence) -> bool:
    return _about(vector, "array", compact=False)


@body("primitives.empty-array-not-null", *_EMPTY)
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


# Compact types.


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


@body("compact.null-is-zero", "null")
def _compact_null(vector: Evidence) -> bool:
    return vector.about_field.type.compact


@body("compact.empty-is-one", *_EMPTY)
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


# Tagged fields.


@body("tags.section-ends-struct", "filled", "two", "tagged")
def _section_ends_struct(vector: Evidence) -> bool:
    return vector.flexible and bool(vector.form.layout.fields)


@body("tags.empty-section-is-zero-byte", "filled")
def _empty_section(vector: Evidence) -> bool:
    return vector.flexible


@body("tags.message-without-fields", "defaults")
def _message_without_fields(vector: Evidence) -> bool:
    layout = vector.form.layout
    return vector.flexible and not layout.fields and not layout.tagged


@body("tags.section-layout", "tagged")
def _section_layout(_vector: Evidence) -> bool:
    return True


@body("tags.size-is-plain-length", "tagged", "unknown-tag")
def _size_is_plain(_vector: Evidence) -> bool:
    return True


@body("tags.ascending", "tagged-all")
def _ascending(vector: Evidence) -> bool:
    return any(
        len(struct.keys() & {item.name for item in place.layout.tagged}) > 1
        for place in vector.present
        for struct in place.find(vector.value)
    )


@body("tags.default-left-out", "defaults", "filled", "two", "tagged")
def _default_left_out(vector: Evidence) -> bool:
    return any(item.type.kind != "struct" for item in vector.tagged_fields(present=False))


@body("tags.default-struct-left-out", "defaults", "filled", "two", "tagged")
def _default_struct_left_out(vector: Evidence) -> bool:
    return any(item.type.kind == "struct" for item in vector.tagged_fields(present=False))


@body("tags.non-default-written", "tagged-zero", "tagged-null")
def _non_default_written(_vector: Evidence) -> bool:
    return True


@body("tags.absent-reads-default", "defaults", "filled")
def _absent_reads_default(vector: Evidence) -> bool:
    return any(item.default != zero(item.type) for item in vector.tagged_fields(present=False))


@body("tags.values-compact", "tagged")
def _values_compact(vector: Evidence) -> bool:
    return any(spot.tagged and spot.type.compact for spot in vector.spots)


@body(
    "tags.unknown-skipped",
    "mixture",
    "unknown-tag",
    "unknown-tag-with-known",
    "unknown-tags-thousand",
)
def _unknown_skipped(vector: Evidence) -> bool:
    return _has_unknown_tags(vector)


@body("tags.unknown-skipped-in-struct", "unknown-tag-in-struct", "unknown-tag-in-tag")
def _unknown_in_struct(_vector: Evidence) -> bool:
    return True


@body("tags.unknown-skipped-in-element", "unknown-tag-in-array")
def _unknown_in_element(_vector: Evidence) -> bool:
    return True


@body("tags.unknown-empty-value", "unknown-tag-empty")
def _unknown_empty(_vector: Evidence) -> bool:
    return True


@body("tags.unknown-high-tag", "unknown-tags-high")
def _unknown_high(_vector: Evidence) -> bool:
    return True


@body(
    "tags.unknown-kept",
    "unknown-tag",
    "unknown-tag-empty",
    "unknown-tags-high",
    "unknown-tag-in-array",
    "unknown-tag-in-struct",
    "unknown-tag-in-tag",
)
def _unknown_kept(_vector: Evidence) -> bool:
    return True


@body("tags.unknown-merged-in-order", "unknown-tag-with-known", "unknown-tags-high")
def _unknown_merged(_vector: Evidence) -> bool:
    return True


@body("tags.count-matches-entries", "tagged", "tagged-all")
def _count_matches(_vector: Evidence) -> bool:
    return True


# Nullable structs.


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


# Versions and definitions.


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
)
def _field_types(vector: Evidence) -> bool:
    return bool(vector.form.layout.fields) and not _has_unknown_tags(vector)


@body("versions.nullable-from-version", "null")
def _nullable_from_version(vector: Evidence) -> bool:
    return any(not item.type.nullable for item in vector.field_in_other_versions(vector.about))


@body("versions.map-key-in-memory-only", "same-keys")
def _map_key(_vector: Evidence) -> bool:
    return True


def _about(vector: Evidence, kind: str, compact: bool) -> bool:
    type_ = vector.about_field.type
    return type_.kind == kind and type_.compact == compact


def _has_unknown_tags(vector: Evidence) -> bool:
    return any(
        UNKNOWN_TAGS in struct for place in vector.present for struct in place.find(vector.value)
    )
