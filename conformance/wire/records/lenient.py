"""What Apache Kafka forgives in a batch of records, and how it takes it.

Seen of Apache Kafka 4.4.0's record classes: its varints may be longer than they need be and drop
the bits that they have no room for, a count of 0 ends the reading whatever follows, and every
negative length of a value is null.
"""

from __future__ import annotations

from conformance.wire.annotated import Forgiven
from conformance.wire.byte_reader import BytePart
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
        """What was forgiven among decompressed bytes has the place of the compressed ones."""
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
