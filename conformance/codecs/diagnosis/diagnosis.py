"""What a failing codec looks like: one of our mutants, or what its answers themselves show.

What the answers themselves show comes first (`shown`): no suspect need be asked about that. What is
left is held against all suspects (`search`), and what none of them explains is said to be another
layout of a message (`other_layout`), or by what its messages have in common (`traits`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Container, Mapping
from dataclasses import replace
from itertools import chain
from typing import NamedTuple

from conformance.codecs.cases.known_definitions import followed_release
from conformance.codecs.diagnosis.api_keys import wrong_api_keys
from conformance.codecs.diagnosis.compressed import not_decompressed
from conformance.codecs.diagnosis.evidence import failures_of, place_of
from conformance.codecs.diagnosis.line_up import LineUp, Memory
from conformance.codecs.diagnosis.other_layout import other_layouts
from conformance.codecs.diagnosis.refused import refused_values
from conformance.codecs.diagnosis.search import Diagnoses, Search
from conformance.codecs.diagnosis.shown import forgotten, shown
from conformance.codecs.diagnosis.symptoms import Symptoms
from conformance.codecs.diagnosis.traits import BREAKS, common
from conformance.reporting.findings import Cause, Explained
from conformance.reporting.sorts import Sort
from conformance.testee_protocol import Hello


def diagnose(
    symptoms: Symptoms,
    sorts: Mapping[Sort, Cause],
    hello: Hello,
    memory: Memory | None = None,
    *,
    quick: bool = False,
) -> Diagnoses:
    """Hold the failures of a run against every mutant and draft reading.

    A quick run asks too few messages to say what those that fail have in common.
    """
    line_up = LineUp(hello, memory)
    seen = {**shown(sorts, line_up.find), **wrong_api_keys(sorts, line_up.find)}
    seen |= forgotten(_without(sorts, seen), line_up.find, symptoms.is_read, sure=True)
    places = {place_of(each) for sort in seen for each in sorts[sort].examples}
    seen |= not_decompressed(symptoms, _without(sorts, seen), line_up.find)
    left = _without(sorts, seen)
    failures = list(failures_of(left))
    if not failures:
        return Diagnoses(Explained(judged=symptoms.judged, observed=seen))
    search = Search(symptoms, failures, line_up, places)
    found = search.diagnoses()
    told = found.explained
    seen |= forgotten(_without(left, told.texts), line_up.find, symptoms.is_read)
    seen |= refused_values(symptoms, _without(left, {*told.texts, *seen}), line_up.find)
    seen |= other_layouts(symptoms, _without(left, {*told.texts, *seen}))
    left = _without(left, seen)
    alike = _alike_in_kind(told.texts, {s: search.kind_of(s) for s in left})
    texts = {**told.texts, **alike.texts}
    where = {} if quick else _where(symptoms, left, texts, followed_release(hello))
    near = {} if quick else told.near
    breaks = {**BREAKS, **told.breaks}
    explained = replace(
        told,
        texts=texts,
        near=near,
        where=where,
        breaks=breaks,
        in_kind=alike.in_kind,
        observed=seen,
    )
    return replace(found, explained=explained)


def _without(sorts: Mapping[Sort, Cause], explained: Container[Sort]) -> dict[Sort, Cause]:
    """The sorts that are not explained yet."""
    return {sort: cause for sort, cause in sorts.items() if sort not in explained}


class _Alike(NamedTuple):
    """Sorts that differ in values of one kind alone: what explains them, or else that kind."""

    texts: dict[Sort, str]
    in_kind: dict[Sort, str]


def _alike_in_kind(texts: Mapping[Sort, str], kinds: Mapping[Sort, str]) -> _Alike:
    """Put what differs in nothing but values of one kind with what explains such, if one does.

    Whatever rules such cases were made for, they have that type in common, and no more.
    """
    found = _Alike({}, {})
    told: dict[str, set[str]] = defaultdict(set)
    for sort, text in texts.items():
        told[kinds[sort]].add(text)
    for sort, kind in kinds.items():
        if not kind or sort in texts:
            continue
        if len(told[kind]) == 1:
            found.texts[sort] = next(iter(told[kind]))
        elif not told[kind]:
            found.in_kind[sort] = f"values of type {kind}"
    return found


def _where(
    symptoms: Symptoms, sorts: Mapping[Sort, Cause], told: Collection[Sort], release: str
) -> dict[Sort, str]:
    """What messages have in common that fail, and look like nobody: the trait of each sort."""
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
