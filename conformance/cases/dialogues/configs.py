"""DescribeConfigs, AlterConfigs and IncrementalAlterConfigs (KIP-4, KIP-133, KIP-226, KIP-339).

What is only read is read of a broker, which every cluster has: of those that Metadata lists, the
one that this connection leads to describes itself. What is altered are topics of our own. A broker
may take a moment until a change is seen, so that nothing is said to have stayed as it was before
something that was ordered later is there.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from contextlib import suppress
from functools import partial, wraps
from typing import Any

from conformance.cases.dialogues import question
from conformance.cases.dialogues.metadata import UNKNOWN_TOPIC_OR_PARTITION
from conformance.cases.dialogues.metadata import asking as metadata
from conformance.cases.dialogues.talk import INVALID_REQUEST, Talk, told
from conformance.dialogue import Broken, Dialogue, Hear, Heard, NotHere, Reconnect, Send, Step, Tell
from conformance.schema.filling import filled

ALTER = "AlterConfigs"
CHANGE = "IncrementalAlterConfigs"
TOPIC, BROKER = 2, 4
NO_TYPES = (0, 99, -1)
"""Types that no resource has; 0 is the protocol's own for one that is not known."""
SET, DELETE, APPEND, SUBTRACT = range(4)
NO_OPERATIONS = (4, 99, -1)
OF_TOPIC = 1
"""The source of a config that was set of its topic."""
INVALID_CONFIG = 40
RETENTION, SIZE, POLICY = "retention.ms", "max.message.bytes", "cleanup.policy"
NO_KEY = "no.such.config"
GIVEN = {RETENTION: "5000000", SIZE: "2000000"}
KEY = "log.retention.bytes"
KEYS_OF_BROKERS = (KEY, "message.max.bytes", "num.io.threads", "num.partitions")
TYPES = {
    "preallocate": 1,
    "compression.type": 2,
    SIZE: 3,
    RETENTION: 5,
    "min.cleanable.dirty.ratio": 6,
    POLICY: 7,
}
"""The types of some configs of topics, as KIP-569 numbers them."""
NO_BROKER = str(2**31 - 1)
PATIENCE_MS = 10_000
ANY = range(100)
SYNONYMS = range(1, 100)
TYPED = range(3, 100)
WRITING: Mapping[str, Any] = {
    "wants": ("writes",),
    "needs": ("CreateTopics", "DeleteTopics", "DescribeConfigs"),
}

Fields = Mapping[str, Any]
Asked = tuple[int, str, list[str] | None]
Altered = tuple[int, str, list[Fields]]
Errors = dict[tuple[int, str], list[int]]
Results = Generator[Step, Heard | None, list[Any]]
Result = Generator[Step, Heard | None, Any]
Values = Generator[Step, Heard | None, dict[str, str | None]]
Name = Generator[Step, Heard | None, str]
Names = Generator[Step, Heard | None, list[str]]


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
    """The one result of one resource. Raises Broken where there is none, or another."""
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
    """What becomes of resources that are to be altered."""
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
    """What configs of a topic are; none where it is not seen yet."""
    high = talk.facts.range_of("DescribeConfigs")[1]
    results = yield from described(talk, high, (TOPIC, topic, list(keys)))
    configs = [each for result in results for each in result["configs"]]
    return {each["name"]: each["value"] for each in configs if each["name"] in keys}


def own_broker(talk: Talk, version: int) -> Name:
    """The id of the broker at the other end. Raises NotHere where none describes itself."""
    ids = yield from listed(talk)
    results = yield from described(talk, version, *((BROKER, each, [KEY]) for each in ids))
    for result in results:
        if not result["errorCode"]:
            return str(result["resourceName"])
    raise NotHere("no broker of the cluster describes itself here")


def listed(talk: Talk) -> Results:
    """The ids of the brokers of the cluster, as names of resources."""
    low = max(1, talk.facts.range_of("Metadata")[0])
    reply = yield from talk.ask("Metadata", low, metadata(talk, low, []))
    return [str(each["nodeId"]) for each in reply.value["brokers"]]


