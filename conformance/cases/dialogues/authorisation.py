"""What a second principal may do: nothing, and then what it was granted, and no more than that.

The principal of the run makes topics and ACLs, under names of this run alone; the second one asks.
A right takes a moment to reach every broker, so what is allowed is waited for, and what is refused
is asked again once another right, granted later, is seen to be in force.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from conformance.cases.dialogues import question
from conformance.cases.dialogues.acls import (
    ALL_VERSIONS,
    ALLOW,
    ALTER_CONFIGS,
    CREATE,
    DELETE,
    DENY,
    DESCRIBE,
    DESCRIBE_CONFIGS,
    LITERAL,
    PREFIXED,
    READ,
    WRITE,
    Acl,
    Fields,
    are_made,
    authorizer,
    create,
    delete,
    describe,
    forget,
    newest,
    nobody,
    shows,
    wanted,
)
from conformance.cases.dialogues.framing import topic
from conformance.cases.dialogues.metadata import NOT_ASKED
from conformance.cases.dialogues.metadata import asking as metadata
from conformance.cases.dialogues.talk import Talk
from conformance.cases.dialogues.topics import errors, gone, new
from conformance.dialogue import Broken, Dialogue, Heard, Reconnect, Step, Tell
from conformance.schema.filling import filled
from conformance.schema.layout import ZERO_UUID

TOPIC_AUTHORIZATION_FAILED = 29
CLUSTER_AUTHORIZATION_FAILED = 31
TOPIC, BROKER = 2, 4
"""Types of resources that have configs."""
TOPIC_IDS = 10
IDS_ASKED_FOR = range(12, 100)
IDS_DELETED = 6
CONFIGS_TOLD = range(5, 100)
OPERATIONS_TOLD = range(8, 100)
CLUSTER_OPERATIONS = range(8, 11)
RETENTION = "retention.ms"
RETENTION_MS = "7200000"
"""No broker's default."""
PATIENCE_MS = 10_000
ACLS = ("DescribeAcls", "CreateAcls", "DeleteAcls")
TOPICS = (*ACLS, "Metadata", "CreateTopics", "DeleteTopics")

