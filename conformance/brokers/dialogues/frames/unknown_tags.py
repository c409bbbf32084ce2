"""Tagged fields that no broker knows, in live requests, at every level and in every number.

The same request is asked twice on one connection, plain and with tags in it, and the answers have
to be the same. So any API will do that answers the same question the same way twice.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Generator, Iterator
from copy import deepcopy
from typing import Any

from conformance.brokers.dialogues import question
from conformance.brokers.dialogues.frames.forms import FIRST_FLEXIBLE
from conformance.brokers.dialogues.frames.headers import software
from conformance.brokers.dialogues.harmless import harmless
from conformance.brokers.dialogues.talk import SERVED, Reply, Talk, judged_by
from conformance.dialogue import Dialogue, NotApplicable, Received, Step
from conformance.schema.layout import Layout

TAGS = "_unknownTaggedFields"
UNKNOWN = 10_000
"""Far above any tag that a definition has."""
THOUSAND = 1000
LARGE_BYTES = 30_000
"""A size of three bytes as a varint, in a request that no limit on frames refuses."""
HIGHEST = 2**31 - 2
"""One below the highest tag: Apache Kafka 4.4.0 reads that and can't write it again."""
CHANGING = ("throttleTimeMs", "topicId", "controllerId", "finalizedFeaturesEpoch")
"""The fields that may differ between answers: the throttle time, the id of a topic that was only
validated, the controller (of a KRaft cluster any broker, another one in each answer) and the epoch
of the cluster's metadata.
"""
ASKED = {**FIRST_FLEXIBLE, "ApiVersions": 3}
NAMED_BY = {"name", "resourceName"}

Tags = list[dict[str, Any]]
Talking = Generator[Step, Received | None, Reply]
Put = Callable[[Layout, dict[str, Any], Tags], None]


def tagged(number: int = UNKNOWN, value: bytes = b"\0\1") -> dict[str, Any]:
    """A tagged field."""
    return {"tag": number, "bytes": base64.b64encode(value).decode()}


FEW = [tagged(), tagged(UNKNOWN + 1, b"x" * 200)]
MANY = [tagged(UNKNOWN + index, b"ab") for index in range(THOUSAND)]
LARGE = [tagged(UNKNOWN, bytes(LARGE_BYTES))]
EMPTY = [tagged(UNKNOWN, b""), tagged(UNKNOWN + 7, b"")]
HIGH = [tagged(2**14, b"a"), tagged(2**21, b"b"), tagged(2**28, b"c"), tagged(HIGHEST, b"d")]


def at_top(_layout: Layout, value: dict[str, Any], tags: Tags) -> None:
    """Put tags into the top struct."""
    value[TAGS] = tags


def in_elements(layout: Layout, value: dict[str, Any], tags: Tags) -> None:
    """Put them into the elements of arrays, at any depth."""
    for each in _structs(layout, value):
        each[TAGS] = tags


def in_structs(layout: Layout, value: dict[str, Any], tags: Tags) -> None:
    """Put them into the structs that stand in the top one, which are sent for them, as defaults."""
    for item in (*layout.fields, *layout.tagged):
        if item.type.struct is not None:
            value[item.name] = {**item.type.struct.default_value(), TAGS: tags}


def _structs(layout: Layout, value: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for item in layout.fields:
        if item.type.element is not None and item.type.item.struct is not None:
            for each in value[item.name] or []:
                yield each
                yield from _structs(item.type.item.layout, each)


def _asks(api: str, put: Put, *kinds: Tags) -> Callable[[Talk, int], Dialogue]:
    def _tags_that_nobody_knows(talk: Talk, version: int) -> Dialogue:
        plain = _filled(talk, api, version)
        due = yield from answered(talk, api, version, plain)
        layout = talk.codec.form(f"{api}Request", version).layout
        for tags in kinds:
            value = deepcopy(plain)
            put(layout, value, tags)
            found = yield from talk.ask_for_any(api, version, value)
            yield from same(talk, api, due, found, plain)

    return _tags_that_nobody_knows


def _asks_with_header(api: str, *kinds: Tags) -> Callable[[Talk, int], Dialogue]:
    def _tags_in_the_header(talk: Talk, version: int) -> Dialogue:
        plain = _filled(talk, api, version)
        due = yield from answered(talk, api, version, plain)
        for tags in kinds:
            found = yield from talk.ask_for_any(api, version, plain, _unknownTaggedFields=tags)
            yield from same(talk, api, due, found, plain)

    return _tags_in_the_header


@judged_by(SERVED)
def answered(talk: Talk, api: str, version: int, value: dict[str, Any]) -> Talking:
    """Return the answer to the request without tags or faults."""
    reply = yield from talk.ask_for_any(api, version, value)
    return reply


def same(talk: Talk, api: str, due: Reply, found: Reply, plain: dict[str, Any]) -> Dialogue:
    """Check that two answers are equal, except for changing fields. Raises Broken.

    Raises NotApplicable if answers differ without tags as well.
    """
    if still(due.value) == still(found.value):
        return
    again = yield from talk.ask_for_any(api, due.version, plain)
    if still(due.value) != still(again.value):
        raise NotApplicable("the same request has another answer each time")
    talk.expect("the answer without and with unknown tags", still(due.value), still(found.value))


def still(answer: Any) -> Any:
    """Return an answer without the parts that may change, such as the order of a list."""
    if isinstance(answer, list):
        return sorted(map(still, answer), key=repr)
    if not isinstance(answer, dict):
        return answer
    return {name: still(value) for name, value in answer.items() if name not in CHANGING}


def _filled(talk: Talk, api: str, version: int) -> dict[str, Any]:
    """The harmless request, with two elements in its array where it can have them."""
    if api == "ApiVersions":
        return dict(software(version))
    value = harmless(talk, api, version)
    for name in ("topics", "resources"):
        elements = value.get(name)
        if elements and isinstance(elements[0], dict):
            other = deepcopy(elements[0])
            for key in other.keys() & NAMED_BY:
                other[key] += "-too"
                value[name] = [*elements, other]
    return value


WITH_ELEMENTS = {"Metadata": 9, "DescribeConfigs": 4, "CreateTopics": 5, "DeleteTopics": 6}
WITH_STRUCTS = {"Fetch": 15}
"""Its `ReplicaState` alone stands in a request that clients send, and is harmless."""

for _api, _first in ASKED.items():
    _flexible = range(_first, 100)
    question("tags.unknown-skipped", _api, _flexible)(_asks(_api, at_top, FEW, LARGE))
    question("tags.unknown-empty-value", _api, _flexible)(_asks(_api, at_top, EMPTY))
    question("tags.unknown-high-tag", _api, _flexible)(_asks(_api, at_top, HIGH))
    question("tags.unknown-by-the-thousand", _api, _flexible)(_asks(_api, at_top, MANY))
    question("request-header.unknown-tag-skipped", _api, _flexible)(
        _asks_with_header(_api, FEW, EMPTY, HIGH, MANY, LARGE)
    )
for _api, _first in WITH_ELEMENTS.items():
    _flexible = range(_first, 100)
    question("tags.unknown-skipped-in-element", _api, _flexible)(
        _asks(_api, in_elements, FEW, EMPTY, HIGH, LARGE)
    )
    question("tags.unknown-by-the-thousand", _api, _flexible)(_asks(_api, in_elements, MANY))
for _api, _first in WITH_STRUCTS.items():
    question("tags.unknown-skipped-in-struct", _api, range(_first, 100))(
        _asks(_api, in_structs, FEW, EMPTY, HIGH, MANY, LARGE)
    )
