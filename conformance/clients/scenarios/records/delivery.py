"""The records that an application gets of a log: each once and in their order, and no others.

A driver may print each record that the client gives it, as OFFSET/TIMESTAMP/KEY/VALUE. A driver
that prints nothing is not judged, nor is a timestamp that it prints as `?`. A missing key or value
is printed as `null`, and a missing time as `none`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from conformance.clients.scenarios.actions import END
from conformance.clients.scenarios.batches import (
    WRITTEN_MS,
    head,
    message,
    record,
)
from conformance.clients.scenarios.visit import (
    Judgement,
    Visit,
    judgement,
    require,
    succeeds,
    survives,
)
from conformance.dialogue import Broken, NotApplicable
from conformance.reference.broker.cluster import Batch
from conformance.reference.broker.records.converting import TIMES_SINCE
from conformance.reference.codec import ReferenceCodec
from conformance.schema.record_batch import MAGIC, RECORD_BATCH
from conformance.targets.errors import shorten
from conformance.wire.records.compression import CODECS, compress

SECOND_MS = 1000
NULL, UNTOLD = "null", "?"
READ_COMMITTED = 1
GIVEN, CREATED, APPENDED, FAR = (
    "client-records.given-as-held",
    "client-records.create-time-given",
    "client-records.append-time-given",
    "client-records.far-times-given",
)


@dataclass(frozen=True, slots=True)
class Held:
    """A record of a log. `time_ms` is None where it has no time."""

    offset: int
    time_ms: int | None
    key: str | None
    value: str | None

    @property
    def told(self) -> str:
        """Return the record as a driver prints it, without the time."""
        texts = (NULL if each is None else each for each in (self.key, self.value))
        return "/".join((str(self.offset), *texts))


def held(*offsets: int) -> list[Held]:
    """Return records at these offsets, a second apart."""
    return [Held(at, WRITTEN_MS + at * SECOND_MS, f"k{at}", f"v{at}") for at in offsets]


def end(offset: int) -> Held:
    """The last record of a log."""
    return Held(offset, WRITTEN_MS, END, "e")


def batch_of(
    records: Sequence[Held],
    *,
    begin: int | None = None,
    taken: int = 0,
    compression: str = "none",
    attributes: int = 0,
    **fields: int,
) -> Batch:
    """A batch of these records, which takes the offsets from `begin` to its last, or so many.

    `fields` are of its head, where they are other than they would be.
    """
    first = records[0].offset if begin is None else begin
    taken = max(taken, records[-1].offset - first + 1)
    times = [each.time_ms or 0 for each in records]
    made = [
        {**record(each.key, each.value), "offsetDelta": each.offset - first, "timestampDelta": at}
        for each, at in zip(records, (at - times[0] for at in times), strict=True)
    ]
    value: dict[str, Any] = {
        **head(first, taken, attributes | CODECS.index(compression), made),
        "baseTimestamp": times[0],
        "maxTimestamp": max(times),
        **fields,
    }
    codec = ReferenceCodec()
    data = codec.write(codec.form(RECORD_BATCH, MAGIC), value)
    return Batch(first, first + taken, data)


def messages_of(records: Sequence[Held], magic: int, attributes: int = 0) -> list[Batch]:
    """Return messages in the format before batches."""
    return [
        message(each.offset, each.key, each.value, magic, attributes, each.time_ms or 0)
        for each in records
    ]


def set_of(
    records: Sequence[Held],
    magic: int,
    codec: str = "gzip",
    attributes: int = 0,
    written_ms: int = WRITTEN_MS,
    begin: int | None = None,
) -> Batch:
    """Return messages in a compressed one; in magic 1 their offsets are relative to the first."""
    first = records[0].offset if begin is None else begin
    base = first if magic else 0
    inside = b"".join(
        message(each.offset - base, each.key, each.value, magic, 0, each.time_ms or 0).data
        for each in records
    )
    last = records[-1].offset
    whole = (None, compress(codec, inside), magic, attributes | CODECS.index(codec), written_ms)
    return Batch(first, last + 1, message(last, *whole).data)


def told_in(visit: Visit) -> list[tuple[str, str]]:
    """Return the printed records, and their times. Raises NotApplicable and Broken."""
    succeeds(visit)
    told = [word.split("/") for word in visit.ended.text.split()]
    require(told, "the driver does not tell of the records")
    if wrong := [words for words in told if len(words) != 4]:
        raise NotApplicable(f"{'/'.join(wrong[0])} is no OFFSET/TIMESTAMP/KEY/VALUE")
    return [("/".join((offset, *rest)), time) for offset, time, *rest in told]


def gives(records: Sequence[Held]) -> Judgement:
    """Return the judgement that the client gives exactly these records, once and in this order."""
    wanted = [each.told for each in records]

    def judge(visit: Visit) -> None:
        have = [each for each, _ in told_in(visit)]
        if have != wanted:
            raise Broken(_difference(wanted, have), _shown(wanted), _shown(have))

    return judge


@judgement
def does_not_give(visit: Visit, offset: int, what: str) -> None:
    """Return the judgement that the client gives no record of this offset, at which is `what`.

    One that gives less than the log holds has another fault.
    """
    require(visit.ended.outcome == "ok", "it failed, and so says nothing of the records")
    told = require(visit.ended.text.split(), "the driver does not tell of the records")
    if found := next((each for each in told if each.startswith(f"{offset}/")), ""):
        raise Broken(f"it gives the record at {offset}, which is {what}", "none there", found)


@judgement
def unless_failed(visit: Visit, judgement: Judgement) -> None:
    """Return a judgement that any client keeps which did not say `ok`."""
    if visit.ended.outcome == "ok":
        judgement(visit)


@judgement
def gives_if_any(visit: Visit, records: Sequence[Held]) -> None:
    """Judge the given records of a client that says `ok`; an error is as good here."""
    survives(visit)
    if visit.ended.outcome == "ok":
        gives(records)(visit)


def _difference(wanted: Sequence[str], have: Sequence[str]) -> str:
    """Return the first difference from the expected records."""
    for number, (want, got) in enumerate(zip_longest(wanted, have)):
        if got == want:
            continue
        if got is None:
            return f"it gives nothing more, and the log holds {want}"
        if got in have[:number]:
            return f"it gives {shorten(got)} twice"
        return f"it gives {shorten(got)}, and the log holds {shorten(want or 'nothing more')}"
    return ""


def _shown(told: Sequence[str]) -> str:
    """Return the first records as text, and the number of others."""
    most = 12
    more = f" and {len(told) - most} more" if len(told) > most else ""
    return " ".join(map(shorten, told[:most])) + more


@judgement
def gives_times(visit: Visit, records: Sequence[Held]) -> None:
    """Each has the time that the log holds."""
    is_old = [each.version < TIMES_SINCE for each in visit.of("Fetch")]
    require(not is_old or not all(is_old), "it asked Fetch in versions whose records have no time")
    told = zip(records, (time for _, time in told_in(visit)), strict=False)
    times = [(each, time) for each, time in told if time != UNTOLD]
    require(times, "the driver does not tell of timestamps")
    for each, time in times:
        if each.time_ms is not None and time != str(each.time_ms):
            what = f"it gives {each.told} with the time {time}, and that is {each.time_ms}"
            raise Broken(what, str(each.time_ms), time)


@judgement
def where_committed(visit: Visit, judgement: Judgement) -> None:
    """A judgement on a client that asked for committed records alone."""
    asked = [each.value for each in visit.of("Fetch") if each.value and each.value["topics"]]
    if not asked or any(each.get("isolationLevel") != READ_COMMITTED for each in asked):
        raise NotApplicable("it did not ask for committed records alone")
    judgement(visit)


@judgement
def where_uncommitted(visit: Visit, judgement: Judgement) -> None:
    """A judgement on a client that asked for whatever records there are."""
    asked = [each.value for each in visit.of("Fetch") if each.value and each.value["topics"]]
    if not asked or any(each.get("isolationLevel") == READ_COMMITTED for each in asked):
        raise NotApplicable("it did not ask for uncommitted records")
    judgement(visit)


def as_held(records: Sequence[Held]) -> Mapping[str, Judgement]:
    """The rules on records that are as old as their producers say."""
    return {GIVEN: gives(records), CREATED: gives_times(records)}


def as_appended(records: Sequence[Held]) -> Mapping[str, Judgement]:
    """Return the judgements on records that are as old as the log says."""
    return {GIVEN: gives(records), APPENDED: gives_times(records)}