Results = Generator[Step, Heard | None, list[Any]]


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

    Raises NotHere where there is no authorizer.
    """
    yield from authorizer(talk)
    results = yield from creating(talk, newest(talk, "CreateTopics"), *names)
    talk.expect("the errors of CreateTopics", {name: [0] for name in names}, errors(results))
    yield from seen(talk, *names)
    yield Reconnect("other")


def seen(talk: Talk, *names: str) -> Dialogue:
    """Whoever is connected may see these topics, sooner or later."""

    def ask() -> Generator[Step, Heard | None, dict[str, list[int]]]:
        found = yield from asked_for(talk, newest(talk, "Metadata"), *names)
        return errors(found)

    yield from talk.eventually("the topics", {name: [0] for name in names}, ask)


def cleaned(talk: Talk, names: list[str], *acls: Acl) -> Dialogue:
    """The principal of the run removes what was made."""
    yield Reconnect("self")
    yield from forget(talk, *acls)
    if names:
        yield from deleting(talk, newest(talk, "DeleteTopics"), *named(*names))
        yield from gone(talk, *names)


def named(*names: str) -> list[dict[str, Any]]:
    """Topics to delete, by name."""
    return [{"name": name, "topicId": ZERO_UUID} for name in names]


def asked_for(talk: Talk, version: int, *names: str) -> Results:
    """What Metadata tells of topics."""
    topics = [topic(talk, version, name, whole=True) for name in names]
    reply = yield from talk.ask("Metadata", version, metadata(talk, version, topics))
    return list(reply.value["topics"])


def only(talk: Talk, topics: list[Any], name: str) -> dict[str, Any]:
    """The one topic of an answer, which is this one. Raises Broken."""
    talk.expect("the topics answered", [name], [item["name"] for item in topics])
    found: dict[str, Any] = topics[0]
    return found


def creating(talk: Talk, version: int, *names: str) -> Results:
    """What becomes of topics with one partition."""
    layout = talk.codec.form("CreateTopicsRequest", version).layout
    value = filled(layout, {"topics": list(map(new, names)), "timeoutMs": PATIENCE_MS})
    reply = yield from talk.ask("CreateTopics", version, value)
    return list(reply.value["topics"])


def deleting(talk: Talk, version: int, *topics: dict[str, Any]) -> Results:
    """What becomes of topics that are to be deleted."""
    layout = talk.codec.form("DeleteTopicsRequest", version).layout
    names = [item["name"] for item in topics]
    value = {"topics": list(topics), "topicNames": names, "timeoutMs": PATIENCE_MS}
    reply = yield from talk.ask("DeleteTopics", version, filled(layout, value))
    return list(reply.value["responses"])


@question(
    "acls.listing-takes-a-right",
    "DescribeAcls",
    ALL_VERSIONS,
    needs=ACLS,
    wants=("writes", "other"),
)
def _acls_asked_for_without_the_right(talk: Talk, version: int) -> Dialogue:
    """Its own ACL is among those that are asked for."""
    own = granted(talk, talk.facts.name("listed"), DESCRIBE)
    yield from authorizer(talk)
    yield from create(talk, newest(talk, "CreateAcls"), own)
    yield from shows(talk, version, [own], name=own.name)
    yield Reconnect("other")
    filters: tuple[Fields, ...] = ({}, {"name": own.name}, {"principal": own.principal})
    for given in filters:
        code, found = yield from describe(talk, version, **given)
        talk.expect(f"the error of {given}", CLUSTER_AUTHORIZATION_FAILED, code)
        talk.expect(f"the ACLs of {given}", [], found)
    yield from cleaned(talk, [], own)


@question(
    "acls.changing-takes-a-right",
    "CreateAcls",
    ALL_VERSIONS,
    needs=ACLS,
    wants=("writes", "other"),
)
def _acls_made_without_the_right(talk: Talk, version: int) -> Dialogue:
    name, principal = talk.facts.name("granted"), nobody(talk)
    theirs = (granted(talk, name, READ), Acl(name, principal))
    yield from authorizer(talk)
    yield Reconnect("other")
    codes = yield from create(talk, version, *theirs)
    talk.expect("the errors", [CLUSTER_AUTHORIZATION_FAILED] * 2, codes)
    yield Reconnect("self")
    later = Acl(name, principal, WRITE)
    yield from are_made(talk, later)
    yield from shows(talk, newest(talk, "DescribeAcls"), [later], name=name)
    yield from forget(talk, later)


@question(
    "acls.changing-takes-a-right",
    "DeleteAcls",
    ALL_VERSIONS,
    needs=ACLS,
    wants=("writes", "other"),
)
def _acls_removed_without_the_right(talk: Talk, version: int) -> Dialogue:
    one = Acl(talk.facts.name("kept"), nobody(talk))
    two = one._replace(operation=WRITE)
    yield from are_made(talk, one)
    yield Reconnect("other")
    found = yield from delete(talk, version, wanted(name=one.name), wanted(name=one.name + "-no"))
    talk.expect("the errors and the ACLs", [(CLUSTER_AUTHORIZATION_FAILED, [])] * 2, found)
    yield Reconnect("self")
    yield from create(talk, newest(talk, "CreateAcls"), two)
    yield from shows(talk, newest(talk, "DescribeAcls"), [one, two], name=one.name)
    yield from forget(talk, one, two)


@question(
    "acls.creating-topics-takes-a-right",
    "CreateTopics",
    ALL_VERSIONS,
    needs=TOPICS,
    wants=("writes", "other"),
)
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
    """Raises Broken unless each is refused, by the same error of the two that there are."""
    codes = errors(results)
    talk.expect("the topics answered", set(names), set(codes))
    due = [[code] for code in (TOPIC_AUTHORIZATION_FAILED, CLUSTER_AUTHORIZATION_FAILED)]
    if codes[names[0]] not in due or any(each != codes[names[0]] for each in codes.values()):
        refusals = f"{TOPIC_AUTHORIZATION_FAILED} or {CLUSTER_AUTHORIZATION_FAILED}"
        raise Broken(f"not all are refused with one error: {codes}", refusals, str(codes))


@question(
    "acls.right-to-create-by-topic",
    "CreateTopics",
    ALL_VERSIONS,
    needs=TOPICS,
    wants=("writes", "other"),
)
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

    def ask() -> Generator[Step, Heard | None, dict[str, list[int]]]:
        found = yield from creating(talk, version, *due)
        return errors(found)

    yield from talk.eventually("the errors", due, ask)


@question(
    "acls.configs-of-new-topics-take-a-right",
    "CreateTopics",
    CONFIGS_TOLD,
    needs=TOPICS,
    wants=("writes", "other"),
)
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
) -> Generator[Step, Heard | None, tuple[int, int, int, bool]]:
    """What is told of a topic that is only to be validated."""
    layout = talk.codec.form("CreateTopicsRequest", version).layout
    value = {"topics": [new(name)], "timeoutMs": PATIENCE_MS, "validateOnly": True}
    reply = yield from talk.ask("CreateTopics", version, filled(layout, value))
    found = only(talk, reply.value["topics"], name)
    refused = found.get("topicConfigErrorCode", 0)
    return found["errorCode"], refused, found["numPartitions"], bool(found["configs"])


@question(
    "acls.deleting-topics-takes-a-right",
    "DeleteTopics",
    ALL_VERSIONS,
    needs=TOPICS,
    wants=("writes", "other"),
)
def _topic_that_may_be_seen_deleted(talk: Talk, version: int) -> Dialogue:
    """It may be seen, then it may be deleted, and so it is gone; another stays."""
    name, other = talk.facts.name("seen"), talk.facts.name("seen-too")
    may_see = [granted(talk, each, DESCRIBE) for each in (name, other)]
    may_delete = granted(talk, name, DELETE)
    yield from topics_made(talk, name, other)
    yield from grant(talk, *may_see)
    yield from seen(talk, name, other)
    refused = [TOPIC_AUTHORIZATION_FAILED]
    results = yield from deleting(talk, version, *named(name, other))
    talk.expect("the errors", {name: refused, other: refused}, errors(results))
    yield from grant(talk, may_delete)

    def ask() -> Generator[Step, Heard | None, dict[str, list[int]]]:
        found = yield from deleting(talk, version, *named(name, other))
        return errors(found)

    yield from talk.eventually("the errors", {name: [0], other: refused}, ask)
    yield Reconnect("self")
    yield from seen(talk, other)
    yield from cleaned(talk, [other], *may_see, may_delete)


@question(
    "acls.deletion-tells-of-no-topic",
    "DeleteTopics",
    ALL_VERSIONS,
    needs=TOPICS,
    wants=("writes", "other"),
)
def _topic_that_may_not_be_seen_deleted(talk: Talk, version: int) -> Dialogue:
    """As one that is not there, and it stays."""
    there, absent = talk.facts.name("unseen"), talk.facts.name("unseen")
    yield from topics_made(talk, there)
    found = yield from deleting(talk, version, *named(there, absent))
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


@question(
    "acls.deletion-tells-no-name",
    "DeleteTopics",
    range(IDS_DELETED, 100),
    needs=TOPICS,
    wants=("writes", "other"),
)
def _id_that_may_not_be_seen_deleted(talk: Talk, version: int) -> Dialogue:
    """By its id a topic that may not be seen has no name; one that may be deleted has."""
    hidden, mine = talk.facts.name("hidden"), talk.facts.name("mine")
    right = granted(talk, mine, DELETE)
    yield from topics_made(talk, hidden, mine)
    ids = yield from _ids(talk, hidden, mine)
    yield from grant(talk, right)
    yield from seen(talk, mine)
    asked = [{"name": None, "topicId": each} for each in ids]
    due = {ids[0]: (None, TOPIC_AUTHORIZATION_FAILED), ids[1]: (mine, 0)}

    def ask() -> Generator[Step, Heard | None, dict[str, tuple[str | None, int]]]:
        found = yield from deleting(talk, version, *asked)
        return {item["topicId"]: (item["name"], item["errorCode"]) for item in found}

    yield from talk.eventually("the names and errors by id", due, ask)
    yield Reconnect("self")
    yield from seen(talk, hidden)
    yield from cleaned(talk, [hidden], right)


def _ids(talk: Talk, *names: str) -> Generator[Step, Heard | None, list[str]]:
    """The ids of topics, for the principal of the run."""
    yield Reconnect("self")
    found = yield from asked_for(talk, newest(talk, "Metadata"), *names)
    by_name = {item["name"]: item["topicId"] for item in found}
    talk.expect("the topics answered", set(names), set(by_name))
    return [by_name[name] for name in names]


@question(
    "acls.topics-unseen-without-a-right",
    "Metadata",
    ALL_VERSIONS,
    needs=TOPICS,
    wants=("writes", "other"),
)
def _topics_that_may_not_be_seen(talk: Talk, version: int) -> Dialogue:
    """Neither among all nor by name, whether they are there or not, until there is a right."""
    hidden, shown, absent = (talk.facts.name(what) for what in ("hidden", "shown", "absent"))
    right = granted(talk, shown, DESCRIBE)
    yield from topics_made(talk, hidden, shown)
    yield from _expect_hidden(talk, version, hidden, shown, absent)
    yield from grant(talk, right)
    yield from seen(talk, shown)
    yield from _expect_hidden(talk, version, hidden, absent)
    listed = yield from _all_topics(talk, version)
    talk.expect("all topics of ours", [shown], [name for name in listed if name in (hidden, shown)])
    yield from cleaned(talk, [hidden, shown], right)


def _expect_hidden(talk: Talk, version: int, *names: str) -> Dialogue:
    listed = yield from _all_topics(talk, version)
    talk.expect("of ours among all topics", [], sorted(set(names) & set(listed)))
    found = yield from asked_for(talk, version, *names)
    told = {
        item["name"]: (item["errorCode"], item.get("topicId", ZERO_UUID), len(item["partitions"]))
        for item in found
    }
    due = dict.fromkeys(names, (TOPIC_AUTHORIZATION_FAILED, ZERO_UUID, 0))
    talk.expect("the errors, ids and partitions", due, told)


def _all_topics(talk: Talk, version: int) -> Generator[Step, Heard | None, list[str]]:
    """The names of all topics, as whoever is connected sees them."""
    every: list[Any] | None = None if version else []
    reply = yield from talk.ask("Metadata", version, metadata(talk, version, every))
    return [item["name"] for item in reply.value["topics"]]


@question(
    "acls.id-unseen-has-no-name",
    "Metadata",
    IDS_ASKED_FOR,
    needs=TOPICS,
    wants=("writes", "other"),
)
def _id_that_may_not_be_seen(talk: Talk, version: int) -> Dialogue:
    hidden, shown = talk.facts.name("hidden"), talk.facts.name("shown")
    right = granted(talk, shown, DESCRIBE)
    yield from topics_made(talk, hidden, shown)
    ids = yield from _ids(talk, hidden, shown)
    yield from grant(talk, right)
    yield from seen(talk, shown)
    topics = [{**topic(talk, version, ""), "name": None, "topicId": each} for each in ids]
    reply = yield from talk.ask("Metadata", version, metadata(talk, version, topics))
    told = {
        item["topicId"]: (item["name"], item["errorCode"], len(item["partitions"]))
        for item in reply.value["topics"]
    }
    due = {ids[0]: (None, TOPIC_AUTHORIZATION_FAILED, 0), ids[1]: (shown, 0, 1)}
    talk.expect("the names, errors and partitions by id", due, told)
    yield from cleaned(talk, [hidden, shown], right)


@question(
    "acls.operations-of-the-caller",
    "Metadata",
    OPERATIONS_TOLD,
    needs=TOPICS,
    wants=("writes", "other"),
)
def _operations_of_both_principals(talk: Talk, version: int) -> Dialogue:
    name = talk.facts.name("operations")
    right = granted(talk, name, READ)
    yield from topics_made(talk, name)
    yield from grant(talk, right)
    yield from seen(talk, name)
    few = yield from _operations(talk, version, name)
    talk.expect("those of one who may read the topic", (1 << READ | 1 << DESCRIBE, 0), few)
    topics = yield from asked_for(talk, version, name)
    found = only(talk, topics, name)
    talk.expect("those not asked for", NOT_ASKED, found["topicAuthorizedOperations"])
    yield Reconnect("self")
    all_, of_cluster = yield from _operations(talk, version, name)
    for operation in (READ, WRITE, DELETE, DESCRIBE):
        talk.expect(f"operation {operation} of one who may do everything", 1, all_ >> operation & 1)
    if version in CLUSTER_OPERATIONS:
        talk.expect("to create topics, of the same", 1, of_cluster >> CREATE & 1)
    yield from cleaned(talk, [name], right)


def _operations(
    talk: Talk, version: int, name: str
) -> Generator[Step, Heard | None, tuple[int, int]]:
    """What the caller may do to a topic and to the cluster; 0 where the version tells it not."""
    value = metadata(talk, version, [topic(talk, version, name, whole=True)])
    value["includeTopicAuthorizedOperations"] = True
    if version in CLUSTER_OPERATIONS:
        value["includeClusterAuthorizedOperations"] = True
    reply = yield from talk.ask("Metadata", version, value)
    found = only(talk, reply.value["topics"], name)
    of_cluster = reply.value.get("clusterAuthorizedOperations", 0)
    return found["topicAuthorizedOperations"], of_cluster


@question(
    "acls.describing-configs-takes-a-right",
    "DescribeConfigs",
    ALL_VERSIONS,
    needs=TOPICS,
    wants=("writes", "other"),
)
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
) -> Generator[Step, Heard | None, dict[tuple[int, str], tuple[int, bool]]]:
    """The error of each resource, and whether any config is told."""
    found = yield from _described(talk, version, asked)
    return {
        (item["resourceType"], item["resourceName"]): (item["errorCode"], bool(item["configs"]))
        for item in found
    }


def _described(talk: Talk, version: int, asked: list[tuple[int, str]]) -> Results:
    """All configs of resources."""
    layout = talk.codec.form("DescribeConfigsRequest", version).layout
    resources = [
        {"resourceType": kind, "resourceName": name, "configurationKeys": None}
        for kind, name in asked
    ]
    value = filled(layout, {"resources": resources})
    reply = yield from talk.ask("DescribeConfigs", version, value)
    return list(reply.value["results"])


@question(
    "acls.altering-configs-takes-a-right",
    "AlterConfigs",
    ALL_VERSIONS,
    needs=(*TOPICS, "DescribeConfigs"),
    wants=("writes", "other"),
)
def _configs_altered_without_the_right(talk: Talk, version: int) -> Dialogue:
    yield from _altered_by_one_with_a_right_to_one_topic(talk, "AlterConfigs", version)


@question(
    "acls.altering-configs-takes-a-right",
    "IncrementalAlterConfigs",
    ALL_VERSIONS,
    needs=(*TOPICS, "DescribeConfigs"),
    wants=("writes", "other"),
)
def _configs_changed_without_the_right(talk: Talk, version: int) -> Dialogue:
    yield from _altered_by_one_with_a_right_to_one_topic(talk, "IncrementalAlterConfigs", version)


def _altered_by_one_with_a_right_to_one_topic(talk: Talk, api: str, version: int) -> Dialogue:
    """That topic's configs are altered, and another's not; a broker's are only to be validated."""
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


