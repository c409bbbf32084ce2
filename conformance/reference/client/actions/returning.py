"""A member that subscribes once more: behind its end, or for another topic as well."""

from __future__ import annotations

from conformance import error_codes
from conformance.reference.client.actions.consumers import JOINING, Consumers
from conformance.reference.client.actions.joining import GROUP
from conformance.reference.client.cluster import TOPIC
from conformance.reference.client.steps import Course, Trying, Wait

OTHER = "orders.v2"
SETTLED_S = 3.0
"""How long it lets others join before it wants something else of the group."""


class Returning(Consumers):
    """Is a member twice."""

    def member_again(self) -> Course:
        """Read one record as a member, leave, and come again."""
        for _ in range(2):
            self.come_back()
            yield from self.trying(self.be_consumer, f"the group {GROUP}")

    def come_back(self) -> None:
        """Be nobody's member, and have nothing."""
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
        """Join, and take what is given; the first error code that there is."""
        for step in (self.reach_coordinator, self.enter, self.receive_share):
            if code := (yield from step()):
                return self.refused(code)
        return error_codes.NONE
