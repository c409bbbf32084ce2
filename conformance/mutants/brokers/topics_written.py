"""Topics that come to be otherwise than was said, or not at all, or that don't go."""

# ruff: noqa: ARG002 - not to look at something is a defect like others

from __future__ import annotations

from typing import Any

from conformance.mutants.brokers.mutant import BrokerMutant
from conformance.peers import errors
from conformance.peers.cluster import TOPIC, Request, Topic, Value
from conformance.peers.errors import Hangup, Refused
from conformance.peers.partitions import bad_assignment
from conformance.peers.topics import DEFAULT

NOBODY = 99


class BrokerTwiceAssigned(BrokerMutant):
    """Takes an assignment that names one broker twice for a partition."""

    breaks = "topics.bad-assignment-refused"

    def check_replicas(self, replicas: list[int]) -> None:
        """Raise Refused for other faults."""
        super().check_replicas(list(dict.fromkeys(replicas)))


class UnknownBrokerAssigned(BrokerMutant):
    """Takes an assignment to a broker that there is not."""

    breaks = "topics.bad-assignment-refused"

    def check_replicas(self, replicas: list[int]) -> None:
        """Raise Refused for no broker, and for one twice."""
        if not replicas or len(set(replicas)) < len(replicas):
            raise bad_assignment("Not these.")


class GapBetweenPartitions(BrokerMutant):
    """Takes an assignment with a gap between the partitions, and closes it."""

    breaks = "topics.bad-assignment-refused"

    def assigned_replicas(self, item: Value) -> list[list[int]]:
        """The replicas in the order of their partitions, whatever their numbers."""
        numbers = sorted({each["partitionIndex"] for each in item["assignments"]})
        closed = [
            {**each, "partitionIndex": numbers.index(each["partitionIndex"])}
            for each in item["assignments"]
        ]
        return super().assigned_replicas({**item, "assignments": closed})


class BadAssignmentIsARequest(BrokerMutant):
    """Refuses an assignment that can't be with INVALID_REQUEST."""

    breaks = "topics.bad-assignment-refused"

    def check_replicas(self, replicas: list[int]) -> None:
        """Raise Refused with the wrong error."""
        try:
            super().check_replicas(replicas)
        except Refused:
            raise Refused(errors.INVALID_REQUEST) from None


class NumbersNotTold(BrokerMutant):
    """Tells -1 for the partitions and the factor of a topic that it created."""

    breaks = "topics.result-describes-topic"

    def topic_created(self, request: Request, topic: Topic, configs: dict[str, str]) -> Value:
        """The result without numbers."""
        found = super().topic_created(request, topic, configs)
        return {**found, "numPartitions": -1, "replicationFactor": -1}


class ConfigsNotTold(BrokerMutant):
    """Tells no configs of a topic that it created."""

    breaks = "topics.result-describes-topic"

    def topic_created(self, request: Request, topic: Topic, configs: dict[str, str]) -> Value:
        """The result without configs."""
        return {**super().topic_created(request, topic, configs), "configs": []}


class DefaultConfigsTold(BrokerMutant):
    """Tells the defaults for the configs of a topic that it created with others."""

    breaks = "topics.result-describes-topic"

    def topic_created(self, request: Request, topic: Topic, configs: dict[str, str]) -> Value:
        """The result with the configs of another topic."""
        return super().topic_created(request, topic, {})