def _own_broker(talk: Talk) -> Generator[Step, Heard | None, str]:
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
) -> Generator[Step, Heard | None, dict[tuple[int, str], int]]:
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
) -> Generator[Step, Heard | None, dict[tuple[int, str], bool]]:
    """Whether topics have the config that was to be set."""
    found = yield from _described(talk, newest(talk, "DescribeConfigs"), asked)
    return {
        (item["resourceType"], item["resourceName"]): (RETENTION, RETENTION_MS)
        in [(config["name"], config["value"]) for config in item["configs"]]
        for item in found
    }


@question(
    "acls.deny-beats-allow",
    "Metadata",
    needs=TOPICS,
    wants=("writes", "other"),
)
def _right_given_and_denied(talk: Talk) -> Dialogue:
    name = talk.facts.name("denied")
    allowed = granted(talk, name, DESCRIBE)
    denied = granted(talk, name, DESCRIBE, permission=DENY)
    yield from topics_made(talk, name)
    for acl, due in ((allowed, 0), (denied, TOPIC_AUTHORIZATION_FAILED)):
        yield from grant(talk, acl)
        yield from _answered(talk, {name: [due]})
    yield Reconnect("self")
    yield from forget(talk, denied)
    yield Reconnect("other")
    yield from _answered(talk, {name: [0]})
    yield from cleaned(talk, [name], allowed)


