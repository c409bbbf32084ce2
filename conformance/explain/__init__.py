"""Every byte named: of frames, bodies and records, and of bytes that are yet to be recognised."""

from __future__ import annotations

from conformance.explain.explainer import Explainer
from conformance.explain.explanation import Explanation, NotAFrame
from conformance.explain.names import names_of

__all__ = ["Explainer", "Explanation", "NotAFrame", "names_of"]
