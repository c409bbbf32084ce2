"""The rights of a second principal: none at first, then those that were granted, and no more.

The principal of the run makes topics and ACLs, under names of this run alone; the second one asks.
A right takes a moment to reach every broker, so an allowed request is repeated until it succeeds,
and a refused one is repeated after another right, granted later, is seen to be in force.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import Any

from conformance.brokers.dialogues import Want
from conformance.brokers.dialogues.acls.requests import (
    ACLS,
    Acl,
    authorizer,
    create,
    forget,
    newest,
)
from conformance.brokers.dialogues.frames.framing import topic
from conformance.brokers.dialogues.talk import Talk
from conformance.brokers.dialogues.topics.metadata import asking as metadata
from conformance.brokers.dialogues.topics.requests import errors, new, removed
from conformance.dialogue import Dialogue, Received, Reconnect, Step
from conformance.schema.filling import filled
from conformance.schema.layout import ZERO_UUID

PATIENCE_MS = 10_000
TOPICS = (*ACLS, "Metadata", "CreateTopics", "DeleteTopics")
WANTS: tuple[Want, ...] = ("writes", "other")
ABOUT_ACLS: Mapping[str, Any] = {"needs": ACLS, "wants": WANTS}
ABOUT_TOPICS: Mapping[str, Any] = {"needs": TOPICS, "wants": WANTS}
ABOUT_CONFIGS: Mapping[str, Any] = {"needs": (*TOPICS, "DescribeConfigs"), "wants": WANTS}

Results = Generator[Step, Received | None, list[Any]]


def granted(talk: Talk, name: str, operation: int, **more: Any) -> Acl:
    """An ACL for the second principal."""
    return Acl(name, talk.facts.other, operation, **more)


def grant(talk: Talk, *acls: Acl) -> Dialogue:
    """The principal of the run makes ACLs; the second one is connected afterwards."""
    yield Reconnect("self")
    codes = yield from create(talk, newest(talk, "CreateAcls"), *acls)
    talk.expect("the errors of CreateAcls", [0] * len(acls), codes)
    yield Reconnect("other")


def topics_made(talk: Talk, *names: str) -> Dialogue:
    """The principal of the run makes topics and sees them; the second is connected afterwards.

    Raises NotApplicable where there is no authorizer.
    """
    yield from authorizer(talk)
    results = yield from creating(talk, newest(talk, "CreateTopics"), *names)
    talk.expect("the errors of CreateTopics", {name: [0] for name in names}, errors(results))
    yield from seen(talk, *names)
    yield Reconnect("other")


def seen(talk: Talk, *names: str) -> Dialogue:
    """Expect that the connected principal sees these topics, sooner or later."""
    yield from answered(talk, {name: [0] for name in names}, "the topics")


def answered(
    talk: Talk, due: dict[str, list[int]], what: str = "the errors of Metadata"
) -> Dialogue:
    """Expect that the connected principal gets these errors of topics, sooner or later."""

    def ask() -> Generator[Step, Received | None, dict[str, list[int]]]:
        found = yield from asked_for(talk, newest(talk, "Metadata"), *due)
        return errors(found)

    yield from talk.eventually(what, due, ask)


def cleaned(talk: Talk, names: list[str], *acls: Acl) -> Dialogue:
    """Delete, as the principal of the run, these topics and ACLs."""
    yield Reconnect("self")
    yield from forget(talk, *acls)
    yield from removed(talk, *names)


def named(*names: str) -> list[dict[str, Any]]:
    """Return topics to delete, by name."""
    return [{"name": name, "topicId": ZERO_UUID} for name in names]


def asked_for(talk: Talk, version: int, *names: str) -> Results:
    """Return Metadata's results for topics."""
    topics = [topic(talk, version, name, whole=True) for name in names]
    reply = yield from talk.ask("Metadata", version, metadata(talk, version, topics))
    return list(reply.value["topics"])


def only(talk: Talk, topics: list[Any], name: str) -> dict[str, Any]:
    """The one topic of an answer, which is this one. Raises Broken."""
    talk.expect("the topics answered", [name], [item["name"] for item in topics])
    found: dict[str, Any] = topics[0]
    return found


def creating(talk: Talk, version: int, *names: str) -> Results:
    """Return the results of creating topics with one partition."""
    layout = talk.codec.form("CreateTopicsRequest", version).layout
    value = filled(layout, {"topics": list(map(new, names)), "timeoutMs": PATIENCE_MS})
    reply = yield from talk.ask("CreateTopics", version, value)
    return list(reply.value["topics"])


def ids_of(talk: Talk, *names: str) -> Generator[Step, Received | None, list[str]]:
    """The ids of topics, for the principal of the run."""
    yield Reconnect("self")
    found = yield from asked_for(talk, newest(talk, "Metadata"), *names)
    by_name = {item["name"]: item["topicId"] for item in found}
    talk.expect("the topics answered", set(names), set(by_name))
    return [by_name[name] for name in names]
