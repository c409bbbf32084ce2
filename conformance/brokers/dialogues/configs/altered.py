"""Altering configs: the right change, to the right resource, and none if only validated."""

from __future__ import annotations

from functools import partial

from conformance.brokers.dialogues import question
from conformance.brokers.dialogues.configs.requests import (
    ALTER,
    ANY,
    APPEND,
    CHANGE,
    DELETE,
    GIVEN,
    POLICY,
    RETENTION,
    SET,
    SIZE,
    SUBTRACT,
    TOPIC,
    WRITING,
    Altered,
    Results,
    altered,
    asked_of_both,
    errors,
    gone,
    holds,
    is_unchanged_later,
    new_topics,
    put,
    values,
)
from conformance.brokers.dialogues.talk import Talk
from conformance.dialogue import Dialogue


@question("configs.operations", CHANGE, ANY, **WRITING)
def _every_operation(talk: Talk, version: int) -> Dialogue:
    [name] = yield from new_topics(talk)
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
    """Return, for each of the configs given, True if it has its value."""
    found = yield from values(talk, topic, *GIVEN)
    return [found.get(key) == value for key, value in GIVEN.items()]


@asked_of_both("configs.validate-only-changes-nothing", **WRITING)
def _alteration_that_is_only_validated(talk: Talk, api: str, version: int) -> Dialogue:
    [name] = yield from new_topics(talk)
    change: Altered = (TOPIC, name, [put(RETENTION, "6000000")])
    results = yield from altered(talk, api, version, change, validate=True)
    talk.expect("the errors", {(TOPIC, name): [0]}, errors(results))
    yield from is_unchanged_later(talk, name)
    yield from gone(talk, name)


@question("configs.replaced-whole", ALTER, ANY, **WRITING)
def _some_of_the_configs_replaced(talk: Talk, version: int) -> Dialogue:
    [name] = yield from new_topics(talk)
    change: Altered = (TOPIC, name, [put(SIZE, GIVEN[SIZE])])
    results = yield from altered(talk, ALTER, version, change)
    talk.expect("the errors", {(TOPIC, name): [0]}, errors(results))
    what = "a config left out of the new ones, and one that is in them"
    yield from talk.eventually(what, [False, True], partial(_are_as_given, talk, name))
    yield from gone(talk, name)


@question("configs.others-kept", CHANGE, ANY, **WRITING)
def _one_config_changed(talk: Talk, version: int) -> Dialogue:
    [name] = yield from new_topics(talk)
    change: Altered = (TOPIC, name, [put(SIZE, "3000000")])
    results = yield from altered(talk, CHANGE, version, change)
    talk.expect("the errors", {(TOPIC, name): [0]}, errors(results))
    yield from holds(talk, name, {**GIVEN, SIZE: "3000000"})
    yield from gone(talk, name)
