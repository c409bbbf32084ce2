"""Clients that look groups up in the wrong way, or once and for all."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import Any, ClassVar

from conformance.api_keys import FIND_COORDINATOR
from conformance.clients.mutants.mutant import ClientMutant
from conformance.dialogue import Received
from conformance.reference.client import BATCHES_SINCE, Failed, Step, Trying
from conformance.testee_protocol import Value

GROUPS = ("group-a", "group-b")
Found = Generator[Step, Received | None, dict[str, Value]]


class NoOldCoordinators(ClientMutant, breaks="client-coordinators.batch-is-split"):
    """Knows FindCoordinator with many keys alone."""

    def coordinators(self, keys: list[str]) -> Found:
        if self.version_of(FIND_COORDINATOR) < BATCHES_SINCE:
            raise Failed("the broker knows no batches")
        return (yield from super().coordinators(keys))


class FirstKeyAlone(ClientMutant, breaks="client-coordinators.batch-is-split"):
    """Asks about the first of several groups where a broker takes one key, and about no other."""

    def describe(self, key: str) -> Trying:
        is_told = key == GROUPS[0] or self.version_of(FIND_COORDINATOR) >= BATCHES_SINCE
        if not is_told:
            raise Failed(f"no coordinator is told of {key}")
        return (yield from super().describe(key))

    def coordinators(self, keys: list[str]) -> Found:
        is_one = self.version_of(FIND_COORDINATOR) < BATCHES_SINCE
        return (yield from super().coordinators(keys[:1] if is_one else keys))


class OneKeyEverywhere(ClientMutant, breaks="client-coordinators.many-where-served"):
    """Knows FindCoordinator up to version 2, as before there were many keys."""

    versions: ClassVar = {**ClientMutant.versions, FIND_COORDINATOR: (0, 2)}


class OneGroupAtATime(ClientMutant, breaks="client-coordinators.keys-together"):
    """Asks about each group by itself, also where a broker takes many keys."""

    def coordinators(self, keys: list[str]) -> Found:
        found: dict[str, Value] = {}
        for key in keys:
            found |= yield from super().coordinators([key])
        return found


class _Asks(ClientMutant):
    """Fills FindCoordinator in another way."""

    def filled(self, version: int, wanted: Mapping[str, Any]) -> Mapping[str, Any]:
        raise NotImplementedError

    def frame(self, api_key: int, version: int, number: int, wanted: Mapping[str, Any]) -> bytes:
        """Return the frame, with other fields for FindCoordinator."""
        if api_key == FIND_COORDINATOR:
            wanted = self.filled(version, wanted)
        return super().frame(api_key, version, number, wanted)


class KeyInTheOldPlace(_Asks, breaks="client-coordinators.keys-fit"):
    """Fills the one key of old versions in the new ones, too, which have another place for it."""

    def filled(self, version: int, wanted: Mapping[str, Any]) -> Mapping[str, Any]:
        return {"key": (wanted.get("coordinatorKeys") or [wanted.get("key")])[0]}


class FormOfTheFirstBroker(_Asks, breaks="client-coordinators.keys-fit"):
    """Fills FindCoordinator for the first broker that it met, whichever it is sent to."""

    def __init__(self) -> None:
        super().__init__()
        self.takes_many: bool | None = None

    def filled(self, version: int, wanted: Mapping[str, Any]) -> Mapping[str, Any]:
        if self.takes_many is None:
            self.takes_many = version >= BATCHES_SINCE
        keys = wanted.get("coordinatorKeys") or [wanted.get("key")]
        return {"coordinatorKeys": keys} if self.takes_many else {"key": keys[0]}


class OneCoordinatorForAll(ClientMutant, breaks="client-coordinators.found-on-each"):
    """Takes who looks after one group for the one who looks after all."""

    def coordinators(self, keys: list[str]) -> Found:
        found = yield from super().coordinators(keys)
        return dict.fromkeys(keys, found[keys[0]])


class StaysWithItsCoordinator(ClientMutant, breaks="client-coordinators.moved-is-asked-again"):
    """Tells errors of coordinators that pass at once."""

    implies = ("client-transactions.passing-errors-pass",)

    def passing(self) -> frozenset[int]:
        return super().passing() - {14, 15, 16}


class NoTimeToLoad(ClientMutant, breaks="client-coordinators.moved-is-asked-again"):
    """Takes a coordinator that is still loading for one that there is not."""

    implies = ("client-transactions.passing-errors-pass",)

    def passing(self) -> frozenset[int]:
        return super().passing() - {14}
