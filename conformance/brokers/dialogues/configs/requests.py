"""Configs, and how they are described and altered (KIP-133, KIP-339): what the dialogues share.

What is only read is read of a broker, which every cluster has: of those that Metadata lists, the
one that this connection leads to describes itself. What is altered are topics of our own. A broker
may take a moment until a change is seen, so that nothing is said to have stayed as it was before
something that was ordered later is there.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from functools import partial, wraps
from typing import Any

from conformance.brokers.dialogues import question
from conformance.brokers.dialogues.talk import Talk, judged_by
from conformance.brokers.dialogues.topics.metadata import asking as metadata
from conformance.dialogue import Broken, Dialogue, NotApplicable, Received, Step
from conformance.error_codes import (
    CLUSTER_AUTHORIZATION_FAILED,
    NOT_CONTROLLER,
    POLICY_VIOLATION,
    TOPIC_AUTHORIZATION_FAILED,
)
from conformance.schema.filling import filled

ALTER = "AlterConfigs"
CHANGE = "IncrementalAlterConfigs"
TOPIC, BROKER = 2, 4
SET, DELETE, APPEND, SUBTRACT = range(4)
RETENTION, SIZE, POLICY = "retention.ms", "max.message.bytes", "cleanup.policy"
NO_KEY = "no.such.config"
GIVEN = {RETENTION: "5000000", SIZE: "2000000"}
KEY = "log.retention.bytes"
MAY_NOT_CREATE = frozenset(
    {
        CLUSTER_AUTHORIZATION_FAILED,
        NOT_CONTROLLER,
        POLICY_VIOLATION,
        TOPIC_AUTHORIZATION_FAILED,
    }
)
PATIENCE_MS = 10_000
ANY = range(100)
WRITING: Mapping[str, Any] = {
    "wants": ("writes",),
    "needs": ("CreateTopics", "DeleteTopics", "DescribeConfigs"),
}

Fields = Mapping[str, Any]
Asked = tuple[int, str, list[str] | None]
Altered = tuple[int, str, list[Fields]]
Errors = dict[tuple[int, str], list[int]]
Results = Generator[Step, Received | None, list[Any]]
Result = Generator[Step, Received | None, Any]
Values = Generator[Step, Received | None, dict[str, str | None]]
Name = Generator[Step, Received | None, str]
Names = Generator[Step, Received | None, list[str]]


def asked_of_both(rule: str, **more: Any) -> Callable[[Callable[..., Dialogue]], None]:
    """The generator under this decides a rule of both requests that alter; `api` names which."""

    def register(make: Callable[..., Dialogue]) -> None:
        for api in (ALTER, CHANGE):

            @question(rule, api, ANY, **more)
            @wraps(make)
            def asked(talk: Talk, version: int, api: str = api) -> Dialogue:
                return make(talk, api, version)

    return register


def described(talk: Talk, version: int, *resources: Asked, **more: Any) -> Results:
    """The results of resources, given by type, name and keys."""
    layout = talk.codec.form("DescribeConfigsRequest", version).layout
    asked = [
        {"resourceType": kind, "resourceName": name, "configurationKeys": keys}
        for kind, name, keys in resources
    ]
    value = filled(layout, {"resources": asked, **more})
    reply = yield from talk.ask("DescribeConfigs", version, value)
    return list(reply.value["results"])


def described_alone(talk: Talk, version: int, resource: Asked, **more: Any) -> Result:
    """Return the one result of one resource. Raises Broken if there are none or several."""
    results = yield from described(talk, version, resource, **more)
    if len(results) != 1:
        raise Broken(f"one resource has {len(results)} results", "1", str(len(results)))
    return results[0]


def alteration(
    talk: Talk, api: str, version: int, resources: tuple[Altered, ...], validate: bool = False
) -> dict[str, Any]:
    """The request to alter resources, given by type, name and changes."""
    layout = talk.codec.form(f"{api}Request", version).layout
    asked = [
        {"resourceType": kind, "resourceName": name, "configs": changes}
        for kind, name, changes in resources
    ]
    return filled(layout, {"resources": asked, "validateOnly": validate})


def altered(
    talk: Talk, api: str, version: int, *resources: Altered, validate: bool = False
) -> Results:
    """Return the results for resources that are to be altered."""
    value = alteration(talk, api, version, resources, validate)
    reply = yield from talk.ask(api, version, value)
    return list(reply.value["responses"])


def put(key: str, value: str | None, operation: int = SET) -> Fields:
    """A change of one config; AlterConfigs knows no operation but SET."""
    return {"name": key, "configOperation": operation, "value": value}


def errors(results: list[Any]) -> Errors:
    """The error codes of each resource; there should be one."""
    found: Errors = {}
    for item in results:
        key = item["resourceType"], item["resourceName"]
        found.setdefault(key, []).append(item["errorCode"])
    return found


def names_of(result: Any) -> list[str]:
    """The names of the configs of a result."""
    return [config["name"] for config in result["configs"]]


def values(talk: Talk, topic: str, *keys: str) -> Values:
    """Return the values of a topic's configs; none if the topic is not seen yet."""
    high = talk.facts.range_of("DescribeConfigs")[1]
    results = yield from described(talk, high, (TOPIC, topic, list(keys)))
    configs = [each for result in results for each in result["configs"]]
    return {each["name"]: each["value"] for each in configs if each["name"] in keys}