class _NeverDeletes(BrokerMutant):
    """Has the deletion of topics disabled."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(delete_topics_enabled=False, **settings)


class DisabledBeforeItsTime(_NeverDeletes):
    """Answers TOPIC_DELETION_DISABLED in versions that do not know it."""

    breaks = "topics.deletion-disabled-error"

    def check_deletion_enabled(self, version: int) -> None:
        """Raise Refused with the newer error."""
        super().check_deletion_enabled(3)


class DisabledIsARequest(_NeverDeletes):
    """Answers INVALID_REQUEST for deletion that is disabled in all versions."""

    breaks = "topics.deletion-disabled-error"

    def check_deletion_enabled(self, version: int) -> None:
        """Raise Refused with the older error."""
        super().check_deletion_enabled(0)


class DisabledIsUnauthorised(_NeverDeletes):
    """Answers TOPIC_AUTHORIZATION_FAILED for deletion that is disabled."""

    breaks = "topics.deletion-disabled-error"

    def check_deletion_enabled(self, version: int) -> None:
        """Raise Refused with another error."""
        raise Refused(errors.TOPIC_AUTHORIZATION_FAILED)


class CreatedIsForgotten(BrokerMutant):
    """Answers that a topic was created, and creates none."""

    breaks = "topics.created-has-leaders"

    def add_topic(self, topic: Topic) -> None:
        """Hold no topic that a client asks for."""
        if not topic.name.startswith("kafka-conformance-"):
            super().add_topic(topic)


class CreatedWithOnePartition(BrokerMutant):
    """Creates topics with one partition, however many were asked for."""

    breaks = "topics.created-has-leaders"

    def add_topic(self, topic: Topic) -> None:
        """Hold the first of its partitions."""
        super().add_topic(Topic(topic.name, topic.topic_id, topic.replicas[:1]))


class NewPartitionsHaveNoLeader(BrokerMutant):
    """Never elects a leader for the partitions of a topic but the first."""

    breaks = "topics.created-has-leaders"

    def described_partition(self, index: int, replicas: list[int]) -> Value:
        """A partition that nobody leads."""
        found = super().described_partition(index, replicas)
        alone = {"leaderId": -1, "errorCode": errors.LEADER_NOT_AVAILABLE}
        return found | (alone if index else {})


class ChoosesBrokersThatAreNot(BrokerMutant):
    """Puts partitions on brokers that there are not."""

    breaks = "topics.server-chooses-brokers"

    def chosen_replicas(self, index: int, factor: int) -> list[int]:
        """Numbers from 0 on, whatever the brokers' are."""
        return [*super().chosen_replicas(index, factor)[1:], NOBODY]


class ChoosesOneBrokerTwice(BrokerMutant):
    """Puts two replicas of a partition on one broker."""

    breaks = "topics.server-chooses-brokers"

    def chosen_replicas(self, index: int, factor: int) -> list[int]:
        """One of them again."""
        found = super().chosen_replicas(index, factor)
        return [*found, found[0]]


class ChoosesForTheFirstAlone(BrokerMutant):
    """Creates a topic without an assignment with its first partition alone."""

    breaks = "topics.server-chooses-brokers"

    def replicas_of(self, item: Value) -> list[list[int]]:
        """The replicas of one partition, where they are for it to choose."""
        found = super().replicas_of(item)
        return found if item["assignments"] else found[:1]


class AssignedPartitionsCut(BrokerMutant):
    """Takes the first partition of an assignment, and no other."""

    breaks = "topics.assignment-followed"

    def assigned_replicas(self, item: Value) -> list[list[int]]:
        """The replicas of the first partition."""
        return super().assigned_replicas(item)[:1]


class AssignmentChecked(BrokerMutant):
    """Checks an assignment, and then chooses the brokers itself."""

    breaks = "topics.assignment-followed"

    def assigned_replicas(self, item: Value) -> list[list[int]]:
        """Replicas of its own choice, for the default number of partitions."""
        super().assigned_replicas(item)
        return [self.chosen_replicas(index, 1) for index in range(self.num_partitions)]


class FirstReplicaIsDown(BrokerMutant):
    """Puts the first replica of an assigned partition on a broker that is down."""

    breaks = "topics.assignment-followed"

    def assigned_replicas(self, item: Value) -> list[list[int]]:
        """Replicas of which the first leads nothing."""
        return [[NOBODY, *replicas[1:]] for replicas in super().assigned_replicas(item)]


class ConfigsDropped(BrokerMutant):
    """Checks the configs of a new topic, and drops them."""

    breaks = "topics.created-with-configs"

    def configs_of(self, item: Value) -> dict[str, str]:
        """None, if they are right. Raises Refused."""
        super().configs_of(item)
        return {}


class FirstConfigAlone(BrokerMutant):
    """Keeps the first config of a new topic alone."""

    breaks = "topics.created-with-configs"

    def configs_of(self, item: Value) -> dict[str, str]:
        """One of them. Raises Refused."""
        return dict(list(super().configs_of(item).items())[:1])


class ConfigsOfAllTopics(BrokerMutant):
    """Sets the configs of a new topic for all topics of the same request."""

    breaks = "topics.created-with-configs"

    def create_topics(self, request: Request) -> Value:
        """The results, and the configs of one for all."""
        found = super().create_topics(request)
        every = [self.configs.get((TOPIC, each["name"]), {}) for each in found["topics"]]
        merged = {key: value for each in every for key, value in each.items()}
        for each in found["topics"]:
            if merged and each["name"] in self.topics:
                self.set_configs((TOPIC, each["name"]), merged)
        return found


