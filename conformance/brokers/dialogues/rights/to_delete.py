"""The right to delete topics; a refusal must not reveal a topic that can't be seen."""

from __future__ import annotations

from collections.abc import Generator

from conformance.brokers.dialogues import question
from conformance.brokers.dialogues.acls.requests import ALL_VERSIONS, DELETE, DESCRIBE
from conformance.brokers.dialogues.rights.principals import (
    ABOUT_TOPICS,
    cleaned,
    grant,
    granted,
    ids_of,
    named,
    seen,
    topics_made,
)
from conformance.brokers.dialogues.talk import Talk
from conformance.brokers.dialogues.topics.requests import deleted, errors
from conformance.dialogue import Broken, Dialogue, Received, Reconnect, Step, Tell
from conformance.error_codes import TOPIC_AUTHORIZATION_FAILED

IDS_DELETED = 6


@question("acls.deleting-topics-takes-a-right", "DeleteTopics", ALL_VERSIONS, **ABOUT_TOPICS)
def _topic_that_may_be_seen_deleted(talk: Talk, version: int) -> Dialogue:
    """Grant the right to see, then to delete a topic: it is deleted then; another stays."""
    name, other = talk.facts.name("seen"), talk.facts.name("seen-too")
    may_see = [granted(talk, each, DESCRIBE) for each in (name, other)]
    may_delete = granted(talk, name, DELETE)
    yield from topics_made(talk, name, other)
    yield from grant(talk, *may_see)
    yield from seen(talk, name, other)
    refused = [TOPIC_AUTHORIZATION_FAILED]
    results = yield from deleted(talk, version, *named(name, other))
    talk.expect("the errors", {name: refused, other: refused}, errors(results))
    yield from grant(talk, may_delete)

    def ask() -> Generator[Step, Received | None, dict[str, list[int]]]:
        found = yield from deleted(talk, version, *named(name, other))
        return errors(found)

    yield from talk.eventually("the errors", {name: [0], other: refused}, ask)
    yield Reconnect("self")
    yield from seen(talk, other)
    yield from cleaned(talk, [other], *may_see, may_delete)


@question("acls.deletion-tells-of-no-topic", "DeleteTopics", ALL_VERSIONS, **ABOUT_TOPICS)
def _topic_that_may_not_be_seen_deleted(talk: Talk, version: int) -> Dialogue:
    """Expect the answer for a missing topic, and the topic to stay."""
    there, absent = talk.facts.name("unseen"), talk.facts.name("unseen")
    yield from topics_made(talk, there)
    found = yield from deleted(talk, version, *named(there, absent))
    told = {
        item["name"]: {key: value for key, value in item.items() if key != "name"} for item in found
    }
    talk.expect("the topics answered", {there, absent}, set(told))
    for answer, name in ((told[there], there), (told[absent], absent)):
        answer["errorMessage"] = (answer.get("errorMessage") or "").replace(name, "NAME")
    talk.expect("the answer of one that is there", told[absent], told[there])
    code = told[there]["errorCode"]
    if not code:
        raise Broken("a topic is deleted without any right", "an error", "0")
    yield Reconnect("self")
    yield from seen(talk, there)
    yield from cleaned(talk, [there])
    yield Tell(f"error {code}")


@question("acls.deletion-tells-no-name", "DeleteTopics", range(IDS_DELETED, 100), **ABOUT_TOPICS)
def _id_that_may_not_be_seen_deleted(talk: Talk, version: int) -> Dialogue:
    """Expect no name for the id of a hidden topic, and the name of one that may be deleted."""
    hidden, mine = talk.facts.name("hidden"), talk.facts.name("mine")
    right = granted(talk, mine, DELETE)
    yield from topics_made(talk, hidden, mine)
    ids = yield from ids_of(talk, hidden, mine)
    yield from grant(talk, right)
    yield from seen(talk, mine)
    asked = [{"name": None, "topicId": each} for each in ids]
    due = {ids[0]: (None, TOPIC_AUTHORIZATION_FAILED), ids[1]: (mine, 0)}

    def ask() -> Generator[Step, Received | None, dict[str, tuple[str | None, int]]]:
        found = yield from deleted(talk, version, *asked)
        return {item["topicId"]: (item["name"], item["errorCode"]) for item in found}

    yield from talk.eventually("the names and errors by id", due, ask)
    yield Reconnect("self")
    yield from seen(talk, hidden)
    yield from cleaned(talk, [hidden], right)
