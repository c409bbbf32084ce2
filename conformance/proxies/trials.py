"""The trial of a dialogue: it is held, held again alone if it failed, and checked by its basics.

No single failure counts. A dialogue that failed is held again, and a failure that does not occur
again is noted. A failure counts only if the dialogue passes without the proxy, and if its basics,
plain requests of the same API and version, pass through it. A plain request is reported in a case
of its own; if that case was not selected, in the first case that it broke.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from conformance.brokers.exchange import Exchange
from conformance.dialogue import Broken, Dialogue
from conformance.proxies.dialogues import ProxyCase
from conformance.proxies.dialogues.hardening import UNSETTLED
from conformance.proxies.dialogues.talk import REQUESTS_PASS
from conformance.proxies.exchanges import Control, ProxyPeer, exchange
from conformance.results.aftermath import CUT, LOST, STOPPED, WAITED
from conformance.results.lines import ONCE
from conformance.targets.errors import TargetError

ATTEMPTS = 2
"""The number of times that a failed dialogue is held again, until one rule was broken twice."""
WITHOUT = "the dialogue without the proxy"
HARDENING = "proxy-hardening."
EXTREME = (
    "it goes through with small partitions and offsets, and not with those that no topic has: "
)
ENDED = "the proxy has ended"
LIVED = "asked again alone, it lived on"
ENDS = ("closed", "reset")
DYING_S, AT_ONCE_S = 5.0, 0.5
"""The time that a process may need to end, as it prints a trace first, and one that has ended."""
WAITS_S = 120.0
SUSPECTS = 3
"""The number of malformed dialogues that are held again if the proxy is found dead."""


@dataclass(slots=True)
class BrokenBasic:
    """A plain request that does not go through, and the rule that judges it."""

    case: ProxyCase
    found: Exchange
    rule: str
    reported: bool = False

    @property
    def is_costly(self) -> bool:
        """True if every dialogue that needs it would wait in vain."""
        return self.found.last is None or self.found.last.kind == "silent"


@dataclass
class Known:
    """The results of the basics of all dialogues with one proxy.

    `decided` are the ids of the selected cases, each of which reports its own failure. `waits_s` is
    the time that may still be spent on waiting for processes that may be about to end.
    """

    decided: set[str] = field(default_factory=set)
    waits_s: float = WAITS_S
    broken: dict[str, BrokenBasic] = field(default_factory=dict)

    def broken_of(self, item: ProxyCase) -> BrokenBasic | None:
        """Return the basic of a dialogue that is known not to go through, None without one."""
        ids = (each.id for each in item.basics if each.id != item.id)
        return next((self.broken[each] for each in ids if each in self.broken), None)

    def is_unreported(self, basic: BrokenBasic | None) -> bool:
        """True if no case has reported a basic, and none will."""
        return basic is not None and not basic.reported and basic.case.id not in self.decided


@dataclass(frozen=True, slots=True)
class Trial:
    """The result of a dialogue, with the control cases around it if it is malformed.

    `died` says how the proxy was found dead, "" if it lives. `first` is the rule that broke in
    place of the dialogue's own, shown by `basic` if that is given. `noted` failed, and is not
    charged, for the reason `why`.
    """

    found: Exchange
    before: Exchange | None = None
    after: Exchange | None = None
    died: str = ""
    first: str = ""
    basic: BrokenBasic | None = None
    noted: Broken | None = None
    why: str = ONCE

    def guilty(self, item: ProxyCase) -> str:
        """Return the rule that judges the failure, "" if nothing failed."""
        if self.died:
            return item.rules[0]
        if self.control_broken is not None:
            return self.control_broken.judged_by or REQUESTS_PASS
        if self.found.broken is not None:
            return self.found.broken.judged_by or item.rules[0]
        return ""

    @property
    def control_broken(self) -> Broken | None:
        """The failure of a control case before the dialogue, or after it if both passed."""
        if self.before is not None and self.before.broken is not None:
            return self.before.broken
        if self.after is not None and self.found.broken is None:
            return self.after.broken
        return None


class Trials:
    """The trials of dialogues with one proxy."""

    def __init__(
        self,
        peer: ProxyPeer,
        control: Control | None,
        without: Callable[[], ProxyPeer] | None,
        known: Known,
    ) -> None:
        self._peer, self._control, self._without = peer, control, without
        self._known = known
        self._suspects: deque[ProxyCase] = deque(maxlen=SUSPECTS)
        """The latest malformed dialogues that the proxy outlived, as far as is known."""
        self.late: list[tuple[ProxyCase, Trial]] = []
        """Dialogues that ended the proxy, found out after their trial."""
        self._may_wake = control is not None

    def hold(self, item: ProxyCase) -> Trial:
        """Hold a dialogue as often as the result needs. Raises TargetError."""
        self.check()
        known = self._known.broken_of(item)
        if known is not None and known.is_costly:
            return Trial(Exchange(broken=known.found.broken), first=known.rule, basic=known)
        trial = self._attempt(item)
        if trial.died:
            trial = self._after_death(item, trial)
        elif trial.guilty(item):
            trial = self._after_failure(item, trial, known)
        if item.malformed and not trial.died:
            self._suspects.append(item)
        return trial

    def _after_failure(self, item: ProxyCase, trial: Trial, known: BrokenBasic | None) -> Trial:
        """Hold a failed dialogue again, and find the rule that is broken first, if any."""
        if known is not None:
            self._woke(item)  # for the cases after this one
            return replace(trial, first=known.rule, basic=known)
        trial = self._again(item, trial)
        if trial.died or not trial.guilty(item):
            return trial
        aftermath = self._aftermath(item, trial)
        trial = self._explained(item, trial)
        if not trial.first:
            trial = _with_words(trial, aftermath)
            rule = trial.guilty(item)
            self._known.broken[item.id] = BrokenBasic(item, trial.found, rule, reported=True)
        return trial

    def check(self) -> None:
        """Find the dialogue that ended the proxy, if it was found dead; have it run again.

        A process may end late, while the next dialogue is held: it prints a trace first, for
        example. So those before are held again, the latest first. Raises TargetError.
        """
        control = self._control
        if control is None or control.alive():
            return
        self._find_killer()
        control.restart()

    def _find_killer(self) -> bool:
        """True if one of the latest malformed dialogues ends the proxy, held alone."""
        control = self._control
        suspects = list(self._suspects)
        self._suspects.clear()
        for suspect in reversed(suspects if control is not None else []):
            assert control is not None
            control.restart()
            trial = self._attempt(suspect)
            if not trial.died and control.ended(DYING_S):
                trial = replace(trial, died=self._last_words())
            if trial.died:
                self.late.append((suspect, trial))
                return True
        return False

    def _attempt(self, item: ProxyCase) -> Trial:
        """Hold a dialogue once, between its control cases if it sends malformed bytes."""
        before = after = None
        found = Exchange()
        try:
            before = exchange(item.control_case(), self._peer) if item.malformed else None
            found = exchange(item.begin(), self._peer)
            if self._has_ended(found):
                return Trial(found, before, died=self._last_words())
            after = exchange(item.control_case(), self._peer) if item.malformed else None
        except TargetError as error:
            if self._control is not None and self._control.ended(AT_ONCE_S):
                return Trial(found, before, died=self._last_words())
            if before is None:
                raise
            return Trial(found, before, died=error.message)
        return _harmed(item, Trial(found, before, after)) if item.malformed else Trial(found)

    def _has_ended(self, found: Exchange) -> bool:
        """True if the process has ended, after a wait if it may be about to.

        The waits of a run have a limit, since a proxy may leave each malformed frame unanswered.
        """
        if self._control is None:
            return False
        if found.told != UNSETTLED or self._known.waits_s <= 0:
            return not self._control.alive()
        begun = time.monotonic()
        ended = self._control.ended(DYING_S)
        self._known.waits_s -= time.monotonic() - begun
        return ended

    def _last_words(self) -> str:
        words = self._control.last_words() if self._control is not None else ""
        return f"{ENDED}; its last words: {words}" if words else ENDED

    def _aftermath(self, item: ProxyCase, trial: Trial) -> str:
        """Return words on the harm of a malformed frame to others, "" for any other dialogue."""
        broken = trial.found.broken
        if not item.rules[0].startswith(HARDENING) or trial.control_broken or broken is None:
            return ""
        if trial.after is not None and trial.after.broken is None:
            return CUT if trial.found.last and trial.found.last.kind in ENDS else WAITED
        made = self._peer.upstream.made
        if self._serves(item):
            return WAITED
        return STOPPED if self._peer.upstream.made > made else LOST

    def _again(self, item: ProxyCase, failed: Trial) -> Trial:
        """Hold a failed dialogue again, alone and with a proxy that serves."""
        if item.milder and self._passes(item.milder):
            return Trial(Exchange(), noted=_broken(failed), why=EXTREME)
        woken = self._woke(item)
        seen = set() if woken else {failed.guilty(item)}
        trial = failed
        for _ in range(ATTEMPTS):
            trial = self._attempt(item)
            guilty = trial.guilty(item)
            if not guilty:
                return trial if woken else replace(trial, noted=_broken(failed))
            if trial.died:
                return self._after_death(item, trial)
            if guilty in seen:
                return trial
            seen.add(guilty)
            self._woke(item)
        return Trial(Exchange(), noted=_broken(trial))

    def _after_death(self, item: ProxyCase, failed: Trial) -> Trial:
        """Repeat a dialogue after which the proxy was dead; an end of its process always counts.

        If this one lets it live, one before it is charged, where that ends it.
        """
        control = self._control
        if control is not None:
            control.restart()
        try:
            trial = self._attempt(item)
        except TargetError:
            return failed
        if control is not None and not trial.died and control.ended(DYING_S):
            trial = replace(trial, died=self._last_words())
            self._find_killer()  # an end so late is not the one that was seen first
        if trial.died:
            return trial
        if control is None:
            return replace(trial, noted=Broken(f"the proxy could not be reached: {failed.died}"))
        if self._find_killer():
            control.restart()
            return self.hold(item)
        control.restart()
        return replace(failed, died=f"{failed.died}; {LIVED}")

    def _explained(self, item: ProxyCase, trial: Trial) -> Trial:
        """Return a trial with the rule that broke in place of the dialogue's own, if any."""
        if self._fails_without(item):
            return replace(trial, first=WITHOUT)
        self._woke(item)  # what this dialogue did to the proxy is not charged to its basics
        for basic in item.basics:
            if basic.id == item.id:
                continue
            held = exchange(basic.begin(), self._peer)
            if held.absent and trial.guilty(item) not in item.rules:
                return Trial(held)  # its preparation need not arrive at the broker
            if held.broken is not None and exchange(basic.begin(), self._peer).broken is not None:
                rule = held.broken.judged_by or basic.rules[0]
                found = self._known.broken.setdefault(basic.id, BrokenBasic(basic, held, rule))
                return replace(trial, first=rule, basic=found)
        broken = trial.control_broken
        return replace(trial, first=broken.judged_by or REQUESTS_PASS) if broken else trial

    def _fails_without(self, item: ProxyCase) -> bool:
        """True if a dialogue fails with nothing in between, which is no proxy's fault."""
        if self._without is None or item.rewrites:
            return False
        return exchange(item.begin(), self._without()).broken is not None

    def _woke(self, item: ProxyCase) -> bool:
        """True if the proxy did not serve a plain request, and does after a restart."""
        control = self._control
        if control is None or not self._may_wake or self._serves(item):
            return False
        control.restart()
        self._may_wake = self._serves(item)
        return self._may_wake

    def _serves(self, item: ProxyCase) -> bool:
        return exchange(item.control_case(), self._peer).broken is None

    def _passes(self, begin: Callable[[], Dialogue]) -> bool:
        """True if a dialogue is held whole, and nothing in it is broken."""
        found = exchange(begin(), self._peer)
        return found.broken is None and not found.absent


def _with_words(trial: Trial, words: str) -> Trial:
    """Return a trial whose failure ends in these words."""
    broken = trial.found.broken
    if broken is None or not words:
        return trial
    said = Broken(
        f"{broken.detail}{words}", broken.expected, broken.actual, judged_by=broken.judged_by
    )
    return replace(trial, found=replace(trial.found, broken=said))


def _broken(trial: Trial) -> Broken | None:
    return trial.control_broken or trial.found.broken


def _harmed(item: ProxyCase, trial: Trial) -> Trial:
    """Return a trial, as failed if plain requests pass before malformed bytes and not after."""
    broken = trial.after.broken if trial.after is not None else None
    served_before = trial.before is not None and trial.before.broken is None
    if broken is None or trial.found.broken is not None or not served_before:
        return trial
    if not item.rules[0].startswith(HARDENING):
        return trial
    what = f"a plain request after it is not served: {broken.detail}"
    harm = Broken(what, broken.expected, broken.actual, judged_by=item.rules[0])
    return replace(trial, found=replace(trial.found, broken=harm))
