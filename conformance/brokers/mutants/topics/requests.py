"""CreateTopics and DeleteTopics: results missing or doubled, and topics that should not be."""

from __future__ import annotations

from conformance import error_codes
from conformance.brokers.mutants.mutant import BrokerMutant
from conformance.reference.broker.admin.topic_names import what_is_wrong
from conformance.reference.broker.admin.topics import CLUSTER_METADATA, DEFAULT
from conformance.reference.broker.cluster import Request, Topic, Value
from conformance.reference.broker.errors import Hangup, Refused


class NamedTwiceCreated(BrokerMutant, breaks="topics.duplicate-to-create-refused"):
    """Takes a topic that CreateTopics names twice."""

    def named_twice(self, item: Value) -> None:
        """Raise no error."""


class NamedTwiceFailsAll(BrokerMutant, breaks="topics.duplicate-to-create-refused"):
    """Refuses every topic of a CreateTopics that names one twice."""

    def create_topics(self, request: Request) -> Value:
        names = [each["name"] for each in request.value["topics"]]
        if len(set(names)) == len(names):
            return super().create_topics(request)
        refused = Refused(error_codes.INVALID_REQUEST)
        topics = [self.topic_not_created(name, refused) for name in dict.fromkeys(names)]
        return {"throttleTimeMs": 0, "topics": topics}


class NamedTwiceAnsweredTwice(BrokerMutant, breaks="topics.duplicate-to-create-refused"):
    """Answers a topic that CreateTopics names twice with two results."""

    def create_topics(self, request: Request) -> Value:
        answer = super().create_topics(request)
        by_name = {each["name"]: each for each in answer["topics"]}
        topics = [by_name[each["name"]] for each in request.value["topics"]]
        return {**answer, "topics": topics}


class CountsBesideAssignments(BrokerMutant, breaks="topics.assignments-exclude-counts"):
    """Takes a number of partitions and a factor beside assignments."""

    def check_numbers_left_out(self, item: Value) -> None:
        """Check nothing."""


class FactorBesideAssignments(BrokerMutant, breaks="topics.assignments-exclude-counts"):
    """Takes a replication factor beside assignments."""

    def check_numbers_left_out(self, item: Value) -> None:
        super().check_numbers_left_out({**item, "replicationFactor": DEFAULT})


class PartitionsNotDefaulted(BrokerMutant, breaks="topics.defaults-of-the-broker"):
    """Refuses -1 for the number of partitions."""

    def replicas_of(self, item: Value) -> list[list[int]]:
        if not item["assignments"] and item["numPartitions"] == DEFAULT:
            raise Refused(error_codes.INVALID_PARTITIONS)
        return super().replicas_of(item)


class FactorNotDefaulted(BrokerMutant, breaks="topics.defaults-of-the-broker"):
    """Refuses -1 for the replication factor."""

    def replicas_of(self, item: Value) -> list[list[int]]:
        if not item["assignments"] and item["replicationFactor"] == DEFAULT:
            raise Refused(error_codes.INVALID_REPLICATION_FACTOR)
        return super().replicas_of(item)


class DefaultsEchoed(BrokerMutant, breaks="topics.defaults-of-the-broker"):
    """Tells -1 for numbers that were left to it."""

    implies = ("topics.result-describes-topic", "acls.configs-of-new-topics-take-a-right")

    def topic_created(self, request: Request, topic: Topic, configs: dict[str, str]) -> Value:
        found = super().topic_created(request, topic, configs)
        return {**found, "numPartitions": DEFAULT, "replicationFactor": DEFAULT}


class ValidatedIsCreated(BrokerMutant, breaks="topics.validate-only-creates-nothing"):
    """Creates a topic that was only to be validated."""

    def create_topic(self, request: Request, item: Value) -> Value:
        request.value["validateOnly"] = False
        return super().create_topic(request, item)


class ValidatedIsRefused(BrokerMutant, breaks="topics.validate-only-creates-nothing"):
    """Refuses to validate a topic without creating it."""

    def create_topic(self, request: Request, item: Value) -> Value:
        if request.value["validateOnly"]:
            raise Refused(error_codes.INVALID_REQUEST)
        return super().create_topic(request, item)


class _NameJudge(BrokerMutant):
    """Judges new names its own way."""

    def check_new_name(self, request: Request, name: str) -> None:
        """Raise Refused, for another reason or none."""
        try:
            super().check_new_name(request, name)
        except Refused as refused:
            code = self.judge(name, refused.code)
            if code:
                raise Refused(code) from None

    def judge(self, name: str, code: int) -> int:
        """The error of a name, by the true one."""
        return code


