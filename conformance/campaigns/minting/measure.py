"""The rules that a vector decides, measured: those of its claims that a mutant fails on it.

A claim (`conformance.codecs.cases.decides`) says that a vector is about a rule. The proof is a
codec that breaks this rule and is caught by this very vector; claims without one are dropped.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

import msgspec

from conformance.codecs.cases.golden import families
from conformance.codecs.cases.vectors import Vector
from conformance.codecs.mutants import Mutant, mutants, unseen
from conformance.codecs.run import run
from conformance.codecs.testee.in_process import ObjectTarget
from conformance.results.lines import BROKEN
from conformance.rules import catalogue
from conformance.rules.selection import Selection

PROFILE = "kafka"
"""The profile under which mutants are judged: rules of class `kafka` count as well."""


def measured(vectors: Sequence[Vector]) -> list[Vector]:
    """Return the vectors in order, each covering only the rules that a mutant proves."""
    caught: set[tuple[str, str]] = set()
    claims: dict[str, list[Vector]] = defaultdict(list)
    for vector in vectors:
        for rule in vector.covers:
            claims[rule].append(vector)
    for mutant in (*mutants().values(), *unseen().values()):
        caught |= {(vector, mutant.breaks) for vector in _fails(mutant, claims[mutant.breaks])}
    return [
        msgspec.structs.replace(
            vector, covers=tuple(rule for rule in vector.covers if (vector.id, rule) in caught)
        )
        for vector in vectors
    ]


def _fails(mutant: type[Mutant], vectors: Iterable[Vector]) -> set[str]:
    """Return the ids of the vectors, of any release, on which a mutant breaks its rule."""
    rules = {mutant.breaks: catalogue()[mutant.breaks]}
    failed: set[str] = set()
    by_form: dict[tuple[str, str], list[Vector]] = defaultdict(list)
    for vector in vectors:
        by_form[vector.releases[0], vector.message].append(vector)
    for (release, _), same in by_form.items():
        target = ObjectTarget(mutant(release))
        cases = families(same, target.hello, Selection(rules=rules))
        for verdict in run(cases, target, rules, PROFILE):
            if verdict.verdict in BROKEN:
                failed.add(verdict.case.partition("/")[0])
    return failed
