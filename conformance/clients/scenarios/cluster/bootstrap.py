"""A broker that the client knows of, and that has left the cluster since."""

from __future__ import annotations

from typing import Any, ClassVar

from conformance.clients.scenarios.actions import Action
from conformance.clients.scenarios.scenario import Scenario
from conformance.clients.scenarios.visit import succeeds
from conformance.reference.broker.cluster import Request, Value
from conformance.reference.broker.connections.session import Session
from conformance.reference.broker.errors import Hangup
from conformance.reference.broker.releases import NAMES

THERE = 1000
_STILL = ("ApiVersions", "Metadata")
_ACTIONS: tuple[Action, ...] = ("produce", "consume", "join")


class _Cluster(Scenario, is_known=False, about="MetadataRequest"):
    """Knows of one broker."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**{**settings, "controller": THERE})

    def leader_of(self, topic: str) -> int:
        return THERE

    def brokers(self) -> list[Value]:
        return [each for each in super().brokers() if each["nodeId"] == THERE]


class _LeftSession(Session):
    """Answers requests about the cluster, and hangs up on all others."""

    def handle(self, request: Request) -> Value:
        if NAMES[request.api_key] not in _STILL:
            raise Hangup
        return super().handle(request)


class _Left(_Cluster, is_known=False):
    """Is no part of the cluster any more."""

    sessions = _LeftSession
    decides: ClassVar = {"client-answers.bootstrap-left": succeeds}


for _action in _ACTIONS:
    _of = {"__module__": __name__, "action": _action}
    _there = type("There", (_Cluster,), _of, is_known=False)
    _says = f"Tells of the only broker, 1000, and of nothing else, when asked for {_action}."
    type(
        f"BootstrapHasLeft{_action.capitalize()}",
        (_Left,),
        {**_of, "__doc__": _says, "others": {THERE: _there}},
    )