def own_configs(talk: Talk, version: int, **more: Any) -> Results:
    """All configs of the broker at the other end."""
    own = yield from own_broker(talk, version)
    result = yield from described_alone(talk, version, (BROKER, own, None), **more)
    if not result["configs"]:
        raise NotHere("the broker has no configs of its own")
    return list(result["configs"])


def made(talk: Talk, number: int = 1) -> Names:
    """New topics that are seen with the configs of `GIVEN`. Raises NotHere without them."""
    names = [talk.facts.name("configs") for _ in range(number)]
    given = [{"name": key, "value": value} for key, value in GIVEN.items()]
    fields = {"numPartitions": 1, "replicationFactor": 1, "configs": given}
    version = talk.facts.range_of("CreateTopics")[1]
    layout = talk.codec.form("CreateTopicsRequest", version).layout
    topics = [{"name": name, **fields} for name in names]
    value = filled(layout, {"topics": topics, "timeoutMs": PATIENCE_MS})
    reply = yield from talk.ask("CreateTopics", version, value)
    codes = [each["errorCode"] for each in reply.value["topics"]]
    if codes != [0] * number:
        raise NotHere(f"no topic can be created: the errors are {codes}")
    try:
        for name in names:
            yield from holds(talk, name, GIVEN)
    except Broken as broken:
        raise NotHere(f"a new topic has not the configs given for it: {broken.detail}") from None
    return names


def gone(talk: Talk, *names: str) -> Dialogue:
    """Delete topics of our own."""
    version = talk.facts.range_of("DeleteTopics")[1]
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
    """The same, when what was ordered before is done: a newer topic is there. Raises Broken."""
    newer = yield from made(talk)
    yield from is_unchanged(talk, topic)
    yield from gone(talk, *newer)


def absent(talk: Talk, number: int) -> list[str]:
    """So many names that no topic has."""
    return [f"{talk.facts.prefix}absent-{index}" for index in range(number)]


@question("configs.null-asks-for-all", "DescribeConfigs", ANY, needs=("Metadata",))
def _all_keys_some_and_none(talk: Talk, version: int) -> Dialogue:
    own = yield from own_broker(talk, version)
    every = yield from described_alone(talk, version, (BROKER, own, None))
    names = names_of(every)
    if not names or len(set(names)) < len(names):
        raise Broken("all configs are none, or some come twice", "each once", str(names))
    by_key = yield from described_alone(talk, version, (BROKER, own, list(KEYS_OF_BROKERS)))
    missing = sorted(set(names_of(by_key)) - set(names))
    talk.expect("configs that have a key and are not among all", [], missing)
    single = yield from described_alone(talk, version, (BROKER, own, names[:1]))
    talk.expect("the config asked for", names[:1], names_of(single))
    empty = yield from described_alone(talk, version, (BROKER, own, []))
    if names_of(empty):
        talk.expect("the configs for no key", sorted(names), sorted(names_of(empty)))
    yield Tell(f"no keys ask for {'all configs' if names_of(empty) else 'none'}")


@question("configs.unknown-key-left-out", "DescribeConfigs", ANY, needs=("Metadata",))
def _key_that_is_none(talk: Talk, version: int) -> Dialogue:
    own = yield from own_broker(talk, version)
    every = yield from described_alone(talk, version, (BROKER, own, None))
    for known in ([], names_of(every)[:1]):
        result = yield from described_alone(talk, version, (BROKER, own, [NO_KEY, *known]))
        talk.expect(
            "the error and the configs", (0, known), (result["errorCode"], names_of(result))
        )


