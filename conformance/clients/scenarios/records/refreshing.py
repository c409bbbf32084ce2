"""Errors of a leader that pass: Metadata is asked until they have passed, and then no more."""

from __future__ import annotations

from typing import ClassVar

from conformance import error_codes
from conformance.clients.scenarios.actions import Action
from conformance.clients.scenarios.plain_brokers import LogsIn
from conformance.clients.scenarios.visit import Visit, succeeds
from conformance.dialogue import Broken, NotApplicable
from conformance.reference.broker.cluster import Request, Topic, Value
from conformance.reference.broker.errors import Refused

MOST_BEHIND = 2
"""The most Metadata requests after the answer that all is well, which some connections may not have
received yet.
"""
TAKEN = 3
"""The number of records that are taken before the one that is refused."""


def asks_no_more(visit: Visit) -> None:
    """Judge that Metadata is not asked again and again after the record that is taken."""
    written = [each.at_s for each in visit.of("Produce")]
    if len(written) <= TAKEN + 1:
        raise NotApplicable("it did not write behind the record that was refused")
    if any(written[0] < each.at_s < written[TAKEN - 1] for each in visit.of("Metadata")):
        raise NotApplicable("it asks Metadata between records that are taken as well")
    late = [each for each in visit.of("Metadata") if each.at_s > written[TAKEN + 1]]
    if len(late) > MOST_BEHIND:
        what = f"Metadata was asked {len(late)} times more when the leader took records again"
        raise Broken(what, f"at most {MOST_BEHIND} times", late[-1].frame)
    succeeds(visit)


class LeaderStays(LogsIn):
    """Refuses the fourth Produce as no leader, and is named as the leader all the same."""

    about = "ProduceRequest"
    action: ClassVar[Action] = "steady"
    decides: ClassVar = {"client-requests.metadata-not-repeated": asks_no_more}
    written = 0

    def topic_to_write(self, request: Request, item: Value) -> Topic:
        self.written += 1
        if self.written == TAKEN + 1:
            raise Refused(error_codes.NOT_LEADER_OR_FOLLOWER)
        return super().topic_to_write(request, item)
