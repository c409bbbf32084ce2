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


class LastOfTwoKeysCounts(BrokerMutant, breaks="configs.duplicate-key-refused"):
    """Takes a config whose key is given twice."""

    def check_changes(self, changes: list[Value], incremental: bool) -> None:
        by_name = {change["name"]: change for change in changes}
        super().check_changes(list(by_name.values()), incremental)


class DuplicateKeyFailsAll(BrokerMutant, breaks="configs.duplicate-key-refused"):
    """Refuses every resource of a request that gives a key of one twice."""

    def altered_configs(
        self, request: Request, item: Value, resource: Resource, incremental: bool
    ) -> dict[str, str]:
        for each in request.value["resources"]:
            self.check_keys(each["configs"])
        return super().altered_configs(request, item, resource, incremental)

    def check_keys(self, changes: list[Value]) -> None:
        if len({change["name"] for change in changes}) < len(changes):
            raise Refused(error_codes.INVALID_REQUEST)


class NullDeletes(BrokerMutant, breaks="configs.null-refused"):
    """Takes null for the value of a config that is to be set."""

    def check_changes(self, changes: list[Value], incremental: bool) -> None:
        super().check_changes(_without_null(changes, "0"), incremental)

    def apply_change(
        self, configs: dict[str, str], resource: Resource, change: Value, operation: int
    ) -> None:
        operation = DELETE if change["value"] is None else operation
        super().apply_change(configs, resource, change, operation)


class NullIsInvalidConfig(BrokerMutant, breaks="configs.null-refused"):
    """Answers null for a value as if it were one that can't be."""

    def check_changes(self, changes: list[Value], incremental: bool) -> None:
        super().check_changes(_without_null(changes, "0"), incremental)
        for change in changes:
            if change["value"] is None and change.get("configOperation") != DELETE:
                raise Refused(error_codes.INVALID_CONFIG)


class ResourceTwiceAltered(BrokerMutant, breaks="configs.duplicate-resource-refused"):
    """Takes a resource that IncrementalAlterConfigs has twice."""

    def resource_twice(self, resource: Resource, incremental: bool) -> None:
        if not incremental:
            super().resource_twice(resource, incremental)


class ResourceTwiceFailsAll(BrokerMutant, breaks="configs.duplicate-resource-refused"):
    """Refuses every resource of an IncrementalAlterConfigs that has one twice."""

    def incremental_alter_configs(self, request: Request) -> Value:
        asked = request.value["resources"]
        twice = len({(each["resourceType"], each["resourceName"]) for each in asked}) < len(asked)
        request.value["validateOnly"] |= twice
        answer = super().incremental_alter_configs(request)
        for each in answer["responses"] if twice else ():
            each["errorCode"] = error_codes.INVALID_REQUEST
        return answer


class SecondMentionRefused(BrokerMutant, breaks="configs.duplicate-resource-refused"):
    """Refuses the second mention alone of a resource that IncrementalAlterConfigs has twice."""

    def incremental_alter_configs(self, request: Request) -> Value:
        self.mentioned: set[Resource] = set()
        return super().incremental_alter_configs(request)

    def resource_twice(self, resource: Resource, incremental: bool) -> None:
        if not incremental or resource in self.mentioned:
            super().resource_twice(resource, incremental)
        self.mentioned.add(resource)


class LastOfTwoReplaces(BrokerMutant, breaks="configs.duplicate-resource-not-altered"):
    """Replaces the configs of a resource that AlterConfigs has twice, and then once more."""

    def resource_twice(self, resource: Resource, incremental: bool) -> None:
        if incremental:
            super().resource_twice(resource, incremental)


class RefusedAndReplaced(BrokerMutant, breaks="configs.duplicate-resource-not-altered"):
    """Refuses a resource that AlterConfigs has twice, and alters it all the same."""

    def resource_twice(self, resource: Resource, incremental: bool) -> None:
        if not incremental:
            self.set_configs(resource, {"retention.ms": "6000000"})
        super().resource_twice(resource, incremental)


class SilentAndReplaced(BrokerMutant, breaks="configs.duplicate-resource-not-altered"):
    """Alters a resource that AlterConfigs has twice and hangs up over its two results."""

    def resource_twice(self, resource: Resource, incremental: bool) -> None:
        if incremental:
            super().resource_twice(resource, incremental)

    def alter_configs(self, request: Request) -> Value:
        answer = super().alter_configs(request)
        seen = {(each["resourceType"], each["resourceName"]) for each in answer["responses"]}
        if len(seen) < len(answer["responses"]):
            raise Hangup
        return answer


class OperationsSwapped(BrokerMutant, breaks="configs.operations"):
    """Takes APPEND for SUBTRACT, and the other way round."""

    def apply_change(
        self, configs: dict[str, str], resource: Resource, change: Value, operation: int
    ) -> None:
        swapped = {APPEND: SUBTRACT, SUBTRACT: APPEND}
        super().apply_change(configs, resource, change, swapped.get(operation, operation))


class AppendSets(BrokerMutant, breaks="configs.operations"):
    """Takes APPEND for SET."""

    def apply_change(
        self, configs: dict[str, str], resource: Resource, change: Value, operation: int
    ) -> None:
        known = change["name"] == "cleanup.policy"
        instead = SET if known and operation == APPEND else operation
        super().apply_change(configs, resource, change, instead)


