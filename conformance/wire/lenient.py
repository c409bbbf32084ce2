"""The lenient reader: reads what Apache Kafka reads, and remembers what it forgave.

Everything here was seen of Apache Kafka 4.4.0's generated code. Its varints are 32-bit integers
with a sign, of up to 5 bytes, so that what is 2^31 and more to the strict reader is negative to it:
a null as a length, refused as a count of tags. Text that is not UTF-8 it takes as Java's decoder
does, which counts the three bytes of a surrogate as one fault where others count three.

Batches of records are read as the record classes of Apache Kafka 4.4.0 were seen to read them:
varints may be longer than necessary and drop the bits that do not fit, a count of 0 ends the
reading whatever follows, and every negative length of a value is null.
"""

from __future__ import annotations

import codecs
from typing import Any

from conformance.schema.layout import Layout
from conformance.wire.annotated import Forgiven
from conformance.wire.byte_reader import BytePart
from conformance.wire.errors import TagError
from conformance.wire.reader import Reader
from conformance.wire.records.reader import RecordsReader


class LenientRecords(RecordsReader):
    """Reads the batches that Apache Kafka reads. `forgiven` is what others would have refused."""

    def __init__(self, data: bytes, offset: int = 0, parts: list[BytePart] | None = None) -> None:
        super().__init__(data, offset, parts)
        self.forgiven: list[Forgiven] = []

    def forgive(self, reason: str, path: str, start: int) -> None:
        """Remember what was wrong at an offset, and how it was taken."""
        self.forgiven.append(Forgiven(reason, path, start))

    def read_inside(self, inner: RecordsReader, begin: int) -> None:
        """Place flaws among decompressed bytes at the compressed ones."""
        if isinstance(inner, LenientRecords):
            for item in inner.forgiven:
                self.forgive(f"{item.reason} (decompressed)", item.path, begin)

    def beyond_bits(self, value: int, bits: int, path: str, start: int) -> int:
        """The lower bits."""
        self.forgive(f"a varint beyond {bits} bits: the bits above are dropped", path, start)
        return value & ((1 << bits) - 1)

    def behind_records(self, count: int, path: str) -> None:
        """Not looked at where there should be no records at all."""
        if count:
            super().behind_records(count, path)
        else:
            reason = f"{self.remaining} bytes after 0 records"
            self.forgive(reason, path, self.offset)
            self.offset = len(self.data)


_REPLACEMENT = "\ufffd"
_AS_JAVA = "conformance.as-java"


class Lenient(LenientRecords, Reader):
    """Reads what Apache Kafka reads. `forgiven` is what a strict reader would have refused."""

    _other_tags: frozenset[int] = frozenset()

    def overlong(self, path: str, start: int) -> None:
        """Read."""
        self.forgive("a varint longer than it need be", path, start)

    def overflow(self, value: int, path: str, start: int) -> int:
        """The lower 32 bits."""
        self.forgive("a varint beyond 32 bits: the bits above are dropped", path, start)
        return value & 0xFFFF_FFFF

    def compact_length(self, path: str) -> int:
        """N+1 with a sign: 2^31 is the longest length there is, more is null."""
        return _signed(self.uvarint(f"{path}(length)") - 1)

    def below_null(self, length: int, path: str, start: int) -> int:
        """Null."""
        self.forgive(f"length {length} taken for null", path, start)
        return -1

    def present(self, path: str) -> bool:
        """Null where the marker is negative."""
        start = self.offset
        marker = int(self.fixed("int8", f"{path}(marker)"))
        if marker not in (-1, 1):
            taken = "null" if marker < 0 else "present"
            self.forgive(f"marker {marker} taken for {taken}", path, start)
        return marker >= 0

    def tagged_present(self, path: str) -> bool:
        """Null where the marker is 0, or negative as an integer with a sign."""
        start = self.offset
        marker = _signed(self.uvarint(f"{path}(marker)"))
        if marker not in (0, 1):
            taken = "null" if marker < 0 else "present"
            self.forgive(f"marker {marker} taken for {taken}", path, start)
        return marker > 0

    def text(self, raw: bytes, path: str, begin: int) -> str:
        """U+FFFD for what is not UTF-8."""
        try:
            return raw.decode("utf-8")
        except UnicodeDecodeError as error:
            reason = "bytes that are not UTF-8, taken for U+FFFD"
            self.forgive(reason, path, begin + error.start)
            return raw.decode("utf-8", _AS_JAVA)

    def not_ascending(self, number: int, previous: int, here: str, start: int) -> None:
        """Read; of a known tag that is given twice the last value counts."""
        self.forgive(f"tag {number} after tag {previous}", here, start)

    def above_tags(self, number: int, here: str, start: int) -> int:
        """A negative number, and so an unknown tag."""
        self.forgive(f"tag {number} is no 31-bit number, taken for {_signed(number)}", here, start)
        return _signed(number)

    def tag(self, layout: Layout, value: dict[str, Any], previous: int, path: str) -> int:
        """Read a tag; for an unknown one, the layout has to say if other versions know it."""
        self._other_tags = layout.other_tags
        return super().tag(layout, value, previous, path)

    def unknown_tag(self, number: int, size: int, value: dict[str, Any], here: str) -> None:
        """Kept, but for a tag that the struct has in other versions: that is refused."""
        if number in self._other_tags:
            raise TagError(f"tag {number} is of other versions", here, self.offset)
        super().unknown_tag(number, size, value, here)

    def beyond_the_end(self, size: int, known: bool, here: str, start: int) -> None:
        """The size of a known tag is not looked at."""
        if not known:
            super().beyond_the_end(size, known, here, start)

    def other_size(self, number: int, size: int, taken: int, path: str, start: int) -> None:
        """Read on from where the value ended."""
        reason = f"tag {number} has size {size}, its value takes {taken} bytes: the size is ignored"
        self.forgive(reason, path, start)

    def end(self) -> None:
        """Bytes behind the last field are no matter."""
        if self.remaining:
            self.forgive(f"{self.remaining} bytes after the last field", "", self.offset)


def _signed(value: int) -> int:
    """The 32-bit integer with a sign that has these lowest 32 bits."""
    value &= 0xFFFF_FFFF
    return value - (1 << 32) if value >= 1 << 31 else value


def _as_java(error: UnicodeError) -> tuple[str, int]:
    """Return U+FFFD for the invalid bytes at an error, and where to go on, as Java decodes.

    Python replaces each byte of an encoded surrogate; Java replaces all three bytes at once, or two
    if no third belongs to it.
    """
    assert isinstance(error, UnicodeDecodeError)
    raw, start = error.object, error.start
    if raw[start] != 0xED or start + 1 == len(raw) or raw[start + 1] not in range(0xA0, 0xC0):
        return _REPLACEMENT, error.end
    whole = start + 2 < len(raw) and raw[start + 2] in range(0x80, 0xC0)
    return _REPLACEMENT, start + (3 if whole else 2)


codecs.register_error(_AS_JAVA, _as_java)

__all__ = ["Forgiven", "Lenient"]
