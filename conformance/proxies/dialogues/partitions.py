"""The partitions that a message names: small numbers for extreme ones, and requests for answers.

Golden messages have partition numbers of any size, as bytes have to be right for each. No topic
has so many partitions, and a proxy that maps partitions knows its own alone. So a message that does
not go through with an extreme number is sent again with small ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from conformance.proxies.dialogues.talk import ProxyTalk
from conformance.schema.layout import Layout, WireType
from conformance.testee_protocol import Value

MOST = 9_999
"""The highest partition number that is not extreme: no topic is known with so many partitions."""
_NUMBERS = frozenset({"index", "partition", "partitionId", "partitionIndex"})
_LISTS = frozenset({"partitions", "partitionIndexes"})
_NAMES = ("name", "topic", "topicName")
_ID = "topicId"
_TOPICS_BYTES = 4096
"""The most bytes of topics' names in a request that is made for an answer."""


def has_extreme_partitions(value: Value) -> bool:
    """True if a message names a partition that no topic has."""
    found: list[int] = []

    def keep(number: int) -> int:
        found.append(number)
        return number

    _changed(value, keep)
    return any(not 0 <= number <= MOST for number in found)


def with_small_partitions(value: Value) -> Value:
    """Return a message with the numbers 0, 1, 2 and so on in place of its partitions'."""
    known: dict[int, int] = {}
    return dict(_changed(value, lambda number: known.setdefault(number, len(known))))


def _changed(value: Any, change: Callable[[int], int]) -> Any:
    if isinstance(value, list):
        return [_changed(each, change) for each in value]
    if not isinstance(value, dict):
        return value
    return {name: _changed_field(name, each, change) for name, each in value.items()}


def _changed_field(name: str, value: Any, change: Callable[[int], int]) -> Any:
    if name in _NUMBERS and isinstance(value, int):
        return change(value)
    if name in _LISTS and isinstance(value, list):
        return [change(each) if isinstance(each, int) else _changed(each, change) for each in value]
    return _changed(value, change)


def request_for(talk: ProxyTalk, api: str, version: int, answer: Value) -> Value:
    """Return a plain request that asks for the topics and partitions of this answer.

    A broker answers for no others, and a proxy may know by the request which partitions an answer
    is about. The request names none if this API's requests have no place for them.
    """
    request = talk.plain(api, version)
    layout = talk.codec.form(f"{api}Request", version).layout
    for item in layout.fields:
        of = item.type.element.struct if item.type.element else None
        if of is not None and (partitions := _partitions_of(of)):
            topics = [
                topic
                for name, numbers in _topics_in(answer)
                if (topic := _topic(of, name, partitions, numbers))
            ]
            size = sum(len(f"{topic}") for topic in topics)
            return request | ({item.name: topics} if topics and size <= _TOPICS_BYTES else {})
    return request


def _topics_in(value: Any) -> Iterator[tuple[Value, list[int]]]:
    """Yield each topic of an answer with its partitions."""
    if isinstance(value, list):
        for each in value:
            yield from _topics_in(each)
    elif isinstance(value, dict):
        if numbers := [number for each in value.values() for number in _numbers_in(each)]:
            yield value, list(dict.fromkeys(numbers))
        else:
            yield from _topics_in(list(value.values()))


def _numbers_in(value: Any) -> Iterator[int]:
    """Yield the partition numbers of the elements of a list."""
    for each in value if isinstance(value, list) else ():
        if isinstance(each, dict):
            yield from (each[name] for name in _NUMBERS if isinstance(each.get(name), int))


def _partitions_of(topic: Layout) -> tuple[str, WireType] | None:
    """Return the name and element of a topic's partitions in a request, None without any."""
    names = {item.name for item in topic.fields}
    if not names.intersection((*_NAMES, _ID)):
        return None
    for item in topic.fields:
        element = item.type.element
        if element is None:
            continue
        inner = {each.name for each in element.struct.fields} if element.struct else set()
        if inner & _NUMBERS or (element.kind == "int32" and item.name in _LISTS):
            return item.name, element
    return None


def _topic(
    of: Layout, topic: Value, partitions: tuple[str, WireType], numbers: list[int]
) -> Value | None:
    """Return a request's topic for an answer's, None if the answer does not say which it is."""
    names = {item.name for item in of.fields}
    own = next((name for name in (_ID, *_NAMES) if name in names), "")
    told = topic.get(_ID) if own == _ID else next(filter(None, map(topic.get, _NAMES)), None)
    if not told:
        return None
    field, element = partitions
    if element.struct is None:
        return {own: told, field: numbers}
    [number, *_] = [each.name for each in element.struct.fields if each.name in _NUMBERS]
    return {own: told, field: [{number: each} for each in numbers]}
