"""The offsets of the records that a client wrote, as reported to its application.

A driver may print the offset of each record that it wrote at once, in the order in which it was
given them; `none`, or a number below 0, if the client knows none.
"""

from __future__ import annotations

from typing import Any, ClassVar

from conformance.clients.scenarios.actions import FILLED
from conformance.clients.scenarios.records.writing import written_batches
from conformance.clients.scenarios.scenario import Scenario
from conformance.clients.scenarios.visit import Visit, require, succeeds
from conformance.dialogue import Broken, NotApplicable
from conformance.reference.broker.cluster import Request, Topic, Value

BEGIN = 100
NONE = "none"


def told_offsets(visit: Visit) -> list[int | None]:
    """Return the offsets that the driver prints. Raises NotApplicable and Broken."""
    succeeds(visit)
    words = visit.ended.text.split()
    if not words or not all(each == NONE or each.lstrip("-").isdecimal() for each in words):
        raise NotApplicable("the driver does not tell of offsets")
    return [None if each == NONE or int(each) < 0 else int(each) for each in words]


def as_stored(visit: Visit) -> None:
    """Each record has the offset that the broker gave it, in whatever order they were written."""
    told = told_offsets(visit)
    written = sum(len(batch["records"]) for _, batch in written_batches(visit))
    require(written == len(told), "it wrote records more than once")
    wanted = list(range(BEGIN, BEGIN + written))
    if sorted(each or 0 for each in told) != wanted:
        what = f"it tells the offsets {_shown(told)}, and the records are at {_shown(wanted)}"
        raise Broken(what, _shown(wanted), _shown(told))


def none_is_told(visit: Visit) -> None:
    """Judge that no record has an offset if the broker returned none."""
    told = told_offsets(visit)
    if any(each is not None for each in told):
        what = f"it tells the offsets {_shown(told)}, and the broker has told of none"
        raise Broken(what, NONE, _shown(told))


def _shown(offsets: list[int] | list[int | None]) -> str:
    return ", ".join(NONE if each is None else str(each) for each in offsets)


class StoredBehindOthers(Scenario, about="ProduceRequest", action="batch"):
    """Holds 100 records in the topic that several are written to at once."""

    decides: ClassVar = {"client-produce.offsets-told": as_stored}

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.topics[FILLED].ends[0] = BEGIN


class StoredNobodyKnowsWhere(Scenario, about="ProduceRequest", action="batch"):
    """Takes records, and answers with no error and with base offset -1."""

    decides: ClassVar = {"client-produce.no-offset-told": none_is_told}

    def append(self, request: Request, topic: Topic, data: Value) -> int:
        super().append(request, topic, data)
        return -1
