"""What a quick run says of a codec in this process."""

from __future__ import annotations

from conformance.gate.checking import Results, check
from conformance.gate.kinds.codec import Settings


def quick_results(codec: object) -> Results:
    """The results of `codec --quick`."""
    return check(Settings(quick=True), codec)
