"""Integers whose bytes are in reverse order, as the bytes of a verdict show them."""

from __future__ import annotations

from conformance.results.lines import Annotated, Verdict

BIG_ENDIAN = "primitives.integers-big-endian"
"""The rule on the order of an integer's bytes."""
_INTEGERS = frozenset({"int16", "int32", "int64", "uint16", "uint32"})
_READ = ", got "


def is_reversed(verdict: Verdict) -> bool:
    """True if the first difference is an integer with its bytes in reverse order."""
    row = next((row for row in verdict.annotated if row.differs), None)
    if row is None or row.type not in _INTEGERS or verdict.outcome != "value":
        return False
    try:
        right = bytes.fromhex(row.bytes)
        given = _given(row, verdict.first_difference or "", len(right))
    except (ValueError, OverflowError):  # the row is cut, or the value is no integer of this size
        return False
    return given == right[::-1] != right


def _given(row: Annotated, difference: str, size: int) -> bytes:
    """Return the bytes of an integer as it was written or read.

    Raises ValueError, OverflowError.
    """
    if row.actual is not None:
        return bytes.fromhex(row.actual)
    number = int(difference.rpartition(_READ)[2].strip('"'))
    return number.to_bytes(size, "big", signed=row.type.startswith("int"))
