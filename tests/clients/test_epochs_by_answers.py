"""A member's old epoch counts from the answer that gave it another, and by no clock."""

from __future__ import annotations

import pytest

from conformance.clients.mutants import client_mutants
from conformance.clients.scenarios.groups.resubscribing import (
    MOST_UNDER_WAY,
    RISEN,
    EpochRisesAtTheEnd,
    commits_as_given,
)
from conformance.clients.scenarios.visit import PlayedAnswer, Sent, Visit
from conformance.clients.score import meet
from conformance.dialogue import Broken

SLOW_S = 10.0
"""Between two requests: a machine that has much other work."""


class Member:
    """A visit of a member that beats and commits, in so many words."""

    def __init__(self) -> None:
        self.visit = Visit()

    def beats(self, epoch: int) -> Sent:
        return self._asks("ConsumerGroupHeartbeat", 1, {"memberEpoch": epoch})

    def commits(self, epoch: int, times: int = 1) -> None:
        for _ in range(times):
            self.answered(self._asks("OffsetCommit", 9, {"generationIdOrMemberEpoch": epoch}))

    def answered(self, request: Sent) -> None:
        at_s = SLOW_S * len(self.visit.sent)
        self.visit.answered.append(PlayedAnswer(at_s, 0, 20, request))

    def _asks(self, api: str, version: int, value: dict[str, int]) -> Sent:
        at_s, behind = SLOW_S * len(self.visit.sent), len(self.visit.answered)
        sent = Sent(at_s, 0, 1, b"", api, version, {}, value, behind=behind)
        self.visit.sent.append(sent)
        return sent


def member_with_a_third_heartbeat() -> tuple[Member, Sent]:
    member = Member()
    for epoch in (0, 1):
        member.answered(member.beats(epoch))
    member.commits(1)
    return member, member.beats(1)


def test_commits_that_were_refused_before_the_answer_are_right_however_slow() -> None:
    member, _ = member_with_a_third_heartbeat()
    member.commits(1, times=200)
    commits_as_given(member.visit)


def test_what_was_under_way_is_right_behind_the_answer() -> None:
    member, third = member_with_a_third_heartbeat()
    member.answered(third)
    member.commits(1, times=MOST_UNDER_WAY)
    member.commits(RISEN)
    commits_as_given(member.visit)


def test_what_goes_on_behind_the_answer_is_wrong() -> None:
    member, third = member_with_a_third_heartbeat()
    member.answered(third)
    member.commits(1, times=MOST_UNDER_WAY + 1)
    with pytest.raises(Broken, match="OffsetCommit v9 has epoch 1, and 7 was given"):
        commits_as_given(member.visit)


def test_a_client_that_commits_on_in_its_first_epoch_is_caught_there() -> None:
    mutant = client_mutants()["CommitsOnInItsFirstEpoch"]
    with pytest.raises(Broken):
        commits_as_given(meet(mutant(), EpochRisesAtTheEnd))
