"""VARINT and VARLONG: signed numbers in groups of 7 bits, as only records have them.

Zig-zag makes small numbers of both signs short: 0, -1, 1, -2 are written as 0, 1, 2, 3, the lowest
group first (protocol guide, VARINT and VARLONG). A reader stops at the group that would be one too
many, whatever it says.
"""

from __future__ import annotations

from conformance.wire.byte_reader import ByteReader
from conformance.wire.errors import EncodeError, Truncated, VarintError


class ZigzagReader(ByteReader):
    """Reads zig-zag numbers."""

    def varint(self, path: str) -> int:
        """VARINT: a zig-zag int32 in at most 5 bytes."""
        return self.zigzag(path, "varint", 32)

    def varlong(self, path: str) -> int:
        """VARLONG: a zig-zag int64 in at most 10 bytes."""
        return self.zigzag(path, "varlong", 64)

    def zigzag(self, path: str, kind: str, bits: int) -> int:
        """Groups of 7 bits, the lowest first; 0, -1, 1, -2 are written 0, 1, 2, 3."""
        start = self.offset
        raw = self.groups(path, kind, -(-bits // 7))
        if raw >= 1 << bits:
            raw = self.beyond_bits(raw, bits, path, start)
        value = self.unzigzag(raw, kind)
        self.note(self.offset - start, path, kind, value)
        return value

    def unzigzag(self, raw: int, kind: str) -> int:  # noqa: ARG002
        """The number that a zig-zag number stands for."""
        return (raw >> 1) ^ -(raw & 1)

    def groups(self, path: str, kind: str, most: int) -> int:
        """The number in at most so many groups."""
        start = self.offset
        value = 0
        for index in range(most):
            if self.offset >= len(self.data):
                raise Truncated(f"a {kind} that does not end", path, len(self.data))
            byte = self.data[self.offset]
            self.offset += 1
            value |= (byte & 0x7F) << (7 * index)
            if byte < 0x80:
                if byte == 0 and index:
                    self.overlong(path, start)
                return value
        return self.endless(kind, most, value, path, start)

    def endless(self, kind: str, most: int, value: int, path: str, start: int) -> int:  # noqa: ARG002
        """A varint whose last possible group is not its last."""
        raise VarintError(f"a {kind} of more than {most} bytes", path, start)

    def beyond_bits(self, value: int, bits: int, path: str, start: int) -> int:  # noqa: ARG002
        """Return the value of a varint with too many bits; Apache Kafka drops the upper ones."""
        raise VarintError(f"a varint beyond {bits} bits", path, start)

    def overlong(self, path: str, start: int) -> None:
        """A varint that ends in needless zeros; Apache Kafka reads it."""
        raise VarintError("a varint longer than it need be", path, start)


def zigzag_bytes(value: int) -> bytes:
    """A number that is zig-zag already, in as few groups as it takes."""
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


class ZigzagWriter:
    """Writes zig-zag numbers into `out`."""

    out: bytearray

    def varint(self, value: int, path: str) -> None:
        """VARINT. Raises EncodeError for what is no int32."""
        self.zigzag(value, 32, path)

    def varlong(self, value: int, path: str) -> None:
        """VARLONG. Raises EncodeError for what is no int64."""
        self.zigzag(value, 64, path)

    def zigzag(self, value: int, bits: int, path: str) -> None:
        """A number of so many bits, in as few bytes as it takes."""
        if not isinstance(value, int) or value != (value + (1 << bits - 1)) % (1 << bits) - (
            1 << bits - 1
        ):
            raise EncodeError(f"no integer of {bits} bits", path)
        self.out += zigzag_bytes(self.to_zigzag(value, bits))

    def to_zigzag(self, value: int, bits: int) -> int:
        """The zig-zag number of a number."""
        return ((value << 1) ^ (value >> bits - 1)) & ((1 << bits) - 1)
