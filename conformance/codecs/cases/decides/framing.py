"""Predicates for rules on the end of a message."""

from __future__ import annotations

from conformance.codecs.cases.decides.predicates import body
from conformance.codecs.cases.evidence import Evidence


@body("framing.nothing-after-end", "filled")
def _nothing_after_end(_vector: Evidence) -> bool:
    return True
