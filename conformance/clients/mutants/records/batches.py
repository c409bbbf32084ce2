"""Clients that come to grief over a log, or over who leads it."""

from __future__ import annotations

import struct
from collections.abc import Generator
from typing import Any

from conformance.api_keys import LIST_OFFSETS
from conformance.clients.mutants.mutant import ClientMutant
from conformance.dialogue import Received
from conformance.reference.client import (
    COMPRESSION,
    CONTROL,
    MAGIC_AT,
    MESSAGE_HEAD,
    TIMESTAMP_BYTES,
    TRANSACTIONAL,
    Asking,
    Failed,
    Step,
    Trying,
)
from conformance.schema.record_batch import MAGIC
from conformance.testee_protocol import Value

GZIP, ZSTD = 1, 4


class StaysAtEmptyBatches(ClientMutant, breaks="client-records.empty-batch-passed"):
    """Counts on from the last record, and so not from a batch that has none."""

    implies = (
        "client-records.compacted-end-passed",
        "client-records.control-passed",
        "client-records.given-as-held",
    )

    def behind(self, batch: Value) -> int:
        deltas = [each["offsetDelta"] + 1 for each in batch["records"]]
        return int(batch["baseOffset"] + max(deltas, default=0))


class StumblesOverEmptyBatches(ClientMutant, breaks="client-records.empty-batch-passed"):
    """Takes the first record of each batch without a thought that there may be none."""

    implies = ("client-records.control-passed", "client-shares.empty-batch-passed")

    def given(self, batch: Value, offset: int) -> list[Value]:
        batch["records"][0]
        return super().given(batch, offset)


class RefusesCutBatches(ClientMutant, breaks="client-records.cut-batch-dropped"):
    """Takes a batch that is not all there for a broken one."""

    implies = ("client-records.given-as-held",)

    def whole_batch(self, raw: bytes) -> int | None:
        size = super().whole_batch(raw)
        if size is None and raw:
            raise Failed("a batch ends early")
        return size


class ReadsHeadsWhole(ClientMutant, breaks="client-records.cut-batch-dropped"):
    """Reads the first fields of a batch without a look whether they are all there."""

    def whole_batch(self, raw: bytes) -> int | None:
        if raw:
            struct.unpack_from(">qi", raw)
        return super().whole_batch(raw)


class RefusesControlBatches(ClientMutant, breaks="client-records.control-passed"):
    """Knows no control batches."""

    implies = ("client-records.uncommitted-read",)

    def given(self, batch: Value, offset: int) -> list[Value]:
        if batch["attributes"] & CONTROL:
            raise Failed("attributes that there are not")
        return super().given(batch, offset)


class StaysAtControlBatches(ClientMutant, breaks="client-records.control-passed"):
    """Does not count control batches, since nobody is given them."""

    implies = ("client-records.given-as-held",)

    def behind(self, batch: Value) -> int:
        if batch["attributes"] & CONTROL:
            return int(batch["baseOffset"])
        return super().behind(batch)


class GivesControlRecords(ClientMutant, breaks="client-records.control-not-given"):
    """Gives control records to the user."""

    def given(self, batch: Value, offset: int) -> list[Value]:
        seen = batch["attributes"] & ~(CONTROL | TRANSACTIONAL)
        return super().given({**batch, "attributes": seen}, offset)


class KeysAreThere(ClientMutant, breaks="client-records.nulls-read"):
    """Takes the key of each record for bytes."""

    implies = (
        "client-records.control-passed",
        "client-records.given-as-held",
    )

    def given(self, batch: Value, offset: int) -> list[Value]:
        for each in batch["records"]:
            len(each["key"])
        return super().given(batch, offset)


class EmptyIsAnError(ClientMutant, breaks="client-records.nulls-read"):
    """Refuses headers whose name is empty."""

    def given(self, batch: Value, offset: int) -> list[Value]:
        if any(not header["key"] for each in batch["records"] for header in each["headers"]):
            raise Failed("a header without a name")
        return super().given(batch, offset)


