"""Which resources are answered, and how: each by itself, whatever becomes of those beside it."""

from __future__ import annotations

from conformance.brokers.dialogues import question
from conformance.brokers.dialogues.configs.requests import (
    ANY,
    BROKER,
    GIVEN,
    KEY,
    RETENTION,
    TOPIC,
    WRITING,
    Altered,
    Asked,
    absent,
    altered,
    asked_of_both,
    described,
    described_alone,
    errors,
    gone,
    holds,
    listed,
    names_of,
    new_topics,
    own_broker,
    put,
)
from conformance.brokers.dialogues.talk import ONE_FOR_EACH, Talk
from conformance.dialogue import Broken, Dialogue, Reconnect, Tell
from conformance.error_codes import INVALID_REQUEST, UNKNOWN_TOPIC_OR_PARTITION

NO_TYPES = (0, 99, -1)
"""Types that no resource has; 0 is the protocol's own for one that is not known."""
NO_BROKER = str(2**31 - 1)


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


@question(ONE_FOR_EACH, "DescribeConfigs", ANY, needs=("Metadata",))
def _several_resources_described(talk: Talk, version: int) -> Dialogue:
    own = yield from own_broker(talk, version)
    asked: list[Asked] = [(TOPIC, name, None) for name in absent(talk, 4)]
    asked += (BROKER, own, [KEY]), (BROKER, "", None)
    yield from described(talk, version, *asked)


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


@question("configs.any-broker-describes-topics", "DescribeConfigs", ANY, **WRITING)
def _topic_described_by_every_broker(talk: Talk, version: int) -> Dialogue:
    [name] = yield from new_topics(talk)
    for node in talk.facts.nodes or (None,):
        yield Reconnect(node=node)
        yield from holds(talk, name, GIVEN)
        results = yield from described(talk, version, (TOPIC, name, None))
        talk.expect("the errors", {(TOPIC, name): [0]}, errors(results))
    yield Tell(f"{len(talk.facts.nodes) or 1} broker(s) asked")
    yield from gone(talk, name)
