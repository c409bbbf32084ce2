"""The explanation of bytes, each with a name: frames, bodies, records, and unidentified bytes."""

from __future__ import annotations

from conformance.explain.explainer import Explainer
from conformance.explain.explanation import Explanation, NotAFrame
from conformance.explain.names import names_of

__all__ = ["Explainer", "Explanation", "NotAFrame", "names_of"]
