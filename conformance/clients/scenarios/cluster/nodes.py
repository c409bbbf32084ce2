"""Brokers by their ids: any that there may be, the one that creates topics, and those of a
partition's replicas.
"""

from __future__ import annotations

from typing import Any, ClassVar

from conformance import error_codes
from conformance.clients.scenarios.actions import FIRST, Action
from conformance.clients.scenarios.judging import (
    CONTROLLER_NAMED_SINCE,
    asks_broker,
    unless_older,
    where_asked,
)
from conformance.clients.scenarios.scenario import Scenario
from conformance.clients.scenarios.visit import Judgement, Visit, require, succeeds
from conformance.dialogue import Broken
from conformance.reference.broker.cluster import Request, Value
from conformance.reference.broker.errors import Refused

SECOND = 2
NOBODY = -1
_ACTIONS: tuple[Action, ...] = ("consume", "groups", "join")
_IDS = (0, 1000, 2**31 - 1)


class _Numbered(Scenario, about="MetadataRequest"):
    """Has another id."""

    number: ClassVar[int]

    def __init__(self, **settings: Any) -> None:
        super().__init__(**{"node_id": self.number, "controller": self.number, **settings})

    def leader_of(self, topic: str) -> int:
        return self.number


for _id in _IDS:
    for _action in _ACTIONS:
        _Numbered.variant(
            f"Node{_id}Of{_action.capitalize()}",
            f"Is broker {_id}, to a client that is asked for {_action}.",
            number=_id,
            action=_action,
            decides={"client-answers.any-node-id": succeeds},
        )


def _asks_controller(api: str) -> dict[str, Judgement]:
    judgement = unless_older("Metadata", CONTROLLER_NAMED_SINCE, asks_broker(api, SECOND))
    return {"client-requests.controller-asked": judgement}


class _OfController(Scenario, about="CreateTopicsRequest", action="create"):
    """One of four brokers, the second of which is the controller, and no other creates topics."""

    configured: ClassVar = {"controller": SECOND, "forwards": False}


class _Other(_OfController):
    """Another broker: a client that asks any broker is not to find the controller by chance."""


class ControllerElsewhere(_OfController):
    """Is not the controller, which Metadata names, and answers CreateTopics with NOT_CONTROLLER."""

    others: ClassVar = dict.fromkeys((SECOND, 3, 4), _Other)
    decides: ClassVar = _asks_controller("CreateTopics")


class _Deleting(_OfController, about="DeleteTopicsRequest", action="delete"):
    """One of four brokers, the second of which is the controller, and no other deletes topics."""


class ControllerOfDeletion(_Deleting):
    """Is not the controller, which Metadata names, and answers DeleteTopics with NOT_CONTROLLER."""

    others: ClassVar = dict.fromkeys((SECOND, 3, 4), _Deleting)
    decides: ClassVar = _asks_controller("DeleteTopics")


class ControllerAgain(Scenario, about="DeleteTopicsRequest", action="delete"):
    """Answers the first DeleteTopics with NOT_CONTROLLER, and is the controller again."""

    decides: ClassVar = {"client-answers.passing-errors-pass": succeeds}
    left = 1

    def check_controller(self) -> None:
        super().check_controller()
        self.left -= 1
        if self.left >= 0:
            raise Refused(error_codes.NOT_CONTROLLER)


class ControllerUnknownYet(Scenario, about="MetadataRequest", action="create"):
    """Names no controller in its first two answers to Metadata."""

    decides: ClassVar = {"client-requests.no-controller-yet-is-no-error": succeeds}

    unknown: ClassVar[int] = 2

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.left = self.unknown

    def controller_id(self) -> int:
        return super().controller_id() if self.left <= 0 else NOBODY

    def metadata(self, request: Request) -> Value:
        answer = super().metadata(request)
        self.left -= 1
        return answer

    def check_controller(self) -> None:
        """Accept requests for the controller."""


class ControllerUnknownForLong(ControllerUnknownYet):
    """Names no controller in its first four answers to Metadata."""

    unknown = 4


GONE = 9
ALL_SINCE = range(1, 100)
"""Version 0 of Metadata names no replica whose broker is not there."""


def each_told(visit: Visit) -> None:
    """Judge that the driver prints the ids of both replicas."""
    succeeds(visit)
    told, wanted = visit.ended.text.split(), [str(FIRST), str(GONE)]
    require(told, "the driver does not tell of the replicas")
    if sorted(told) != wanted:
        what = f"it tells the replicas {', '.join(told)}, and they are {', '.join(wanted)}"
        raise Broken(what, " ".join(wanted), " ".join(told))


class ReplicaGone(Scenario, about="MetadataRequest", action="describe"):
    """Tells of a partition of which a broker that is not there now holds a replica."""

    decides: ClassVar = {
        "client-answers.replicas-told": where_asked("Metadata", each_told, ALL_SINCE)
    }

    def described_partition(self, index: int, replicas: list[int]) -> Value:
        return super().described_partition(index, [*replicas, GONE])
