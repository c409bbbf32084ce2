"""The changes of one golden value as cases of a writer: chosen, and with the allowed outcomes.

As with bytes, every place is tried in the versions where something changes, and few in the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from fnmatch import fnmatchcase
from importlib import import_module
from typing import Any, NamedTuple

from conformance.codecs.cases.case import (
    CantBeWritten,
    Expectation,
    Refuses,
    RefusesOrWrites,
    Writes,
)
from conformance.codecs.cases.mutate.faults import in_full, shape_of, some
from conformance.codecs.cases.mutate.written import WRITTEN, Given, WrittenChange, WrittenRule
from conformance.codecs.cases.values.fill import Value
from conformance.codecs.cases.vectors import Vector
from conformance.reference.codec import ReferenceCodec
from conformance.schema.layout import Form
from conformance.schema.releases import form_for
from conformance.wire.reader import UNKNOWN_TAGS

for _room in ("values", "absent", "versions"):
    import_module(f"conformance.codecs.cases.mutate.{_room}")

CHANGE_RULES: frozenset[str] = frozenset(rule for item in WRITTEN for rule in item.rules)
"""The rules that changed values decide."""
MOST_IN_FULL = 16
MOST_ELSEWHERE = 1
MOST_OF_FEW = 2
"""The number of changes of a value made for a rule of which a few changes are enough."""


class ChangedValue(NamedTuple):
    """A change as the start of a case: the rule that made it, the change, the allowed outcomes."""

    by: WrittenRule
    change: WrittenChange
    expects: Expectation


@dataclass(frozen=True, slots=True)
class Changes:
    """Makes the changes that decide these rules, in the names of the codec's release."""

    codec: ReferenceCodec
    rules: Mapping[str, Any]

    def of(self, vector: Vector, value: Value) -> Iterator[ChangedValue]:
        """The changes of one vector's value; one without fields of its own shows nothing."""
        makers = [
            item
            for item in WRITTEN
            if not self.rules.keys().isdisjoint(item.rules) and _changes(item, vector)
        ]
        form = self.codec.form(vector.message, vector.version)
        if not makers or not form.layout.fields:
            return
        given = Given(self.codec.release, form, shape_of(vector), value)
        full = vector.version in in_full(vector.message)
        for item in makers:
            most = (MOST_OF_FEW if full else 0) if item.few else _MOST[full]
            for change in some(list(item.make(given)), most, vector.id):
                yield ChangedValue(item, change, self._expects(item, change, form, vector.data))

    def _expects(
        self, item: WrittenRule, change: WrittenChange, form: Form, data: bytes
    ) -> Expectation:
        unchanged = item.answer in ("dropped", "default")
        dropped = Writes((data,), (form.layout,)) if unchanged else None
        if item.must:
            return CantBeWritten(change.why, form.layout, item.kafka, dropped)
        if item.answer != "sorted":
            return dropped or Refuses(change.why)
        written = self.codec.write(form, _sorted_tags(change.value))
        return RefusesOrWrites(change.why, Writes((written,), (form.layout,)))


_MOST = {True: MOST_IN_FULL, False: MOST_ELSEWHERE}


def changes_decide(rule: str, vector: Vector) -> bool:
    """True if a rule has changes made of a vector's value, in a version that is tried in full."""
    makers = [item for item in WRITTEN if rule in item.rules and _changes(item, vector)]
    if not makers or vector.version not in in_full(vector.message):
        return False
    release = vector.releases[0]
    form = form_for(release, vector.message, vector.version)
    if form is None:
        return False
    given = Given(release, form, shape_of(vector), vector.value)
    return any(any(item.make(given)) for item in makers)


def _changes(item: WrittenRule, vector: Vector) -> bool:
    shape = shape_of(vector)
    return vector.header is None and any(fnmatchcase(shape, pattern) for pattern in item.shapes)


def _sorted_tags(value: Any) -> Any:
    """The value with the unknown tags of each struct in ascending order."""
    if isinstance(value, list):
        return [_sorted_tags(item) for item in value]
    if not isinstance(value, dict):
        return deepcopy(value)
    return {
        name: sorted(item, key=lambda entry: entry["tag"])
        if name == UNKNOWN_TAGS
        else _sorted_tags(item)
        for name, item in value.items()
    }
