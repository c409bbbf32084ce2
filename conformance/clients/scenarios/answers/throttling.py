"""Answers that tell a client to slow down: read as any other, and heeded (KIP-219).

From version 2 of these requests on a broker answers first and reads nothing more for the throttle
time, so that a client that asks on at once waits without knowing why.
"""

from __future__ import annotations

from typing import ClassVar

from conformance.api_keys import API_VERSIONS
from conformance.clients.scenarios.actions import Action
from conformance.clients.scenarios.judging import where_asked
from conformance.clients.scenarios.playing import Rewrites
from conformance.clients.scenarios.visit import Sent, Visit, judgement, require, succeeds
from conformance.dialogue import Broken
from conformance.reference.broker.cluster import Value
from conformance.reference.broker.releases import NAMES
from conformance.schema.layout import Form

ANSWERED_FIRST = 2
"""The first version of both requests in which the answer comes before the waiting."""
THROTTLE_MS = 1000
SLACK_S = 0.05
"""Clocks of whole milliseconds, and timers that are a little early."""
A_MOMENT_MS = 1
"""ApiVersions, behind which every client asks on where it asked; others look for another broker."""
_THROTTLED: dict[int, Action] = {18: "topics", 10: "groups"}


@judgement
def waits(visit: Visit, api: str) -> None:
    """Judge that the next request on a connection waits for the throttle time of an answer."""
    asked = [each for each in visit.of(api) if each.version >= ANSWERED_FIRST]
    after = [(each, next_) for each in asked if (next_ := _next_other(visit, each))]
    require(after, "it asked nothing more on that connection")
    for each, following in after:
        seconds = following.at_s - each.at_s
        if seconds < THROTTLE_MS / 1000 - SLACK_S:
            what = f"{following.api} v{following.version} came {seconds:.2f} s behind {api}"
            raise Broken(what, f"{THROTTLE_MS / 1000:g} s or more", following.frame)


def _next_other(visit: Visit, asked: Sent) -> Sent | None:
    """The next request of another API on the connection: of one several may be under way."""
    later = visit.sent[visit.sent.index(asked) + 1 :]
    return next(
        (each for each in later if each.connection == asked.connection and each.api != asked.api),
        None,
    )


class _Throttled(Rewrites):
    """Answers one API with a throttle time."""

    def body(self, form: Form, body: Value) -> Value:
        """Return the answer with a throttle time, in versions in which the answer comes first."""
        is_told = form.version >= ANSWERED_FIRST
        return {**body, "throttleTimeMs": THROTTLE_MS} if is_told else body


for _key, _action in _THROTTLED.items():
    _api = NAMES[_key]
    _Throttled.variant(
        f"Throttled{_api}",
        f"Answers {_api} with a throttle time of {THROTTLE_MS} ms.",
        about=f"{_api}Request",
        action=_action,
        decides={
            "client-answers.throttle-time-is-no-error": where_asked(
                _api, succeeds, range(ANSWERED_FIRST, 100)
            ),
            **(
                {"client-answers.throttle-time-waited": waits(_api)} if _key == API_VERSIONS else {}
            ),
        },
    )


class ThrottledForAMoment(Rewrites, about="JoinGroupRequest", action="join"):
    """Answers JoinGroup with a throttle time of one millisecond."""

    decides: ClassVar = {
        "client-answers.throttle-time-is-no-error": where_asked(
            "JoinGroup", succeeds, range(ANSWERED_FIRST, 100)
        )
    }

    def body(self, form: Form, body: Value) -> Value:
        is_told = form.version >= ANSWERED_FIRST
        return {**body, "throttleTimeMs": A_MOMENT_MS} if is_told else body
