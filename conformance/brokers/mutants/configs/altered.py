"""Configs altered wrongly: what is given twice, null or bad, operations, dry runs, the others."""

from __future__ import annotations

from typing import Any

from conformance import error_codes
from conformance.brokers.mutants.mutant import BrokerMutant
from conformance.reference.broker.admin.config_names import Known
from conformance.reference.broker.admin.configs import (
    APPEND,
    BROKER,
    DELETE,
    SET,
    SUBTRACT,
    Resource,
)
from conformance.reference.broker.cluster import TOPIC, Request, Value
from conformance.reference.broker.errors import Hangup, Refused


class LastOfTwoKeysCounts(BrokerMutant):
    """Takes a config whose key is given twice."""

    breaks = "configs.duplicate-key-refused"

    def check_changes(self, changes: list[Value], incremental: bool) -> None:
        by_name = {change["name"]: change for change in changes}
        super().check_changes(list(by_name.values()), incremental)


class DuplicateKeyFailsAll(BrokerMutant):
    """Refuses every resource of a request that gives a key of one twice."""

    breaks = "configs.duplicate-key-refused"

    def altered_configs(
        self, request: Request, item: Value, resource: Resource, incremental: bool
    ) -> dict[str, str]:
        for each in request.value["resources"]:
            self.check_keys(each["configs"])
        return super().altered_configs(request, item, resource, incremental)

    def check_keys(self, changes: list[Value]) -> None:
        if len({change["name"] for change in changes}) < len(changes):
            raise Refused(error_codes.INVALID_REQUEST)


class NullDeletes(BrokerMutant):
    """Takes null for the value of a config that is to be set."""

    breaks = "configs.null-refused"

    def check_changes(self, changes: list[Value], incremental: bool) -> None:
        super().check_changes(_without_null(changes, "0"), incremental)

    def apply_change(
        self, configs: dict[str, str], resource: Resource, change: Value, operation: int
    ) -> None:
        operation = DELETE if change["value"] is None else operation
        super().apply_change(configs, resource, change, operation)


class NullIsInvalidConfig(BrokerMutant):
    """Answers null for a value as if it were one that can't be."""

    breaks = "configs.null-refused"

    def check_changes(self, changes: list[Value], incremental: bool) -> None:
        super().check_changes(_without_null(changes, "0"), incremental)
        for change in changes:
            if change["value"] is None and change.get("configOperation") != DELETE:
                raise Refused(error_codes.INVALID_CONFIG)


class ResourceTwiceAltered(BrokerMutant):
    """Takes a resource that IncrementalAlterConfigs has twice."""

    breaks = "configs.duplicate-resource-refused"

    def resource_twice(self, resource: Resource, incremental: bool) -> None:
        if not incremental:
            super().resource_twice(resource, incremental)


class ResourceTwiceFailsAll(BrokerMutant):
    """Refuses every resource of an IncrementalAlterConfigs that has one twice."""

    breaks = "configs.duplicate-resource-refused"

    def incremental_alter_configs(self, request: Request) -> Value:
        asked = request.value["resources"]
        twice = len({(each["resourceType"], each["resourceName"]) for each in asked}) < len(asked)
        request.value["validateOnly"] |= twice
        answer = super().incremental_alter_configs(request)
        for each in answer["responses"] if twice else ():
            each["errorCode"] = error_codes.INVALID_REQUEST
        return answer


class SecondMentionRefused(BrokerMutant):
    """Refuses the second mention alone of a resource that IncrementalAlterConfigs has twice."""

    breaks = "configs.duplicate-resource-refused"

    def incremental_alter_configs(self, request: Request) -> Value:
        self.mentioned: set[Resource] = set()
        return super().incremental_alter_configs(request)

    def resource_twice(self, resource: Resource, incremental: bool) -> None:
        if not incremental or resource in self.mentioned:
            super().resource_twice(resource, incremental)
        self.mentioned.add(resource)


class LastOfTwoReplaces(BrokerMutant):
    """Replaces the configs of a resource that AlterConfigs has twice, and then once more."""

    breaks = "configs.duplicate-resource-not-altered"

    def resource_twice(self, resource: Resource, incremental: bool) -> None:
        if incremental:
            super().resource_twice(resource, incremental)


class RefusedAndReplaced(BrokerMutant):
    """Refuses a resource that AlterConfigs has twice, and alters it all the same."""

    breaks = "configs.duplicate-resource-not-altered"

    def resource_twice(self, resource: Resource, incremental: bool) -> None:
        if not incremental:
            self.set_configs(resource, {"retention.ms": "6000000"})
        super().resource_twice(resource, incremental)