@question("configs.own-broker-alone", "DescribeConfigs", ANY, needs=("Metadata",))
def _this_broker_others_and_none(talk: Talk, version: int) -> Dialogue:
    ids = yield from listed(talk)
    due = {"": 0, NO_BROKER: INVALID_REQUEST, "one": INVALID_REQUEST}
    asked = [(BROKER, name, [KEY]) for name in (*due, *ids)]
    found = errors((yield from described(talk, version, *asked)))
    codes = {name: found.get((BROKER, name)) for name in due}
    talk.expect("the errors", {name: [code] for name, code in due.items()}, codes)
    of_brokers = sorted(code for each in ids for code in found.get((BROKER, each), []))
    one = [0, *[INVALID_REQUEST] * (len(ids) - 1)]
    talk.expect(f"the errors of the brokers {', '.join(ids)}", one, of_brokers)


@asked_of_both("configs.own-broker-alone")
def _brokers_altered_that_are_not_there(talk: Talk, api: str, version: int) -> Dialogue:
    asked: list[Altered] = [(BROKER, name, []) for name in (NO_BROKER, "one")]
    results = yield from altered(talk, api, version, *asked, validate=True)
    due = {(kind, name): [INVALID_REQUEST] for kind, name, _ in asked}
    talk.expect("the errors", due, errors(results))


@question("configs.unknown-topic-refused", "DescribeConfigs", ANY, needs=("Metadata",))
def _topic_described_that_is_not_there(talk: Talk, version: int) -> Dialogue:
    own = yield from own_broker(talk, version)
    [name] = absent(talk, 1)
    results = yield from described(talk, version, (TOPIC, name, None), (BROKER, own, [KEY]))
    due = {(TOPIC, name): [UNKNOWN_TOPIC_OR_PARTITION], (BROKER, own): [0]}
    talk.expect("the errors", due, errors(results))


@asked_of_both("configs.unknown-topic-refused")
def _topic_altered_that_is_not_there(talk: Talk, api: str, version: int) -> Dialogue:
    [name] = absent(talk, 1)
    change = [put(RETENTION, "1000")]
    results = yield from altered(talk, api, version, (TOPIC, name, change), validate=True)
    talk.expect("the errors", {(TOPIC, name): [UNKNOWN_TOPIC_OR_PARTITION]}, errors(results))


@question("configs.unknown-type-refused", "DescribeConfigs", ANY)
def _type_described_that_is_none(talk: Talk, version: int) -> Dialogue:
    name, topic = absent(talk, 2)
    beside = []
    for kind in NO_TYPES:
        asked = (kind, name, None), (TOPIC, topic, None)
        found = errors((yield from described(talk, version, *asked)))
        beside += found.pop((TOPIC, topic), [])
        talk.expect("the errors", {(kind, name): [INVALID_REQUEST]}, found)
    yield Tell(f"the errors of a topic beside it that does not exist are {beside}")


@asked_of_both("configs.unknown-type-refused")
def _type_altered_that_is_none(talk: Talk, api: str, version: int) -> Dialogue:
    name, topic = absent(talk, 2)
    for kind in NO_TYPES:
        asked: tuple[Altered, ...] = (kind, name, []), (TOPIC, topic, [])
        found = errors((yield from altered(talk, api, version, *asked, validate=True)))
        beside = found.pop((TOPIC, topic), [])
        talk.expect("the errors", {(kind, name): [INVALID_REQUEST]}, found)
        if not beside or INVALID_REQUEST in beside:
            raise Broken("a topic beside it is refused as well", "judged by itself", str(beside))


@question("configs.one-result-a-resource", "DescribeConfigs", ANY, needs=("Metadata",))
def _several_resources_described(talk: Talk, version: int) -> Dialogue:
    own = yield from own_broker(talk, version)
    asked: list[Asked] = [(TOPIC, name, None) for name in absent(talk, 4)]
    asked += (BROKER, own, [KEY]), (BROKER, "", None)
    results = yield from described(talk, version, *asked)
    due = sorted((kind, name) for kind, name, _ in asked)
    found = sorted((each["resourceType"], each["resourceName"]) for each in results)
    talk.expect("the resources that are answered", due, found)


