"""What a quick run says of a codec in this process."""

from __future__ import annotations

from conformance.codecs.checking import Results, check
from conformance.codecs.gate import CodecSettings


def quick_results(codec: object) -> Results:
    """The results of `codec --quick`."""
    return check(CodecSettings(quick=True), codec)
