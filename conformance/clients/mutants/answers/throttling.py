"""Clients that make the wrong thing of a throttle time."""

from __future__ import annotations

from conformance.clients.mutants.mutant import ClientMutant
from conformance.reference.client import Course, Failed
from conformance.testee_protocol import Value


class ThrottledIsRefused(ClientMutant, breaks="client-answers.throttle-time-is-no-error"):
    """Takes an answer with a throttle time for a refusal."""

    def throttle(self, answer: Value) -> Course:
        if answer.get("throttleTimeMs", 0):
            raise Failed("the broker is too busy")
        yield from ()


class AsksOnAtOnce(ClientMutant, breaks="client-answers.throttle-time-waited"):
    """Does not look at throttle times."""

    implies = ("client-produce.throttled-not-left",)

    def throttle(self, answer: Value) -> Course:
        yield from ()