@asked_of_both("configs.one-result-a-resource")
def _several_resources_altered(talk: Talk, api: str, version: int) -> Dialogue:
    names = absent(talk, 5)
    asked: list[Altered] = [(TOPIC, name, []) for name in names]
    results = yield from altered(talk, api, version, *asked, validate=True)
    found = sorted((each["resourceType"], each["resourceName"]) for each in results)
    talk.expect("the resources that are answered", [(TOPIC, name) for name in names], found)


@question("configs.described-twice", "DescribeConfigs", ANY, needs=("Metadata",))
def _resource_described_twice(talk: Talk, version: int) -> Dialogue:
    own = yield from own_broker(talk, version)
    once = yield from described_alone(talk, version, (BROKER, own, None))
    twice: Asked = (BROKER, own, None)
    results = yield from described(talk, version, twice, (BROKER, "", None), twice)
    found = errors(results)
    codes = found.pop((BROKER, own), [])
    talk.expect("the other resources", [(BROKER, "")], list(found))
    if codes not in ([0], [0, 0]):
        raise Broken(f"the errors of a resource asked for twice are {codes}", "[0] or [0, 0]")
    for result in results:
        if result["resourceName"] == own:
            talk.expect("its configs", sorted(names_of(once)), sorted(names_of(result)))
    yield Tell(f"it has {len(codes)} result(s)")


@question("configs.synonyms-only-if-asked", "DescribeConfigs", SYNONYMS, needs=("Metadata",))
def _synonyms_asked_for_and_not(talk: Talk, version: int) -> Dialogue:
    """Also beside documentation, which is asked for by a field of its own."""
    for documented in (False, True):
        plain = yield from own_configs(talk, version, includeDocumentation=documented)
        talk.expect("synonyms unasked", [], [each["name"] for each in plain if each["synonyms"]])
    full = yield from own_configs(talk, version, includeSynonyms=True)
    told_of = [each for each in full if each["synonyms"]]
    for each in told_of:
        first = each["synonyms"][0]
        due = each["value"], each["configSource"]
        talk.expect(f"first of {each['name']}", due, (first["value"], first["source"]))
    yield Tell(f"{len(told_of)} of {len(full)} have synonyms")


@question("configs.documentation-only-if-asked", "DescribeConfigs", TYPED, needs=("Metadata",))
def _documentation_asked_for_and_not(talk: Talk, version: int) -> Dialogue:
    for synonyms in (False, True):
        plain = yield from own_configs(talk, version, includeSynonyms=synonyms)
        texts = [each["name"] for each in plain if each["documentation"]]
        talk.expect("documentation unasked", [], texts)
    full = yield from own_configs(talk, version, includeDocumentation=True)
    number = sum(bool(each["documentation"]) for each in full)
    yield Tell(f"{number} of {len(full)} are documented")


@question("configs.sensitive-is-null", "DescribeConfigs", ANY, needs=("Metadata",))
def _configs_that_are_secret(talk: Talk, version: int) -> Dialogue:
    configs = yield from own_configs(talk, version, includeSynonyms=True)
    yield from _hidden(talk, configs)


@question(
    "configs.sensitive-is-null",
    "DescribeConfigs",
    ANY,
    needs=("Metadata", CHANGE),
    wants=("writes",),
)
def _secret_of_our_own(talk: Talk, version: int) -> Dialogue:
    configs = yield from described_own(talk, version)
    if not any(each["isSensitive"] for each in configs):
        raise NotHere("the broker takes no config of our own for a secret")
    yield from _hidden(talk, configs)


def _hidden(talk: Talk, configs: list[Any]) -> Dialogue:
    """Nothing is shown of what is sensitive. Raises Broken."""
    for each in configs:
        if each["isSensitive"]:
            talk.expect(f"the value of {each['name']}", None, each["value"])
            seen = [one["value"] for one in each.get("synonyms", []) if one["value"] is not None]
            talk.expect(f"values of synonyms of {each['name']}", [], seen)
    yield Tell(f"{sum(each['isSensitive'] for each in configs)} of {len(configs)} are secret")