class LogsBeginAtZero(ClientMutant, breaks="client-records.several-batches-read"):
    """Begins at offset 0, wherever the log begins."""

    implies = (
        "client-records.out-of-range-reset",
        "client-records.no-offset-not-read-from",
        "client-records.given-as-held",
    )

    def read(self, api_key: int, version: int, frame: bytes) -> Value:
        value: Value = super().read(api_key, version, frame)
        if api_key == LIST_OFFSETS:
            for topic in value["topics"]:
                topic["partitions"] = [{**each, "offset": 0} for each in topic["partitions"]]
        return value


class OffsetsOfThirtyTwoBits(ClientMutant, breaks="client-records.several-batches-read"):
    """Keeps offsets in 32 bits."""

    implies = ("client-records.given-as-held",)

    def behind(self, batch: Value) -> int:
        struct.pack(">i", batch["baseOffset"])
        return super().behind(batch)


class _Unpacks(ClientMutant):
    """Lacks a codec."""

    lacks: int

    def given(self, batch: Value, offset: int) -> list[Value]:
        if batch["attributes"] & COMPRESSION == self.lacks:
            raise Failed(f"no codec {self.lacks}")
        return super().given(batch, offset)


class NoGzip(_Unpacks, breaks="client-records.compressed-read"):
    """Can't read batches that are compressed with gzip."""

    lacks = GZIP


class NoZstd(_Unpacks, breaks="client-records.compressed-read"):
    """Can't read batches that are compressed with zstd, which came last."""

    lacks = ZSTD


class BatchesAlone(ClientMutant, breaks="client-records.messages-read"):
    """Takes all records for batches, whatever magic they have."""

    def read_batch(self, data: bytes) -> Value:
        return super().read_batch(data[:MAGIC_AT] + bytes([MAGIC]) + data[MAGIC_AT + 1 :])


class MessagesWithTimestamps(ClientMutant, breaks="client-records.messages-read"):
    """Reads messages of magic 0 as if they had the timestamp that came with magic 1."""

    def read_text(self, data: bytes, at: int) -> tuple[str | None, int]:
        is_first = data[MAGIC_AT] == 0 and at == MESSAGE_HEAD.size
        return super().read_text(data, at + TIMESTAMP_BYTES if is_first else at)


class SkipsMessages(ClientMutant, breaks="client-records.messages-read"):
    """Passes over messages as if there were nothing in them."""

    def read_message(self, data: bytes) -> Value:
        return {**super().read_message(data), "records": []}


class StaysWithItsLeader(ClientMutant, breaks="client-records.leader-followed"):
    """Tells the caller at once that a broker does not lead any more."""

    implies = (
        "client-records.epoch-grown-read-on",
        "client-records.preferred-replica-left",
        "client-records.topic-made-anew-is-read",
        "client-answers.passing-errors-pass",
    )

    def passing(self) -> frozenset[int]:
        return super().passing() - {6}


class LeaderForEver(ClientMutant, breaks="client-records.leader-followed"):
    """Looks a topic's leader up once, and tries again with the same one."""

    implies = (
        "client-answers.passing-errors-pass",
        "client-records.added-partition-read",
        "client-records.topic-made-anew-is-read",
    )

    def __init__(self) -> None:
        super().__init__()
        self.kept: Any = None

    def metadata(self, *names: str) -> Asking:
        self.kept = self.kept or (yield from super().metadata(*names))
        return self.kept


class WrittenWhateverCame(ClientMutant, breaks="client-records.refusal-told"):
    """Takes any answer to Produce for a success."""

    implies = (
        "client-transactions.passing-errors-pass",
        "client-transactions.fencing-told",
        "client-transactions.lost-not-committed",
        "client-produce.large-batch-sent-again",
        "client-produce.one-batch-a-number",
    )

    def write(self) -> Trying:
        yield from super().write()
        return 0


class RefusedAsADuplicate(ClientMutant, breaks="client-records.refusal-told"):
    """Takes every error of Produce that does not pass for a duplicate, which is well."""

    implies = (
        "client-transactions.fencing-told",
        "client-transactions.lost-not-committed",
    )

    def write(self) -> Generator[Step, Received | None, int]:
        code = yield from super().write()
        return code if code in self.passing() else 0
