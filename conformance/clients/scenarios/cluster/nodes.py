"""Brokers by their ids: any that there may be, and the one that creates topics."""

from __future__ import annotations

from typing import Any, ClassVar

from conformance import error_codes
from conformance.clients.scenarios.actions import Action
from conformance.clients.scenarios.judging import unless_older
from conformance.clients.scenarios.scenario import Scenario
from conformance.clients.scenarios.visit import succeeds
from conformance.reference.broker.cluster import Request, Value
from conformance.reference.broker.errors import Refused

SECOND = 2
NOBODY = -1
_ACTIONS: tuple[Action, ...] = ("consume", "groups", "join")
_IDS = (0, 1000, 2**31 - 1)


class _Numbered(Scenario):
    """Has another id."""

    about = "MetadataRequest"
    number: ClassVar[int]

    def __init__(self, **settings: Any) -> None:
        super().__init__(**{"node_id": self.number, "controller": self.number, **settings})

    def leader_of(self, topic: str) -> int:
        del topic
        return self.number


for _id in _IDS:
    for _action in _ACTIONS:
        _fields = {
            "__doc__": f"Is broker {_id}, to a client that is asked for {_action}.",
            "__module__": __name__,
            "number": _id,
            "action": _action,
            "decides": {"client-answers.any-node-id": succeeds},
        }
        type(f"Node{_id}Of{_action.capitalize()}", (_Numbered,), _fields)


NAMED_SINCE = 1
"""The first version of Metadata that names the controller."""
_CONTROLLER_ASKED = {
    "client-requests.controller-asked": unless_older("Metadata", NAMED_SINCE, succeeds)
}


class _OfController(Scenario):
    """One of four brokers, the second of which is the controller, and no other creates topics."""

    about = "CreateTopicsRequest"
    action: ClassVar[Action] = "create"

    def __init__(self, **settings: Any) -> None:
        super().__init__(**{"controller": SECOND, "forwards": False, **settings})


class _Other(_OfController):
    """Another broker: a client that asks any broker is not to find the controller by chance."""


class ControllerElsewhere(_OfController):
    """Is not the controller, which Metadata names, and answers CreateTopics with NOT_CONTROLLER."""

    others: ClassVar = dict.fromkeys((SECOND, 3, 4), _Other)
    decides: ClassVar = _CONTROLLER_ASKED


class _Deleting(_OfController):
    """One of four brokers, the second of which is the controller, and no other deletes topics."""

    about = "DeleteTopicsRequest"
    action = "delete"


class ControllerOfDeletion(_Deleting):
    """Is not the controller, which Metadata names, and answers DeleteTopics with NOT_CONTROLLER."""

    others: ClassVar = dict.fromkeys((SECOND, 3, 4), _Deleting)
    decides: ClassVar = _CONTROLLER_ASKED


class ControllerAgain(Scenario):
    """Answers the first DeleteTopics with NOT_CONTROLLER, and is the controller again."""

    about = "DeleteTopicsRequest"
    action = "delete"
    decides: ClassVar = {"client-answers.passing-errors-pass": succeeds}
    left = 1

    def check_controller(self) -> None:
        super().check_controller()
        self.left -= 1
        if self.left >= 0:
            raise Refused(error_codes.NOT_CONTROLLER)


class ControllerUnknownYet(Scenario):
    """Names no controller in its first two answers to Metadata."""

    about = "MetadataRequest"
    action = "create"
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