class SilentAndReplaced(BrokerMutant):
    """Alters a resource that AlterConfigs has twice and hangs up over its two results."""

    breaks = "configs.duplicate-resource-not-altered"

    def resource_twice(self, resource: Resource, incremental: bool) -> None:
        if incremental:
            super().resource_twice(resource, incremental)

    def alter_configs(self, request: Request) -> Value:
        answer = super().alter_configs(request)
        seen = {(each["resourceType"], each["resourceName"]) for each in answer["responses"]}
        if len(seen) < len(answer["responses"]):
            raise Hangup
        return answer


class OperationsSwapped(BrokerMutant):
    """Takes APPEND for SUBTRACT, and the other way round."""

    breaks = "configs.operations"

    def apply_change(
        self, configs: dict[str, str], resource: Resource, change: Value, operation: int
    ) -> None:
        swapped = {APPEND: SUBTRACT, SUBTRACT: APPEND}
        super().apply_change(configs, resource, change, swapped.get(operation, operation))


class AppendSets(BrokerMutant):
    """Takes APPEND for SET."""

    breaks = "configs.operations"

    def apply_change(
        self, configs: dict[str, str], resource: Resource, change: Value, operation: int
    ) -> None:
        known = change["name"] == "cleanup.policy"
        instead = SET if known and operation == APPEND else operation
        super().apply_change(configs, resource, change, instead)


class SubtractDeletes(BrokerMutant):
    """Deletes a list from which an entry is to be subtracted."""

    breaks = "configs.operations"

    def changed_list(
        self, configs: dict[str, str], resource: Resource, name: str, value: str, operation: int
    ) -> str:
        changed = super().changed_list(configs, resource, name, value, operation)
        return "" if operation == SUBTRACT else changed


class DeleteLeaves(BrokerMutant):
    """Says that a config was deleted, and keeps it."""

    breaks = "configs.operations"

    def apply_change(
        self, configs: dict[str, str], resource: Resource, change: Value, operation: int
    ) -> None:
        if operation != DELETE or resource[0] == BROKER:
            super().apply_change(configs, resource, change, operation)


class UnknownOperationSets(BrokerMutant):
    """Takes an operation that is none for SET."""

    breaks = "configs.unknown-operation-refused"

    def check_changes(self, changes: list[Value], incremental: bool) -> None:
        super().check_changes([_known(change) for change in changes], incremental)

    def apply_change(
        self, configs: dict[str, str], resource: Resource, change: Value, operation: int
    ) -> None:
        operation = _known({**change, "configOperation": operation})["configOperation"]
        super().apply_change(configs, resource, change, operation)


class UnknownOperationPassedOver(BrokerMutant):
    """Does nothing for an operation that is none, and says that it is done."""

    breaks = "configs.unknown-operation-refused"

    def altered(self, request: Request, incremental: bool) -> Value:
        for each in request.value["resources"] if incremental else ():
            each["configs"] = [one for one in each["configs"] if _known(one) == one]
        return super().altered(request, incremental)


class ListOperationsOnText(BrokerMutant):
    """Takes entries to append to a config that is no list."""

    breaks = "configs.lists-alone-grow"

    def changed_list(
        self, configs: dict[str, str], resource: Resource, name: str, value: str, operation: int
    ) -> str:
        try:
            return super().changed_list(configs, resource, name, value, operation)
        except Refused:
            return configs.get(name, "") + value


class ListOperationsHalfDone(BrokerMutant):
    """Refuses to append to what is no list, and sets what else is asked for of the resource."""

    breaks = "configs.lists-alone-grow"

    def altered_configs(
        self, request: Request, item: Value, resource: Resource, incremental: bool
    ) -> dict[str, str]:
        try:
            return super().altered_configs(request, item, resource, incremental)
        except Refused:
            done = [each for each in item["configs"] if each.get("configOperation") == SET]
            if incremental and 0 < len(done) < len(item["configs"]):
                asked = {**item, "configs": done}
                super().set_configs(resource, self.altered_configs(request, asked, resource, True))
            raise


class ListOperationsInvalidRequest(BrokerMutant):
    """Answers INVALID_REQUEST where entries are appended to what is no list."""

    breaks = "configs.lists-alone-grow"

    def changed_list(
        self, configs: dict[str, str], resource: Resource, name: str, value: str, operation: int
    ) -> str:
        try:
            return super().changed_list(configs, resource, name, value, operation)
        except Refused as refused:
            raise Refused(error_codes.INVALID_REQUEST, refused.message) from None


