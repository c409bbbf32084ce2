"""The rights to describe and to alter configs, of topics and of brokers, each for itself."""

from __future__ import annotations

from collections.abc import Generator

from conformance.brokers.dialogues import question
from conformance.brokers.dialogues.acls.requests import (
    ALL_VERSIONS,
    ALTER_CONFIGS,
    DESCRIBE_CONFIGS,
    newest,
)
from conformance.brokers.dialogues.rights.principals import (
    ABOUT_CONFIGS,
    ABOUT_TOPICS,
    Results,
    cleaned,
    grant,
    granted,
    topics_made,
)
from conformance.brokers.dialogues.talk import Talk, judged_by
from conformance.brokers.dialogues.topics.metadata import asking as metadata
from conformance.dialogue import Broken, Dialogue, Received, Reconnect, Step
from conformance.error_codes import CLUSTER_AUTHORIZATION_FAILED, TOPIC_AUTHORIZATION_FAILED
from conformance.schema.filling import filled

TOPIC, BROKER = 2, 4
"""Types of resources that have configs."""
RETENTION = "retention.ms"
RETENTION_MS = "7200000"
"""A value that is no broker's default."""


@question("acls.describing-configs-takes-a-right", "DescribeConfigs", ALL_VERSIONS, **ABOUT_TOPICS)
def _configs_of_topics_and_a_broker(talk: Talk, version: int) -> Dialogue:
    hidden, shown = talk.facts.name("hidden"), talk.facts.name("shown")
    right = granted(talk, shown, DESCRIBE_CONFIGS)
    yield from topics_made(talk, hidden, shown)
    node = yield from _own_broker(talk)
    asked = [(TOPIC, hidden), (BROKER, node), (TOPIC, shown)]
    refused = [(TOPIC_AUTHORIZATION_FAILED, False), (CLUSTER_AUTHORIZATION_FAILED, False)]
    found = yield from _configs(talk, version, asked)
    due = dict(zip(asked, [*refused, refused[0]], strict=True))
    talk.expect("the errors, and whether configs are told", due, found)
    yield from grant(talk, right)
    due = dict(zip(asked, [*refused, (0, True)], strict=True))
    yield from talk.eventually(
        "the errors, and whether configs are told", due, lambda: _configs(talk, version, asked)
    )
    yield from cleaned(talk, [hidden, shown], right)


def _configs(
    talk: Talk, version: int, asked: list[tuple[int, str]]
) -> Generator[Step, Received | None, dict[tuple[int, str], tuple[int, bool]]]:
    """Return the error of each resource, and True if any config is returned."""
    found = yield from _described(talk, version, asked)
    return {
        (item["resourceType"], item["resourceName"]): (item["errorCode"], bool(item["configs"]))
        for item in found
    }


def _described(talk: Talk, version: int, asked: list[tuple[int, str]]) -> Results:
    """Return all configs of resources."""
    layout = talk.codec.form("DescribeConfigsRequest", version).layout
    resources = [
        {"resourceType": kind, "resourceName": name, "configurationKeys": None}
        for kind, name in asked
    ]
    value = filled(layout, {"resources": resources})
    reply = yield from talk.ask("DescribeConfigs", version, value)
    return list(reply.value["results"])


@question("acls.altering-configs-takes-a-right", "AlterConfigs", ALL_VERSIONS, **ABOUT_CONFIGS)
def _configs_altered_without_the_right(talk: Talk, version: int) -> Dialogue:
    yield from _altered_by_one_with_a_right_to_one_topic(talk, "AlterConfigs", version)


@question(
    "acls.altering-configs-takes-a-right", "IncrementalAlterConfigs", ALL_VERSIONS, **ABOUT_CONFIGS
)
def _configs_changed_without_the_right(talk: Talk, version: int) -> Dialogue:
    yield from _altered_by_one_with_a_right_to_one_topic(talk, "IncrementalAlterConfigs", version)


def _altered_by_one_with_a_right_to_one_topic(talk: Talk, api: str, version: int) -> Dialogue:
    """Expect one topic's configs altered, and another's not; a broker's are only validated."""
    kept, mine = talk.facts.name("kept"), talk.facts.name("mine")
    right = granted(talk, mine, ALTER_CONFIGS)
    yield from topics_made(talk, kept, mine)
    yield from grant(talk, right)
    broker = (BROKER, (yield from _own_broker(talk)))
    found = yield from _altered(talk, api, version, [broker], validate_only=True)
    talk.expect("the error of a broker", {broker: CLUSTER_AUTHORIZATION_FAILED}, found)
    topics = [(TOPIC, kept), (TOPIC, mine)]
    due = dict(zip(topics, (TOPIC_AUTHORIZATION_FAILED, 0), strict=True))
    yield from talk.eventually("the errors", due, lambda: _altered(talk, api, version, topics))
    yield Reconnect("self")
    yield from talk.eventually(
        f"whether {RETENTION} is changed",
        dict(zip(topics, (False, True), strict=True)),
        lambda: _is_changed(talk, topics),
    )
    yield from cleaned(talk, [kept, mine], right)


@judged_by("metadata.empty-asks-for-none")
def _own_broker(talk: Talk) -> Generator[Step, Received | None, str]:
    """The name of a broker as a resource."""
    version = newest(talk, "Metadata")
    reply = yield from talk.ask("Metadata", version, metadata(talk, version, []))
    if not reply.value["brokers"]:
        raise Broken("no broker is listed", "at least one broker", reply.frame)
    return str(reply.value["brokers"][0]["nodeId"])


def _altered(
    talk: Talk,
    api: str,
    version: int,
    asked: list[tuple[int, str]],
    validate_only: bool = False,
) -> Generator[Step, Received | None, dict[tuple[int, str], int]]:
    """The error of each resource whose configs are to change."""
    changes = [
        {
            "resourceType": kind,
            "resourceName": name,
            "configs": [
                {"name": RETENTION if kind == TOPIC else "log.retention.ms", "value": RETENTION_MS}
            ],
        }
        for kind, name in asked
    ]
    layout = talk.codec.form(f"{api}Request", version).layout
    value = filled(layout, {"resources": changes, "validateOnly": validate_only})
    reply = yield from talk.ask(api, version, value)
    return {
        (item["resourceType"], item["resourceName"]): item["errorCode"]
        for item in reply.value["responses"]
    }


def _is_changed(
    talk: Talk, asked: list[tuple[int, str]]
) -> Generator[Step, Received | None, dict[tuple[int, str], bool]]:
    """Return, for each topic, True if it has the config that was to be set."""
    found = yield from _described(talk, newest(talk, "DescribeConfigs"), asked)
    return {
        (item["resourceType"], item["resourceName"]): (RETENTION, RETENTION_MS)
        in [(config["name"], config["value"]) for config in item["configs"]]
        for item in found
    }
