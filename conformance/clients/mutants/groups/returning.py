"""Clients that come again, or want something else of their group, in no good order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from conformance.api_keys import JOIN_GROUP
from conformance.clients.mutants.mutant import ClientMutant
from conformance.reference.client import Asking
from conformance.reference.client.actions.consumers import JOINING, LEAVING
from conformance.reference.client.steps import Trying

COMMITS = 30
"""The number of times a commit is sent."""


class ComesAgainAsItLeft(ClientMutant, breaks="client-members.comes-again-as-new"):
    """Joins again with the epoch that it left with."""

    has_left = False

    def come_back(self) -> None:
        super().come_back()
        self.generation = LEAVING if self.has_left else self.generation
        self.has_left = True


class CommitsOnInItsFirstEpoch(ClientMutant, breaks="client-members.epoch-as-given"):
    """Commits many times before it leaves, each time in the epoch that it was given first."""

    first = JOINING

    def heartbeat(self, topic_id: str) -> Trying:
        code = yield from super().heartbeat(topic_id)
        self.first = self.first or self.generation
        return code

    def depart(self) -> Trying:
        last, self.generation = self.generation, self.first
        for _ in range(COMMITS if self.partition in self.owned else 0):
            yield from self.commit(self.owned_id)
        self.generation = last
        return (yield from super().depart())

    def come_back(self) -> None:
        super().come_back()
        self.first = JOINING


class JoinsTwiceAtOnce(ClientMutant, breaks="client-groups.joins-in-turn"):
    """Joins for what it wants now before it was answered what it wanted before."""

    def ask(self, api_key: int, version: int, wanted: Mapping[str, Any]) -> Asking:
        if api_key != JOIN_GROUP or self.named != "orders.v2":
            return (yield from super().ask(api_key, version, wanted))
        return (yield from self.ask_all(api_key, version, [wanted, wanted]))[-1]
