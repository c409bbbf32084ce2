"""The partitions that a message names: small numbers for extreme ones, and requests for answers.

Golden messages have partition numbers and offsets of any size, as bytes have to be right for each.
No topic has so many partitions, and a proxy that maps partitions or offsets has ranges for them. So
a message that does not go through with extreme numbers is sent again with small ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from conformance.proxies.dialogues.talk import ProxyTalk
from conformance.schema.layout import Layout, WireType
from conformance.testee_protocol import Value

MOST = 9_999
"""The highest partition number that is not extreme: no topic is known with so many partitions."""
OFFSETS = range(-2, 2**48)
"""The offsets that are not extreme: -1 and -2 stand for the end and the begin of a log."""
_NUMBERS = frozenset({"index", "partition", "partitionId", "partitionIndex"})
_LISTS = frozenset({"partitions", "partitionIndexes"})
_NAMES = ("name", "topic", "topicName")
_ID = "topicId"
_TOPICS_BYTES = 4096
"""The most bytes of topics' names in a request that is made for an answer."""


def has_extreme_numbers(value: Value) -> bool:
    """True if a message names a partition or an offset that no topic has."""
    return bool(with_small_numbers(value, only_extreme=True) != value)


def with_small_numbers(value: Value, *, only_extreme: bool = False) -> Value:
    """Return a message with the numbers 0, 1, 2 and so on in place of its partitions'.

    Extreme offsets are replaced in that way as well. With `only_extreme` other partitions stay.
    """
    known: dict[int, int] = {}

    def change(name: str, number: int) -> int:
        is_usual = number in OFFSETS if _is_offset(name) else 0 <= number <= MOST and only_extreme
        return number if is_usual else known.setdefault(number, len(known))

    return dict(_changed(value, change))


def _is_offset(name: str) -> bool:
    return name.endswith(("offset", "Offset")) or name == "highWatermark"


def _changed(value: Any, change: Callable[[str, int], int]) -> Any:
    if isinstance(value, list):
        return [_changed(each, change) for each in value]
    if not isinstance(value, dict):
        return value
    return {name: _changed_field(name, each, change) for name, each in value.items()}


def _changed_field(name: str, value: Any, change: Callable[[str, int], int]) -> Any:
    if isinstance(value, int) and (name in _NUMBERS or _is_offset(name)):
        return change(name, value)
    if name in _LISTS and isinstance(value, list):
        return [
            change(name, each) if isinstance(each, int) else _changed(each, change)
            for each in value
        ]
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
    known = [_ID] if own == _ID else _NAMES
    told = next((topic[name] for name in known if topic.get(name) is not None), None)
    if told is None:
        return None
    field, element = partitions
    if element.struct is None:
        return {own: told, field: numbers}
    [number, *_] = [each.name for each in element.struct.fields if each.name in _NUMBERS]
    return {own: told, field: [{number: each} for each in numbers]}
