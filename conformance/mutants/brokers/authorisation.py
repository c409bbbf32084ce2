"""Rights: taken without being granted, withheld though they are, or told to whoever asks."""

# ruff: noqa: ARG002 - not to look at something is a defect like others

from __future__ import annotations

from collections.abc import Iterable

from conformance.mutants.brokers.mutant import BrokerMutant
from conformance.peers import errors
from conformance.peers.access import (
    ALLOW,
    ALTER_CONFIGS,
    CREATE,
    DELETE,
    DENY,
    DESCRIBE,
    DESCRIBE_CONFIGS,
    PREFIXED,
)
from conformance.peers.cluster import TOPIC, Acl, Request, Topic, Value
from conformance.peers.configs import Resource
from conformance.peers.errors import Refused
from conformance.schema.layout import ZERO_UUID


class OwnAclsListed(BrokerMutant):
    """Lists the ACLs that allow something to the caller, as KIP-4 once had it."""

    breaks = "acls.listing-takes-a-right"

    def describe_acls(self, request: Request) -> Value:
        """What the caller may see of the ACLs."""
        answer = super().describe_acls(request)
        if answer["errorCode"] != errors.CLUSTER_AUTHORIZATION_FAILED:
            return answer
        own = [acl for acl in self.acls_matching(request.value) if _allows(acl, request)]
        return {**answer, "errorCode": errors.NONE, "resources": self.by_resource(own)}


def _allows(acl: Acl, request: Request) -> bool:
    return acl.principal == request.principal and acl.permission_type == ALLOW


class AclsListedToEverybody(BrokerMutant):
    """Lists all ACLs to whoever asks."""

    breaks = "acls.listing-takes-a-right"

    def check_authorizer(self, request: Request, operation: int) -> None:
        """Raise Refused for those who may not change ACLs."""
        if operation != DESCRIBE:
            super().check_authorizer(request, operation)


class AclsBesideTheRefusal(BrokerMutant):
    """Refuses to list ACLs, and lists them beside the error."""

    breaks = "acls.listing-takes-a-right"

    def describe_acls(self, request: Request) -> Value:
        """An error and what it is about."""
        answer = super().describe_acls(request)
        return {**answer, "resources": self.by_resource(self.acls_matching(request.value))}


class AclsCreatedByEverybody(BrokerMutant):
    """Creates ACLs for whoever asks."""

    breaks = "acls.changing-takes-a-right"

    def create_acls(self, request: Request) -> Value:
        """Results, whoever the caller is."""
        results = [self.created_acl(item) for item in request.value["creations"]]
        return {"throttleTimeMs": 0, "results": results}


class AclsCreatedAndRefused(BrokerMutant):
    """Creates ACLs before it looks whether the caller may, and refuses then."""

    breaks = "acls.changing-takes-a-right"

    def create_acls(self, request: Request) -> Value:
        """Results of what is held by then."""
        for item in request.value["creations"]:
            self.created_acl(item)
        return super().create_acls(request)


class AclsDeletedAndRefused(BrokerMutant):
    """Deletes ACLs before it looks whether the caller may, and refuses then."""

    breaks = "acls.changing-takes-a-right"

    def delete_acls(self, request: Request) -> Value:
        """Results of what is gone by then."""
        for wanted in request.value["filters"]:
            self.remove_acls(set(self.acls_matching(wanted)))
        return super().delete_acls(request)


class RefusalTellsAcls(BrokerMutant):
    """Refuses to delete ACLs, and lists them beside the error."""

    breaks = "acls.changing-takes-a-right"

    def delete_acls(self, request: Request) -> Value:
        """Errors, with what they are about."""
        held = dict(self.acls)
        answer = super().delete_acls(request)
        if not any(each["errorCode"] for each in answer["filterResults"]):
            return answer
        allowed = super().delete_acls(Request(0, 0, {}, request.value))
        self.acls = held
        pairs = zip(answer["filterResults"], allowed["filterResults"], strict=True)
        told = [{**one, "matchingAcls": other["matchingAcls"]} for one, other in pairs]
        return {**answer, "filterResults": told}


