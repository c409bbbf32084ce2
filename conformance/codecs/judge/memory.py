"""Memory is judged against the input, not by whether it ran out.

A codec that reserves what a length field asks for answers politely on a machine with room, and ends
another's process. What a decoded message needs is a multiple of its bytes; runtimes add some tens
of MiB as they see fit. Whatever is beyond both is the input's power over the codec.
"""

from __future__ import annotations

from typing import Final

import msgspec

from conformance.testee_protocol import Outcome, Request

ALLOWED: Final = 32 * 1024 * 1024
ALLOWED_A_BYTE: Final = 1024
"""Bytes that a call may allocate: so many, and so many more for each byte of its input."""


def excess(request: Request, outcome: Outcome) -> str:
    """Return the flaw of a call that allocated too much; "" for any other, or without a
    measurement.

    The input of a writer is its value as JSON.
    """
    if outcome.allocated is None or outcome.allocated <= ALLOWED:
        return ""
    size = len(request.bytes or msgspec.json.encode(request.value))
    if outcome.allocated <= ALLOWED + ALLOWED_A_BYTE * size:
        return ""
    return f"allocated {outcome.allocated} bytes for {size} bytes of input"
