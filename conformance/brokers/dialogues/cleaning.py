"""Work around the dialogues of a run: the list of brokers, checks of what it may do, and removal.

What a run made is found by the prefix of its names, so that nothing else is ever removed.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from functools import partial
from typing import Any

from conformance.brokers.dialogues.groups.cleaning import delete_groups, groups_of_run
from conformance.brokers.dialogues.talk import Talk, first_error
from conformance.dialogue import Broken, Dialogue, Received, Reconnect, Step
from conformance.error_codes import (
    CLUSTER_AUTHORIZATION_FAILED,
    NAMES,
    POLICY_VIOLATION,
    REQUEST_TIMED_OUT,
    THROTTLING_QUOTA_EXCEEDED,
    TOPIC_ALREADY_EXISTS,
    TOPIC_AUTHORIZATION_FAILED,
)
from conformance.schema.filling import filled

ANY = 1
PATIENCE_MS = 10_000
PATTERN_TYPES = 1
"""The version of ACL requests from which patterns have types."""
LITERAL = 3
BROKER = 4
"""The type of a broker, among resources that have configs."""
CLIENT_ID = "client-id"
ANY_NAME = 2
"""The match type of DescribeClientQuotas for any specific name that has a quota."""
DELETE = 1
"""The operation of IncrementalAlterConfigs that takes a config away."""

RIGHTS_LACKED = (TOPIC_AUTHORIZATION_FAILED, CLUSTER_AUTHORIZATION_FAILED)
CONFIGURED = (POLICY_VIOLATION, THROTTLING_QUOTA_EXCEEDED, REQUEST_TIMED_OUT)
"""The errors by which a broker refuses a topic for the sake of its configuration or its load."""

Lists = Generator[Step, Received | None, list[Any]]


class Denied(Broken):
    """An answer that says that the caller lacks a right."""


class Refused(Broken):
    """An answer that says that the broker is not to do this, or not now."""


def removal(talk: Talk, left: list[str]) -> Dialogue:
    """Delete every group, topic, ACL, quota and config of a broker that has the run's prefix.

    Settings of a topic are deleted with it. The names that stay are added to `left`, or the reason
    why they are unknown.
    """
    if all(map(talk.facts.has, ("ListGroups", "DeleteGroups"))):
        for node in talk.facts.nodes or (None,):
            yield Reconnect(node=node)
            yield from _remove(talk, left, groups_of_run, delete_groups)
    if all(map(talk.facts.has, ("Metadata", "DeleteTopics"))):
        yield from _remove(talk, left, _topics, _delete_topics)
    if all(map(talk.facts.has, ("DescribeAcls", "DeleteAcls"))):
        yield from _remove(talk, left, _acls, _delete_acls)
    if all(map(talk.facts.has, ("DescribeClientQuotas", "AlterClientQuotas"))):
        yield from _remove(talk, left, _quotas, _delete_quotas)
    if all(map(talk.facts.has, ("DescribeConfigs", "IncrementalAlterConfigs"))):
        for node in talk.facts.nodes:
            yield Reconnect(node=node)
            of_node = partial(_configs, node=node), partial(_delete_configs, node=node)
            yield from _remove(talk, left, *of_node)


def permission(talk: Talk, usable: dict[str, int]) -> Dialogue:
    """Create a topic and delete it again. Raises Broken where that is not permitted.

    Each is done in the highest version that is answered, which is noted in `usable`. A broker that
    deletes no topics has the topic still, from the first time that this run asked.
    """
    name = talk.facts.name("permission")
    for api, ask in (("CreateTopics", _create_topics), ("DeleteTopics", _delete_in)):
        usable[api] = yield from _highest_answered(talk, api, partial(ask, talk, [name]))


def _highest_answered(
    talk: Talk, api: str, ask: Callable[[int], Dialogue]
) -> Generator[Step, Received | None, int]:
    """Return the highest version of an API in which a request has a whole answer. Raises Broken."""
    first: Broken | None = None
    low, high = talk.facts.range_of(api)
    for version in range(high, low - 1, -1):
        try:
            yield from ask(version)
        except Broken as broken:
            if broken.unanswered is None and not broken.judged_by:
                raise  # it is refused, and so it is in other versions
            first = first or broken
            yield Reconnect()
        else:
            return version
    assert first is not None
    raise first


def _create_topics(talk: Talk, names: list[str], version: int) -> Dialogue:
    layout = talk.codec.form("CreateTopicsRequest", version).layout
    topics = [{"name": name, "numPartitions": 1, "replicationFactor": 1} for name in names]
    value = {"topics": topics, "timeoutMs": PATIENCE_MS}
    reply = yield from talk.ask("CreateTopics", version, filled(layout, value))
    _expect_done("creating", first_error(reply.value), TOPIC_ALREADY_EXISTS)


def _expect_done(doing: str, error: int, *besides: int) -> None:
    """Raise Broken if an answer has an error other than those in `besides`."""
    if error in (0, *besides):
        return
    why = f"{doing} a topic is answered with error {error}"
    if error in NAMES:
        why += f" ({NAMES[error]})"
    if error in RIGHTS_LACKED:
        raise Denied(why)
    raise (Refused if error in CONFIGURED else Broken)(why)


def _remove(
    talk: Talk,
    left: list[str],
    found: Callable[[Talk], Lists],
    delete: Callable[[Talk, list[Any]], Dialogue],
) -> Dialogue:
    try:
        ours = yield from found(talk)
        if ours:
            yield from delete(talk, ours)
            yield from talk.eventually("what is left", [], partial(found, talk))
    except Broken as broken:
        left.append(broken.detail)


def brokers(talk: Talk, nodes: dict[int, tuple[str, int]]) -> Dialogue:
    """The host and port of each broker of the cluster, by its id, into `nodes`."""
    reply = yield from _metadata(talk, [])
    nodes.update({each["nodeId"]: (each["host"], each["port"]) for each in reply})


def all_topics(talk: Talk, names: list[str]) -> Dialogue:
    """The names of all topics of the cluster, into `names`."""
    listed = yield from _metadata(talk, None, "topics")
    names += [each["name"] for each in listed]


def _metadata(talk: Talk, topics: list[Any] | None, key: str = "brokers") -> Lists:
    version = talk.facts.range_of("Metadata")[1]
    layout = talk.codec.form("MetadataRequest", version).layout
    reply = yield from talk.ask("Metadata", version, filled(layout, {"topics": topics}))
    return list(reply.value[key])


def _topics(talk: Talk) -> Lists:
    names: list[str] = []
    yield from all_topics(talk, names)
    return [name for name in names if name.startswith(talk.facts.prefix)]


def _delete_topics(talk: Talk, names: list[str]) -> Dialogue:
    yield from _delete_in(talk, names, talk.facts.newest("DeleteTopics"))


def _delete_in(talk: Talk, names: list[str], version: int) -> Dialogue:
    layout = talk.codec.form("DeleteTopicsRequest", version).layout
    topics = [{"name": name} for name in names]
    value = {"topics": topics, "topicNames": names, "timeoutMs": PATIENCE_MS}
    yield from talk.ask("DeleteTopics", version, filled(layout, value))


def _acls(talk: Talk) -> Lists:
    """Return exact filters for the ACLs whose resource or principal has the run's prefix."""
    version = talk.facts.range_of("DescribeAcls")[1]
    layout = talk.codec.form("DescribeAclsRequest", version).layout
    every = {
        "resourceTypeFilter": ANY,
        "resourceNameFilter": None,
        "patternTypeFilter": ANY if version >= PATTERN_TYPES else LITERAL,
        "principalFilter": None,
        "hostFilter": None,
        "operation": ANY,
        "permissionType": ANY,
    }
    reply = yield from talk.ask("DescribeAcls", version, filled(layout, every))
    prefix = talk.facts.prefix
    return [
        {
            "resourceTypeFilter": resource["resourceType"],
            "resourceNameFilter": resource["resourceName"],
            "patternTypeFilter": resource.get("patternType", LITERAL),
            "principalFilter": acl["principal"],
            "hostFilter": acl["host"],
            "operation": acl["operation"],
            "permissionType": acl["permissionType"],
        }
        for resource in reply.value["resources"]
        for acl in resource["acls"]
        if prefix in resource["resourceName"] or prefix in acl["principal"]
    ]