class TopicsCreatedByEverybody(BrokerMutant):
    """Creates topics for whoever asks."""

    breaks = "acls.creating-topics-takes-a-right"

    def may(self, request: Request, operation: int, resource_type: int, name: str) -> bool:
        """Whether the caller may do this; creating is for everybody."""
        return operation == CREATE or super().may(request, operation, resource_type, name)


class TopicRefusedAndCreated(BrokerMutant):
    """Refuses to create a topic that is there by then."""

    breaks = "acls.creating-topics-takes-a-right"

    def create_topic(self, request: Request, item: Value) -> Value:
        """The result of a topic that is there now. Raises Refused."""
        try:
            return super().create_topic(request, item)
        except Refused as refused:
            if refused.code == errors.TOPIC_AUTHORIZATION_FAILED:
                replicas = [[self.node_id]]
                self.add_topic(Topic(item["name"], self.new_topic_id(), replicas))
            raise


class RightToCreateOnTheClusterAlone(BrokerMutant):
    """Lets nobody create a topic by a right on that topic, as before KIP-277."""

    breaks = "acls.right-to-create-by-topic"

    def check_new_name(self, request: Request, name: str) -> None:
        """Raise Refused unless topics may be created, and come to have this name."""
        if not self.may_cluster(request, CREATE):
            raise Refused(errors.CLUSTER_AUTHORIZATION_FAILED)
        super().check_new_name(request, name)


class OneRightToCreateIsEnough(BrokerMutant):
    """Lets the caller create any topic who may create one."""

    breaks = "acls.right-to-create-by-topic"

    def may(self, request: Request, operation: int, resource_type: int, name: str) -> bool:
        """Whether the caller may do this, there or anywhere."""
        if operation == CREATE and any(_allows(acl, request) for acl in self.acls):
            return True
        return super().may(request, operation, resource_type, name)


class OneRefusalRefusesAllTopics(BrokerMutant):
    """Creates none of a request's topics where the caller may not create one of them."""

    breaks = "acls.right-to-create-by-topic"

    def create_topics(self, request: Request) -> Value:
        """Results, or one error for all."""
        names = [item["name"] for item in request.value["topics"]]
        if all(self.may(request, CREATE, TOPIC, name) for name in names):
            return super().create_topics(request)
        refused = Refused(errors.TOPIC_AUTHORIZATION_FAILED)
        topics = [self.topic_not_created(name, refused) for name in names]
        return {"throttleTimeMs": 0, "topics": topics}


class ConfigsOfNewTopicsToldToAll(BrokerMutant):
    """Tells the configs of a new topic to callers who may not describe them."""

    breaks = "acls.configs-of-new-topics-take-a-right"

    def topic_created(self, request: Request, topic: Topic, configs: dict[str, str]) -> Value:
        """The result with all that there is."""
        found = super().topic_created(request, topic, configs)
        return {
            **found,
            "topicConfigErrorCode": errors.NONE,
            "numPartitions": len(topic.replicas),
            "configs": self.created_configs(configs),
        }


class HiddenConfigsFailTheTopic(BrokerMutant):
    """Answers a topic whose configs the caller may not see as one that was not created."""

    breaks = "acls.configs-of-new-topics-take-a-right"

    def topic_created(self, request: Request, topic: Topic, configs: dict[str, str]) -> Value:
        """The result, with the error in the wrong place."""
        found = super().topic_created(request, topic, configs)
        hidden = found["topicConfigErrorCode"]
        return {**found, "errorCode": hidden, "topicConfigErrorCode": errors.NONE}


class ConfigsOfNewTopicsNeverTold(BrokerMutant):
    """Tells nobody the configs of a new topic."""

    breaks = "acls.configs-of-new-topics-take-a-right"

    def topic_created(self, request: Request, topic: Topic, configs: dict[str, str]) -> Value:
        """The result without configs."""
        return {**super().topic_created(request, topic, configs), "configs": []}