class FirstFailureEndsCreation(BrokerMutant):
    """Creates no topic that stands behind one that failed, and says that it did."""

    breaks = "topics.failures-spare-the-created"

    def create_topics(self, request: Request) -> Value:
        """The results, of which some are not true."""
        found = super().create_topics(request)
        failed = False
        for each in found["topics"]:
            failed = failed or bool(each["errorCode"])
            if failed and not each["errorCode"] and not request.value["validateOnly"]:
                self.remove_topic(self.topics[each["name"]])
        return found


class OneFailureFailsCreation(BrokerMutant):
    """Creates all topics of a request or none."""

    breaks = "topics.failures-spare-the-created"

    def create_topics(self, request: Request) -> Value:
        """The results, or the first error for all."""
        found = super().create_topics(request)
        code = next((each["errorCode"] for each in found["topics"] if each["errorCode"]), 0)
        if not code:
            return found
        for each in found["topics"]:
            if not each["errorCode"] and not request.value["validateOnly"]:
                self.remove_topic(self.topics[each["name"]])
        topics = [self.topic_not_created(each["name"], Refused(code)) for each in found["topics"]]
        return {**found, "topics": topics}


class NoTimeCloses(BrokerMutant):
    """Hangs up on a CreateTopics without time."""

    breaks = "topics.no-time-to-create"

    def create_topics(self, request: Request) -> Value:
        """Results, or a hangup."""
        if request.value["timeoutMs"] <= 0:
            raise Hangup
        return super().create_topics(request)


class NoTimeIsUnknownError(BrokerMutant):
    """Answers UNKNOWN_SERVER_ERROR where a request for the controller has no time."""

    breaks = "topics.no-time-to-create"

    def check_time(self, request: Request) -> None:
        """Raise Refused with the wrong error."""
        if request.value["timeoutMs"] <= 0:
            raise Refused(errors.UNKNOWN_SERVER_ERROR)


class NoTimeNoResults(BrokerMutant):
    """Answers a CreateTopics without time with no topics."""

    breaks = "topics.no-time-to-create"

    def create_topics(self, request: Request) -> Value:
        """The results of those that had time."""
        found = super().create_topics(request)
        return {**found, "topics": found["topics"] if request.value["timeoutMs"] > 0 else []}


class _NoDefaultsYet(BrokerMutant):
    """Does otherwise where counts are left out that can't be, before version 4."""

    def create_topic(self, request: Request, item: Value) -> Value:
        """The topic, or what comes of no counts. Raises Refused."""
        left_out = item["numPartitions"] == DEFAULT and not item["assignments"]
        if left_out and request.version < 4:
            return self.without_counts(request, item)
        return super().create_topic(request, item)

    def without_counts(self, request: Request, item: Value) -> Value:
        """What comes of them. Raises Refused and Hangup."""
        raise Hangup


class CountsLeftOutClose(_NoDefaultsYet):
    """Hangs up on a topic without counts before version 4."""

    breaks = "topics.counts-or-defaults"


class CountsLeftOutAreNone(_NoDefaultsYet):
    """Creates a topic without partitions where counts are left out before version 4."""

    breaks = "topics.counts-or-defaults"

    def without_counts(self, request: Request, item: Value) -> Value:
        """A topic without partitions."""
        topic = Topic(item["name"], self.new_topic_id(), [])
        self.add_topic(topic)
        told = Topic(topic.name, topic.topic_id, [[self.node_id]])
        return self.topic_created(request, told, {})


class CountsLeftOutFail(_NoDefaultsYet):
    """Answers UNKNOWN_SERVER_ERROR where counts are left out before version 4."""

    breaks = "topics.counts-or-defaults"

    def without_counts(self, request: Request, item: Value) -> Value:
        """The wrong error."""
        raise Refused(errors.UNKNOWN_SERVER_ERROR)


class AnotherIdTold(BrokerMutant):
    """Tells another id for a topic that it created than the topic has."""

    breaks = "topics.id-as-metadata-has-it"

    def topic_created(self, request: Request, topic: Topic, configs: dict[str, str]) -> Value:
        """The result with an id of its own."""
        return {**super().topic_created(request, topic, configs), "topicId": self.new_topic_id()}


