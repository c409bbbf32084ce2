"""The rule that a generated case broke, by the bytes that differ.

A vector's case decides every rule that the vector was made for. A generated case decides one rule,
on fields in general or on what was written, and a wrong answer would be charged to that whatever is
wrong. Where the bytes themselves show which rule is broken, it is that one.
"""

from __future__ import annotations

import msgspec

from conformance.reporting.reversed_bytes import BIG_ENDIAN, is_reversed
from conformance.results.lines import Verdict
from conformance.rules import catalogue


def by_bytes(verdict: Verdict) -> Verdict:
    """Return a verdict under the rule that the bytes that differ show to be broken."""
    if verdict.verdict == "fail" and is_reversed(verdict):
        class_ = catalogue()[BIG_ENDIAN].class_
        return msgspec.structs.replace(verdict, rule=BIG_ENDIAN, class_=class_)
    return verdict
