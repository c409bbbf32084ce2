"""Misread definitions: one mistake that a codec makes in all of Kafka's definitions.

A mutant has such an error in one message, as that proves a rule. An author who generates code from
the definitions, or copies tables of them, makes it in all messages. A failing codec is compared
with both.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from typing import Any

from conformance.codecs.mutants.habits.drafts import Habit
from conformance.codecs.mutants.mutant import Mutant
from conformance.reference.codec import PlainCodec
from conformance.schema.layout import Form, Layout, form
from conformance.schema.model import Field, Message, Type
from conformance.schema.releases import definitions
from conformance.schema.versions import MAX_VERSION, NONE, Versions
from conformance.wire.reader import Reader

Fields = tuple[Field, ...]
Edit = Callable[[Field], Field | None]


class Misread(Habit):
    """A codec that has read the definition of every message in another way, headers apart."""

    def message(self, message: Message) -> Message:
        """Return the definition as this codec misreads it."""
        return replace(message, fields=_edited(message.fields, self.field))

    def field(self, field: Field) -> Field | None:
        """Return the field as this codec misreads it; None if it leaves the field out."""
        return field

    def form(self, message: str, version: int) -> Form:
        key = message, version
        if key not in self._forms:
            self._forms[key] = self._misread(Mutant.form(self, message, version))
        return self._forms[key]

    def _misread(self, true: Form) -> Form:
        held = definitions(self.release)
        if true.type == "header" or true.message not in held:
            return true
        message = held[true.message]
        if true.version not in message.valid:
            return true
        return replace(form(self.message(message), true.version), releases=true.releases)


def _edited(fields: Fields, edit: Edit) -> Fields:
    inner = (with_fields(item, lambda below: _edited(below, edit)) for item in fields)
    return tuple(item for item in map(edit, inner) if item is not None)


def with_fields(item: Field, change: Callable[[Fields], Fields]) -> Field:
    """The field with the fields of its struct changed, or of the structs that are its elements."""

    def changed(type_: Type) -> Type:
        if type_.element is not None:
            return replace(type_, element=changed(type_.element))
        return replace(type_, fields=change(type_.fields))

    return replace(item, type=changed(item.type))


class FlexibleLate(Misread):
    """Takes the first flexible version of each message for inflexible, its header as well."""

    led_by = "compact.first-flexible-version"
    later = 1

    def message(self, message: Message) -> Message:
        first = message.flexible
        return replace(message, flexible=replace(first, low=first.low + self.later))

    def header_form(self, form: Form) -> Form:
        return PlainCodec.header_form(self, form)


class FlexibleEarly(FlexibleLate):
    """Takes the last version before the first flexible one for flexible, its header as well."""

    later = -1

    def message(self, message: Message) -> Message:
        return super().message(message) if message.flexible else message


class FieldsLate(Misread):
    """Has each field that was added to a message from the version after its first one on."""

    led_by = "versions.only-fields-of-version"
    later = 1

    def message(self, message: Message) -> Message:
        def edit(field: Field) -> Field:
            return replace(field, versions=self._moved(field.versions, message.valid.low))

        return replace(message, fields=_edited(message.fields, edit))

    def _moved(self, versions: Versions, oldest: int) -> Versions:
        added = versions.low > oldest
        return replace(versions, low=versions.low + self.later) if added else versions


class FieldsEarly(FieldsLate):
    """Has each field that was added to a message from the version before its first one on."""

    later = -1


class AddedFieldsLast(Misread):
    """Has fields that came with a later version behind those that were there before."""

    led_by = "versions.field-types"

    def message(self, message: Message) -> Message:
        return replace(message, fields=_by_age(message.fields))


def _by_age(fields: Fields) -> Fields:
    found = (with_fields(item, _by_age) for item in fields)
    return tuple(sorted(found, key=lambda item: item.versions.low))


class FieldsEndEarly(Misread):
    """Lacks each field in the last version that has it, where later versions do not."""

    led_by = "versions.only-fields-of-version"

    def field(self, field: Field) -> Field:
        versions = field.versions
        ends = versions.high < MAX_VERSION
        return replace(
            field, versions=replace(versions, high=versions.high - 1 if ends else MAX_VERSION)
        )


class FieldsNeverEnd(Misread):
    """Has each field in all versions after its last one as well."""

    led_by = "versions.only-fields-of-version"

    def field(self, field: Field) -> Field:
        return replace(field, versions=replace(field.versions, high=MAX_VERSION))


class FieldsEndLate(Misread):
    """Has each field in the version after its last one as well."""

    led_by = "versions.only-fields-of-version"

    def field(self, field: Field) -> Field:
        high = min(field.versions.high + 1, MAX_VERSION)
        return replace(field, versions=replace(field.versions, high=high))


class FieldsOfAllVersions(Misread):
    """Has the fields of every version in each of them."""

    led_by = "versions.only-fields-of-version"

    def field(self, field: Field) -> Field:
        return replace(field, versions=Versions(0, MAX_VERSION))


class NullableAlways(Misread):
    """Takes a field that may be null in some versions for one that may be null in all of them."""

    led_by = "primitives.null-refused"

    def field(self, field: Field) -> Field:
        return replace(field, nullable=field.versions) if field.nullable else field


class NullableNever(Misread):
    """Refuses null in every field."""

    led_by = "versions.nullable-from-version"

    def field(self, field: Field) -> Field:
        return replace(field, nullable=NONE)


class NullableLate(Misread):
    """Refuses null in the first version of a message in which a field may be null."""

    led_by = "versions.nullable-from-version"

    def field(self, field: Field) -> Field:
        late = replace(field.nullable, low=field.nullable.low + 1)
        return replace(field, nullable=late) if field.nullable else field


class _AbsentFilledIn(Reader):
    """A reader that gives what is absent by the default that the definition is taken to have."""

    def tag_section(self, layout: Layout, value: dict[str, Any], path: str) -> None:
        super().tag_section(layout, value, path)
        for item in layout.tagged:
            value.setdefault(item.name, deepcopy(item.default))


class DefaultsForgotten(Misread):
    """Takes the zero or empty value of its type for the default of every tagged field."""

    led_by = "tags.non-default-written"
    Reads = _AbsentFilledIn

    def field(self, field: Field) -> Field:
        is_null = field.default == "null"
        return replace(field, default=None) if field.tagged and not is_null else field


class NullDefaultsForgotten(Misread):
    """Takes the empty value for the default of every tagged field whose default is null."""

    led_by = "tags.non-default-written"
    Reads = _AbsentFilledIn

    def field(self, field: Field) -> Field:
        is_null = field.default == "null" and field.type.kind != "records"
        return replace(field, default=None) if field.tagged and is_null else field


class TaggedFieldsPlain(Misread):
    """Has tagged fields where plain fields are, in the order of the definition."""

    led_by = "tags.section-layout"

    def field(self, field: Field) -> Field:
        return replace(field, tagged=NONE, tag=None)


class KnowsNoTags(Misread):
    """Takes every tagged field for an unknown one."""

    led_by = "tags.section-layout"

    def field(self, field: Field) -> Field | None:
        return None if field.tagged else field


class IgnorableNever(Misread):
    """Refuses a value for a field that the version lacks, though it may be ignored."""

    led_by = "versions.absent-ignorable-dropped"

    def field(self, field: Field) -> Field:
        return replace(field, ignorable=False)