class BadConfigLeftOut(BrokerMutant):
    """Answers a config that no topic has, or whose value can't be, without an error."""

    breaks = "configs.bad-config-refused"

    def altered_configs(
        self, request: Request, item: Value, resource: Resource, incremental: bool
    ) -> dict[str, str]:
        if resource[0] == TOPIC:
            item = {**item, "configs": [each for each in item["configs"] if self.is_good(each)]}
        return super().altered_configs(request, item, resource, incremental)

    def is_good(self, change: Value) -> bool:
        if change["value"] is None or change.get("configOperation"):
            return True
        try:
            self.check_topic_configs({change["name"]: change["value"]})
        except Refused:
            return False
        return True


class UnknownConfigOfTopicTaken(BrokerMutant):
    """Takes a config that no topic has."""

    breaks = "configs.bad-config-refused"
    implies = ("topics.bad-config-refused",)

    def check_topic_configs(self, configs: Any) -> None:
        known = {name: value for name, value in configs.items() if name != "no.such.config"}
        super().check_topic_configs(known)


class BadValueTaken(BrokerMutant):
    """Takes any value for a config."""

    breaks = "configs.bad-config-refused"
    implies = ("topics.bad-config-refused",)

    def check_value(self, known: Known, value: str) -> None:
        """Check nothing."""


class ValidatedConfigsAltered(BrokerMutant):
    """Alters what was only to be validated."""

    breaks = "configs.validate-only-changes-nothing"

    def altered(self, request: Request, incremental: bool) -> Value:
        request.value["validateOnly"] = False
        return super().altered(request, incremental)


class ValidatedConfigsRefused(BrokerMutant):
    """Refuses to validate configs without altering them."""

    breaks = "configs.validate-only-changes-nothing"

    def altered_configs(
        self, request: Request, item: Value, resource: Resource, incremental: bool
    ) -> dict[str, str]:
        if request.value["validateOnly"]:
            raise Refused(error_codes.INVALID_REQUEST)
        return super().altered_configs(request, item, resource, incremental)


class ReplacedIncrementally(BrokerMutant):
    """Keeps what AlterConfigs does not name."""

    breaks = "configs.replaced-whole"

    def alter_configs(self, request: Request) -> Value:
        for resource in request.value["resources"]:
            for each in resource["configs"]:
                each["configOperation"] = SET
        return self.altered(request, incremental=True)


class ReplacedByNothing(BrokerMutant):
    """Deletes all configs of a resource that AlterConfigs is to replace."""

    breaks = "configs.replaced-whole"

    def alter_configs(self, request: Request) -> Value:
        answer = super().alter_configs(request)
        for each in answer["responses"]:
            if not each["errorCode"] and not request.value["validateOnly"]:
                self.set_configs((each["resourceType"], each["resourceName"]), {})
        return answer


class ChangedWholly(BrokerMutant):
    """Replaces all configs of a resource by those that IncrementalAlterConfigs names."""

    breaks = "configs.others-kept"

    def incremental_alter_configs(self, request: Request) -> Value:
        named = {
            (item["resourceType"], item["resourceName"]): {each["name"] for each in item["configs"]}
            for item in request.value["resources"]
        }
        answer = super().incremental_alter_configs(request)
        for each in answer["responses"]:
            resource = each["resourceType"], each["resourceName"]
            if not each["errorCode"] and not request.value["validateOnly"]:
                held = self.configs.get(resource, {})
                kept = {name: held[name] for name in held if name in named[resource]}
                self.set_configs(resource, kept)
        return answer


class NeighbourForgotten(BrokerMutant):
    """Forgets one config of a topic whenever another is set."""

    breaks = "configs.others-kept"

    def apply_change(
        self, configs: dict[str, str], resource: Resource, change: Value, operation: int
    ) -> None:
        if change["name"] == "max.message.bytes":
            configs.pop("retention.ms", None)
        super().apply_change(configs, resource, change, operation)


def _without_null(changes: list[Value], instead: str) -> list[Value]:
    """Return the changes with a value in place of each null."""
    return [{**each, "value": each["value"] or instead} for each in changes]


def _known(change: Value) -> Value:
    """The change, to set what no operation is given for."""
    operation = change.get("configOperation", SET)
    return change if operation in range(SET, SUBTRACT + 1) else {**change, "configOperation": SET}