class SeeingIsEnoughToDelete(BrokerMutant):
    """Lets the caller delete a topic who may describe it."""

    breaks = "acls.deleting-topics-takes-a-right"

    def delete_topic(self, request: Request, item: Value) -> Value:
        """Delete what the caller may see. Raises Refused."""
        topic = self.topic_to_delete(request, item)
        return super().delete_topic(
            Request(request.api_key, request.version, request.header, request.value),
            {"name": topic.name, "topicId": ZERO_UUID},
        )


class OneRefusalRefusesAllDeletions(BrokerMutant):
    """Deletes none of a request's topics where the caller may not delete one of them."""

    breaks = "acls.deleting-topics-takes-a-right"

    def delete_topic(self, request: Request, item: Value) -> Value:
        """Delete one of many. Raises Refused."""
        version, value = request.version, request.value
        names = [each["name"] for each in value["topics"]] if version >= 6 else value["topicNames"]
        if not all(self.may(request, DELETE, TOPIC, name) for name in names if name):
            raise Refused(errors.TOPIC_AUTHORIZATION_FAILED)
        return super().delete_topic(request, item)


class DeletionTellsWhatIsAbsent(BrokerMutant):
    """Tells callers who may see no topic which of those to delete are not there."""

    breaks = "acls.deletion-tells-of-no-topic"

    def topic_to_delete(self, request: Request, item: Value) -> Topic:
        """The topic, if there is one. Raises Refused."""
        if item["name"] is not None and item["name"] not in self.topics:
            raise Refused(errors.UNKNOWN_TOPIC_OR_PARTITION)
        return super().topic_to_delete(request, item)


class DeletionTellsTheId(BrokerMutant):
    """Tells the id of a topic beside refusing to delete it."""

    breaks = "acls.deletion-tells-of-no-topic"

    def topic_not_deleted(self, item: Value, refused: Refused) -> Value:
        """The result, with the id that belongs to the name."""
        found = super().topic_not_deleted(item, refused)
        topic = self.topics.get(item["name"] or "")
        return {**found, "topicId": topic.topic_id} if topic else found


class DeletionTellsTheName(BrokerMutant):
    """Tells the name of a topic beside refusing to delete it by its id."""

    breaks = "acls.deletion-tells-no-name"

    def topic_not_deleted(self, item: Value, refused: Refused) -> Value:
        """The result, with the name that belongs to the id."""
        found = super().topic_not_deleted(item, refused)
        topic = self.topic_of_id(item["topicId"])
        return {**found, "name": topic.name} if topic else found


class DeletedByIdHasNoName(BrokerMutant):
    """Tells no name of a topic that it deleted by its id."""

    breaks = "acls.deletion-tells-no-name"

    def delete_topic(self, request: Request, item: Value) -> Value:
        """Delete one topic, and tell what was given of it. Raises Refused."""
        return {**super().delete_topic(request, item), "name": item["name"]}


class AllTopicsListedToAll(BrokerMutant):
    """Lists all topics to whoever asks for all."""

    breaks = "acls.topics-unseen-without-a-right"

    def all_topics(self, request: Request) -> list[Value]:
        """Every topic."""
        return [self.described_topic(topic) for topic in self.topics.values()]


class RefusedListedAmongAll(BrokerMutant):
    """Lists topics that the caller may not see among all topics, with an error."""

    breaks = "acls.topics-unseen-without-a-right"

    def all_topics(self, request: Request) -> list[Value]:
        """Every topic, or why it is not shown."""
        return [self.topic_by_name(request, name) for name in self.topics]


class AbsentTopicsTold(BrokerMutant):
    """Tells callers who may see no topic which of those asked for are not there."""

    breaks = "acls.topics-unseen-without-a-right"

    def topic_by_name(self, request: Request, name: str) -> Value:
        """The topic that has a name, or that there is none."""
        if name not in self.topics:
            return self.topic_error(errors.UNKNOWN_TOPIC_OR_PARTITION, name)
        return super().topic_by_name(request, name)


class HiddenTopicHasItsId(BrokerMutant):
    """Tells the id of a topic beside refusing to show it."""

    breaks = "acls.topics-unseen-without-a-right"

    def topic_by_name(self, request: Request, name: str) -> Value:
        """The topic that has a name, with its id."""
        found = super().topic_by_name(request, name)
        topic = self.topics.get(name)
        return {**found, "topicId": topic.topic_id} if topic else found


