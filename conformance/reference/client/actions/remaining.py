"""A member of a group behind a login, for longer than one login may be good."""

from __future__ import annotations

from conformance import error_codes
from conformance.reference.client.actions.joining import Joining
from conformance.reference.client.actions.sending import PAUSE_S, STEADY, Sending
from conformance.reference.client.steps import Course, Lost, Trying, Wait


class Remaining(Sending, Joining):
    """Stays for so many heartbeats, on one connection as long as it lasts, and then commits."""

    beats_left = 0

    def remain(self) -> Course:
        """Be a member for some time."""
        self.beats_left = STEADY
        yield from self.join()

    def commit(self, topic_id: str) -> Trying:
        """Commit, once it has been there long enough; the error code."""
        while self.beats_left:
            self.beats_left -= 1
            if code := (yield from self.beat_logged_in()):
                return code
        return (yield from super().commit(topic_id))

    def beat_logged_in(self) -> Trying:
        """Say a while later that it is still there; the error code."""
        yield Wait(PAUSE_S)
        yield from self.stay_logged_in(PAUSE_S)
        try:
            return (yield from self.beat())
        except Lost:
            yield from self.come_again()
            yield from self.reach_coordinator()
            return error_codes.NONE
