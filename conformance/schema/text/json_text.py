"""A definition's JSON as it stands in a file: without comments, and with the line of any part.

A line is looked up only when a message needs it: parsers forget positions, and reading a whole
release stays fast if no line is needed.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NoReturn

from conformance.schema.model import JsonPath
from conformance.schema.text.problem import DefinitionError

_COMMENT = re.compile(r'("(?:[^"\\\n]|\\.)*+"?)|//[^\n]*|/\*(?:.*?\*/|.*)', re.DOTALL)
"""Texts first, for what stands in them is no comment. One without an end takes what is left, so
that no character is looked at over and over."""
_DEEPEST = 64
"""Parts further inside have the line of what is around them."""
_HALF = re.compile(r"\\ud[89a-f]", re.IGNORECASE)
_SPACE = re.compile(r"[ \t\r\n]*")
_NOT_NEWLINE = re.compile(r"[^\n]")


class _TwiceGiven(ValueError):
    """An object that gives a key twice."""


def parse_json(text: str, file: str, rest: bool = False) -> dict[str, Any]:
    """The JSON object in `text`, its comments taken out and its lines kept.

    With `rest`, something else may stand behind the object, and is not looked at. Raises
    DefinitionError.
    """
    bare = without_comments(text)
    try:
        content = _DECODER.raw_decode(bare.lstrip())[0] if rest else _DECODER.decode(bare)
    except _TwiceGiven as error:
        reason = f"not JSON that can be relied on: {error}"
        _, at = next(_again(bare), ((), 0))  # what stands behind it may be no JSON
        raise DefinitionError(file, "", reason, _Lines(bare).at(at)) from None
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", 1)
        raise DefinitionError(file, "", f"not JSON: {error}", line) from None
    if not isinstance(content, dict):
        raise DefinitionError(file, "", "not a JSON object")
    if _HALF.search(bare) and not _is_unicode(content):
        raise DefinitionError(file, "", "not JSON: a text has half a character")
    return content


def _is_unicode(content: Any) -> bool:
    try:
        json.dumps(content, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def without_comments(text: str) -> str:
    """Return the text with blanks for comments, so that everything else keeps its place."""
    return _COMMENT.sub(lambda found: found[1] or _NOT_NEWLINE.sub(" ", found[0]), text)


def repeated_keys(text: str) -> list[JsonPath]:
    """The keys of a text that is JSON which are given again in one object, with the same value."""
    counted: list[int] = []

    def count(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        counted.append(len(pairs) - len(dict(pairs)))
        return dict(pairs)

    bare = without_comments(text)
    json.loads(bare, object_pairs_hook=count)
    return [path for path, _ in _again(bare)] if any(counted) else []


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object; of two values for one key parsers take either."""
    found = dict(pairs)
    if len(found) != len(pairs) and any(found[name] != value for name, value in pairs):
        twice = next(name for name, value in pairs if found[name] != value)
        raise _TwiceGiven(f"key {twice!r} has two values in one object")
    return found


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is none of its numbers")


_DECODER = json.JSONDecoder(object_pairs_hook=_once, parse_constant=_no_number)
_SKIPPING = json.JSONDecoder()


def line_of(text: str, path: JsonPath) -> int:
    """The line of a definition, counted from 1, on which the part at `path` begins.

    Of a member of an object, the line of its key. Where the path leads nowhere, the line of the
    last part that is there.
    """
    places = _places(text)
    while path not in places:
        path = path[:-1]
    return places[path]


@lru_cache(maxsize=1)
def _places(text: str) -> dict[JsonPath, int]:
    """The line of each part; a text about which much is to be said is walked once."""
    bare = without_comments(text)
    start = _after_space(bare, 0)
    lines = _Lines(bare)
    return {(): lines.at(start), **{path: lines.at(at) for path, at in _walk(bare, start, ())}}


def _walk(text: str, start: int, path: JsonPath) -> Iterator[tuple[JsonPath, int]]:
    for name, at, value in _members(text, start):
        here = (*path, name)
        yield here, at
        if len(here) < _DEEPEST:
            yield from _walk(text, value, here)


class _Lines:
    """The lines of a text by its offsets."""

    def __init__(self, text: str) -> None:
        self._ends = [found.start() for found in re.finditer("\n", text)]

    def at(self, offset: int) -> int:
        return bisect_left(self._ends, offset) + 1


def _again(text: str) -> Iterator[tuple[JsonPath, int]]:
    """Yield the place of each key that occurs again in its object, in the order of the text."""
    seen = set()
    for path, at in _walk(text, _after_space(text, 0), ()):
        if path in seen:
            yield path, at
        seen.add(path)


def _members(text: str, start: int) -> Iterator[tuple[str | int, int, int]]:
    """Of the object or list at `start`, each member: its key, and where key and value begin."""
    if text[start : start + 1] not in ("{", "["):
        return
    keyed = text[start] == "{"
    at = _after_space(text, start + 1)
    index = 0
    while text[at] not in "}]":
        name, value = _key(text, at) if keyed else (index, at)
        yield name, at, value
        at = _after_space(text, _SKIPPING.raw_decode(text, value)[1])
        at = _after_space(text, at + 1) if text[at] == "," else at
        index += 1


def _key(text: str, start: int) -> tuple[str, int]:
    name, end = _SKIPPING.raw_decode(text, start)
    return name, _after_space(text, _after_space(text, end) + 1)


def _after_space(text: str, start: int) -> int:
    found = _SPACE.match(text, start)
    return found.end() if found else start