def described_own(talk: Talk, version: int) -> Results:
    """How a broker describes a config that it does not know, and that is set of it meanwhile.

    Whatever is described, it is deleted again. Raises NotHere where the broker takes none.
    """
    own = yield from own_broker(talk, version)
    key = talk.facts.name("config")
    high = talk.facts.range_of(CHANGE)[1]
    results = yield from altered(talk, CHANGE, high, (BROKER, own, [put(key, "secret")]))
    if errors(results) != {(BROKER, own): [0]}:
        raise NotHere(f"the broker takes no config that it does not know: {errors(results)}")

    seen: list[Any] = []

    def describe() -> Results:
        result = yield from described_alone(
            talk, version, (BROKER, own, None), includeSynonyms=True
        )
        seen[:] = [each for each in result["configs"] if each["name"] == key]
        return [each["name"] for each in seen]

    with suppress(Broken):
        yield from talk.eventually("the config that was set", [key], describe)
    found = list(seen)
    yield from altered(talk, CHANGE, high, (BROKER, own, [put(key, None, DELETE)]))
    yield from talk.eventually("the config that was deleted", [], describe)
    return found


@question(
    "configs.unknown-config-described",
    "DescribeConfigs",
    ANY,
    needs=("Metadata", CHANGE),
    wants=("writes",),
)
def _config_of_our_own(talk: Talk, version: int) -> Dialogue:
    configs = yield from described_own(talk, version)
    if len(configs) != 1:
        raise Broken("a config that was set is not described", "once", str(len(configs)))
    shown = "not " if configs[0]["value"] is None else ""
    yield Tell(f"its value is {shown}shown")


@question("configs.types-told", "DescribeConfigs", TYPED, **WRITING)
def _types_of_a_topics_configs(talk: Talk, version: int) -> Dialogue:
    [name] = yield from made(talk)
    result = yield from described_alone(talk, version, (TOPIC, name, list(TYPES)))
    found = {each["name"]: each["configType"] for each in result["configs"]}
    due = {key: kind for key, kind in TYPES.items() if key in found}
    talk.expect("the types", due, {key: found[key] for key in due})
    yield from gone(talk, name)


@question("configs.source-told", "DescribeConfigs", ANY, **WRITING)
def _source_of_what_was_set(talk: Talk, version: int) -> Dialogue:
    [name] = yield from made(talk)
    result = yield from described_alone(talk, version, (TOPIC, name, None))
    of_topic = {
        each["name"]: each["configSource"] == OF_TOPIC if version else not each["isDefault"]
        for each in result["configs"]
    }
    was_set = {key for key, is_set in of_topic.items() if is_set}
    if version:
        talk.expect("the configs with the topic for their source", set(GIVEN), was_set)
    else:
        talk.expect("those that were set, and are default", set(), set(GIVEN) - was_set)
        yield Tell("some are said to be default" if was_set < set(of_topic) else "none is default")
    yield from gone(talk, name)


@question("configs.any-broker-describes-topics", "DescribeConfigs", ANY, **WRITING)
def _topic_described_by_every_broker(talk: Talk, version: int) -> Dialogue:
    [name] = yield from made(talk)
    for node in talk.facts.nodes or (None,):
        yield Reconnect(node=node)
        yield from holds(talk, name, GIVEN)
        results = yield from described(talk, version, (TOPIC, name, None))
        talk.expect("the errors", {(TOPIC, name): [0]}, errors(results))
    yield Tell(f"{len(talk.facts.nodes) or 1} broker(s) asked")
    yield from gone(talk, name)


@asked_of_both("configs.duplicate-key-refused", **WRITING)
def _key_given_twice(talk: Talk, api: str, version: int) -> Dialogue:
    twice = [put(RETENTION, "6000000"), put(RETENTION, "7000000")]
    yield from _refused_beside_another(talk, api, version, twice, INVALID_REQUEST)


