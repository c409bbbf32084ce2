"""Changes to a topic, requested of the right broker: the controller, or the leader."""

from __future__ import annotations

from typing import Any, ClassVar

from conformance import error_codes
from conformance.clients.scenarios.actions import FILLED
from conformance.clients.scenarios.cluster.nodes import SECOND
from conformance.clients.scenarios.plain_brokers import ServesTopics
from conformance.clients.scenarios.scenario import Scenario
from conformance.clients.scenarios.visit import Judgement, Visit, fails, require, succeeds
from conformance.dialogue import Broken
from conformance.reference.broker.cluster import Request, Topic, Value
from conformance.reference.broker.errors import Refused

THIRD = 3


def _of_each(visit: Visit, wrong: str, expected: str, judge: Any) -> None:
    """Judge that no CreatePartitions has this flaw. Raises NotApplicable if there is none."""
    asked = [each for each in visit.of("CreatePartitions") if each.value]
    require(asked, "it did not ask CreatePartitions")
    for each in asked:
        if judge(each.value):
            raise Broken(f"CreatePartitions v{each.version} {wrong}", expected, each.frame)


def assigns_nothing(visit: Visit) -> None:
    """Judge that assignments are null if the application assigned no replicas."""

    def assigned(value: Value) -> bool:
        return any(each["assignments"] is not None for each in value["topics"])

    _of_each(visit, "has assignments that nobody gave", "null", assigned)


def validates_alone(visit: Visit) -> None:
    """Judge that a request to validate is not a request to do it."""
    _of_each(visit, "is to be done", "validateOnly", lambda value: not value["validateOnly"])


class Grows(Scenario, about="CreatePartitionsRequest", action="grow"):
    """Is asked whether a topic may have a second partition, on replicas of the broker's choice."""

    control_case = ServesTopics
    decides: ClassVar[dict[str, Judgement]] = {
        "client-requests.none-assigned-is-null": assigns_nothing,
        "client-requests.validation-is-told": validates_alone,
    }


class _Leads(Scenario, about="DeleteRecordsRequest", action="trim"):
    """One of three brokers, of which the third leads and the second is the controller."""

    configured: ClassVar = {"controller": SECOND}

    def leader_of(self, topic: str) -> int:
        return THIRD

    def check_partition(self, topic: Topic, index: int) -> None:
        super().check_partition(topic, index)
        if self.node_id != THIRD:
            raise Refused(error_codes.NOT_LEADER_OR_FOLLOWER)


def asks_the_leader(visit: Visit) -> None:
    """Judge that DeleteRecords goes to the partition's leader, and to no other broker."""
    asked = require(visit.of("DeleteRecords"), "it did not ask DeleteRecords")
    for each in asked:
        if each.node != THIRD:
            what = f"DeleteRecords v{each.version} asks broker {each.node}"
            raise Broken(what, f"broker {THIRD}, which leads", each.frame)
    succeeds(visit)


class LeaderIsNoController(_Leads):
    """Is asked to delete records beside a controller and the leader of the topic, two brokers."""

    others: ClassVar = {SECOND: _Leads, THIRD: _Leads}
    decides: ClassVar = {"client-requests.records-deleted-at-leader": asks_the_leader}


class TopicToDescribe(Scenario, about="MetadataRequest", action="describe"):
    """Has the topic that is to be described."""

    control_case = ServesTopics
    decides: ClassVar = {"client-answers.topic-described": succeeds}


class TopicGone(Scenario, about="MetadataRequest", action="describe"):
    """Has no topic of the name that is to be described."""

    decides: ClassVar = {"client-answers.missing-topic-told": fails}

    def metadata(self, request: Request) -> Value:
        """Return Metadata with the error of a topic that does not exist."""
        answer = super().metadata(request)
        gone = {"errorCode": error_codes.UNKNOWN_TOPIC_OR_PARTITION, "partitions": []}
        topics = [{**each, **gone} if each["name"] == FILLED else each for each in answer["topics"]]
        return {**answer, "topics": topics}
