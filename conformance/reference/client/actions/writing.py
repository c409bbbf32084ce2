"""Records written in other ways: several at once, compressed, unanswered, and one after another."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from functools import partial
from typing import Any

from conformance import error_codes
from conformance.api_keys import PRODUCE
from conformance.reference.client.actions.producing import Producing
from conformance.reference.client.steps import Asking, Course, Failed, Trying
from conformance.testee_protocol import Value
from conformance.wire.records.compression import CODECS

WRITTEN_MS = 1_700_000_000_000
DAY_MS = 24 * 60 * 60 * 1000
LONGEST_MS = 2**31 - 1
NO_OFFSET = -1
ZSTD_SINCE = 7
"""The first version of Produce that may carry zstd (KIP-110)."""
Given = tuple[str | None, str | None, int, tuple[tuple[str, str], ...]]
SEVERAL: tuple[Given, ...] = (
    ("k", "v", WRITTEN_MS, ()),
    (None, "w", WRITTEN_MS + 1000, ()),
    ("x", None, WRITTEN_MS + 30 * DAY_MS, ()),
    ("", "", WRITTEN_MS - 1000, (("h", "1"),)),
)
"""Key, value, timestamp and headers of each record that is written at once."""


class Writing(Producing):
    """The actions that write in each of these ways.

    `at_once` are the records that are written at once, `compression` is their codec; a producer
    that is kept has already written `written` records.
    """

    compression = "none"
    at_once: tuple[Given, ...] = ()
    keeps_producer = False
    written = 0

    def __init__(self) -> None:
        super().__init__()
        self.kept: Value | None = None

    def ways_of_writing(self) -> Mapping[str, Any]:
        """Return the actions by name."""
        ways = {"batch": "none", **{name: name for name in CODECS[1:]}}
        return {
            **{name: partial(self.several, codec) for name, codec in ways.items()},
            "unacknowledged": self.unacknowledged,
            "idempotent": self.idempotent,
            "patient": self.patient,
        }

    def several(self, compression: str) -> Course:
        """Write several records at once."""
        self.compression, self.at_once = compression, SEVERAL
        yield from self.produce()

    def unacknowledged(self) -> Course:
        """Write one record that gets no answer."""
        self.acks = 0
        yield from self.produce()

    def idempotent(self) -> Course:
        """Write two records as one producer, the second whatever happened to the first."""
        self.keeps_producer = True
        try:
            yield from self.produce()
        finally:
            yield from self.produce()

    def patient(self) -> Course:
        """Write one record, and give brokers the longest possible time for it."""
        self.timeout_ms = LONGEST_MS
        yield from self.produce()

    def producer(self) -> Asking:
        """Return the producer that is kept, if there is one yet."""
        if self.kept is not None:
            return self.kept
        made = yield from super().producer()
        if self.keeps_producer and not made["errorCode"]:
            self.kept = made
        return made

    def send_records(self, version: int, wanted: Value) -> Trying:
        """Send a Produce, and wait for its answer unless acks is 0. Raises Failed."""
        if self.compression == "zstd" and version < self.zstd_since():
            raise Failed(f"Produce v{version} has no zstd")
        if not self.acks:
            yield from self.tell(PRODUCE, version, wanted)
            return 0
        code = yield from super().send_records(version, wanted)
        if code == error_codes.UNKNOWN_PRODUCER_ID and code in self.passing():
            self.kept, self.written = None, 0
        self.written += 0 if code else max(len(self.at_once), 1)
        return code

    def stored(self, partitions: list[Value]) -> None:
        """Report the offset of each record that was given."""
        base = partitions[0]["baseOffset"] if partitions else NO_OFFSET
        self.told = [self.offset_told(base, number) for number in range(len(self.at_once))]

    def offset_told(self, base: int, number: int) -> str:
        """Return the offset of a record of a batch, "none" if the broker has returned none."""
        return "none" if base < 0 else str(base + number)

    def passing(self) -> frozenset[int]:
        """Return the errors that may pass.

        They include an unknown producer, after which another id is used, and a batch of several
        records that is too large.
        """
        split = {error_codes.MESSAGE_TOO_LARGE} if len(self.at_once) > 1 else set()
        return super().passing() | {error_codes.UNKNOWN_PRODUCER_ID} | split

    def zstd_since(self) -> int:
        """Return the first version that it sends zstd in."""
        return ZSTD_SINCE

    def batch_value(self, producer: Value) -> Value:
        """Return a batch of the given records, or of one record."""
        value = super().batch_value(producer)
        if value["baseSequence"] >= 0:
            value["baseSequence"] = self.written
        if self.at_once:
            self.fill(value)
        value["attributes"] |= CODECS.index(self.compression)
        return value

    def fill(self, value: Value) -> None:
        """Put the given records into a batch."""
        times = [at_ms for _, _, at_ms, _ in self.at_once]
        value["baseTimestamp"], value["maxTimestamp"] = times[0], self.latest(times)
        value["lastOffsetDelta"] = len(times) - 1
        value["records"] = [
            {
                "attributes": 0,
                "timestampDelta": self.delta(at_ms - times[0]),
                "offsetDelta": number,
                "key": self.text(key),
                "value": self.text(text),
                "headers": [{"key": name, "value": self.text(each)} for name, each in headers],
            }
            for number, (key, text, at_ms, headers) in enumerate(self.at_once)
        ]

    def latest(self, times: list[int]) -> int:
        """Return the largest timestamp of a batch."""
        return max(times)

    def delta(self, milliseconds: int) -> int:
        """Return the timestamp of a record relative to the first one."""
        return milliseconds

    def text(self, text: str | None) -> str | None:
        """Return a key or value in the form of a record."""
        return None if text is None else base64.b64encode(text.encode()).decode()
