"""The flaws that Apache Kafka accepts in a batch of records, and the value it reads.

Observed with the record classes of Apache Kafka 4.4.0: varints may be longer than necessary and
drop the bits that do not fit, a count of 0 ends the reading whatever follows, and every negative
length of a value is null.
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