class SubtractDeletes(BrokerMutant, breaks="configs.operations"):
    """Deletes a list from which an entry is to be subtracted."""

    def changed_list(
        self, configs: dict[str, str], resource: Resource, name: str, value: str, operation: int
    ) -> str:
        changed = super().changed_list(configs, resource, name, value, operation)
        return "" if operation == SUBTRACT else changed


class DeleteLeaves(BrokerMutant, breaks="configs.operations"):
    """Says that a config was deleted, and keeps it."""

    def apply_change(
        self, configs: dict[str, str], resource: Resource, change: Value, operation: int
    ) -> None:
        if operation != DELETE or resource[0] == BROKER:
            super().apply_change(configs, resource, change, operation)


class UnknownOperationSets(BrokerMutant, breaks="configs.unknown-operation-refused"):
    """Takes an operation that is none for SET."""

    def check_changes(self, changes: list[Value], incremental: bool) -> None:
        super().check_changes([_known(change) for change in changes], incremental)

    def apply_change(
        self, configs: dict[str, str], resource: Resource, change: Value, operation: int
    ) -> None:
        operation = _known({**change, "configOperation": operation})["configOperation"]
        super().apply_change(configs, resource, change, operation)


class UnknownOperationPassedOver(BrokerMutant, breaks="configs.unknown-operation-refused"):
    """Does nothing for an operation that is none, and says that it is done."""

    def altered(self, request: Request, incremental: bool) -> Value:
        for each in request.value["resources"] if incremental else ():
            each["configs"] = [one for one in each["configs"] if _known(one) == one]
        return super().altered(request, incremental)


class ListOperationsOnText(BrokerMutant, breaks="configs.lists-alone-grow"):
    """Takes entries to append to a config that is no list."""

    def changed_list(
        self, configs: dict[str, str], resource: Resource, name: str, value: str, operation: int
    ) -> str:
        try:
            return super().changed_list(configs, resource, name, value, operation)
        except Refused:
            return configs.get(name, "") + value


class ListOperationsHalfDone(BrokerMutant, breaks="configs.lists-alone-grow"):
    """Refuses to append to what is no list, and sets what else is asked for of the resource."""

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


class ListOperationsInvalidRequest(BrokerMutant, breaks="configs.lists-alone-grow"):
    """Answers INVALID_REQUEST where entries are appended to what is no list."""

    def changed_list(
        self, configs: dict[str, str], resource: Resource, name: str, value: str, operation: int
    ) -> str:
        try:
            return super().changed_list(configs, resource, name, value, operation)
        except Refused as refused:
            raise Refused(error_codes.INVALID_REQUEST, refused.message) from None


class BadConfigLeftOut(BrokerMutant, breaks="configs.bad-config-refused"):
    """Answers a config that no topic has, or whose value can't be, without an error."""

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


class UnknownConfigOfTopicTaken(BrokerMutant, breaks="configs.bad-config-refused"):
    """Takes a config that no topic has."""

    implies = ("topics.bad-config-refused",)

    def check_topic_configs(self, configs: Any) -> None:
        known = {name: value for name, value in configs.items() if name != "no.such.config"}
        super().check_topic_configs(known)


class BadValueTaken(BrokerMutant, breaks="configs.bad-config-refused"):
    """Takes any value for a config."""

    implies = ("topics.bad-config-refused",)

    def check_value(self, known: Known, value: str) -> None:
        """Check nothing."""


class ValidatedConfigsAltered(BrokerMutant, breaks="configs.validate-only-changes-nothing"):
    """Alters what was only to be validated."""

    def altered(self, request: Request, incremental: bool) -> Value:
        request.value["validateOnly"] = False
        return super().altered(request, incremental)


class ValidatedConfigsRefused(BrokerMutant, breaks="configs.validate-only-changes-nothing"):
    """Refuses to validate configs without altering them."""

    def altered_configs(
        self, request: Request, item: Value, resource: Resource, incremental: bool
    ) -> dict[str, str]:
        if request.value["validateOnly"]:
            raise Refused(error_codes.INVALID_REQUEST)
        return super().altered_configs(request, item, resource, incremental)


class ReplacedIncrementally(BrokerMutant, breaks="configs.replaced-whole"):
    """Keeps what AlterConfigs does not name."""

    def alter_configs(self, request: Request) -> Value:
        for resource in request.value["resources"]:
            for each in resource["configs"]:
                each["configOperation"] = SET
        return self.altered(request, incremental=True)


class ReplacedByNothing(BrokerMutant, breaks="configs.replaced-whole"):
    """Deletes all configs of a resource that AlterConfigs is to replace."""

    def alter_configs(self, request: Request) -> Value:
        answer = super().alter_configs(request)
        for each in answer["responses"]:
            if not each["errorCode"] and not request.value["validateOnly"]:
                self.set_configs((each["resourceType"], each["resourceName"]), {})
        return answer


class ChangedWholly(BrokerMutant, breaks="configs.others-kept"):
    """Replaces all configs of a resource by those that IncrementalAlterConfigs names."""

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


class NeighbourForgotten(BrokerMutant, breaks="configs.others-kept"):
    """Forgets one config of a topic whenever another is set."""

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
