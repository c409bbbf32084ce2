"""The diagnosis of a run in one function, `diagnose`.

Causes that the answers themselves show come first, since no suspect has to be asked for them. The
failures left are compared with all suspects (`search`). Those that no suspect explains are reported
as refusals of a value, as another layout of a message, or else with a trait that their messages
have in common.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Container, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain
from typing import NamedTuple

from conformance.codecs.cases.known_definitions import followed_release
from conformance.codecs.diagnosis.api_keys import wrong_api_keys
from conformance.codecs.diagnosis.beyond_ascii import beyond_ascii
from conformance.codecs.diagnosis.compressed import not_decompressed
from conformance.codecs.diagnosis.empty_or_null import empty_or_null, no_last_section, wide_nulls
from conformance.codecs.diagnosis.evidence import failures_of, place_of
from conformance.codecs.diagnosis.line_up import LineUp, Memory
from conformance.codecs.diagnosis.other_layout import other_layouts
from conformance.codecs.diagnosis.refused import refused_values
from conformance.codecs.diagnosis.search import Diagnoses, Field, Search
from conformance.codecs.diagnosis.shown import forgotten, shown
from conformance.codecs.diagnosis.symptoms import Symptoms
from conformance.codecs.diagnosis.traits import BREAKS, common, untrue
from conformance.reporting.explained import Explained
from conformance.reporting.findings import Cause
from conformance.reporting.sorts import Sort
from conformance.schema.layout import Layout
from conformance.schema.releases import UnknownDefinition, wire_forms
from conformance.testee_protocol import Hello

_FEW_MESSAGES = 3
"""The most messages with one wrong field each whose type is not taken for the cause.