class OneIdForARequest(BrokerMutant):
    """Gives all topics of a request the same id."""

    breaks = "topics.id-as-metadata-has-it"

    def create_topics(self, request: Request) -> Value:
        """The results, with one id."""
        found = super().create_topics(request)
        first = found["topics"][0]["topicId"] if found["topics"] else ""
        for each in found["topics"]:
            each["topicId"] = first
            if each["name"] in self.topics:
                self.topics[each["name"]].topic_id = first
                self._names_by_id[first] = each["name"]
        return found

    def remove_topic(self, topic: Topic) -> None:
        """Hold a topic no more; its id may be gone already."""
        self._names_by_id[topic.topic_id] = topic.name
        super().remove_topic(topic)


class DeletedIsThere(BrokerMutant):
    """Answers that a topic was deleted, and keeps it."""

    breaks = "topics.deleted-is-gone"

    def remove_topic(self, topic: Topic) -> None:
        """Nothing."""


class DeletedByItsBeginning(BrokerMutant):
    """Deletes every topic whose name begins like the one that is to be deleted."""

    breaks = "topics.deleted-is-gone"

    def remove_topic(self, topic: Topic) -> None:
        """Hold them no more."""
        begin = topic.name.rpartition("-")[2] and topic.name
        numbered = begin.removeprefix("kafka-conformance-").lstrip("0123456789")
        for other in [each for each in self.topics.values() if numbered in each.name]:
            super().remove_topic(other)


class IdDeletesNothing(BrokerMutant):
    """Answers that a topic was deleted by its id, and keeps it."""

    breaks = "topics.deleted-by-id"

    def delete_topic(self, request: Request, item: Value) -> Value:
        """The result, and the topic again. Raises Refused."""
        found = super().delete_topic(request, item)
        if item["name"] is None:
            self.add_topic(Topic(found["name"], found["topicId"], [[self.node_id]]))
        return found


class NameOfIdNotTold(BrokerMutant):
    """Leaves the name out of the result of a topic that was deleted by its id."""

    breaks = "topics.deleted-by-id"

    def delete_topic(self, request: Request, item: Value) -> Value:
        """The result as it was asked for. Raises Refused."""
        return {**super().delete_topic(request, item), "name": item["name"]}


class IdOfIdNotTold(BrokerMutant):
    """Leaves the id out of the result of a topic that was deleted by it."""

    breaks = "topics.deleted-by-id"

    def delete_topic(self, request: Request, item: Value) -> Value:
        """The result with the id of no topic. Raises Refused."""
        return {**super().delete_topic(request, item), "topicId": "A" * 22}


class FirstFailureEndsDeletion(BrokerMutant):
    """Keeps every topic that stands behind one that could not be deleted, and says it does not."""

    breaks = "topics.failures-spare-the-deleted"

    def delete_topics(self, request: Request) -> Value:
        """The results, of which some are not true."""
        before = dict(self.topics)
        found = super().delete_topics(request)
        failed = False
        for each in found["responses"]:
            failed = failed or bool(each["errorCode"])
            if failed and not each["errorCode"]:
                self.add_topic(before[each["name"]])
        return found


class OneFailureFailsDeletion(BrokerMutant):
    """Answers all topics of a DeleteTopics with an error where one has it."""

    breaks = "topics.failures-spare-the-deleted"

    def delete_topics(self, request: Request) -> Value:
        """The results, or the first error for all."""
        found = super().delete_topics(request)
        codes = [each["errorCode"] for each in found["responses"] if each["errorCode"]]
        for each in found["responses"]:
            each["errorCode"] = codes[0] if codes else 0
        return found


class NoTimeToDeleteCloses(BrokerMutant):
    """Hangs up on a DeleteTopics without time."""

    breaks = "topics.no-time-to-delete"

    def delete_topics(self, request: Request) -> Value:
        """Results, or a hangup."""
        if request.value["timeoutMs"] <= 0:
            raise Hangup
        return super().delete_topics(request)


class NoTimeToDeleteIsARequest(BrokerMutant):
    """Answers INVALID_REQUEST where a request for the controller has no time."""

    breaks = "topics.no-time-to-delete"

    def check_time(self, request: Request) -> None:
        """Raise Refused with the wrong error."""
        if request.value["timeoutMs"] <= 0:
            raise Refused(errors.INVALID_REQUEST)