class HiddenIdHasItsName(BrokerMutant):
    """Tells the name of a topic beside refusing to show it by its id."""

    breaks = "acls.id-unseen-has-no-name"

    def topic_by_id(self, request: Request, topic_id: str) -> Value:
        """The topic that has an id, with its name."""
        found = super().topic_by_id(request, topic_id)
        topic = self.topic_of_id(topic_id)
        return {**found, "name": topic.name} if topic else found


class HiddenIdIsUnknown(BrokerMutant):
    """Answers an id that the caller may not see as one that there is not."""

    breaks = "acls.id-unseen-has-no-name"

    def topic_by_id(self, request: Request, topic_id: str) -> Value:
        """The topic that has an id, or that there is none."""
        found = super().topic_by_id(request, topic_id)
        hidden = found["errorCode"] == errors.TOPIC_AUTHORIZATION_FAILED
        return {**found, "errorCode": errors.UNKNOWN_TOPIC_ID} if hidden else found


class IdsShownToEverybody(BrokerMutant):
    """Shows a topic by its id to callers who may not see it."""

    breaks = "acls.id-unseen-has-no-name"

    def topic_by_id(self, request: Request, topic_id: str) -> Value:
        """The topic that has an id."""
        topic = self.topic_of_id(topic_id)
        return self.described_topic(topic) if topic else super().topic_by_id(request, topic_id)


class OperationsThatArePossible(BrokerMutant):
    """Tells all operations that there are as those of the caller."""

    breaks = "acls.operations-of-the-caller"

    def operations(
        self, request: Request, possible: Iterable[int], resource_type: int, name: str
    ) -> int:
        """A bit for each possible operation."""
        return sum(1 << each for each in possible)


class ImpliedOperationsLeftOut(BrokerMutant):
    """Leaves DESCRIBE out of the operations of callers who may do it since they may read."""

    breaks = "acls.operations-of-the-caller"

    def operations(
        self, request: Request, possible: Iterable[int], resource_type: int, name: str
    ) -> int:
        """A bit for each operation that an ACL names."""
        found = super().operations(request, possible, resource_type, name)
        granted = any(
            acl.operation == DESCRIBE
            for acl in self.acls_about(request.principal, resource_type, name)
        )
        return (
            found if granted or request.principal in self.super_users else found & ~(1 << DESCRIBE)
        )


class OperationsNumberedFromZero(BrokerMutant):
    """Sets the bit below that of each operation."""

    breaks = "acls.operations-of-the-caller"

    def operations(
        self, request: Request, possible: Iterable[int], resource_type: int, name: str
    ) -> int:
        """Bits at the wrong places."""
        return super().operations(request, possible, resource_type, name) >> 1


class ConfigsOfTopicsToldToAll(BrokerMutant):
    """Describes the configs of topics to whoever asks."""

    breaks = "acls.describing-configs-takes-a-right"

    def check_access(self, request: Request, resource: Resource, operation: int) -> None:
        """Raise Refused where the caller may not do this to other resources."""
        if resource[0] != TOPIC or operation != DESCRIBE_CONFIGS:
            super().check_access(request, resource, operation)


class ConfigsOfBrokersToldToAll(BrokerMutant):
    """Describes the configs of brokers to whoever asks."""

    breaks = "acls.describing-configs-takes-a-right"

    def check_access(self, request: Request, resource: Resource, operation: int) -> None:
        """Raise Refused where the caller may not do this to a topic."""
        if resource[0] == TOPIC:
            super().check_access(request, resource, operation)


class OneRefusalRefusesAllConfigs(BrokerMutant):
    """Describes none of a request's resources where the caller may not see one of them."""

    breaks = "acls.describing-configs-takes-a-right"

    def describe_configs(self, request: Request) -> Value:
        """Results, or the first error for all."""
        answer = super().describe_configs(request)
        code = next((each["errorCode"] for each in answer["results"] if each["errorCode"]), 0)
        if not code:
            return answer
        results = [{**each, "errorCode": code, "configs": []} for each in answer["results"]]
        return {**answer, "results": results}