@asked_of_both("configs.null-refused", **WRITING)
def _null_for_a_value(talk: Talk, api: str, version: int) -> Dialogue:
    null = [put(SIZE, "3000000"), put(RETENTION, None)]
    yield from _refused_beside_another(talk, api, version, null, INVALID_REQUEST)


@asked_of_both("configs.bad-config-refused", **WRITING)
def _key_that_no_topic_has(talk: Talk, api: str, version: int) -> Dialogue:
    unknown = [put(SIZE, "3000000"), put(NO_KEY, "1")]
    yield from _refused_beside_another(talk, api, version, unknown, INVALID_CONFIG)


@asked_of_both("configs.bad-config-refused", **WRITING)
def _value_that_can_not_be(talk: Talk, api: str, version: int) -> Dialogue:
    bad = [put(SIZE, "3000000"), put(RETENTION, "soon")]
    yield from _refused_beside_another(talk, api, version, bad, INVALID_CONFIG)


@question("configs.lists-alone-grow", CHANGE, ANY, **WRITING)
def _entries_for_what_is_no_list(talk: Talk, version: int) -> Dialogue:
    for operation in (APPEND, SUBTRACT):
        no_list = [put(SIZE, "3000000"), put(RETENTION, "1", operation)]
        yield from _refused_beside_another(talk, CHANGE, version, no_list, INVALID_CONFIG)


def _refused_beside_another(
    talk: Talk, api: str, version: int, changes: list[Fields], error: int
) -> Dialogue:
    """One topic is refused with `error` and stays as it was; another is altered. Raises Broken."""
    refused, good = yield from made(talk, 2)
    asked: tuple[Altered, ...] = (TOPIC, refused, changes), (TOPIC, good, [put(SIZE, "3000000")])
    results = yield from altered(talk, api, version, *asked)
    due = {(TOPIC, refused): [error], (TOPIC, good): [0]}
    talk.expect("the errors", due, errors(results))
    yield from holds(talk, good, {SIZE: "3000000"})
    yield from is_unchanged(talk, refused)
    yield from gone(talk, refused, good)


@question("configs.duplicate-resource-refused", CHANGE, ANY, **WRITING)
def _resource_given_twice(talk: Talk, version: int) -> Dialogue:
    twice, once = yield from made(talk, 2)
    asked: tuple[Altered, ...] = (
        (TOPIC, twice, [put(RETENTION, "6000000")]),
        (TOPIC, once, [put(RETENTION, "6000000")]),
        (TOPIC, twice, [put(SIZE, "3000000")]),
    )
    found = errors((yield from altered(talk, CHANGE, version, *asked)))
    codes = {key: sorted(set(each)) for key, each in found.items()}
    talk.expect("the errors", {(TOPIC, twice): [INVALID_REQUEST], (TOPIC, once): [0]}, codes)
    yield from holds(talk, once, {RETENTION: "6000000"})
    yield from is_unchanged(talk, twice)
    yield from gone(talk, twice, once)


@question("configs.duplicate-resource-not-altered", ALTER, ANY, **WRITING)
def _resource_replaced_twice(talk: Talk, version: int) -> Dialogue:
    """Whatever is answered is told, and held against nobody: nothing may be altered."""
    [name] = yield from made(talk)
    changes = put(RETENTION, "6000000"), put(SIZE, "3000000")
    value = alteration(talk, ALTER, version, tuple((TOPIC, name, [each]) for each in changes))
    number = talk.number()
    yield Send(talk.frame(ALTER, version, value, number))
    heard = yield Hear(talk.facts.patience_s)
    assert heard is not None
    if heard.kind == "reply":
        results = talk.read(ALTER, version, heard.frame).value["responses"]
        codes = set(errors(results).get((TOPIC, name), []))
        talk.expect("the errors", {INVALID_REQUEST}, codes)
    yield Reconnect()
    yield from is_unchanged_later(talk, name)
    yield from gone(talk, name)
    yield Tell("it is answered" if heard.kind == "reply" else f"it is not answered: {told(heard)}")


