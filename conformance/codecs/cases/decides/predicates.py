"""The type of functions that decide a rule, and their registry by the rule's id."""

from __future__ import annotations

from collections.abc import Callable

from conformance.codecs.cases.evidence import Evidence

Predicate = Callable[[Evidence], bool]
PREDICATES: dict[str, Predicate] = {}
PLAIN = ("defaults", "filled", "two")
"""The shapes that ask nothing special."""
EMPTY = ("defaults", "empty", "empty-nested")
"""The shapes with empty values; a message that is empty by default has only the first."""


def body(rule: str, *shapes: str) -> Callable[[Predicate], Predicate]:
    """The function under this decides a rule, for bodies of these shapes."""

    def register(predicate: Predicate) -> Predicate:
        PREDICATES[rule] = lambda evidence: (
            evidence.header is None and evidence.shape in shapes and predicate(evidence)
        )
        return predicate

    return register


def frame(rule: str, *shapes: str, alone: tuple[str, ...] = ()) -> Callable[[Predicate], Predicate]:
    """The function under this decides a rule, for whole frames of these shapes.

    `alone` are the shapes of headers without a body that it decides the rule for, too.
    """

    def register(predicate: Predicate) -> Predicate:
        def decides(evidence: Evidence) -> bool:
            of_frame = evidence.header is not None and evidence.shape in shapes
            of_header = evidence.form.type == "header" and evidence.shape in alone
            return (of_frame or of_header) and predicate(evidence)

        PREDICATES[rule] = decides
        return predicate

    return register
