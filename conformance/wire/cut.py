"""A reader of bytes that were cut: lengths in them may point beyond the last byte.

Lengths are held against the bytes that were there before the cut. So one that is right is read, and
the reader fails where the bytes end, with the type `Truncated`.
"""

from __future__ import annotations

from conformance.wire.byte_reader import ByteReader

ENDS_HERE = "the bytes end here"
"""The text of a row of no bytes at the end of bytes that were cut."""


class Cut(ByteReader):
    """Reads bytes of which the last `missing` were cut off."""

    missing = 0

    @property
    def remaining(self) -> int:
        """Bytes not read yet, with those that were cut off."""
        return len(self.data) - self.offset + self.missing