With fewer, wrong lines of as many messages could be one finding; with more, a wrong type could be
a finding of each message.
"""


def diagnose(
    symptoms: Symptoms,
    sorts: Mapping[Sort, Cause],
    hello: Hello,
    memory: Memory | None = None,
    *,
    quick: bool = False,
) -> Diagnoses:
    """Return what explains the failures of a run, sort by sort.

    In a quick run (`quick`) failures are not grouped by common traits, or by a suspect that fails
    in the same cases: too few messages are asked about.
    """
    line_up = LineUp(hello, memory)
    seen = {**shown(sorts, line_up.find), **wrong_api_keys(sorts, line_up.find)}
    seen |= forgotten(_without(sorts, seen), line_up.find, symptoms.is_read, sure=True)
    places = {place_of(each) for sort in seen for each in sorts[sort].examples}
    seen |= no_last_section(_without(sorts, seen), line_up.find)
    seen |= wide_nulls(_without(sorts, seen), line_up.find)
    seen |= not_decompressed(symptoms, _without(sorts, seen), line_up.find)
    seen |= beyond_ascii(symptoms, _without(sorts, seen), line_up.find, named=True)
    left = _without(sorts, seen)
    failures = list(failures_of(left))
    if not failures:
        return Diagnoses(Explained(judged=symptoms.judged, observed=seen))
    search = Search(symptoms, failures, line_up, places)
    found = search.diagnoses()
    told = found.explained
    seen |= forgotten(_without(left, told.texts), line_up.find, symptoms.is_read)
    seen |= refused_values(symptoms, _without(left, {*told.texts, *seen}), line_up.find)
    seen |= empty_or_null(_without(left, {*told.texts, *seen}), line_up.find)
    unexplained = _without(left, {*told.texts, *seen})
    seen |= beyond_ascii(symptoms, unexplained, line_up.find, named=False)
    alike = _alike_in_kind(told.texts, _kinds(search, _without(left, seen)))
    texts = {**told.texts, **alike.texts}
    seen |= other_layouts(symptoms, _without(left, {*texts, *seen}))
    left = _without(left, seen)
    release = followed_release(hello)
    where = {} if quick else _where(symptoms, left, texts, release)
    cases = {sort: [each.case for each in left[sort].examples] for sort in where}
    lacking = untrue(where, cases, symptoms.cases(), release)
    near = {} if quick else told.near
    breaks = {**BREAKS, **told.breaks}
    explained = replace(
        told,
        texts=texts,
        near=near,
        where=where,
        lacking=frozenset(lacking),
        breaks=breaks,
        in_kind=alike.in_kind,
        observed=seen,
    )
    return replace(found, explained=explained)


def _without(sorts: Mapping[Sort, Cause], explained: Container[Sort]) -> dict[Sort, Cause]:
    """Return the sorts that are not explained yet."""
    return {sort: cause for sort, cause in sorts.items() if sort not in explained}


class _Kind(NamedTuple):
    """The one type in whose values a sort differs, "" for several, and the fields that differ."""

    name: str
    fields: frozenset[Field]

    @property
    def messages(self) -> frozenset[str]:
        """Return the messages of the fields."""
        return frozenset(message for message, _ in self.fields)


def _kinds(search: Search, sorts: Iterable[Sort]) -> dict[Sort, _Kind]:
    """Return the kind of each sort."""
    names = {sort: search.kind_of(sort) for sort in sorts}
    return {
        sort: _Kind(name, search.fields_of(sort) if name else frozenset())
        for sort, name in names.items()
    }


class _Alike(NamedTuple):
    """Sorts whose values differ in one type alone.

    `texts` has the diagnosis of those that share their type with exactly one diagnosis; `in_kind`
    has the type of those that share it with none.
    """

    texts: dict[Sort, str]
    in_kind: dict[Sort, str]


def _alike_in_kind(texts: Mapping[Sort, str], kinds: Mapping[Sort, _Kind]) -> _Alike:
    """Return the sorts that differ in values of one type alone, with what explains that type.

    Whatever rules their cases were made for, they have nothing in common but the type. If several
    diagnoses are of the same type, its sorts are left out, since it is unknown which one applies.
    A diagnosis of one message explains no sort of another.
    """
    found = _Alike({}, {})
    told: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    left: dict[str, dict[Sort, _Kind]] = defaultdict(dict)
    for sort, kind in kinds.items():
        if text := texts.get(sort):
            told[kind.name][text] |= kind.messages
        elif kind.name:
            left[kind.name][sort] = kind
    for name, sorts in left.items():
        for sort, kind in sorts.items():
            if len(told[name]) == 1:
                [(text, messages)] = told[name].items()
                if len(messages) > 1 or kind.messages <= messages:
                    found.texts[sort] = text
        if not told[name]:
            found.in_kind.update(dict.fromkeys(_of_type(name, sorts), f"values of type {name}"))
    return found


def _of_type(type_: str, kinds: Mapping[Sort, _Kind]) -> Collection[Sort]:
    """Return the sorts that may have a wrong type as their cause, of those that differ in one type.

    A message with one wrong field, and others of the type that are right, may have a wrong line,
    unless the field of this name is wrong in other messages as well.
    """
    fields = frozenset().union(*(kind.fields for kind in kinds.values()))
    counts = Counter(message for message, _ in fields)
    if len(counts) < 2 or len(counts) > _FEW_MESSAGES:
        return kinds
    names = Counter(name for _, name in {(message, _name(path)) for message, path in fields})
    single = {
        message
        for message, path in fields
        if names[_name(path)] < 2 and counts[message] < 2 <= _fields_of_type(message, type_)
    }
    return [sort for sort, kind in kinds.items() if not kind.messages & single]


def _name(path: str) -> str:
    """Return the name of the field that a path leads to."""
    return path.rpartition(".")[2]


def _fields_of_type(message: str, name: str) -> int:
    """Return how many fields of a type a message has in the version that has most of them."""
    try:
        forms = [form for each in wire_forms(message).values() for form in each]
    except UnknownDefinition:
        return 0
    return max((sum(each == name for each in _types(form.layout)) for form in forms), default=0)


def _types(layout: Layout) -> Iterator[str]:
    """Yield the type of each field of a layout, and of those within."""
    for item in (*layout.fields, *layout.tagged):
        type_ = item.type.element or item.type
        yield type_.kind
        if type_.struct is not None:
            yield from _types(type_.struct)


def _where(
    symptoms: Symptoms, sorts: Mapping[Sort, Cause], told: Collection[Sort], release: str
) -> dict[Sort, str]:
    """Return a trait that the failing messages of a sort share, for sorts not yet diagnosed."""
    cases = {
        sort: [each.case for each in cause.examples]
        for sort, cause in sorts.items()
        if sort not in told
    }
    traits = common(chain.from_iterable(cases.values()), symptoms.cases(), release)
    of_message = {case.partition("/")[0]: trait for case, trait in traits.items()}
    return {
        sort: trait
        for sort, ids in cases.items()
        if (trait := next(filter(None, (of_message.get(i.partition("/")[0]) for i in ids)), ""))
    }
