"""Handlers that check nothing of what they are asked but who asks, one an API of admin clients.

What each of them breaks is what its API has to refuse: `gate.unchecked` asks it here.
"""

from __future__ import annotations

from contextlib import suppress
from typing import ClassVar

from conformance import error_codes
from conformance.brokers.mutants.mutant import BrokerMutant
from conformance.reference.broker.admin.access import ALTER_CONFIGS, CREATE
from conformance.reference.broker.admin.configs import DELETE, SET, Resource
from conformance.reference.broker.cluster import TOPIC, Request, Topic, Value
from conformance.reference.broker.errors import Refused


class UncheckedHandler(BrokerMutant):
    """A broker whose handler of one API takes whatever it is asked."""

    api: ClassVar[str] = ""


class CreateTopicsChecksNothing(UncheckedHandler, breaks="topics.no-partitions-refused"):
    """Takes every topic that it is to create, whatever is wrong with it."""

    api = "CreateTopics"
    implies = (
        "topics.assignments-exclude-counts",
        "topics.bad-assignment-refused",
        "topics.bad-config-refused",
        "topics.cluster-metadata-refused",
        "topics.duplicate-to-create-refused",
        "topics.existing-name-refused",
        "topics.factor-above-brokers-refused",
        "topics.impossible-factor-refused",
        "topics.names-limited",
        "topics.null-config-refused",
    )

    def named_twice(self, item: Value) -> None:
        """Accept a topic that is named twice."""

    def create_topic(self, request: Request, item: Value) -> Value:
        name = item["name"]
        if not self.may_cluster(request, CREATE) and not self.may(request, CREATE, TOPIC, name):
            raise Refused(error_codes.TOPIC_AUTHORIZATION_FAILED)
        configs = {each["name"]: each["value"] or "" for each in item["configs"]}
        topic = Topic(name, self.new_topic_id(), self.replicas_of(item))
        if not request.value["validateOnly"] and name not in self.topics:
            self.add_topic(topic)
            self.set_configs((TOPIC, name), configs)
        return self.topic_created(request, topic, configs)

    def replicas_of(self, item: Value) -> list[list[int]]:
        if item["assignments"]:
            return [each["brokerIds"] or [self.node_id] for each in item["assignments"]]
        factor = max(min(item["replicationFactor"], len(self.nodes)), 1)
        return [self.chosen_replicas(at, factor) for at in range(max(item["numPartitions"], 1))]


class DeleteTopicsChecksNothing(UncheckedHandler, breaks="topics.unknown-name-to-delete"):
    """Answers every topic that it is to delete as deleted, also one that does not exist."""

    api = "DeleteTopics"
    implies = (
        "topics.duplicate-to-delete-refused",
        "topics.name-or-id",
        "topics.unknown-id-to-delete",
    )

    def asked_twice(self, item: Value) -> None:
        """Accept a topic that is asked for twice."""

    def topic_not_deleted(self, item: Value, refused: Refused) -> Value:
        unknown = (
            error_codes.UNKNOWN_TOPIC_OR_PARTITION,
            error_codes.UNKNOWN_TOPIC_ID,
            error_codes.INVALID_REQUEST,
        )
        taken = Refused(error_codes.NONE) if refused.code in unknown else refused
        return super().topic_not_deleted(item, taken)


class CreatePartitionsChecksNothing(UncheckedHandler, breaks="partitions.never-fewer"):
    """Answers every number of partitions, and every assignment of them, without an error."""

    api = "CreatePartitions"
    implies = (
        "partitions.bad-assignment-refused",
        "partitions.duplicate-refused",
    )

    def grown_twice(self, item: Value) -> None:
        """Accept a topic that is given twice."""

    def check_growth(self, topic: Topic, count: int) -> None:
        """Accept any count."""

    def added_replicas(self, topic: Topic, item: Value) -> list[list[int]]:
        with suppress(Refused):
            return super().added_replicas(topic, item)
        return []


class _ConfigsUnchecked(UncheckedHandler):
    """Takes any change of configs, by one of the two requests."""

    of_incremental = False

    def resource_twice(self, resource: Resource, incremental: bool) -> None:
        if incremental != self.of_incremental:
            super().resource_twice(resource, incremental)

    def altered_configs(
        self, request: Request, item: Value, resource: Resource, incremental: bool
    ) -> dict[str, str]:
        if incremental != self.of_incremental:
            return super().altered_configs(request, item, resource, incremental)
        self.check_access(request, resource, ALTER_CONFIGS)
        configs = dict(self.configs.get(resource, {})) if incremental else {}
        for change in item["configs"]:
            operation = change["configOperation"] if incremental else SET
            if operation == DELETE:
                configs.pop(change["name"], None)
                continue
            with suppress(Refused):
                self.apply_change(configs, resource, change, operation)
        return {name: value or "" for name, value in configs.items()}


class AlterConfigsChecksNothing(_ConfigsUnchecked, breaks="configs.bad-config-refused"):
    """Takes every config that AlterConfigs sets, of every resource."""

    api = "AlterConfigs"
    implies = (
        "configs.duplicate-key-refused",
        "configs.duplicate-resource-not-altered",
        "configs.null-refused",
        "configs.own-broker-alone",
        "configs.unknown-topic-refused",
        "configs.unknown-type-refused",
    )


class IncrementalAlterConfigsChecksNothing(_ConfigsUnchecked, breaks="configs.bad-config-refused"):
    """Takes every change that IncrementalAlterConfigs makes, of every resource."""

    api = "IncrementalAlterConfigs"
    implies = (
        "configs.duplicate-key-refused",
        "configs.duplicate-resource-refused",
        "configs.lists-alone-grow",
        "configs.null-refused",
        "configs.own-broker-alone",
        "configs.unknown-operation-refused",
        "configs.unknown-topic-refused",
        "configs.unknown-type-refused",
    )
    of_incremental = True