class TwiceToDeleteAnsweredTwice(BrokerMutant):
    """Deletes a topic that DeleteTopics names twice, and answers the second mention as unknown."""

    breaks = "topics.twice-to-delete-has-one-result"

    def grouped(self, asked: list[Value]) -> list[list[Value]]:
        """Each mention by itself."""
        return [[each] for each in asked]


class TwiceToDeleteRefusedAndGone(BrokerMutant):
    """Refuses a topic that DeleteTopics names twice, and deletes it."""

    breaks = "topics.twice-to-delete-has-one-result"

    def asked_twice(self, item: Value) -> None:
        """The topic is gone. Raises Refused."""
        if item["name"] in self.topics:
            self.remove_topic(self.topics[item["name"]])
        super().asked_twice(item)


class TwiceToDeleteIgnored(BrokerMutant):
    """Answers a topic that DeleteTopics names twice as deleted, and keeps it."""

    breaks = "topics.twice-to-delete-has-one-result"

    def delete_topics(self, request: Request) -> Value:
        """The results, of which some are not true."""
        found = super().delete_topics(request)
        for each in found["responses"]:
            if each["errorCode"] == errors.INVALID_REQUEST and each["name"] in self.topics:
                each["errorCode"] = errors.NONE
        return found


class GoneTopicIsInvalid(BrokerMutant):
    """Answers the second of two deletions with INVALID_TOPIC_EXCEPTION."""

    breaks = "topics.deleted-while-deleted"

    def topic_to_delete(self, request: Request, item: Value) -> Topic:
        """The topic. Raises Refused with another error where there is none."""
        try:
            return super().topic_to_delete(request, item)
        except Refused as refused:
            unknown = refused.code == errors.UNKNOWN_TOPIC_OR_PARTITION
            code = errors.INVALID_TOPIC_EXCEPTION if unknown else refused.code
            raise Refused(code) from None


class GoneTopicCloses(BrokerMutant):
    """Hangs up on the second of two deletions."""

    breaks = "topics.deleted-while-deleted"

    def topic_to_delete(self, request: Request, item: Value) -> Topic:
        """The topic. Raises Hangup where there is none."""
        if item["name"] is not None and item["name"] not in self.topics:
            raise Hangup
        return super().topic_to_delete(request, item)


class _ElsewhereControlled(BrokerMutant):
    """Is not the controller, and hands nothing on."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(controller=NOBODY, forwards=False, authorizer=False, **settings)

    def check_controller(self) -> None:
        """Raise Refused where that is said, and otherwise Hangup."""
        raise Hangup


class ForControllerCloses(_ElsewhereControlled):
    """Hangs up on a request for the controller that it is not."""

    breaks = "topics.controller-or-handed-on"


class ForControllerHasNoLeader(_ElsewhereControlled):
    """Answers a request for the controller that it is not with LEADER_NOT_AVAILABLE."""

    breaks = "topics.controller-or-handed-on"

    def check_controller(self) -> None:
        """Raise Refused with the wrong error."""
        raise Refused(errors.LEADER_NOT_AVAILABLE)


class ForControllerLost(_ElsewhereControlled):
    """Answers a request for the controller that it is not without error, and does nothing."""

    breaks = "topics.controller-or-handed-on"

    def check_controller(self) -> None:
        """No error."""

    def create_topic(self, request: Request, item: Value) -> Value:
        """A result for what does not come to be. Raises Refused."""
        replicas = self.replicas_of(item)
        return self.topic_created(request, Topic(item["name"], self.new_topic_id(), replicas), {})


class ForControllerDoneAndRefused(_ElsewhereControlled):
    """Carries out a request for the controller that it is not, and answers NOT_CONTROLLER."""

    breaks = "topics.controller-or-handed-on"

    def check_controller(self) -> None:
        """No error yet."""

    def create_topic(self, request: Request, item: Value) -> Value:
        """The topic, and then Refused."""
        super().create_topic(request, item)
        raise Refused(errors.NOT_CONTROLLER)


class GrowthForControllerLost(BrokerMutant):
    """Answers CreatePartitions without error where it is not the controller, and adds nothing."""

    breaks = "topics.controller-or-handed-on"

    def add_partitions(self, topic: Topic, replicas: list[list[int]]) -> None:
        """Nothing."""
