"""The audit on Spark: each task reads the captures and judges the connections assigned to it.

The result is that of one process, examples included: the place of a row is the packet that
completed it, and every task counts the same packets. Tasks add verdicts up unless each of them is
wanted, so that little travels, however large a capture is.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from rich.console import Console

from conformance.campaigns.chunk import ChunkSettings
from conformance.captures.audit.auditing import OTHERS, Auditor
from conformance.captures.audit.judging import Judge
from conformance.captures.audit.tables import (
    MOST_VIOLATIONS,
    FramesLost,
    FrameVerdict,
    PacketsPassed,
    Row,
    Tables,
)
from conformance.captures.errors import CaptureError, Limits
from conformance.captures.packets.files import packets
from conformance.captures.packets.network import Key, Share
from conformance.captures.streams.conversation import Conversation
from conformance.captures.streams.events import Skipped
from conformance.captures.streams.traffic import DEFAULT_PORTS, segments
from conformance.results.lines import BROKEN
from conformance.spark.jobs.parts import Given, SetAside, in_parts
from conformance.spark.jobs.workers import check_workers

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(frozen=True, slots=True)
class AuditPlan:
    """The captures and the number of parts; by default one part for each core of the cluster.

    `each` makes a row of every verdict.
    """

    files: tuple[str, ...]
    parts: int | None = None
    ports: frozenset[int] | None = DEFAULT_PORTS
    profile: str = "spec"
    release: str = ""
    limits: Limits = field(default_factory=Limits)
    each: bool = False


class AuditCounts(msgspec.Struct, frozen=True, tag="counted"):
    """A row that came so many times; a verdict is the first of them."""

    row: Row
    times: int = 1


class Unread(msgspec.Struct, frozen=True, tag="unread"):
    """A capture that can't be read; trying again would not help."""

    message: str


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(AuditCounts | Unread).decode


def check_captures(files: Sequence[Path]) -> None:
    """Raises CaptureError for what is no capture, before anything is started."""
    for path in files:
        next(packets(path), None)


def audit_on_spark(
    session: SparkSession, asked: AuditPlan, console: Console
) -> Iterator[AuditCounts]:
    """The rows of all parts, in the order of the packets. Raises CaptureError, Unfit, JobFailed."""
    check_workers(session, ChunkSettings(run="", folder="", seed=0), ())
    parts = asked.parts or session.sparkContext.defaultParallelism
    work = partial(_given, asked, parts)
    for given in in_parts(session, work, parts, console, "parts audited"):
        if isinstance(given, SetAside):
            part = f"part {given.part + 1} of {parts}"
            yield AuditCounts(FramesLost(part, given.reason))
            continue
        found = _decode(given)
        if isinstance(found, Unread):
            raise CaptureError(found.message, "workers read captures themselves, by the same path")
        yield found


def to_be_taken(tables: Tables, rows: Iterable[AuditCounts]) -> Iterator[Row]:
    """Each row once, for the caller to have `tables` take it; its further times are added here."""
    for each in rows:
        yield each.row
        if each.times > 1 and isinstance(each.row, FrameVerdict):
            _add(tables, each.row, each.times - 1)


def _add(tables: Tables, row: FrameVerdict, times: int) -> None:
    """Count a verdict, whose sort the tables have, some more times."""
    verdict = row.verdict
    tables.verdicts[verdict.verdict] += times
    if verdict.verdict != "pass":
        table = tables.violations if verdict.verdict in BROKEN else tables.notes
        known = table.get((verdict.rule, row.who)) or table[verdict.rule, OTHERS]
        known.count += times


def _given(asked: AuditPlan, parts: int, part: int) -> Iterator[Given]:
    """Yield the results of a task: its rows, or the error of a capture that can't be read."""
    try:
        for place, counted in part_rows(asked, part, parts):
            yield place, _encode(counted)
    except CaptureError as error:
        yield 0, _encode(Unread(error.message))


def part_rows(asked: AuditPlan, part: int, parts: int) -> Iterator[tuple[int, AuditCounts]]:
    """The rows of one of so many parts, and their places.

    Verdicts are added up, unless each is wanted. Raises CaptureError.
    """
    verdicts = _Verdicts()
    for place, row in _Part(asked, part, parts).rows():
        if isinstance(row, FrameVerdict) and not asked.each:
            verdicts.take(place, row)
        else:
            yield place, AuditCounts(row)
    yield from verdicts.rows()


class _Part(Auditor):
    """Audits some of the connections, and knows at which packet it found what."""

    def __init__(self, asked: AuditPlan, part: int, parts: int) -> None:
        super().__init__(Judge(asked.profile, asked.release), asked.ports, asked.limits)
        self._asked = asked
        self._share = Share(part, parts)
        self._at = 0
        self._passed_at: dict[str, int] = {}
        self._fed: OrderedDict[Key, int] = OrderedDict()

    def rows(self) -> Iterator[tuple[int, Row]]:
        """Every row and its place: a packet's number, those after the last for what is left."""
        told, asked = self.traffic.told, self._asked
        for segment in segments(map(Path, asked.files), told, self._share):
            self._at = told.packets
            self._note(segment.key)
            for conversation, event in self.traffic.feed(segment):
                yield from ((self._at, row) for row in self.take(conversation, event))
        for conversation, event in self.traffic.finish():
            self._at = told.packets + self._fed.get(_key(conversation), 0)
            yield from ((self._at, row) for row in self.take(conversation, event))
        end = 2 * told.packets + 1
        for row in self.totals(first=self._share.part == 0):
            yield (
                (self._passed_at.get(row.why, end) if isinstance(row, PacketsPassed) else end),
                row,
            )

    def _note(self, key: Key) -> None:
        """Remember the last packet of the connections, in whose order they end with the capture."""
        self._fed[key] = self._at
        self._fed.move_to_end(key)
        if len(self._fed) > self._asked.limits.connections:
            self._fed.popitem(last=False)

    def _pass(self, skipped: Skipped) -> None:
        self._passed_at.setdefault(skipped.why, self._at)
        super()._pass(skipped)


class _Verdicts:
    """Verdicts added up: the first of each sort, and how many there are."""

    def __init__(self) -> None:
        self._first: dict[tuple[str, str, str], tuple[int, FrameVerdict]] = {}
        self._times: dict[tuple[str, str, str], int] = {}

    def take(self, place: int, row: FrameVerdict) -> None:
        """Count a verdict; of too many names each further one is one of the others."""
        name: str = row.verdict.verdict
        sort = (name, "", "") if name == "pass" else (name, row.verdict.rule, row.who)
        if sort not in self._first:
            if len(self._first) >= MOST_VIOLATIONS:
                sort, row = (name, row.verdict.rule, OTHERS), FrameVerdict(row.verdict, OTHERS)
            self._first.setdefault(sort, (place, row))
        self._times[sort] = self._times.get(sort, 0) + 1

    def rows(self) -> Iterator[tuple[int, AuditCounts]]:
        """Yield the counts."""
        for sort, (place, row) in self._first.items():
            yield place, AuditCounts(row, self._times[sort])


def _key(conversation: Conversation) -> Key:
    ends = conversation.client, conversation.server
    return ends if ends[0] < ends[1] else (ends[1], ends[0])
