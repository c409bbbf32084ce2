"""A member of a group that logs in, and stays for longer than one login may be valid."""

from __future__ import annotations

from conformance import error_codes
from conformance.reference.client.actions.joining import Joining
from conformance.reference.client.actions.sending import PAUSE_S, STEADY, Sending
from conformance.reference.client.steps import Course, Lost, Trying, Wait


class Remaining(Sending, Joining):
    """A member that stays for some heartbeats, on one connection if it lasts, and then commits."""

    beats_left = 0

    def remain(self) -> Course:
        """Be a member for some time."""
        self.beats_left = STEADY
        yield from self.join()

    def commit(self, topic_id: str) -> Trying:
        """Commit, once it has stayed long enough; return the error code."""
        while self.beats_left:
            self.beats_left -= 1
            if code := (yield from self.beat_logged_in()):
                return code
        return (yield from super().commit(topic_id))

    def beat_logged_in(self) -> Trying:
        """Send a heartbeat after a pause, logged in; return the error code."""
        yield Wait(PAUSE_S)
        yield from self.stay_logged_in(PAUSE_S)
        try:
            return (yield from self.beat())
        except Lost:
            yield from self.come_again()
            yield from self.reach_coordinator()
            return error_codes.NONE
