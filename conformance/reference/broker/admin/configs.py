"""DescribeConfigs, AlterConfigs and IncrementalAlterConfigs (KIP-133, KIP-226, KIP-339, KIP-569).

A resource stores only the configs that were set for it; all others that are described are defaults
of the broker. AlterConfigs replaces all configs that were set, IncrementalAlterConfigs changes them
key by key; either does all changes of a resource that it was asked for, or none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from typing import NamedTuple

from conformance import error_codes
from conformance.reference.broker.admin import config_names
from conformance.reference.broker.admin.access import (
    ALTER_CONFIGS,
    CLUSTER,
    CLUSTER_NAME,
    DESCRIBE_CONFIGS,
    GROUP,
    Access,
)
from conformance.reference.broker.admin.config_names import Known
from conformance.reference.broker.admin.topic_names import check_name
from conformance.reference.broker.cluster import (
    MAX_CONFIGURED,
    MAX_DESCRIBED,
    TOPIC,
    Request,
    Value,
)
from conformance.reference.broker.errors import Refused

BROKER, BROKER_LOGGER, CLIENT_METRICS, GROUP_CONFIGS = 4, 8, 16, 32
RESOURCE_TYPES = frozenset({TOPIC, BROKER, BROKER_LOGGER, CLIENT_METRICS, GROUP_CONFIGS})
SET, DELETE, APPEND, SUBTRACT = range(4)
TOPIC_SOURCE, BROKER_SOURCE, CLUSTER_SOURCE, STATIC_SOURCE, DEFAULT_SOURCE = range(1, 6)
METRICS_SOURCE, GROUP_SOURCE = 7, 8
_SOURCES = {TOPIC: TOPIC_SOURCE, CLIENT_METRICS: METRICS_SOURCE, GROUP_CONFIGS: GROUP_SOURCE}
_KNOWN = {
    TOPIC: config_names.OF_TOPIC,
    BROKER: config_names.OF_BROKER,
    CLIENT_METRICS: config_names.OF_CLIENT_METRICS,
    GROUP_CONFIGS: config_names.OF_GROUP,
}
_BOUNDS = {config_names.SHORT: 15, config_names.INT: 31, config_names.LONG: 63}

Resource = tuple[int, str]


class Setting(NamedTuple):
    """One setting of a config: its name, its value, and the source of the value."""

    name: str
    value: str
    source: int


class Configs(Access):
    """The handlers of the three requests."""

    def describe_configs(self, request: Request) -> Value:
        """Return one result for each resource asked, in order."""
        asked = request.value["resources"]
        unknown = self.has_unknown_type(asked)
        results = []
        for item in asked:
            try:
                if unknown:
                    raise Refused(error_codes.INVALID_REQUEST, "A resource's type is none.")
                if len(asked) > MAX_DESCRIBED:
                    raise Refused(
                        error_codes.POLICY_VIOLATION, "Too many resources in one request."
                    )
                configs = self.described_configs(request, item)
                results.append(_result(item, error_codes.NONE, "", configs=configs))
            except Refused as refused:
                results.append(_result(item, refused.code, refused.message, configs=[]))
        return {"throttleTimeMs": 0, "results": results}

    def has_unknown_type(self, asked: list[Value]) -> bool:
        """True if a resource's type does not exist, which fails the whole request."""
        return any(item["resourceType"] not in RESOURCE_TYPES for item in asked)

    def described_configs(self, request: Request, item: Value) -> list[Value]:
        """Return the configs of a resource, those asked for by key or all. Raises Refused."""
        resource = item["resourceType"], item["resourceName"]
        self.check_described(request, resource)
        names = self.config_keys_wanted(item["configurationKeys"])
        return [
            self.described_config(request, resource, name, settings)
            for name, settings in sorted(self.all_settings(resource).items())
            if names is None or name in names
        ]

    def config_keys_wanted(self, keys: list[str] | None) -> set[str] | None:
        """Return the keys asked for, None for all: an empty list means all, as in Apache Kafka."""
        return set(keys) if keys else None

    def check_described(self, request: Request, resource: Resource) -> None:
        """Raise Refused if a resource has no configs to describe, or the caller can't see them."""
        kind, name = resource
        self.check_access(request, resource, DESCRIBE_CONFIGS)
        if kind in (BROKER, BROKER_LOGGER):
            self.check_broker(name, may_be_empty=kind == BROKER)
        if kind == TOPIC:
            check_name(name)
            self.check_topic(name)

    def check_access(self, request: Request, resource: Resource, operation: int) -> None:
        """Raise Refused if the caller may not do this operation on a resource's configs."""
        kind, name = resource
        if kind == TOPIC and not self.may(request, operation, TOPIC, name):
            raise Refused(error_codes.TOPIC_AUTHORIZATION_FAILED, "Not authorized.")
        if kind == GROUP_CONFIGS and not self.may(request, operation, GROUP, name):
            raise Refused(error_codes.GROUP_AUTHORIZATION_FAILED, "Not authorized.")
        if kind in (TOPIC, GROUP_CONFIGS):
            return
        if not self.may(request, operation, CLUSTER, CLUSTER_NAME):
            raise Refused(error_codes.CLUSTER_AUTHORIZATION_FAILED, "Not authorized.")

    def check_broker(self, name: str, may_be_empty: bool = True) -> None:
        """Raise Refused for a broker that is not this one nor, if allowed, all of them."""
        if not name and may_be_empty:
            return
        if not name.isdecimal():
            raise Refused(error_codes.INVALID_REQUEST, "A broker's name is its id.")
        if name != str(self.node_id):
            raise Refused(error_codes.INVALID_REQUEST, f"This is broker {self.node_id}.")

    def check_topic(self, name: str) -> None:
        """Raise Refused for a topic that does not exist."""
        if name not in self.topics:
            raise Refused(error_codes.UNKNOWN_TOPIC_OR_PARTITION, "There is no topic of this name.")

    def check_not_all_topics(self, name: str) -> None:
        """Raise Refused for the empty name, which for brokers means all of them."""
        if not name:
            raise Refused(error_codes.INVALID_REQUEST, "Topics have no configs together.")

    def all_settings(self, resource: Resource) -> dict[str, list[Setting]]:
        """Return each config of a resource with all its settings, the one in force first."""
        names = set(self.configs.get(resource, {}))
        if self.has_defaults(resource):
            names |= set(_KNOWN[resource[0]])
        return {name: self.settings(resource, name) for name in names}

    def has_defaults(self, resource: Resource) -> bool:
        """True if a resource has configs even if none was set."""
        kind, name = resource
        return kind in (TOPIC, CLIENT_METRICS, GROUP_CONFIGS) or (kind == BROKER and name != "")

    def settings(self, resource: Resource, name: str) -> list[Setting]:
        """Return all settings of one config, the one in force first."""
        kind, _ = resource
        if kind == BROKER and resource[1]:
            return self.broker_settings(name)
        known = _KNOWN.get(kind, {}).get(name)
        own = self.configs.get(resource, {})
        settings = []
        if name in own:
            settings.append(Setting(name, own[name], _SOURCES.get(kind, CLUSTER_SOURCE)))
        if known and known.synonym:
            settings += self.broker_settings(known.synonym)
        return settings

    def broker_settings(self, key: str) -> list[Setting]:
        """Return the settings of a broker's config: for this broker, for all, static or default."""
        of_this = self.configs.get((BROKER, str(self.node_id)), {})
        of_all = self.configs.get((BROKER, ""), {})
        settings = [Setting(key, of_this[key], BROKER_SOURCE)] if key in of_this else []
        if key in of_all:
            settings.append(Setting(key, of_all[key], CLUSTER_SOURCE))
        if key == "node.id":
            settings.append(Setting(key, str(self.node_id), STATIC_SOURCE))
        elif (known := config_names.OF_BROKER.get(key)) and known.default is not None:
            settings.append(Setting(key, known.default, DEFAULT_SOURCE))
        return settings

    def described_config(
        self, request: Request, resource: Resource, name: str, settings: list[Setting]
    ) -> Value:
        """Return one config. A value that is secret, or of an unknown config, is null."""
        known = _KNOWN.get(resource[0], {}).get(name)
        value, source = self.in_force(known, settings)
        shown: Value = {
            "name": name,
            "value": self.shown_value(known, value),
            "readOnly": known is None or known.read_only,
            "configSource": source,
            "isSensitive": known is None or known.sensitive,
            "synonyms": [],
            "configType": known.kind if known else 0,
            "documentation": None,
        }
        if request.value["includeSynonyms"]:
            shown["synonyms"] = self.synonyms(known, settings)
        if request.value["includeDocumentation"] and known:
            shown["documentation"] = f"The config {name}, as Apache Kafka knows it."
        if request.version == 0:
            shown["isDefault"] = source == DEFAULT_SOURCE
        return shown

    def in_force(self, known: Known | None, settings: list[Setting]) -> tuple[str | None, int]:
        """Return the value of a config, and its source."""
        if settings:
            return settings[0].value, settings[0].source
        return known.default if known else None, DEFAULT_SOURCE

    def shown_value(self, known: Known | None, value: str | None) -> str | None:
        """Return the value if it may be seen, else None."""
        return value if known and not known.sensitive else None

    def synonyms(self, known: Known | None, settings: list[Setting]) -> list[Value]:
        """Return all settings of a config, the one in force first."""
        return [
            {
                "name": each.name,
                "value": self.shown_value(known, each.value),
                "source": each.source,
            }
            for each in settings
        ]

    def created_configs(self, configs: Mapping[str, str]) -> list[Value]:
        """Return the configs of a topic in the form of CreateTopics (KIP-525)."""
        shown = []
        for name, known in sorted(_KNOWN[TOPIC].items()):
            value, source = self.in_force(known, self.settings((TOPIC, ""), name))
            shown.append(
                {
                    "name": name,
                    "value": configs.get(name, value),
                    "readOnly": False,
                    "configSource": TOPIC_SOURCE if name in configs else source,
                    "isSensitive": known.sensitive,
                }
            )
        return shown

    def alter_configs(self, request: Request) -> Value:
        """Return one result for each resource asked, in order."""
        return self.altered(request, incremental=False)

    def incremental_alter_configs(self, request: Request) -> Value:
        """Return one result for each resource asked, in order."""
        return self.altered(request, incremental=True)

    def altered(self, request: Request, incremental: bool) -> Value:
        """Check and change each resource by itself, for either request."""
        asked = request.value["resources"]
        resources = [(item["resourceType"], item["resourceName"]) for item in asked]
        times = Counter(resources)
        results = []
        for item, resource in zip(asked, resources, strict=True):
            try:
                if times[resource] > 1:
                    self.resource_twice(resource, incremental)
                configs = self.altered_configs(request, item, resource, incremental)
                if not request.value["validateOnly"]:
                    self.set_configs(resource, configs)
                results.append(_result(item, error_codes.NONE, None))
            except Refused as refused:
                results.append(_result(item, refused.code, refused.message))
        return {"throttleTimeMs": 0, "responses": results}

    def resource_twice(self, resource: Resource, incremental: bool) -> None:
        """Refuse a resource that the request has more than once, with Refused.

        Apache Kafka 4.3.1 and 3.9.2 are meant to do this as well, but never answer an AlterConfigs.
        """
        del resource, incremental
        raise Refused(error_codes.INVALID_REQUEST, "The resource is given more than once.")

    def altered_configs(
        self, request: Request, item: Value, resource: Resource, incremental: bool
    ) -> dict[str, str]:
        """Return the configs of a resource after the changes. Raises Refused."""
        kind, name = resource
        if kind not in RESOURCE_TYPES:
            raise Refused(error_codes.INVALID_REQUEST, f"There is no resource type {kind}.")
        self.check_changes(item["configs"], incremental)
        self.check_access(request, resource, ALTER_CONFIGS)
        if kind in (BROKER, BROKER_LOGGER):
            self.check_broker(name, may_be_empty=kind == BROKER)
        configs = dict(self.configs.get(resource, {})) if incremental else {}
        for change in item["configs"]:
            operation = change["configOperation"] if incremental else SET
            self.apply_change(configs, resource, change, operation)
        if kind == TOPIC:
            self.check_not_all_topics(name)
            check_name(name)
        self.check_configs(resource, configs)
        if kind == TOPIC:
            self.check_topic(name)
        if resource not in self.configs and len(self.configs) >= MAX_CONFIGURED:
            raise Refused(error_codes.POLICY_VIOLATION, "The cluster takes no more configs.")
        return configs

    def check_changes(self, changes: list[Value], incremental: bool) -> None:
        """Raise Refused for a key given twice, a null value or an operation that does not exist."""
        names = [change["name"] for change in changes]
        if len(set(names)) < len(names):
            raise Refused(error_codes.INVALID_REQUEST, "A config is given more than once.")
        for change in changes:
            operation = change["configOperation"] if incremental else SET
            if operation not in (SET, DELETE, APPEND, SUBTRACT):
                raise Refused(error_codes.INVALID_REQUEST, f"There is no operation {operation}.")
            if change["value"] is None and operation != DELETE:
                raise Refused(error_codes.INVALID_REQUEST, "A config can't be set to null.")

    def apply_change(
        self, configs: dict[str, str], resource: Resource, change: Value, operation: int
    ) -> None:
        """Change one of the configs of a resource. Raises Refused."""
        name, value = change["name"], change["value"]
        if operation == SET:
            configs[name] = value
        elif operation == DELETE:
            configs.pop(name, None)
        else:
            configs[name] = self.changed_list(configs, resource, name, value, operation)

    def changed_list(
        self, configs: dict[str, str], resource: Resource, name: str, value: str, operation: int
    ) -> str:
        """Return a list with entries added or removed. Raises Refused if the config is no list."""
        known = _KNOWN.get(resource[0], {}).get(name)
        if known is None or known.kind != config_names.LIST:
            raise Refused(error_codes.INVALID_CONFIG, "The config is no list.")
        entries = _entries(configs.get(name, known.default or ""))
        given = _entries(value)
        if operation == APPEND:
            entries += [each for each in dict.fromkeys(given) if each not in entries]
        else:
            entries = [each for each in entries if each not in given]
        return ",".join(entries)

    def check_configs(self, resource: Resource, configs: Mapping[str, str]) -> None:
        """Raise Refused for configs that a resource can't have."""
        kind, _ = resource
        if kind == TOPIC:
            self.check_topic_configs(configs)
        elif kind == BROKER:
            self.check_broker_configs(configs)
        elif kind == BROKER_LOGGER and configs:
            raise Refused(error_codes.INVALID_CONFIG, "There is no such logger.")
        elif kind == CLIENT_METRICS and not configs.keys() <= config_names.OF_CLIENT_METRICS.keys():
            raise Refused(error_codes.INVALID_REQUEST, "There is no such config of client metrics.")
        elif kind in (CLIENT_METRICS, GROUP_CONFIGS):
            self.check_known_configs(_KNOWN[kind], configs)

    def check_topic_configs(self, configs: Mapping[str, str]) -> None:
        """Raise Refused for configs that no topic has, or for their values."""
        self.check_known_configs(config_names.OF_TOPIC, configs)

    def check_known_configs(self, table: Mapping[str, Known], configs: Mapping[str, str]) -> None:
        """Raise Refused for configs that are not in the table, or for their values."""
        for name, value in configs.items():
            if name not in table:
                raise Refused(error_codes.INVALID_CONFIG, "There is no such config.")
            self.check_value(table[name], value)

    def check_broker_configs(self, configs: Mapping[str, str]) -> None:
        """Raise Refused for configs that can't change; an unknown one may be a plugin's own."""
        for name, value in configs.items():
            known = config_names.OF_BROKER.get(name)
            if known and known.read_only:
                raise Refused(error_codes.INVALID_REQUEST, f"The config {name} can't change.")
            if known:
                self.check_value(known, value)

    def check_value(self, known: Known, value: str) -> None:
        """Raise Refused for a value that does not fit the config's type."""
        if not _fits(known, value):
            raise Refused(error_codes.INVALID_CONFIG, f"The config {known.name} has no such value.")

    def set_configs(self, resource: Resource, configs: dict[str, str]) -> None:
        """Store exactly these configs for a resource."""
        if configs:
            self.configs[resource] = configs
        else:
            self.configs.pop(resource, None)


