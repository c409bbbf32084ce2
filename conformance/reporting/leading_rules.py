"""The leading rule of a finding: the one that describes its failures best.

A case breaks many rules at once, as a vector decides many. The failures are described best by the
rule that fails in all of their cases and in few others (Ochiai's measure, from the localisation of
faults by a program's coverage). If nearly all failures first differ in one kind of bytes, as in a
uuid or in the count of tagged fields, the rules about those bytes come before others. If a rule
fails in nearly all of its cases, all failures that come with it have that cause.

A rule about one kind of bytes does not lead if others differ, unless it is shown to be broken:
otherwise a case that was made for the rule fails at a place that the rule does not cover.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from math import sqrt
from typing import Protocol, Self, TypeVar

FIELDS = "versions.field-types"
"""The rule that most cases decide: each field has the type that its definition gives it."""
NONE_FITS = "-"
"""In place of a rule: all rules are about other bytes than those that differ."""
_NEARLY_ALL = 0.9
_SOME = 0.02
"""The least share of a rule's cases that must fail for it to lead by its kind of bytes."""
_ANY_PRIMITIVE = "primitives."
_ABOUT = {
    "_tags(count)": ("tags.count-", "tags.section-", "tags.empty-section-"),
    "_tags(tag)": ("tags.ascending", "tags.unknown-", "tags.section-", "tags.of-other-version-"),
    "_tags(size)": ("tags.size-", "tags.known-size-", "tags.section-layout"),
    "end": ("framing.nothing-after-end",),
    "header": ("request-header.v1-fields", "response-header.v0-fields"),
    "(marker)": ("nullable-structs.",),
    "null": ("compact.null-", "compact.empty-", "primitives.null-", "primitives.empty-"),
    "uvarint(length)": (
        "compact.string-",
        "compact.bytes-",
        "compact.array-",
        "compact.records-",
        "compact.null-",
        "compact.empty-",
        "compact.every-",
    ),
    "int16(length)": ("primitives.string-", "primitives.null-", "primitives.empty-"),
    "int32(length)": (_ANY_PRIMITIVE, "compact.records-length"),
    "uuid": ("primitives.uuid-", "primitives.zero-uuid-"),
    "float64": ("primitives.float64-",),
    "bool": ("primitives.boolean-",),
    "uint16": ("primitives.uint16-",),
    "int8": ("primitives.integers-",),
    "int16": ("primitives.integers-",),
    "int32": ("primitives.integers-",),
    "int64": ("primitives.integers-",),
    "string": ("primitives.string-",),
}
"""The beginnings of the ids of rules that are about one kind of bytes, by that kind."""
_OF_TAGS = ("_tags(count)", "_tags(tag)", "_tags(size)", "end")
_ALSO_ABOUT = {
    "primitives.string-": ("uvarint(length)",),
    "primitives.float64-": ("float64",),
    "primitives.varint-": (*_OF_TAGS, "uvarint(length)"),
    "primitives.array-": ("int32(length)",),
    "primitives.null-": ("int32(length)",),
    "primitives.empty-": ("int32(length)",),
    "primitives.bytes-": ("int32(length)", "bytes"),
    "primitives.records-": ("int32(length)", "records"),
    "tags.count-": _OF_TAGS,
    "tags.section-": _OF_TAGS,
    "tags.size-": _OF_TAGS,
    "tags.unknown-": (*_OF_TAGS, "_unknownTaggedFields", "bytes"),
    "compact.": ("uvarint(length)", "int16(length)", "int32(length)", "null", *_OF_TAGS),
    "request-header.": ("header",),
    "response-header.": ("header",),
}
"""More kinds of bytes that rules are about, by the beginning of their ids."""
_FIELDS_DIFFER = ("missing", "surplus")
"""The kinds of difference where a value has other fields than expected.

No rule about bytes covers that.
"""
_SHOWN = 4
"""The least failures that show a rule as broken whatever bytes differ, if nearly all cases fail."""
_VARINTS = ("_tags(count)", "_tags(tag)", "_tags(size)", "uvarint(length)")


class Led(Protocol):
    """Failures with one cause: their number, the number per rule, and if they end the target."""

    @property
    def rules(self) -> Mapping[str, int]:
        """Return how many of them break each rule."""

    @property
    def count(self) -> int:
        """Return how many they are."""

    @property
    def ends(self) -> bool:
        """True if they end the target or stall it."""

    @property
    def where(self) -> str:
        """Return the common trait of their messages that others lack, "" if none is known."""

    @property
    def in_values(self) -> bool:
        """True if nothing differs but values of one type, or bytes after the end."""

    @property
    def altered(self) -> Mapping[str, int]:
        """Return how many of them are cases that were altered for each rule."""

    @property
    def bytes_differ(self) -> Mapping[str, int]:
        """Return the kinds of bytes in which answers first differ, and how many differ there."""

    def add(self, other: Self, /) -> None:
        """Add the counts of another cause."""


class Placed(Led, Protocol):
    """Failures of which it is counted where they differ."""

    @property
    def placed(self) -> int:
        """Return of how many it is known in which bytes they differ first."""

    @property
    def placed_rules(self) -> Mapping[str, int]:
        """Return how many of those break each rule that may be about these bytes."""


L = TypeVar("L", bound=Led)


def is_about(rule: str, kinds: Iterable[str]) -> bool:
    """True unless a rule is about bytes of other kinds than these, as far as both are known."""
    found, known = set(kinds), kinds_of(rule)
    return not found or not known or not known.isdisjoint(found)


