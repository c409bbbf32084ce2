"""The rules that edits of a golden vector decide, and which vectors show them well."""

from __future__ import annotations

from conformance.codecs.cases.mutate.changes import CHANGE_RULES, changes_decide
from conformance.codecs.cases.mutate.faults import FAULT_RULES, faults_decide
from conformance.codecs.cases.records.families import BATCH_RULES, batch_edits_decide
from conformance.codecs.cases.records.sets import SET_RULES, set_edits_decide
from conformance.codecs.cases.values.explicit import EXPLICIT_DEFAULT, edited, explicit_defaults
from conformance.codecs.cases.vectors import Vector
from conformance.schema.primitives import PRIMITIVES
from conformance.schema.record_batch import RECORD_BATCH, RECORD_SET
from conformance.schema.releases import form_for

SHORT_INPUT = "primitives.short-input-refused"
MISSING_TAGS = "tags.section-required"
TRAILING_BYTES = "framing.trailing-bytes-ignored"
OVERLONG_VARINT = "primitives.varint-overlong-accepted"
DERIVED_RULES = (
    FAULT_RULES
    | CHANGE_RULES
    | BATCH_RULES
    | SET_RULES
    | frozenset({SHORT_INPUT, MISSING_TAGS, TRAILING_BYTES, OVERLONG_VARINT, EXPLICIT_DEFAULT})
)
"""The rules that edits of a vector decide, rather than the vector itself."""
_EDIT_RULES = FAULT_RULES | CHANGE_RULES
_BODY_RULES = DERIVED_RULES - BATCH_RULES - SET_RULES


_RULES_OF = {
    RECORD_BATCH: BATCH_RULES,
    RECORD_SET: SET_RULES,
    PRIMITIVES: _BODY_RULES | FAULT_RULES,
}


def derived_rules(message: str) -> frozenset[str]:
    """The rules that edits of a message's vectors may decide."""
    return _RULES_OF.get(message, _BODY_RULES)


def edits_decide(rule: str, vector: Vector) -> bool:
    """True if an edit of this vector decides one of the derived rules, and shows it well."""
    if rule not in derived_rules(vector.message):
        return False
    if vector.message == RECORD_SET:
        return set_edits_decide(rule, vector)
    if rule in BATCH_RULES and vector.message == RECORD_BATCH:
        return batch_edits_decide(rule, vector)
    if rule in _EDIT_RULES:
        return faults_decide(rule, vector) or changes_decide(rule, vector)
    if rule != EXPLICIT_DEFAULT:
        return vector.id.endswith("-two")
    form = form_for(vector.releases[0], vector.message, vector.version)
    return (
        vector.header is None
        and edited(vector.id)
        and form is not None
        and any(explicit_defaults(form, vector.value))
    )