def _result(item: Value, code: int, message: str | None, **more: list[Value]) -> Value:
    return {
        "errorCode": code,
        "errorMessage": message,
        "resourceType": item["resourceType"],
        "resourceName": item["resourceName"],
        **more,
    }


def _entries(value: str) -> list[str]:
    return [entry.strip() for entry in value.split(",") if entry.strip()]


def _fits(known: Known, value: str) -> bool:
    """True if the text is a value of the config's type."""
    if known.kind == config_names.BOOLEAN:
        return value.strip().lower() in ("true", "false")
    if known.kind == config_names.DOUBLE:
        with suppress(ValueError):
            return bool(float(value) == float(value))
        return False
    if known.kind in _BOUNDS:
        return _is_integer(value, _BOUNDS[known.kind]) and _is_in_range(known, value)
    chosen = _entries(value) if known.kind == config_names.LIST else [value]
    return not known.values or set(chosen) <= set(known.values)


def _is_integer(text: str, bits: int) -> bool:
    digits = text.strip().removeprefix("-").removeprefix("+")
    if not (digits.isascii() and digits.isdecimal()) or len(digits) > 20:
        return False
    return -(1 << bits) <= int(text) < 1 << bits


def _is_in_range(known: Known, value: str) -> bool:
    """True if a number is none below the least that a config may have."""
    return known.least is None or int(value) >= known.least