class Leads:
    """Leading rules, by how many cases of each rule were judged."""

    def __init__(self, judged: Mapping[str, int]) -> None:
        self._judged = judged

    def of(self, rules: Mapping[str, int], count: int) -> str:
        """Return the rule that describes so many failures best, "" if no judged cases are known."""
        known = [rule for rule in rules if self._judged.get(rule)]
        return max(
            known, key=lambda rule: (self._weight(rules[rule], count, rule), rule), default=""
        )

    def about(self, cause: Led, rules: Mapping[str, int]) -> str:
        """Return the rule of a cause that describes it best, `NONE_FITS` if none may lead.

        If one trait separates its messages from others, and no rule is about the bytes that differ,
        that is the rule on fields as a whole: the others fail because their cases use these
        messages.
        """
        begin = _about(cause.bytes_differ)
        near = {
            rule: times
            for rule, times in rules.items()
            if rule.startswith(begin) and times >= _SOME * self._judged.get(rule, 0)
        }
        if cause.where and FIELDS in rules and not (begin and near):
            return FIELDS
        fitting = {rule: times for rule, times in rules.items() if self.fits(cause, rule, times)}
        lead = self.of(near, cause.count) or self.of(fitting, cause.count)
        return lead or (NONE_FITS if self.of(rules, cause.count) else "")

    def unproven(self, cause: Placed, lead: str) -> frozenset[str]:
        """Return the rules that the cases of a cause decide without showing a breach of them.

        That is so if answers differ in other bytes wherever it is known in which, unless the cases
        were altered for the rule or nearly all of its cases fail.
        """
        if 2 * cause.placed < cause.count:
            return frozenset()
        return frozenset(
            rule
            for rule, times in cause.rules.items()
            if rule != lead
            and not cause.placed_rules.get(rule)
            and not cause.altered.get(rule)
            and times < _NEARLY_ALL * self._judged.get(rule, times + 1)
        )

    def fits(self, cause: Led, rule: str, times: int) -> bool:
        """True unless a rule is about other bytes than those that differ, and is not shown broken.

        It is also True if it is unknown what differs, or how many cases of the rule were judged.
        """
        if cause.in_values and rule == FIELDS:
            return False  # each field is where it should be, and as long
        total, kinds = sum(cause.bytes_differ.values()), kinds_of(rule)
        judged = self._judged.get(rule, 0)
        if not kinds or not judged:
            return True
        if not total:  # refusals show no place: the rule's cases have to be what is refused
            is_made_for_it = cause.altered.get(rule, 0) >= _NEARLY_ALL * cause.count
            return is_made_for_it or times >= _NEARLY_ALL * max(judged, cause.count)
        if sum(cause.bytes_differ.get(kind, 0) for kind in _FIELDS_DIFFER) * 2 > total:
            return False
        if 2 * sum(cause.bytes_differ.get(kind, 0) for kind in kinds) >= total:
            return True
        return times >= max(_SHOWN, _NEARLY_ALL * judged, _NEARLY_ALL * cause.count)

    def joined(self, causes: Sequence[L]) -> list[L]:
        """Return the causes, merged if they fail with one rule that is nearly always broken."""
        found: list[L] = []
        for ended in (False, True):
            left = [cause for cause in causes if cause.ends == ended]
            while lead := self._broken(left):
                [first, *others] = [
                    each for each in left if 2 * each.rules.get(lead, 0) >= each.count
                ]
                left = [each for each in left if each is not first and each not in others]
                for each in others:
                    first.add(each)
                found.append(first)
            found += left
        return found

    def _broken(self, causes: Sequence[L]) -> str:
        """Return the rule that describes these best, among those that are broken nearly always."""
        rules: dict[str, int] = {}
        for cause in causes:
            for rule, times in cause.rules.items():
                if 2 * times >= cause.count:
                    rules[rule] = rules.get(rule, 0) + times
        always = {
            rule: times
            for rule, times in rules.items()
            if times >= _NEARLY_ALL * self._judged.get(rule, times + times)
        }
        return self.of(always, sum(cause.count for cause in causes))

    def _weight(self, failed: int, count: int, rule: str) -> float:
        return failed / sqrt(count * self._judged[rule])


@cache
def kinds_of(rule: str) -> frozenset[str]:
    """Return the kinds of bytes that a rule is about, none if it is about whole messages."""
    found = {
        kind
        for kind, prefixes in _ABOUT.items()
        if any(rule.startswith(each) for each in prefixes if each != _ANY_PRIMITIVE)
    }
    for begin, kinds in _ALSO_ABOUT.items():
        if rule.startswith(begin):
            found.update(kinds)
    return frozenset(found)


def _about(kinds: Mapping[str, int]) -> tuple[str, ...]:
    """Return the begins of the rules about the kinds of bytes of nearly all failures.

    That is one kind, the varints, or two kinds; none if the failures have more kinds.
    """
    nearly_all = _NEARLY_ALL * sum(kinds.values())
    most = sorted(kinds, key=lambda kind: (-kinds[kind], kind))[:2]
    if not kinds:
        return ()
    if kinds[most[0]] >= nearly_all:
        return _ABOUT.get(most[0], ())
    if sum(kinds.get(kind, 0) for kind in _VARINTS) >= nearly_all:
        return ("primitives.varint-",)
    if sum(kinds[kind] for kind in most) >= nearly_all:
        return tuple(begin for kind in most for begin in _ABOUT.get(kind, ()))
    return ()
