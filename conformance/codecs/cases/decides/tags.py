"""Tag sections: known tags, their defaults, and unknown ones."""

from __future__ import annotations

from collections import Counter

from conformance.codecs.cases.decides.predicates import body
from conformance.codecs.cases.evidence import Evidence
from conformance.codecs.cases.values.fill import zero


@body("tags.section-ends-struct", "filled", "two", "tagged", "tagged-without-records")
def _section_ends_struct(vector: Evidence) -> bool:
    return vector.flexible and bool(vector.form.layout.fields)


@body("tags.empty-section-is-zero-byte", "filled")
def _empty_section(vector: Evidence) -> bool:
    return vector.flexible


@body("tags.message-without-fields", "defaults")
def _message_without_fields(vector: Evidence) -> bool:
    layout = vector.form.layout
    return vector.flexible and not layout.fields and not layout.tagged


@body("tags.section-layout", "tagged", "tagged-without-records")
def _section_layout(_vector: Evidence) -> bool:
    return True


@body("tags.size-is-plain-length", "tagged", "tagged-long", "tagged-without-records", "unknown-tag")
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


@body("tags.absent-reads-default", "defaults", "filled", "tagged-in-first")
def _absent_reads_default(vector: Evidence) -> bool:
    return vector.shape == "tagged-in-first" or any(
        item.default != zero(item.type) for item in vector.tagged_fields(present=False)
    )


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
    return vector.has_unknown_tags


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


@body("tags.unknown-by-the-thousand", "unknown-tags-thousand")
def _unknown_thousand(_vector: Evidence) -> bool:
    return True


@body("tags.numbers-per-struct", "tagged-all")
def _numbers_per_struct(vector: Evidence) -> bool:
    given = Counter(
        item.tag
        for place in vector.present
        for item in place.layout.tagged
        if any(item.name in struct for struct in place.find(vector.value))
    )
    return any(count > 1 for count in given.values())
