"""The cases that are left out of a run since the broker answers nothing where they would ask.

Each question that is met by silence costs the whole time limit, and several of them: a dialogue
that fails is held again, and its control cases as well. What a broker leaves unanswered, alone and
again, is a finding after the first time; a few more show that it is the rule, and the others would
cost minutes and show nothing new.
"""

from __future__ import annotations

from collections import Counter

from conformance.brokers.dialogues import DialogueCase
from conformance.brokers.dialogues.talk import GREETED, SERVED
from conformance.brokers.exchange import Exchange

ENOUGH = 3
"""The number of cases that show that all others of their kind end in silence as well."""


class Silence:
    """A count of the dialogues that a broker left in silence twice, and of what it answered.

    A silent broker is one of which nothing at all was heard, a silent API one of which no plain
    request was answered. Of other rules the cases are counted by rule and message; malformed
    requests by rule and fault, as they rarely get as far as the handler of an API.
    """

    def __init__(self) -> None:
        self._was_heard = False
        self._answered: set[str] = set()
        self._unanswered: Counter[str] = Counter()
        self._silent: Counter[tuple[str, str]] = Counter()

    def take(self, item: DialogueCase, found: Exchange, *, again: bool) -> None:
        """Count a dialogue that was held; `again` says that it ended so alone and twice."""
        kind = found.last.kind if found.last is not None else ""
        self._was_heard |= kind == "reply" or bool(found.answer)
        api = item.message.removesuffix("Request")
        if item.rule == SERVED and found.broken is None and not found.absent:
            self._answered.add(api)
        if found.broken is None or kind != "silent" or found.answer or not again:
            return
        self._silent[_key(item)] += 1
        if item.rule == SERVED and found.broken.unanswered in (None, (api, item.version)):
            self._unanswered[api] += 1

    def is_silent(self, api: str) -> bool:
        """True if several plain requests of an API were left in silence, and none was answered."""
        return self._unanswered[api] >= ENOUGH and api not in self._answered

    def why_left_out(self, item: DialogueCase) -> str:
        """Return the reason that a case need not be asked, "" if it is to be asked."""
        if item.rule == GREETED:  # all others rest on it
            return ""
        if not self._was_heard and self._silent.total() >= ENOUGH:
            return "nothing that was asked was answered, alone and again"
        for api in item.apis:
            if self.is_silent(api):
                return f"no plain request of {api} was answered, alone and again"
        if self._silent[_key(item)] >= ENOUGH:
            return f"{ENOUGH} cases of {item.rule} were left in silence, alone and again"
        return ""


def _key(item: DialogueCase) -> tuple[str, str]:
    return item.rule, item.id.partition("/")[2] if item.malformed else item.message
