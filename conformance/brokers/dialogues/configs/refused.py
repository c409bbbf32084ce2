"""Changes that can't be: the resource stays as it was, and another in the request is altered."""

from __future__ import annotations

from conformance.brokers.dialogues import question
from conformance.brokers.dialogues.configs.requests import (
    ALTER,
    ANY,
    APPEND,
    BROKER,
    CHANGE,
    NO_KEY,
    RETENTION,
    SIZE,
    SUBTRACT,
    TOPIC,
    WRITING,
    Altered,
    Fields,
    alteration,
    altered,
    asked_of_both,
    errors,
    gone,
    holds,
    is_unchanged,
    is_unchanged_later,
    new_topics,
    own_broker,
    put,
)
from conformance.brokers.dialogues.talk import Talk, describe_received
from conformance.dialogue import Dialogue, Receive, Reconnect, Send, Tell
from conformance.error_codes import INVALID_CONFIG, INVALID_REQUEST

NO_OPERATIONS = (4, 99, -1)


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
    """Expect one topic refused with `error` and unchanged, and another altered. Raises Broken."""
    refused, good = yield from new_topics(talk, 2)
    asked: tuple[Altered, ...] = (TOPIC, refused, changes), (TOPIC, good, [put(SIZE, "3000000")])
    results = yield from altered(talk, api, version, *asked)
    due = {(TOPIC, refused): [error], (TOPIC, good): [0]}
    talk.expect("the errors", due, errors(results))
    yield from holds(talk, good, {SIZE: "3000000"})
    yield from is_unchanged(talk, refused)
    yield from gone(talk, refused, good)


@question("configs.duplicate-resource-refused", CHANGE, ANY, **WRITING)
def _resource_given_twice(talk: Talk, version: int) -> Dialogue:
    twice, once = yield from new_topics(talk, 2)
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
    """Report the answer, and accept any error: nothing may be altered."""
    [name] = yield from new_topics(talk)
    changes = put(RETENTION, "6000000"), put(SIZE, "3000000")
    value = alteration(talk, ALTER, version, tuple((TOPIC, name, [each]) for each in changes))
    number = talk.number()
    yield Send(talk.frame(ALTER, version, value, number))
    received = yield Receive(talk.facts.patience_s)
    assert received is not None
    if received.kind == "reply":
        frame = talk.understood(ALTER, version, number, received)
        results = talk.read(ALTER, version, frame).value["responses"]
        codes = set(errors(results).get((TOPIC, name), []))
        talk.expect("the errors", {INVALID_REQUEST}, codes)
    yield Reconnect()
    yield from is_unchanged_later(talk, name)
    yield from gone(talk, name)
    yield Tell(
        "it is answered"
        if received.kind == "reply"
        else f"it is not answered: {describe_received(received)}"
    )


@question("configs.unknown-operation-refused", CHANGE, ANY, needs=("Metadata", "DescribeConfigs"))
def _operations_that_are_none(talk: Talk, version: int) -> Dialogue:
    """Ask the broker at the other end, which is the first to check its own configs."""
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
