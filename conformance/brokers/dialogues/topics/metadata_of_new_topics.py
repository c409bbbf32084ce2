"""Metadata of topics that a dialogue made itself, or has the broker make by asking for them."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import suppress
from typing import Any

from conformance.brokers.dialogues import question
from conformance.brokers.dialogues.frames.framing import topic
from conformance.brokers.dialogues.talk import Talk, judged_by
from conformance.brokers.dialogues.topics.lifecycle import (
    create_topics,
    existing_topics,
    ids,
    names_there,
    newest,
    partition_leaders,
)
from conformance.brokers.dialogues.topics.metadata import ANY, asking
from conformance.brokers.dialogues.topics.requests import (
    ASKED_WITHOUT_CREATING,
    WRITES,
    new,
    nodes,
    removed,
)
from conformance.dialogue import Broken, Dialogue, NotApplicable, Received, Reconnect, Step, Tell
from conformance.error_codes import LEADER_NOT_AVAILABLE, UNKNOWN_TOPIC_OR_PARTITION
from conformance.schema.filling import filled

WRITTEN = ("CreateTopics", "DeleteTopics")
ASKED_BY_ID = range(12, 100)
ALLOWING = range(ASKED_WITHOUT_CREATING, 100)
BROKER = 4
"""The type of a resource."""
AUTO_CREATION = "auto.create.topics.enable"
NOT_THERE_YET = (0, UNKNOWN_TOPIC_OR_PARTITION, LEADER_NOT_AVAILABLE)


@question("metadata.asked-topics-alone", "Metadata", ANY, needs=WRITTEN, wants=WRITES)
def _some_topics_of_those_there_are(talk: Talk, version: int) -> Dialogue:
    """Ask for two of three topics that exist."""
    one, two, other = (talk.facts.name(what) for what in ("one", "two", "other"))
    yield from create_topics(talk, newest(talk), new(one), new(two), new(other))
    yield from _topics_appear(talk, version, [two, one], due=[one, two])
    yield from removed(talk, one, two, other)


@question("metadata.asked-topic-once", "Metadata", ANY, needs=WRITTEN, wants=WRITES)
def _topics_asked_for_more_than_once(talk: Talk, version: int) -> Dialogue:
    one, twice = talk.facts.name("one"), talk.facts.name("twice")
    yield from create_topics(talk, newest(talk), new(one), new(twice))
    yield from _topics_appear(talk, version, [twice, one, twice], due=[one, twice])
    yield from removed(talk, one, twice)


def _topics_appear(talk: Talk, version: int, names: list[str], *, due: list[str]) -> Dialogue:
    """Expect that topics asked for by these names are listed, sooner or later. Raises Broken."""

    def asked() -> Generator[Step, Received | None, list[Any]]:
        topics = [topic(talk, version, name, whole=True) for name in names]
        reply = yield from talk.ask("Metadata", version, asking(talk, version, topics))
        return sorted((item["name"], item["errorCode"]) for item in reply.value["topics"])

    without_error = sorted((name, 0) for name in due)
    yield from talk.eventually("the topics that are told, and their errors", without_error, asked)


@question("metadata.topic-found-by-id", "Metadata", ASKED_BY_ID, needs=WRITTEN, wants=WRITES)
def _topics_asked_for_by_id(talk: Talk, version: int) -> Dialogue:
    one, other = talk.facts.name("one"), talk.facts.name("other")
    yield from create_topics(talk, newest(talk), new(one, numPartitions=2), new(other))
    yield from _have_leaders(talk, one, 2)
    known = yield from ids(talk, one, other)()
    plain = topic(talk, version, one, whole=True)
    by_id = [{**plain, "name": None, "topicId": known[one]}]
    reply = yield from talk.ask("Metadata", version, asking(talk, version, by_id))
    found = [
        (item["name"], item["topicId"], item["errorCode"], len(item["partitions"]))
        for item in reply.value["topics"]
    ]
    due = [(one, known[one], 0, 2)]
    talk.expect("the topics' names, ids, errors and partitions", due, found)
    yield from removed(talk, one, other)


@question("metadata.ids-beside-names", "Metadata", ASKED_BY_ID, needs=WRITTEN, wants=WRITES)
def _ids_and_names_in_one_request(talk: Talk, version: int) -> Dialogue:
    named, by_id = talk.facts.name("named"), talk.facts.name("by-id")
    yield from create_topics(talk, newest(talk), new(named), new(by_id))
    known = yield from ids(talk, by_id)()
    plain = topic(talk, version, named, whole=True)
    asked = [plain, {**plain, "name": None, "topicId": known[by_id]}]
    reply = yield from talk.ask("Metadata", version, asking(talk, version, asked))
    found = sorted((item["name"] or "", item["errorCode"]) for item in reply.value["topics"])
    both = sorted([(named, 0), (by_id, 0)])
    if found not in ([(by_id, 0)], both):
        raise Broken(
            f"of a name beside an id, {found} was told", f"{both}, or the id alone", f"{found}"
        )
    yield Tell("both are answered" if found == both else "the name is passed over")
    yield from removed(talk, named, by_id)


@question("metadata.auto-creation", "Metadata", ANY, needs=WRITTEN, wants=WRITES)
def _topic_that_is_there_for_the_asking(talk: Talk, version: int) -> Dialogue:
    """Expect the same creation by this version as by another one."""
    low, high = talk.facts.range_of("Metadata")
    if high < ASKED_WITHOUT_CREATING:
        raise NotApplicable("it can't be asked without creating")
    yield from _expect_auto_creation(talk)
    wanted, other = talk.facts.name("wanted"), talk.facts.name("other")
    yield from _ask_for(talk, version, wanted)
    yield from _ask_for(talk, high if version < ASKED_WITHOUT_CREATING else low, other)
    with suppress(Broken):  # missing topics are reported below
        ask = names_there(talk, wanted, other)
        yield from talk.eventually("the topics that are there", sorted([wanted, other]), ask)
    exist = yield from existing_topics(talk, wanted, other)
    yield from removed(talk, *exist)
    if (wanted in exist) != (other in exist):
        which = "this version" if wanted in exist else "another version"
        raise Broken(f"topics are made by asking for them in {which} alone", "in both", which)
    if wanted not in exist:
        raise NotApplicable("the broker makes no topics by itself")


@question("metadata.no-creation-unless-allowed", "Metadata", ALLOWING, needs=WRITTEN, wants=WRITES)
def _topic_that_is_not_to_be_made(talk: Talk, version: int) -> Dialogue:
    """Ask for an unwanted topic before a wanted one, so that it would exist by then."""
    yield from _expect_auto_creation(talk)
    unwanted, wanted = talk.facts.name("unwanted"), talk.facts.name("wanted")
    yield from _ask_for(talk, version, unwanted, allowed=False)
    yield from _ask_for(talk, version, wanted)
    with suppress(Broken):  # missing topics are reported below
        ask = names_there(talk, wanted)
        yield from talk.eventually("the topics that are there", [wanted], ask)
    exist = yield from existing_topics(talk, unwanted, wanted)
    yield from removed(talk, *exist)
    if unwanted in exist:
        raise Broken("a topic was made though the request forbids it", "no topic", unwanted)
    if wanted not in exist:
        raise NotApplicable("the broker makes no topics by itself")


def _expect_auto_creation(talk: Talk) -> Dialogue:
    """Raise NotApplicable if the broker's configs say that it creates no topics.

    A broker that can't describe them is asked all the same, on another connection.
    """
    if not talk.facts.has("DescribeConfigs"):
        return
    version = newest(talk, "DescribeConfigs")
    [node, *_] = yield from nodes(talk)
    resource = {
        "resourceType": BROKER,
        "resourceName": str(node),
        "configurationKeys": [AUTO_CREATION],
    }
    layout = talk.codec.form("DescribeConfigsRequest", version).layout
    asked = filled(layout, {"resources": [resource]})
    try:
        reply = yield from talk.ask("DescribeConfigs", version, asked)
    except Broken:
        yield Reconnect()
        return
    for result in reply.value["results"]:
        if any(item["value"] == "false" for item in result["configs"]):
            raise NotApplicable(f"{AUTO_CREATION} is false")


def _ask_for(talk: Talk, version: int, name: str, *, allowed: bool = True) -> Dialogue:
    value = asking(talk, version, [topic(talk, version, name, whole=True)])
    if version >= ASKED_WITHOUT_CREATING:
        value["allowAutoTopicCreation"] = allowed
    reply = yield from talk.ask("Metadata", version, value)
    found = [item["errorCode"] for item in reply.value["topics"]]
    if len(found) != 1 or found[0] not in NOT_THERE_YET:
        words = " or ".join(map(str, NOT_THERE_YET))
        what = f"the errors of {name}: expected {words}, got {found}"
        raise Broken(what, words, f"{found}", judged_by="metadata.unknown-topic-error")


@judged_by("topics.created-has-leaders")
def _have_leaders(talk: Talk, name: str, number: int) -> Dialogue:
    yield from talk.eventually(
        "the partitions with leaders", number, _number_of(partition_leaders(talk, name))
    )


def _number_of(ask: Any) -> Any:
    def number() -> Generator[Step, Received | None, int]:
        found = yield from ask()
        return len(found)

    return number