class TakenNameAllowed(_NameJudge, breaks="topics.existing-name-refused"):
    """Takes the name of a topic that exists for a new one."""

    def judge(self, name: str, code: int) -> int:
        return 0 if code == error_codes.TOPIC_ALREADY_EXISTS else code


class TakenNameIsInvalid(_NameJudge, breaks="topics.existing-name-refused"):
    """Refuses the name of a topic that exists with INVALID_TOPIC_EXCEPTION."""

    def judge(self, name: str, code: int) -> int:
        taken = code == error_codes.TOPIC_ALREADY_EXISTS
        return error_codes.INVALID_TOPIC_EXCEPTION if taken else code


class EmptyNameCreated(_NameJudge, breaks="topics.names-limited"):
    """Takes an empty name for a new topic."""

    def judge(self, name: str, code: int) -> int:
        return code if name else 0


class DotsAloneCreated(_NameJudge, breaks="topics.names-limited"):
    """Takes one dot or two for the name of a new topic."""

    def judge(self, name: str, code: int) -> int:
        return 0 if name in (".", "..") else code


class LongNameCreated(_NameJudge, breaks="topics.names-limited"):
    """Takes a name of 250 characters for a new topic."""

    def judge(self, name: str, code: int) -> int:
        return 0 if len(name) == 250 else code


class LettersBeyondAsciiCreated(_NameJudge, breaks="topics.names-limited"):
    """Takes letters of any language in the name of a new topic."""

    def judge(self, name: str, code: int) -> int:
        ascii_only = "".join("a" if each.isalpha() else each for each in name)
        return code if what_is_wrong(ascii_only) or not what_is_wrong(name) else 0


class IllegalNameIsARequest(_NameJudge, breaks="topics.illegal-name-refused"):
    """Refuses an illegal name of a new topic with INVALID_REQUEST."""

    def judge(self, name: str, code: int) -> int:
        return error_codes.INVALID_REQUEST if what_is_wrong(name) else code


class IllegalNameEndsConnection(_NameJudge, breaks="topics.illegal-name-refused"):
    """Hangs up on an illegal name of a new topic."""

    implies = ("topics.failures-spare-the-created", "topics.names-limited")

    def judge(self, name: str, code: int) -> int:
        if what_is_wrong(name):
            raise Hangup
        return code


class ClusterMetadataCreated(_NameJudge, breaks="topics.cluster-metadata-refused"):
    """Takes the name of the controllers' log for a new topic."""

    def judge(self, name: str, code: int) -> int:
        return 0 if name == CLUSTER_METADATA else code


class ClusterMetadataIsInvalid(_NameJudge, breaks="topics.cluster-metadata-refused"):
    """Refuses the name of the controllers' log with INVALID_TOPIC_EXCEPTION."""

    def judge(self, name: str, code: int) -> int:
        return error_codes.INVALID_TOPIC_EXCEPTION if name == CLUSTER_METADATA else code


class NoPartitionsCreated(BrokerMutant, breaks="topics.no-partitions-refused"):
    """Takes 0 for the number of a new topic's partitions."""

    def replicas_of(self, item: Value) -> list[list[int]]:
        return super().replicas_of({**item, "numPartitions": item["numPartitions"] or 1})


class NegativePartitionsDefaulted(BrokerMutant, breaks="topics.no-partitions-refused"):
    """Takes any negative number of partitions, and not -1 alone."""

    def replicas_of(self, item: Value) -> list[list[int]]:
        return super().replicas_of({**item, "numPartitions": max(item["numPartitions"], DEFAULT)})


class FactorAboveBrokersCut(BrokerMutant, breaks="topics.factor-above-brokers-refused"):
    """Takes a replication factor above the number of brokers."""

    def check_numbers(self, partitions: int, factor: int) -> None:
        super().check_numbers(partitions, min(factor, len(self.nodes)))


class FactorZeroDefaulted(BrokerMutant, breaks="topics.impossible-factor-refused"):
    """Takes a replication factor of 0."""

    def replicas_of(self, item: Value) -> list[list[int]]:
        return super().replicas_of({**item, "replicationFactor": item["replicationFactor"] or -1})


class FactorZeroInvalid(BrokerMutant, breaks="topics.impossible-factor-refused"):
    """Answers a replication factor of 0 with INVALID_REQUEST."""

    def check_numbers(self, partitions: int, factor: int) -> None:
        if not factor:
            raise Refused(error_codes.INVALID_REQUEST)
        super().check_numbers(partitions, factor)


