"""Clients that pass over unknown tags, but for those in one place of an answer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from conformance.clients.mutants.mutant import ClientMutant
from conformance.reference.client import Failed
from conformance.testee_protocol import Value

TAGS = "_unknownTaggedFields"
MOST_TAGS = 100


class TagsAtTheTopRefused(ClientMutant, breaks="tags.unknown-skipped"):
    """Refuses an answer with unknown tags at its top."""

    def read(self, api_key: int, version: int, frame: bytes) -> Value:
        value: Value = super().read(api_key, version, frame)
        if value.get(TAGS):
            raise Failed("a tag that there is not")
        return value


class LargeTagsAtTheTopRefused(ClientMutant, breaks="client-answers.tags-of-any-number"):
    """Refuses an answer with an unknown tag at its top whose size takes two bytes."""

    def read(self, api_key: int, version: int, frame: bytes) -> Value:
        value: Value = super().read(api_key, version, frame)
        if any(len(each["bytes"]) * 3 // 4 > 130 for each in value.get(TAGS, [])):
            raise Failed("a tag that is too large")
        return value


class TagsInElementsRefused(ClientMutant, breaks="tags.unknown-skipped-in-element"):
    """Refuses an answer with unknown tags in an element of an array."""

    def read(self, api_key: int, version: int, frame: bytes) -> Value:
        value: Value = super().read(api_key, version, frame)
        if any(each.get(TAGS) for array in _arrays(value) for each in array):
            raise Failed("a tag that there is not")
        return value


class ElementsBehindTagsLost(ClientMutant, breaks="tags.unknown-skipped-in-element"):
    """Loses the elements of an array behind one that has unknown tags."""

    def read(self, api_key: int, version: int, frame: bytes) -> Value:
        value: Value = super().read(api_key, version, frame)
        for array in list(_arrays(value)):
            if array[0].get(TAGS):
                del array[1:]
        return value


class TagsOfLeadersRefused(ClientMutant, breaks="tags.unknown-skipped-in-struct"):
    """Refuses an answer with unknown tags in the struct that tells a partition's leader."""

    def read(self, api_key: int, version: int, frame: bytes) -> Value:
        value: Value = super().read(api_key, version, frame)
        partitions = (each for array in _arrays(value) for each in array)
        if any(each.get("currentLeader", {}).get(TAGS) for each in partitions):
            raise Failed("a tag that there is not")
        return value


class HundredTagsAtTheTop(ClientMutant, breaks="tags.unknown-by-the-thousand"):
    """Has room for a hundred unknown tags at the top of an answer."""

    def read(self, api_key: int, version: int, frame: bytes) -> Value:
        value: Value = super().read(api_key, version, frame)
        if len(value.get(TAGS, [])) > MOST_TAGS:
            raise Failed("too many tags")
        return value


def _arrays(value: Any) -> Iterator[list[Value]]:
    """The arrays of structs in a value that have elements, at any depth."""
    if isinstance(value, list):
        if value and isinstance(value[0], dict):
            yield value
        for each in value:
            yield from _arrays(each)
    elif isinstance(value, dict):
        yield from _arrays([each for name, each in value.items() if name != TAGS])
