"""A position that stays: a client that asks again and again for what it was sent.

It shows on the wire, whatever the client's driver says of it: a Fetch of the same offset, which was
answered with records and without an error, comes again. A client that reckons its next offset from
the records which it hands out stays at a batch that has none, at one of control records and at the
compacted end of a log. Those are rules of their own, and it is one defect.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import msgspec

from conformance.clients.scenarios.records.delivery import GIVEN
from conformance.clients.scenarios.visit import HUNG_UP_ON, Sent, Visit, is_shown
from conformance.dialogue import Broken
from conformance.reference.codec import ReferenceCodec
from conformance.wire.errors import DecodeError

OFTEN = 5
"""A client that was answered may ask once more, since it left its broker or lost the answer."""
ABOUT_POSITIONS = frozenset(
    {
        GIVEN,
        "client-records.compacted-end-passed",
        "client-records.control-passed",
        "client-records.empty-batch-passed",
        "client-records.several-batches-read",
    }
)
"""The rules that a client breaks which stays where it is."""
STAYS = "the position stays at"
SIZE_BYTES = 4


@dataclass(frozen=True, slots=True)
class Stay:
    """A Fetch that came so many `times`, and was answered with records each time."""

    offset: int
    times: int
    last: Sent


def as_requests_show(rule: str, visit: Visit, broken: Broken) -> Broken:
    """Return the breach as a position that stays, where that is what a visit shows; else as it is.

    What requests show by themselves, and a crash, is not told otherwise; that it asks so without
    waiting is the less to say of it.
    """
    is_rush = broken.detail.endswith(HUNG_UP_ON)
    is_told = broken.actual == "crashed" or (is_shown(visit, broken) and not is_rush)
    if rule not in ABOUT_POSITIONS or is_told:
        return broken
    stay = stays(visit)
    if stay is None:
        return broken
    what = f"{STAYS} {stay.offset}, though records came: Fetch asked there {stay.times} times"
    return Broken(what, "an offset behind them", stay.last.frame)


def stays(visit: Visit) -> Stay | None:
    """Return where the position stays in a visit; None where it does not."""
    times: Counter[bytes] = Counter()
    offset = 0
    for asked in _answered_with_records(visit):
        offset = next(_offsets(asked.value or {}), offset)  # a session leaves out what is as it was
        key = _asked_for(asked)
        times[key] += 1
        if times[key] == OFTEN:
            return Stay(offset, _times_asked(visit, key), asked)
    return None


def _times_asked(visit: Visit, key: bytes) -> int:
    """Return how often a Fetch like that came in all."""
    return sum(_asked_for(each) == key for each in visit.of("Fetch"))


def _asked_for(asked: Sent) -> bytes:
    """Return what a Fetch asks for, whose place in its session does not matter."""
    value = asked.value or {}
    return msgspec.json.encode({key: value[key] for key in value if key != "sessionEpoch"})


def _offsets(value: dict[str, Any]) -> Iterator[int]:
    for topic in value.get("topics", ()):
        for partition in topic["partitions"]:
            yield partition["fetchOffset"]


def _answered_with_records(visit: Visit) -> Iterator[Sent]:
    """The Fetch requests whose answers have records and no error."""
    codec = ReferenceCodec()
    for answer in visit.answered:
        asked = answer.to
        if asked is None or asked.api != "Fetch" or not answer.body:
            continue
        form = codec.form("FetchResponse", asked.version)
        try:
            _, begin = codec.read(codec.header_form(form), answer.body, SIZE_BYTES)
            value, _ = codec.read(form, answer.body, begin)
        except DecodeError:  # played to be unreadable, or in pieces
            continue
        partitions = [each for topic in value["responses"] for each in topic["partitions"]]
        if any(each["records"] for each in partitions) and not any(
            each["errorCode"] for each in partitions
        ):
            yield asked
