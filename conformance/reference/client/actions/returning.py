"""A member that subscribes once more: after it left, or for another topic."""

from __future__ import annotations

from conformance import error_codes
from conformance.reference.client.actions.consumers import JOINING, Consumers
from conformance.reference.client.actions.joining import GROUP
from conformance.reference.client.cluster import TOPIC
from conformance.reference.client.steps import Course, Trying, Wait

OTHER = "orders.v2"
SETTLED_S = 3.0
"""Seconds that it lets others join before it changes its subscription."""


class Returning(Consumers):
    """A client that is a member twice."""

    def member_again(self) -> Course:
        """Read one record as a member, leave, and join again."""
        for _ in range(2):
            self.come_back()
            yield from self.trying(self.be_consumer, f"the group {GROUP}")

    def come_back(self) -> None:
        """Drop its membership and its partitions."""
        self.generation, self.owned = JOINING, []
        self.is_assigned = self.is_read = False

    def member_changes(self) -> Course:
        """Join for one topic, and again for another."""
        self.named = OTHER
        yield from self.trying(self.enter_only, f"the group {GROUP}")
        yield Wait(SETTLED_S)
        self.named = TOPIC
        yield from self.trying(self.be_member, f"the group {GROUP}")

    def enter_only(self) -> Trying:
        """Join, and take what is assigned; return the first error code."""
        for step in (self.reach_coordinator, self.enter, self.receive_share):
            if code := (yield from step()):
                return self.refused(code)
        return error_codes.NONE
