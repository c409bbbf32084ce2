"""Describing a resource's configs: those asked for, with all fields asked for, and no secret."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from conformance.brokers.dialogues import question
from conformance.brokers.dialogues.configs.requests import (
    ANY,
    BROKER,
    CHANGE,
    DELETE,
    GIVEN,
    KEY,
    NO_KEY,
    POLICY,
    RETENTION,
    SIZE,
    TOPIC,
    WRITING,
    Results,
    altered,
    described_alone,
    errors,
    gone,
    names_of,
    new_topics,
    own_broker,
    put,
)
from conformance.brokers.dialogues.talk import Talk
from conformance.dialogue import Broken, Dialogue, NotApplicable, Tell

OF_TOPIC = 1
"""The source of a config that was set of its topic."""
KEYS_OF_BROKERS = (KEY, "message.max.bytes", "num.io.threads", "num.partitions")
WHOLE_NUMBERS = (3, 4, 5)
"""INT, SHORT and LONG: how large a number a broker takes for a config is its own affair."""
TYPES = {
    "preallocate": 1,
    "compression.type": 2,
    SIZE: 3,
    RETENTION: 5,
    "min.cleanable.dirty.ratio": 6,
    POLICY: 7,
}
"""The types of some configs of topics, as KIP-569 numbers them."""
SYNONYMS = range(1, 100)
TYPED = range(3, 100)


def _own_configs(talk: Talk, version: int, **more: Any) -> Results:
    """Return all configs of the broker at the other end."""
    own = yield from own_broker(talk, version)
    result = yield from described_alone(talk, version, (BROKER, own, None), **more)
    if not result["configs"]:
        what = f"a broker that describes itself has no configs: error {result['errorCode']}"
        raise Broken(what, "all configs", "none", judged_by="configs.null-asks-for-all")
    return list(result["configs"])


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


@question("configs.synonyms-only-if-asked", "DescribeConfigs", SYNONYMS, needs=("Metadata",))
def _synonyms_asked_for_and_not(talk: Talk, version: int) -> Dialogue:
    """Ask with and without documentation, which has a field of its own."""
    for documented in (False, True):
        plain = yield from _own_configs(talk, version, includeDocumentation=documented)
        talk.expect("synonyms unasked", [], [each["name"] for each in plain if each["synonyms"]])
    full = yield from _own_configs(talk, version, includeSynonyms=True)
    told_of = [each for each in full if each["synonyms"]]
    for each in told_of:
        first = each["synonyms"][0]
        due = each["value"], each["configSource"]
        talk.expect(f"first of {each['name']}", due, (first["value"], first["source"]))
    yield Tell(f"{len(told_of)} of {len(full)} have synonyms")


@question("configs.documentation-only-if-asked", "DescribeConfigs", TYPED, needs=("Metadata",))
def _documentation_asked_for_and_not(talk: Talk, version: int) -> Dialogue:
    for synonyms in (False, True):
        plain = yield from _own_configs(talk, version, includeSynonyms=synonyms)
        texts = [each["name"] for each in plain if each["documentation"]]
        talk.expect("documentation unasked", [], texts)
    full = yield from _own_configs(talk, version, includeDocumentation=True)
    number = sum(bool(each["documentation"]) for each in full)
    yield Tell(f"{number} of {len(full)} are documented")


@question("configs.sensitive-is-null", "DescribeConfigs", ANY, needs=("Metadata",))
def _configs_that_are_secret(talk: Talk, version: int) -> Dialogue:
    configs = yield from _own_configs(talk, version, includeSynonyms=True)
    yield from _hidden(talk, configs)


@question(
    "configs.sensitive-is-null",
    "DescribeConfigs",
    ANY,
    needs=("Metadata", CHANGE),
    wants=("writes",),
)
def _secret_of_our_own(talk: Talk, version: int) -> Dialogue:
    configs = yield from _described_own(talk, version)
    if not configs:
        what = "a config that was set is not described"
        raise Broken(what, "once", "0", judged_by="configs.unknown-config-described")
    if not any(each["isSensitive"] for each in configs):
        raise NotApplicable("the broker takes no config of our own for a secret")
    yield from _hidden(talk, configs)


def _hidden(talk: Talk, configs: list[Any]) -> Dialogue:
    """Check that sensitive values are null, also in synonyms. Raises Broken."""
    for each in configs:
        if each["isSensitive"]:
            talk.expect(f"the value of {each['name']}", None, each["value"])
            seen = [one["value"] for one in each.get("synonyms", []) if one["value"] is not None]
            talk.expect(f"values of synonyms of {each['name']}", [], seen)
    yield Tell(f"{sum(each['isSensitive'] for each in configs)} of {len(configs)} are secret")


def _described_own(talk: Talk, version: int) -> Results:
    """Return a broker's description of a config that it does not know, and that is set for the
    moment.

    It is deleted again, whatever the description. Raises NotApplicable if the broker takes none.
    """
    own = yield from own_broker(talk, version)
    key = talk.facts.name("config")
    high = talk.facts.range_of(CHANGE)[1]
    results = yield from altered(talk, CHANGE, high, (BROKER, own, [put(key, "secret")]))
    if errors(results) != {(BROKER, own): [0]}:
        raise NotApplicable(f"the broker takes no config that it does not know: {errors(results)}")

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
    configs = yield from _described_own(talk, version)
    if len(configs) != 1:
        raise Broken("a config that was set is not described", "once", str(len(configs)))
    shown = "not " if configs[0]["value"] is None else ""
    yield Tell(f"its value is {shown}shown")


@question("configs.types-told", "DescribeConfigs", TYPED, **WRITING)
def _types_of_a_topics_configs(talk: Talk, version: int) -> Dialogue:
    [name] = yield from new_topics(talk)
    result = yield from described_alone(talk, version, (TOPIC, name, list(TYPES)))
    found = {each["name"]: each["configType"] for each in result["configs"]}
    due = {key: kind for key, kind in TYPES.items() if key in found}
    talk.expect("the types", due, {key: _like(found[key], kind) for key, kind in due.items()})
    yield from gone(talk, name)


@question("configs.source-told", "DescribeConfigs", ANY, **WRITING)
def _source_of_what_was_set(talk: Talk, version: int) -> Dialogue:
    [name] = yield from new_topics(talk)
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


def _like(found: int, due: int) -> int:
    """Return the expected type for another size of the same kind of number, else what came."""
    return due if {found, due} <= {*WHOLE_NUMBERS} else found
