"""Facts that the model needs of the target's cluster to be like it: its node, and its defaults."""

from __future__ import annotations

from typing import Any

from conformance.brokers.dialogues.coordinators import GROUP, TRANSACTION, coordinators
from conformance.brokers.dialogues.records.producers import initialised
from conformance.brokers.dialogues.talk import Talk
from conformance.dialogue import Dialogue
from conformance.error_codes import SECURITY_DISABLED
from conformance.schema.filling import filled

ANY, LITERAL = 1, 3
BROKER = 4
"""The type of a broker, among resources that have configs."""
DEFAULTS = {
    "num.partitions": "num_partitions",
    "default.replication.factor": "default_replication_factor",
}
SWITCHES = {
    "auto.create.topics.enable": "auto_create_topics",
    "delete.topic.enable": "delete_topics_enabled",
}
"""The settings of a model, by the configs of a broker."""


def learned(talk: Talk, settings: dict[str, Any]) -> Dialogue:
    """Put what is learned of the cluster into the settings of a model. Raises Broken."""
    if not talk.facts.has("Metadata"):
        return
    version = talk.facts.range_of("Metadata")[1]
    layout = talk.codec.form("MetadataRequest", version).layout
    reply = yield from talk.ask_for_any("Metadata", version, filled(layout, {"topics": []}))
    brokers = reply.value["brokers"]
    node = min(each["nodeId"] for each in brokers)
    [first] = [each for each in brokers if each["nodeId"] == node]
    settings |= {
        "node_id": node,
        "other_nodes": tuple(each["nodeId"] for each in brokers if each["nodeId"] != node),
        "host": first["host"],
        "port": first["port"],
    }
    if reply.value.get("clusterId"):
        settings["cluster_id"] = reply.value["clusterId"]
    if talk.facts.has("DescribeAcls"):
        yield from _authorizer(talk, settings)
    if talk.facts.has("DescribeConfigs"):
        yield from _configs(talk, node, settings)


def warmed_up(talk: Talk) -> Dialogue:
    """Ask for coordinators and a producer's id, until the cluster is ready. Raises Broken."""
    if talk.facts.has("FindCoordinator"):
        version = talk.facts.range_of("FindCoordinator")[1]
        for kind in (GROUP, TRANSACTION)[: 2 if version else 1]:
            yield from coordinators(talk, version, [talk.facts.name("warm")], kind)
    if talk.facts.has("InitProducerId"):
        yield from initialised(talk, talk.facts.range_of("InitProducerId")[1])


def _authorizer(talk: Talk, settings: dict[str, Any]) -> Dialogue:
    version = talk.facts.range_of("DescribeAcls")[1]
    layout = talk.codec.form("DescribeAclsRequest", version).layout
    wanted = {
        "resourceTypeFilter": ANY,
        "patternTypeFilter": ANY if version else LITERAL,
        "operation": ANY,
        "permissionType": ANY,
    }
    value = {**filled(layout, wanted), "resourceNameFilter": talk.facts.name("acl")}
    reply = yield from talk.ask_for_any("DescribeAcls", version, value)
    settings["authorizer"] = reply.value["errorCode"] != SECURITY_DISABLED


def _configs(talk: Talk, node: int, settings: dict[str, Any]) -> Dialogue:
    version = talk.facts.range_of("DescribeConfigs")[1]
    layout = talk.codec.form("DescribeConfigsRequest", version).layout
    names = [*DEFAULTS, *SWITCHES]
    resource = {
        "resourceType": BROKER,
        "resourceName": str(node),
        "configurationKeys": names,
    }
    value = filled(layout, {"resources": [resource]})
    reply = yield from talk.ask_for_any("DescribeConfigs", version, value)
    for result in reply.value["results"]:
        for each in result["configs"] or ():
            value_of, name = each["value"], each["name"]
            if name in DEFAULTS and (value_of or "").isdecimal():
                settings[DEFAULTS[name]] = int(value_of)
            if name in SWITCHES and value_of in ("true", "false"):
                settings[SWITCHES[name]] = value_of == "true"