def own_broker(talk: Talk, version: int) -> Name:
    """The id of the broker at the other end.

    Raises NotApplicable where the caller may not see it, and Broken where none describes itself.
    """
    ids = yield from listed(talk)
    results = yield from described(talk, version, *((BROKER, each, [KEY]) for each in ids))
    for result in results:
        if not result["errorCode"]:
            return str(result["resourceName"])
    codes = sorted({result["errorCode"] for result in results})
    if CLUSTER_AUTHORIZATION_FAILED in codes:
        raise NotApplicable("this principal may not see the configs of brokers")
    what = f"of the brokers {', '.join(ids)} none describes itself here: the errors are {codes}"
    raise Broken(what, "error 0", str(codes), judged_by="configs.own-broker-alone")


@judged_by("metadata.empty-asks-for-none")
def listed(talk: Talk) -> Results:
    """The ids of the brokers of the cluster, as names of resources."""
    low = max(1, talk.facts.range_of("Metadata")[0])
    reply = yield from talk.ask("Metadata", low, metadata(talk, low, []))
    found = [str(each["nodeId"]) for each in reply.value["brokers"]]
    if not found:
        raise Broken("no broker is listed", "at least one broker", reply.frame)
    return found


def new_topics(talk: Talk, number: int = 1) -> Names:
    """New topics that are seen with the configs of `GIVEN`.

    Raises NotApplicable where this broker or principal may create none, and Broken where they are
    not created as they were given.
    """
    names = [talk.facts.name("configs") for _ in range(number)]
    given = [{"name": key, "value": value} for key, value in GIVEN.items()]
    fields = {"numPartitions": 1, "replicationFactor": 1, "configs": given}
    version = talk.facts.newest("CreateTopics")
    layout = talk.codec.form("CreateTopicsRequest", version).layout
    topics = [{"name": name, **fields} for name in names]
    value = filled(layout, {"topics": topics, "timeoutMs": PATIENCE_MS})
    reply = yield from talk.ask("CreateTopics", version, value)
    codes = {each["errorCode"] for each in reply.value["topics"]}
    if codes & MAY_NOT_CREATE:
        raise NotApplicable(f"no topic may be created: the errors are {sorted(codes)}")
    yield from _are_as_given(talk, names, sorted(codes))
    return names


@judged_by("topics.created-with-configs")
def _are_as_given(talk: Talk, names: list[str], codes: list[int]) -> Dialogue:
    talk.expect("the errors of new topics with configs", [0], codes)
    for name in names:
        yield from holds(talk, name, GIVEN)


def gone(talk: Talk, *names: str) -> Dialogue:
    """Delete topics of our own."""
    version = talk.facts.newest("DeleteTopics")
    layout = talk.codec.form("DeleteTopicsRequest", version).layout
    topics = [{"name": name} for name in names]
    value = {"topics": topics, "topicNames": list(names), "timeoutMs": PATIENCE_MS}
    yield from talk.ask("DeleteTopics", version, filled(layout, value))


def holds(talk: Talk, topic: str, due: Mapping[str, str]) -> Dialogue:
    """A topic comes to have these values. Raises Broken."""
    ask = partial(values, talk, topic, *due)
    yield from talk.eventually("its configs", due, ask)


def is_unchanged(talk: Talk, topic: str) -> Dialogue:
    """A topic has the configs that it was created with. Raises Broken."""
    found = yield from values(talk, topic, *GIVEN)
    talk.expect("its configs afterwards", GIVEN, found)


def is_unchanged_later(talk: Talk, topic: str) -> Dialogue:
    """Check `is_unchanged` once a newer topic shows that older changes are done. Raises Broken."""
    newer = yield from new_topics(talk)
    yield from is_unchanged(talk, topic)
    yield from gone(talk, *newer)


def absent(talk: Talk, number: int) -> list[str]:
    """Return this many names that no topic has."""
    return [f"{talk.facts.prefix}absent-{index}" for index in range(number)]