@question("configs.operations", CHANGE, ANY, **WRITING)
def _every_operation(talk: Talk, version: int) -> Dialogue:
    [name] = yield from made(talk)
    steps = [(SET, "compact", ["compact"]), (APPEND, "delete", ["compact", "delete"])]
    steps.append((SUBTRACT, "compact", ["delete"]))
    for operation, value, due in steps:
        change: Altered = (TOPIC, name, [put(POLICY, value, operation)])
        results = yield from altered(talk, CHANGE, version, change)
        talk.expect("the errors", {(TOPIC, name): [0]}, errors(results))
        what = f"the list after operation {operation}"
        yield from talk.eventually(what, due, partial(_entries, talk, name))
    away: Altered = (TOPIC, name, [put(RETENTION, None, DELETE)])
    results = yield from altered(talk, CHANGE, version, away)
    talk.expect("the errors", {(TOPIC, name): [0]}, errors(results))
    what = "a deleted config and another"
    yield from talk.eventually(what, [False, True], partial(_are_as_given, talk, name))
    yield from gone(talk, name)


def _entries(talk: Talk, topic: str) -> Results:
    """The entries of a topic's list, sorted."""
    found = yield from values(talk, topic, POLICY)
    return sorted((found.get(POLICY) or "").split(","))


def _are_as_given(talk: Talk, topic: str) -> Results:
    """Whether each of the configs given is as it was given."""
    found = yield from values(talk, topic, *GIVEN)
    return [found.get(key) == value for key, value in GIVEN.items()]


@question("configs.unknown-operation-refused", CHANGE, ANY, needs=("Metadata", "DescribeConfigs"))
def _operations_that_are_none(talk: Talk, version: int) -> Dialogue:
    """For the broker at the other end, which is the first to look at its own configs."""
    own = yield from own_broker(talk, talk.facts.range_of("DescribeConfigs")[1])
    key = f"{talk.facts.prefix}absent"
    for operation in NO_OPERATIONS:
        change: Altered = (BROKER, own, [put(key, "1", operation)])
        results = yield from altered(talk, CHANGE, version, change, validate=True)
        talk.expect(
            f"the errors of operation {operation}",
            {(BROKER, own): [INVALID_REQUEST]},
            errors(results),
        )


@asked_of_both("configs.validate-only-changes-nothing", **WRITING)
def _alteration_that_is_only_validated(talk: Talk, api: str, version: int) -> Dialogue:
    [name] = yield from made(talk)
    change: Altered = (TOPIC, name, [put(RETENTION, "6000000")])
    results = yield from altered(talk, api, version, change, validate=True)
    talk.expect("the errors", {(TOPIC, name): [0]}, errors(results))
    yield from is_unchanged_later(talk, name)
    yield from gone(talk, name)


@question("configs.replaced-whole", ALTER, ANY, **WRITING)
def _some_of_the_configs_replaced(talk: Talk, version: int) -> Dialogue:
    [name] = yield from made(talk)
    change: Altered = (TOPIC, name, [put(SIZE, GIVEN[SIZE])])
    results = yield from altered(talk, ALTER, version, change)
    talk.expect("the errors", {(TOPIC, name): [0]}, errors(results))
    what = "a config left out of the new ones, and one that is in them"
    yield from talk.eventually(what, [False, True], partial(_are_as_given, talk, name))
    yield from gone(talk, name)


@question("configs.others-kept", CHANGE, ANY, **WRITING)
def _one_config_changed(talk: Talk, version: int) -> Dialogue:
    [name] = yield from made(talk)
    change: Altered = (TOPIC, name, [put(SIZE, "3000000")])
    results = yield from altered(talk, CHANGE, version, change)
    talk.expect("the errors", {(TOPIC, name): [0]}, errors(results))
    yield from holds(talk, name, {**GIVEN, SIZE: "3000000"})
    yield from gone(talk, name)