class ConfigsOfTopicUnchecked(BrokerMutant, breaks="topics.bad-config-refused"):
    """Takes any config of a new topic, whether there is such a one or not."""

    def configs_of(self, item: Value) -> dict[str, str]:
        try:
            return super().configs_of(item)
        except Refused:
            if any(each["value"] is None for each in item["configs"]):
                raise
            return {}


class NullConfigLeftOut(BrokerMutant, breaks="topics.null-config-refused"):
    """Creates a topic without those of its configs that are null."""

    def configs_of(self, item: Value) -> dict[str, str]:
        configs = [each for each in item["configs"] if each["value"] is not None]
        return super().configs_of({**item, "configs": configs})


class BadConfigFailsAll(BrokerMutant, breaks="topics.bad-config-refused"):
    """Hangs up on a bad config of a new topic."""

    implies = ("topics.null-config-refused",)

    def configs_of(self, item: Value) -> dict[str, str]:
        try:
            return super().configs_of(item)
        except Refused:
            raise Hangup from None


class NameBesideIdAllowed(BrokerMutant, breaks="topics.name-or-id"):
    """Deletes by name where a topic is given by both name and id."""

    def check_name_or_id(self, item: Value) -> None:
        if item["name"] is None:
            super().check_name_or_id(item)


class NeitherNameNorIdIsUnknown(BrokerMutant, breaks="topics.name-or-id"):
    """Answers a topic to delete that has neither name nor id with UNKNOWN_TOPIC_ID."""

    def check_name_or_id(self, item: Value) -> None:
        if item["name"] is not None:
            super().check_name_or_id(item)


class DeletedTwiceIgnored(BrokerMutant, breaks="topics.duplicate-to-delete-refused"):
    """Takes a topic that DeleteTopics has twice for one."""

    def asked_twice(self, item: Value) -> None:
        """Raise no error."""


class DeletedTwiceAnsweredTwice(BrokerMutant, breaks="topics.duplicate-to-delete-refused"):
    """Answers a topic that DeleteTopics has twice with two results."""

    implies = ("topics.twice-to-delete-has-one-result",)

    def grouped(self, asked: list[Value]) -> list[list[Value]]:
        return [[each] for each in asked]


class UnknownNameDeleted(BrokerMutant, breaks="topics.unknown-name-to-delete"):
    """Answers a name to delete that no topic has as if it were gone now."""

    def topic_not_deleted(self, item: Value, refused: Refused) -> Value:
        unknown = refused.code == error_codes.UNKNOWN_TOPIC_OR_PARTITION
        return super().topic_not_deleted(item, Refused(error_codes.NONE) if unknown else refused)


class UnknownNameIsInvalid(BrokerMutant, breaks="topics.unknown-name-to-delete"):
    """Answers a name to delete that no topic has with INVALID_TOPIC_EXCEPTION."""

    def topic_not_deleted(self, item: Value, refused: Refused) -> Value:
        unknown = refused.code == error_codes.UNKNOWN_TOPIC_OR_PARTITION
        other = Refused(error_codes.INVALID_TOPIC_EXCEPTION)
        return super().topic_not_deleted(item, other if unknown else refused)


class UnknownIdIsUnknownNameToDelete(BrokerMutant, breaks="topics.unknown-id-to-delete"):
    """Answers an id to delete that no topic has with UNKNOWN_TOPIC_OR_PARTITION."""

    def topic_not_deleted(self, item: Value, refused: Refused) -> Value:
        unknown = refused.code == error_codes.UNKNOWN_TOPIC_ID
        other = Refused(error_codes.UNKNOWN_TOPIC_OR_PARTITION)
        return super().topic_not_deleted(item, other if unknown else refused)


class UnknownIdToDeleteCloses(BrokerMutant, breaks="topics.unknown-id-to-delete"):
    """Hangs up on an id to delete that no topic has."""

    def topic_not_deleted(self, item: Value, refused: Refused) -> Value:
        if refused.code == error_codes.UNKNOWN_TOPIC_ID:
            raise Hangup
        return super().topic_not_deleted(item, refused)


class UnknownDeletedLeftOut(BrokerMutant, breaks="results.one-for-each"):
    """Leaves topics that do not exist out of the answer to DeleteTopics."""

    def delete_topics(self, request: Request) -> Value:
        answer = super().delete_topics(request)
        code = error_codes.UNKNOWN_TOPIC_OR_PARTITION
        found = [each for each in answer["responses"] if each["errorCode"] != code]
        return {**answer, "responses": found}
