"""Brokers that are not the controller, and lose or refuse what they should hand on."""

from __future__ import annotations

from typing import Any

from conformance import error_codes
from conformance.brokers.mutants.mutant import BrokerMutant
from conformance.reference.broker.cluster import Request, Topic, Value
from conformance.reference.broker.errors import Hangup, Refused

ELSEWHERE = 99
"""The node id of the controller."""


class _ElsewhereControlled(BrokerMutant):
    """Is not the controller, and hands nothing on."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(controller=ELSEWHERE, forwards=False, authorizer=False, **settings)

    def check_controller(self) -> None:
        """Raise Refused where that is said, and otherwise Hangup."""
        raise Hangup


class ForControllerCloses(_ElsewhereControlled, breaks="api-versions.advertised-is-served"):
    """Hangs up on a request for the controller that it is not."""


class ForControllerHasNoLeader(_ElsewhereControlled, breaks="topics.controller-or-handed-on"):
    """Answers a request for the controller that it is not with LEADER_NOT_AVAILABLE."""

    def check_controller(self) -> None:
        raise Refused(error_codes.LEADER_NOT_AVAILABLE)


class ForControllerLost(_ElsewhereControlled, breaks="topics.controller-or-handed-on"):
    """Answers a request for the controller that it is not without error, and does nothing."""

    def check_controller(self) -> None:
        """Raise no error."""

    def create_topic(self, request: Request, item: Value) -> Value:
        replicas = self.replicas_of(item)
        return self.topic_created(request, Topic(item["name"], self.new_topic_id(), replicas), {})


class ForControllerDoneAndRefused(_ElsewhereControlled, breaks="topics.controller-or-handed-on"):
    """Carries out a request for the controller that it is not, and answers NOT_CONTROLLER."""

    def check_controller(self) -> None:
        """Raise no error yet."""

    def create_topic(self, request: Request, item: Value) -> Value:
        super().create_topic(request, item)
        raise Refused(error_codes.NOT_CONTROLLER)


class GrowthForControllerLost(BrokerMutant, breaks="partitions.added"):
    """Answers CreatePartitions without error where it is not the controller, and adds nothing."""

    implies = ("partitions.assignment-followed",)

    def add_partitions(self, topic: Topic, replicas: list[list[int]]) -> None:
        """Add nothing."""
