"""Errors in bytes, and in values that are to be written.

Each error is a type of its own and says where: the byte offset and the field path for a reader, the
field path for a writer. None of them is a defect of this package.
"""

from __future__ import annotations


class WireError(Exception):
    """Bytes or a value that the protocol does not allow, at `path`."""

    def __init__(self, reason: str, path: str = "") -> None:
        super().__init__(f"{path}: {reason}" if path else reason)
        self.reason = reason
        self.path = path


class DecodeError(WireError):
    """Bytes that are no message; `offset` is that of the first byte that is wrong."""

    def __init__(self, reason: str, path: str, offset: int) -> None:
        super().__init__(reason, path)
        self.offset = offset

    def __str__(self) -> str:
        return f"offset {self.offset}, {self.path or 'message'}: {self.reason}"


class Truncated(DecodeError):
    """The bytes end before the message does."""


class LengthError(DecodeError):
    """A length or count that is negative, or more than the bytes that are left."""


class NullNotAllowed(DecodeError):
    """Null where the definition does not allow it in this version."""


class VarintError(DecodeError):
    """A varint of more than 5 bytes, longer than it need be, or beyond 32 bits."""


class TagError(DecodeError):
    """Tags out of order, given twice, or a tagged field whose size is not that of its value."""


class MarkerError(DecodeError):
    """A struct's marker that is neither null nor present."""


class TextError(DecodeError):
    """Bytes that are not UTF-8 where text belongs."""


class FormatError(DecodeError):
    """A batch of records of another format than that which is read."""


class ChecksumError(DecodeError):
    """A checksum that is not that of the bytes."""


class CompressionError(DecodeError):
    """A compression type that does not exist, or bytes that it can't have written."""


class UnknownMessage(DecodeError):
    """A header that names an api key or version without a definition."""


class EncodeError(WireError):
    """A value that can't be written in this version."""


class LeftOut(EncodeError):
    """A value without one of the plain fields that this version has."""