def _configs(talk: Talk, node: int) -> Lists:
    """Return the run's names among a broker's own configs, which only that broker describes."""
    version = talk.facts.range_of("DescribeConfigs")[1]
    layout = talk.codec.form("DescribeConfigsRequest", version).layout
    resource = {"resourceType": BROKER, "resourceName": str(node), "configurationKeys": None}
    reply = yield from talk.ask(
        "DescribeConfigs", version, filled(layout, {"resources": [resource]})
    )
    [result] = reply.value["results"]
    names = [each["name"] for each in result["configs"] or []]
    return [name for name in names if name.startswith(talk.facts.prefix)]


def _delete_configs(talk: Talk, names: list[str], node: int) -> Dialogue:
    version = talk.facts.range_of("IncrementalAlterConfigs")[1]
    layout = talk.codec.form("IncrementalAlterConfigsRequest", version).layout
    configs = [{"name": name, "configOperation": DELETE, "value": None} for name in names]
    resource = {"resourceType": BROKER, "resourceName": str(node), "configs": configs}
    value = filled(layout, {"resources": [resource]})
    yield from talk.ask("IncrementalAlterConfigs", version, value)


def _delete_acls(talk: Talk, filters: list[Any]) -> Dialogue:
    version = talk.facts.range_of("DeleteAcls")[1]
    layout = talk.codec.form("DeleteAclsRequest", version).layout
    yield from talk.ask("DeleteAcls", version, filled(layout, {"filters": filters}))


def _quotas(talk: Talk) -> Lists:
    """The client ids of the run that have quotas, each with the keys of its quotas."""
    version = talk.facts.range_of("DescribeClientQuotas")[1]
    layout = talk.codec.form("DescribeClientQuotasRequest", version).layout
    component = {"entityType": CLIENT_ID, "matchType": ANY_NAME, "match": None}
    value = filled(layout, {"components": [component], "strict": True})
    reply = yield from talk.ask("DescribeClientQuotas", version, value)
    return [
        each
        for each in reply.value["entries"] or []
        if each["entity"][0]["entityName"].startswith(talk.facts.prefix)
    ]


def _delete_quotas(talk: Talk, found: list[Any]) -> Dialogue:
    version = talk.facts.range_of("AlterClientQuotas")[1]
    layout = talk.codec.form("AlterClientQuotasRequest", version).layout
    entries = [
        {"entity": each["entity"], "ops": [{**quota, "remove": True} for quota in each["values"]]}
        for each in found
    ]
    yield from talk.ask("AlterClientQuotas", version, filled(layout, {"entries": entries}))