@question(
    "acls.prefixed-covers-what-begins-so",
    "Metadata",
    needs=TOPICS,
    wants=("writes", "other"),
)
def _right_to_a_prefix(talk: Talk) -> Dialogue:
    prefix = talk.facts.name("prefix")
    names = [f"{prefix}-one", f"{prefix}-two", talk.facts.name("outside")]
    refused = [TOPIC_AUTHORIZATION_FAILED]
    yield from topics_made(talk, *names)
    literal = granted(talk, prefix, DESCRIBE, pattern=LITERAL, permission=ALLOW)
    prefixed = literal._replace(pattern=PREFIXED)
    own = granted(talk, names[2], DESCRIBE)
    yield from grant(talk, literal, own)
    yield from _answered(talk, {names[0]: refused, names[1]: refused, names[2]: [0]})
    yield Reconnect("self")
    yield from forget(talk, own)
    yield from grant(talk, prefixed)
    yield from _answered(talk, {names[0]: [0], names[1]: [0], names[2]: refused})
    yield from cleaned(talk, names, literal, prefixed)


def _answered(talk: Talk, due: dict[str, list[int]]) -> Dialogue:
    """The second principal is answered these errors, sooner or later."""

    def ask() -> Generator[Step, Heard | None, dict[str, list[int]]]:
        found = yield from asked_for(talk, newest(talk, "Metadata"), *due)
        return errors(found)

    yield from talk.eventually("the errors of Metadata", due, ask)