class ConfigsBesideTheRefusal(BrokerMutant):
    """Refuses to describe a resource, and tells its configs beside the error."""

    breaks = "acls.describing-configs-takes-a-right"

    def describe_configs(self, request: Request) -> Value:
        """Errors, with what they are about."""
        answer = super().describe_configs(request)
        allowed = super().describe_configs(Request(0, request.version, {}, request.value))
        pairs = zip(answer["results"], allowed["results"], strict=True)
        return {**answer, "results": [{**one, "configs": two["configs"]} for one, two in pairs]}


class ConfigsAlteredByEverybody(BrokerMutant):
    """Alters the configs of topics for whoever asks."""

    breaks = "acls.altering-configs-takes-a-right"

    def check_access(self, request: Request, resource: Resource, operation: int) -> None:
        """Raise Refused where the caller may not do this to other resources."""
        if resource[0] != TOPIC or operation != ALTER_CONFIGS:
            super().check_access(request, resource, operation)


class ValidationTakesNoRight(BrokerMutant):
    """Validates changes of a broker's configs for whoever asks."""

    breaks = "acls.altering-configs-takes-a-right"

    def check_access(self, request: Request, resource: Resource, operation: int) -> None:
        """Raise Refused where the caller may not do this, if it is done."""
        if not request.value.get("validateOnly"):
            super().check_access(request, resource, operation)


class OneRefusalRefusesAllChanges(BrokerMutant):
    """Alters none of a request's resources where the caller may not alter one of them."""

    breaks = "acls.altering-configs-takes-a-right"

    def altered(self, request: Request, incremental: bool) -> Value:
        """Results, or the same error for all."""
        try:
            for item in request.value["resources"]:
                resource = item["resourceType"], item["resourceName"]
                self.check_access(request, resource, ALTER_CONFIGS)
        except Refused:
            request = Request(0, request.version, {}, request.value, "User:nobody")
        return super().altered(request, incremental)


class ConfigsAlteredAndRefused(BrokerMutant):
    """Alters configs before it looks whether the caller may, and refuses then."""

    breaks = "acls.altering-configs-takes-a-right"

    def altered(self, request: Request, incremental: bool) -> Value:
        """Errors of what is altered by then."""
        super().altered(Request(0, request.version, {}, request.value), incremental)
        return super().altered(request, incremental)


class AllowBeatsDeny(BrokerMutant):
    """Allows what one ACL allows, whatever another denies."""

    breaks = "acls.deny-beats-allow"

    def acls_about(self, principal: str, resource_type: int, name: str) -> Iterable[Acl]:  # type: ignore[override]
        """The ACLs that allow, where there are any."""
        found = list(super().acls_about(principal, resource_type, name))
        return [acl for acl in found if acl.permission_type == ALLOW] or found


class DenialsIgnored(BrokerMutant):
    """Looks at what is allowed alone."""

    breaks = "acls.deny-beats-allow"

    def covers(self, acl: Acl, name: str) -> bool:
        """Whether a resource is meant by an ACL that allows."""
        return acl.permission_type != DENY and super().covers(acl, name)


class PrefixedIsLiteral(BrokerMutant):
    """Takes a prefixed ACL for one of that name alone."""

    breaks = "acls.prefixed-covers-what-begins-so"

    def covers(self, acl: Acl, name: str) -> bool:
        """Whether the names are the same."""
        return acl.resource_name in ("*", name)


class LiteralIsPrefixed(BrokerMutant):
    """Takes a literal ACL for all names that begin so."""

    breaks = "acls.prefixed-covers-what-begins-so"

    def covers(self, acl: Acl, name: str) -> bool:
        """Whether the name begins so."""
        return acl.resource_name == "*" or name.startswith(acl.resource_name)


class PrefixedIsEverything(BrokerMutant):
    """Takes a prefixed ACL for one of all names."""

    breaks = "acls.prefixed-covers-what-begins-so"

    def covers(self, acl: Acl, name: str) -> bool:
        """Whether the names are the same, or the ACL is prefixed."""
        return acl.pattern_type == PREFIXED or super().covers(acl, name)
