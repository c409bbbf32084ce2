"""A difference between others' layout and Kafka's as a finding: its rule, place and words."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from conformance.results.text import runs
from conformance.schema.differing import ABSENT, Difference
from conformance.schema.layout import json_name
from conformance.schema.model import Field, JsonPath, Message
from conformance.schema.versions import Versions

SAME_KEY = "foreign.same-api-key"
KNOWN, COVERED = "foreign.versions-known", "foreign.versions-covered"
_NULL, _OTHER_NULL = "foreign.same-nullability", "foreign.no-other-nulls"
_TAG_VERSIONS, _LACKED = "foreign.tag-versions", "foreign.tags-covered"
_RULES = {
    "field": "foreign.same-fields",
    "kind": "foreign.same-fields",
    "compact": "foreign.same-flexibility",
    "flexible": "foreign.same-flexibility",
    "tag-added": "foreign.same-tags",
    "tag-type": "foreign.same-tags",
    "tag-removed": _LACKED,
    "tag-default": "foreign.same-defaults",
}
RULES = (
    SAME_KEY,
    *dict.fromkeys(_RULES.values()),
    *(_TAG_VERSIONS, _NULL, _OTHER_NULL, KNOWN, COVERED),
)
"""The ids of all rules for others' definitions."""
_BREAKS = {
    _NULL: "a null that Kafka's side writes has no meaning here, and none can be written",
    _OTHER_NULL: "a null written here is refused by Kafka's readers; the other way is safe",
    _TAG_VERSIONS: "written here, Kafka's readers refuse it; nothing is lost the other way",
    _LACKED: "written by Kafka, it is skipped here as unknown",
}


@dataclass(frozen=True)
class FieldPlace:
    """The place of a finding: the field's name there, and its path."""

    name: str
    path: JsonPath


@dataclass(frozen=True)
class Parting:
    """A difference in words without its versions, so that equal ones are reported once."""

    rule: str
    place: FieldPlace
    here: str
    there: str
    kafka: str

    def describe(self, versions: Collection[int]) -> str:
        """Return both sides in words, the versions, and the consequence."""
        where = ", ".join(filter(None, (self.kafka, f"version {ranges(versions)}")))
        breaks = f": {_BREAKS[self.rule]}" if self.rule in _BREAKS else ""
        return f"{self.here} here, {self.there} ({where}){breaks}"


def parting(fields: FieldsByName, each: Difference, version: int, kafka: str) -> Parting:
    """Return the meaning of a difference from the layout of `kafka`, for the message of `fields`.

    Compact lengths are named only if they are the difference; else they would part the versions.
    """
    if each.kind != "compact":
        each = replace(each, ours=_bare(each.ours), theirs=_bare(each.theirs))
    place = each.place if each.ours != ABSENT or not each.place else f"in {each.place}"
    there = f"{each.ours} in {kafka}"
    return Parting(_rule(each), _place(fields, each, version), each.theirs, there, place)


def _bare(words: str) -> str:
    return words.replace("compact ", "")


def _rule(each: Difference) -> str:
    if each.kind == "nullable":
        return _NULL if each.ours.startswith("nullable") else _OTHER_NULL
    if each.kind == "tag-added" and each.of_other_versions:
        return _TAG_VERSIONS
    return _RULES[each.kind]


class FieldsByName:
    """The fields of a message by name: it may have thousands, each with a parting."""

    def __init__(self, message: Message) -> None:
        self.all = message.fields
        self._found: dict[int, dict[str, list[Field]]] = {}

    def field(self, fields: tuple[Field, ...], name: str, version: int) -> Field:
        """Return the field of this name among these, the message's or those of a struct in it."""
        if id(fields) not in self._found:
            named: dict[str, list[Field]] = {}
            for each in fields:
                named.setdefault(json_name(each.name), []).append(each)
            self._found[id(fields)] = named
        return next(each for each in self._found[id(fields)][name] if version in each.versions)


def _place(by_name: FieldsByName, each: Difference, version: int) -> FieldPlace:
    """Return the place by the written names; a difference of the whole message has no field."""
    names: list[str] = []
    path: JsonPath = ("flexibleVersions",) if each.kind == "flexible" else ("fields",)
    fields = by_name.all
    for step in filter(None, each.their_place.split(".")):
        field = by_name.field(fields, step, version)
        names.append(field.name)
        path = field.path
        fields = _fields(field)
    return FieldPlace(".".join(names), path)


def _fields(field: Field) -> tuple[Field, ...]:
    type_ = field.type
    while type_.element:
        type_ = type_.element
    return type_.fields


def ranges(versions: Collection[int]) -> str:
    """Return versions as ranges, such as 0-3, 5."""
    return ", ".join(str(Versions(*each)) for each in runs(versions))
