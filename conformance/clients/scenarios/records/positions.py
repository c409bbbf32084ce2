"""A client's position while its application takes one record after the other.

A driver may print for each record OFFSET/POSITION, as the client hands the record over; a position
is `?` if the client has no call for it.
"""

from __future__ import annotations

from itertools import pairwise
from typing import ClassVar

from conformance import error_codes
from conformance.clients.scenarios.actions import FILLED
from conformance.clients.scenarios.records.delivery import GIVEN, UNTOLD, batch_of, end, held
from conformance.clients.scenarios.scenario import Scenario
from conformance.clients.scenarios.visit import Visit, require, succeeds
from conformance.dialogue import Broken, NotApplicable
from conformance.reference.broker.cluster import Request, Value

END = -1
"""The timestamp that stands for the end of a partition."""
NOT_AVAILABLE_SINCE = 5
"""The first version of ListOffsets that has OFFSET_NOT_AVAILABLE (KIP-207)."""
LOG = [*held(0, 1, 2), *held(6, 7), end(8)]
OFFSETS = [each.offset for each in LOG]


def _told_in(visit: Visit) -> list[tuple[int, str]]:
    """Return the offset of each record, and the position printed after it."""
    succeeds(visit)
    told = [word.split("/") for word in visit.ended.text.split()]
    require(told, "the driver does not tell of the records")
    if wrong := [words for words in told if len(words) != 2 or not words[0].isdecimal()]:
        raise NotApplicable(f"{'/'.join(wrong[0])} is no OFFSET/POSITION")
    return [(int(offset), position) for offset, position in told]


def gives_in_turn(visit: Visit) -> None:
    """Judge that each record comes once, whatever the result of the pause."""
    told = [offset for offset, _ in _told_in(visit)]
    if told != OFFSETS:
        what = f"it gives the records at {_shown(told)}, and the log holds {_shown(OFFSETS)}"
        raise Broken(what, _shown(OFFSETS), _shown(told))


def tells_position(visit: Visit) -> None:
    """Judge that after each record the position is after it, and not after the next record."""
    told = [(offset, at) for offset, at in _told_in(visit) if at != UNTOLD]
    require(told, "the driver does not tell of positions")
    following = dict(pairwise([*OFFSETS, OFFSETS[-1] + 1]))
    for offset, at in told:
        last = following.get(offset, offset + 1)
        if not at.isdecimal() or not offset < int(at) <= last:
            what = f"it says that it is at {at} when it has handed out the record at {offset}"
            raise Broken(what, f"{offset + 1}", at)


def _shown(offsets: list[int]) -> str:
    return ", ".join(map(str, offsets))


def looks_up_again(visit: Visit) -> None:
    """Judge that a client that asks for the partition's end gets what it wanted."""
    asked = [each.value for each in visit.of("ListOffsets") if each.value]
    wanted = [one for value in asked for topic in value["topics"] for one in topic["partitions"]]
    if not any(each["timestamp"] == END for each in wanted):
        raise NotApplicable("it did not ask where the partition ends")
    succeeds(visit)


class OneByOne(Scenario, about="FetchRequest", action="position"):
    """Holds six records in two batches, to a client that hands them out one by one."""

    is_long = True
    decides: ClassVar = {GIVEN: gives_in_turn, "client-records.position-told": tells_position}
    contents: ClassVar = [batch_of(LOG[:3]), batch_of(LOG[3:])]


class EndNotAvailableYet(Scenario, about="ListOffsetsRequest", action="position"):
    """Does not know yet, when it is asked first, where the partition ends."""

    is_long = True
    decides: ClassVar = {"client-answers.passing-errors-pass": looks_up_again}
    is_known_now = False
    contents: ClassVar = [batch_of(LOG)]

    def offset_of(self, request: Request, item: Value, wanted: Value) -> Value:
        """Return the error of the version for an unknown end, the first time."""
        found = super().offset_of(request, item, wanted)
        if self.is_known_now or item["name"] != FILLED or wanted["timestamp"] != END:
            return found
        self.is_known_now = True
        is_newer = request.version >= NOT_AVAILABLE_SINCE
        code = error_codes.OFFSET_NOT_AVAILABLE if is_newer else error_codes.LEADER_NOT_AVAILABLE
        return {**found, "errorCode": code, "offset": -1}
