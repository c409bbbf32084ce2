"""Attempts at a dialogue: held once, asked again, and how the endpoint is afterwards.

What one dialogue does to an endpoint is not charged to the next. One that failed is held again,
alone and with an endpoint that lives. An endpoint that was stalled is waited for.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from conformance.brokers.dialogues import DialogueCase
from conformance.brokers.exchange import Control, Exchange, Peer, exchange
from conformance.targets.errors import TargetError

DYING_S = (0.1, 0.3, 1.0)
"""The pauses before an endpoint that cuts connections off is asked whether it still lives."""
Guilty = tuple[DialogueCase, Exchange]
"""A dialogue that was held again and ended the endpoint, and its exchange."""
RECOVERIES = 6
"""The number of times a stalled endpoint is asked whether it is well again."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """A dialogue that was held, and its control cases before and after it, if it hurts.

    `died` says how the endpoint was found dead after it, "" if it lives.
    """

    found: Exchange
    before: Exchange | None = None
    after: Exchange | None = None
    died: str = ""

    @property
    def is_broken(self) -> bool:
        """True if the dialogue failed."""
        return self.found.broken is not None

    @property
    def had_no_chance(self) -> bool:
        """True if its control case had failed before it."""
        return self.before is not None and self.before.broken is not None

    @property
    def does_harm(self) -> bool:
        """True if its control case passed before it, and failed after it."""
        after = self.after is not None and self.after.broken is not None
        return self.before is not None and after and not self.had_no_chance

    @property
    def is_to_be_repeated(self) -> bool:
        """True if it failed, and that a second attempt fails as well is worth knowing."""
        return self.is_broken and not self.died and not self.had_no_chance


def attempted(
    item: DialogueCase,
    before: Exchange | None,
    found: Exchange,
    endpoint: Peer,
    control: Control | None,
) -> Attempt:
    """Return the attempt, with the endpoint's state after it if there was a control case before."""
    if before is None:
        return Attempt(found)
    after, died = afterwards(item, endpoint, control, well_before=not before.broken)
    return Attempt(found, before, after, died)


def asked_again(
    item: DialogueCase, failed: Attempt, endpoint: Peer, control: Control | None
) -> Attempt:
    """Return a second attempt, made alone, with an endpoint that lives and is well."""
    if failed.does_harm:
        wait_until_well(item, endpoint, control)
    if item.malformed:
        before = exchange(item.control_case(), endpoint, control)
        if before.broken:  # the first attempt did lasting harm
            return failed
        return attempted(item, before, exchange(item.begin(), endpoint, control), endpoint, control)
    if was_cut_short(failed.found):
        found, died = held_again(item, endpoint, control)
        return Attempt(found, died=died)
    return Attempt(exchange(item.begin(), endpoint, control))


def was_cut_short(found: Exchange) -> bool:
    """True if a dialogue failed without a whole answer, as where the broker is gone."""
    return found.broken is not None and (found.last is None or found.last.kind != "reply")


def held_again(item: DialogueCase, endpoint: Peer, control: Control | None) -> tuple[Exchange, str]:
    """Hold a dialogue alone, with an endpoint that lives; return how that was found dead after it.

    Raise TargetError if it is gone for good.
    """
    if control is None:
        return exchange(item.begin(), endpoint), ""
    if afterwards(item, endpoint, control, well_before=True)[1]:
        control.restart()
    found, died = exchange(item.begin(), endpoint, control), ""
    if was_cut_short(found):
        _, died = afterwards(item, endpoint, control, well_before=True)
    return found, died


def tried_again(
    item: DialogueCase,
    failed: Attempt,
    recent: Sequence[DialogueCase],
    endpoint: Peer,
    control: Control,
) -> tuple[Attempt, Guilty | None]:
    """Return the attempt of the dialogue after which an endpoint was dead, and what ended it else.

    A process that takes its time to end, as one that prints its stack, is found dead after another
    dialogue. So this one is held again, and where the endpoint survives that, those before it.
    """
    control.restart()
    again = _alone(item, endpoint, control)
    if again.died:
        return again, None
    for suspect in reversed(recent):
        found = exchange(suspect.begin(), endpoint, control)
        if _ends(suspect, endpoint):
            control.restart()
            return again, (suspect, found)
    return failed, None


def _alone(item: DialogueCase, endpoint: Peer, control: Control) -> Attempt:
    """Return the attempt of a malformed dialogue, with the time for its endpoint to end."""
    before = exchange(item.control_case(), endpoint, control)
    attempt = attempted(item, before, exchange(item.begin(), endpoint, control), endpoint, control)
    return attempt if attempt.died else replace(attempt, died=_ends(item, endpoint))


def _ends(item: DialogueCase, endpoint: Peer) -> str:
    """Return how an endpoint was found dead that is given some time to end, "" if it lives."""
    for pause_s in (*DYING_S, DYING_S[-1]):
        time.sleep(pause_s)
        try:
            exchange(item.control_case(), endpoint)
        except TargetError as error:
            return error.message
    return ""


def wait_until_well(item: DialogueCase, endpoint: Peer, control: Control | None) -> None:
    """Wait for a stalled endpoint, so that its failures are not charged to other dialogues."""
    for _ in range(RECOVERIES):
        if not exchange(item.control_case(), endpoint, control).broken:
            return


def afterwards(
    item: DialogueCase, endpoint: Peer, control: Control | None, *, well_before: bool
) -> tuple[Exchange | None, str]:
    """Hold the control case once more, or return how the endpoint was found dead.

    One that is about to end may still take a connection, so one that cuts the control case off, and
    did not before, is asked again a little later.
    """
    after: Exchange | None = None
    for pause_s in (0.0, *DYING_S):
        if pause_s:
            time.sleep(pause_s)
        try:
            after = exchange(item.control_case(), endpoint, control)
        except TargetError as error:
            return None, error.message
        if not well_before or after.broken is None or after.last is None:
            break
        if after.last.kind not in ("closed", "reset"):
            break
    return after, ""
