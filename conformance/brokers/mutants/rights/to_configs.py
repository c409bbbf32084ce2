"""Rights to configs: of topics, of brokers, of all or none, and not when it is only validated."""

from __future__ import annotations

from conformance.brokers.mutants.mutant import BrokerMutant
from conformance.reference.broker.admin.access import ALTER_CONFIGS, DESCRIBE_CONFIGS
from conformance.reference.broker.admin.configs import Resource
from conformance.reference.broker.cluster import TOPIC, Request, Value
from conformance.reference.broker.errors import Refused


class ConfigsOfTopicsToldToAll(BrokerMutant, breaks="acls.describing-configs-takes-a-right"):
    """Describes the configs of topics to whoever asks."""

    def check_access(self, request: Request, resource: Resource, operation: int) -> None:
        if resource[0] != TOPIC or operation != DESCRIBE_CONFIGS:
            super().check_access(request, resource, operation)


class ConfigsOfBrokersToldToAll(BrokerMutant, breaks="acls.describing-configs-takes-a-right"):
    """Describes the configs of brokers to whoever asks."""

    implies = ("acls.altering-configs-takes-a-right",)

    def check_access(self, request: Request, resource: Resource, operation: int) -> None:
        if resource[0] == TOPIC:
            super().check_access(request, resource, operation)


class OneRefusalRefusesAllConfigs(BrokerMutant, breaks="acls.describing-configs-takes-a-right"):
    """Describes none of a request's resources where the caller may not see one of them."""

    implies = ("configs.own-broker-alone", "configs.unknown-topic-refused")

    def describe_configs(self, request: Request) -> Value:
        answer = super().describe_configs(request)
        code = next((each["errorCode"] for each in answer["results"] if each["errorCode"]), 0)
        if not code:
            return answer
        results = [{**each, "errorCode": code, "configs": []} for each in answer["results"]]
        return {**answer, "results": results}


class ConfigsBesideTheRefusal(BrokerMutant, breaks="acls.describing-configs-takes-a-right"):
    """Refuses to describe a resource, and tells its configs beside the error."""

    def describe_configs(self, request: Request) -> Value:
        answer = super().describe_configs(request)
        allowed = super().describe_configs(Request(0, request.version, {}, request.value))
        pairs = zip(answer["results"], allowed["results"], strict=True)
        return {**answer, "results": [{**one, "configs": two["configs"]} for one, two in pairs]}


class ConfigsAlteredByEverybody(BrokerMutant, breaks="acls.altering-configs-takes-a-right"):
    """Alters the configs of topics for whoever asks."""

    def check_access(self, request: Request, resource: Resource, operation: int) -> None:
        if resource[0] != TOPIC or operation != ALTER_CONFIGS:
            super().check_access(request, resource, operation)


class ValidationTakesNoRight(BrokerMutant, breaks="acls.altering-configs-takes-a-right"):
    """Validates changes of a broker's configs for whoever asks."""

    def check_access(self, request: Request, resource: Resource, operation: int) -> None:
        if not request.value.get("validateOnly"):
            super().check_access(request, resource, operation)


class OneRefusalRefusesAllChanges(BrokerMutant, breaks="acls.altering-configs-takes-a-right"):
    """Alters none of a request's resources where the caller may not alter one of them."""

    def altered(self, request: Request, incremental: bool) -> Value:
        try:
            for item in request.value["resources"]:
                resource = item["resourceType"], item["resourceName"]
                self.check_access(request, resource, ALTER_CONFIGS)
        except Refused:
            request = Request(0, request.version, {}, request.value, "User:nobody")
        return super().altered(request, incremental)


class ConfigsAlteredAndRefused(BrokerMutant, breaks="acls.altering-configs-takes-a-right"):
    """Alters configs before it looks whether the caller may, and refuses then."""

    def altered(self, request: Request, incremental: bool) -> Value:
        super().altered(Request(0, request.version, {}, request.value), incremental)
        return super().altered(request, incremental)
