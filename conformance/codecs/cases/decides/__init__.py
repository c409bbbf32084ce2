"""Which rules a golden vector decides: one short function a rule, found by the rule's id.

A vector touches far more rules than it decides. The plans make one change each, so a rule is
decided by the vectors whose change is about it, and by the plain ones only where nothing plainer
shows it. That keeps a defect from failing every rule at once.

The first flexible version and the last one before it are about that border, and about nothing that
another version could show.

A function is written in the module of its rule's group, is found there, and registered nowhere
else.
"""

from __future__ import annotations

from functools import cache

from conformance.codecs.cases.decides import predicates as _predicates
from conformance.codecs.cases.decides.compact import BORDER_RULE
from conformance.codecs.cases.decides.predicates import PLAIN, Predicate
from conformance.codecs.cases.evidence import Evidence
from conformance.modules import import_all

_AT_BORDERS_ALONE = ("primitives.float64-bits",)
"""Rules of types that stand in no version but those two: FLOAT64, in two messages about quotas."""


@cache
def predicates() -> dict[str, Predicate]:
    """The function of each rule that vectors decide, by the rule's id."""
    import_all(__name__, __path__)
    return _predicates.PREDICATES


def covers(evidence: Evidence) -> tuple[str, ...]:
    """The ids of the rules that a vector decides, sorted."""
    decided = {rule for rule, predicate in predicates().items() if predicate(evidence)}
    if evidence.header is None and evidence.shape in PLAIN and evidence.at_border:
        decided &= {BORDER_RULE, *_AT_BORDERS_ALONE}
    return tuple(sorted(decided))
