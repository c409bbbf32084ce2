"""The messages that a target is asked about: those worked out by hand, or golden vectors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from conformance.codecs.testee.asking import Asking
from conformance.codecs.testee.worked_examples import FACTS, WorkedExample
from conformance.testee_protocol import OPS, Op, Request, Target


def declared(target: Target, op: Op) -> Iterator[WorkedExample]:
    """Yield the known messages that a target declares for an operation."""
    if has_worked(target):
        return _of(FACTS, target, op)
    from conformance.codecs.testee.known_vectors import vectors_for  # loads all definitions

    return _of(vectors_for(target.hello), target, op)


def with_body(target: Target, asking: Asking, op: Op) -> WorkedExample | None:
    """A message of some bytes, of vectors one that is read."""
    facts = (fact for fact in declared(target, op) if fact.body)
    if not has_worked(target):
        facts = (fact for fact in facts if asking(fact.request(op)).outcome == "value")
    return next(facts, None)


def _of(facts: Iterable[WorkedExample], target: Target, op: Op) -> Iterator[WorkedExample]:
    return (fact for fact in facts if fact.fits(op) and target.hello.supports(fact.request(op)))


def has_worked(target: Target) -> bool:
    """True if the target declares a message that was worked out by hand."""
    return any(any(_of(FACTS, target, op)) for op in OPS)


def request_of(target: Target, fact: WorkedExample, op: Op) -> Request:
    """Return the request for a message, with 64-bit integers as the target declares them."""
    return fact.request(op, int64_as_text=target.hello.int64 == "string")


def any_request(target: Target) -> Request:
    """Return a request that the target can answer; it may reject one for an unknown message."""
    for op in OPS:
        for fact in declared(target, op):
            return request_of(target, fact, op)
    return Request(op="roundtrip", message="ApiVersionsRequest", version=0)
