"""The right to create topics, all or some, and the fields of a new topic that take more rights."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from conformance.brokers.dialogues import question
from conformance.brokers.dialogues.acls.requests import (
    ALL_VERSIONS,
    CREATE,
    DESCRIBE_CONFIGS,
    authorizer,
    newest,
)
from conformance.brokers.dialogues.rights.principals import (
    ABOUT_TOPICS,
    PATIENCE_MS,
    asked_for,
    cleaned,
    creating,
    grant,
    granted,
    only,
    seen,
    topics_made,
)
from conformance.brokers.dialogues.talk import Talk
from conformance.brokers.dialogues.topics.requests import errors, new
from conformance.dialogue import Broken, Dialogue, Received, Reconnect, Step, Tell
from conformance.error_codes import CLUSTER_AUTHORIZATION_FAILED, TOPIC_AUTHORIZATION_FAILED
from conformance.schema.filling import filled

CONFIGS_TOLD = range(5, 100)


@question("acls.creating-topics-takes-a-right", "CreateTopics", ALL_VERSIONS, **ABOUT_TOPICS)
def _topics_made_without_the_right(talk: Talk, version: int) -> Dialogue:
    names = [talk.facts.name("refused"), talk.facts.name("refused")]
    yield from authorizer(talk)
    yield Reconnect("other")
    results = yield from creating(talk, version, *names)
    _expect_refused(talk, names, results)
    [code] = {item["errorCode"] for item in results}
    yield Reconnect("self")
    later = talk.facts.name("made")
    yield from topics_made(talk, later)
    yield Reconnect("self")
    found = yield from asked_for(talk, newest(talk, "Metadata"), *names)
    talk.expect(
        "the topics that are there", [], [one["name"] for one in found if not one["errorCode"]]
    )
    yield from cleaned(talk, [later])
    yield Tell(f"error {code}")


def _expect_refused(talk: Talk, names: list[str], results: list[Any]) -> None:
    """Raise Broken unless all are refused, by the same one of the two possible errors."""
    codes = errors(results)
    talk.expect("the topics answered", set(names), set(codes))
    due = [[code] for code in (TOPIC_AUTHORIZATION_FAILED, CLUSTER_AUTHORIZATION_FAILED)]
    if codes[names[0]] not in due or any(each != codes[names[0]] for each in codes.values()):
        refusals = f"{TOPIC_AUTHORIZATION_FAILED} or {CLUSTER_AUTHORIZATION_FAILED}"
        raise Broken(f"not all are refused with one error: {codes}", refusals, str(codes))


@question("acls.right-to-create-by-topic", "CreateTopics", ALL_VERSIONS, **ABOUT_TOPICS)
def _one_topic_granted_of_two(talk: Talk, version: int) -> Dialogue:
    mine, refused = talk.facts.name("granted"), talk.facts.name("refused")
    right = granted(talk, mine, CREATE)
    yield from authorizer(talk)
    yield from grant(talk, right)
    yield from _creates(talk, version, {mine: [0], refused: [TOPIC_AUTHORIZATION_FAILED]})
    yield Reconnect("self")
    yield from seen(talk, mine)
    yield from cleaned(talk, [mine], right)


def _creates(talk: Talk, version: int, due: dict[str, list[int]]) -> Dialogue:
    """The second principal creates topics, some of which it may."""

    def ask() -> Generator[Step, Received | None, dict[str, list[int]]]:
        found = yield from creating(talk, version, *due)
        return {name: [_by_topic(code) for code in codes] for name, codes in errors(found).items()}

    yield from talk.eventually("the errors", due, ask)


def _by_topic(code: int) -> int:
    """The error, where the right to create on the cluster counts as the one on the topic."""
    return TOPIC_AUTHORIZATION_FAILED if code == CLUSTER_AUTHORIZATION_FAILED else code


@question("acls.configs-of-new-topics-take-a-right", "CreateTopics", CONFIGS_TOLD, **ABOUT_TOPICS)
def _configs_of_a_topic_that_one_made(talk: Talk, version: int) -> Dialogue:
    name = talk.facts.name("configs")
    right, more = granted(talk, name, CREATE), granted(talk, name, DESCRIBE_CONFIGS)
    yield from authorizer(talk)
    told = "the errors of topic and configs, the partitions, and whether configs are told"
    for acl, due in ((right, (0, TOPIC_AUTHORIZATION_FAILED, -1, False)), (more, (0, 0, 1, True))):
        yield from grant(talk, acl)
        yield from talk.eventually(told, due, lambda: _validated(talk, version, name))
    yield from cleaned(talk, [], right, more)


def _validated(
    talk: Talk, version: int, name: str
) -> Generator[Step, Received | None, tuple[int, int, int, bool]]:
    """Return two errors, partition count and whether it has configs, of a topic only validated."""
    layout = talk.codec.form("CreateTopicsRequest", version).layout
    value = {"topics": [new(name)], "timeoutMs": PATIENCE_MS, "validateOnly": True}
    reply = yield from talk.ask("CreateTopics", version, filled(layout, value))
    found = only(talk, reply.value["topics"], name)
    refused = found.get("topicConfigErrorCode", 0)
    return found["errorCode"], refused, found["numPartitions"], bool(found["configs"])
