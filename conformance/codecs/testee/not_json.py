"""Answers that JSON has no room for, told apart for the adapter's author.

Most of what a language's own JSON library writes without asking is caught here: a NaN that is no
JSON at all, brackets without end. What is JSON, and yet no value of any field, is what the codec
made of its bytes: an integer wider than any field, or half a surrogate pair. It is read, so that
the codec is judged by it.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any, Final

DEEPEST: Final = 64
"""Levels of nesting that a value may have; the deepest message has six."""
_MOST_DIGITS: Final = 1000
"""Digits of a number that is kept as one; more are more than some readers take."""
_MANY_BRACKETS: Final = 256
_NO_NUMBER: Final = re.compile(rb"[:,\[]\s*-?(NaN|Infinity)\b")

NOT_FINITE: Final = 'write a float64 that is not finite as the string "NaN" or "-Infinity"'
DEPTH: Final = f"no message is nested deeper than {DEEPEST}: look for a value that holds itself"


def why_not_json(line: bytes) -> tuple[str, str]:
    """Return the flaw of a line that could not be read, and the remedy; "" if the flaw is plain."""
    number = _NO_NUMBER.search(line)
    if number:
        return f"{number[1].decode()} is no JSON number", NOT_FINITE
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as error:
        return f"byte {error.start} is not UTF-8", "write UTF-8, whatever the locale says"
    try:
        json.loads(text)
    except RecursionError:
        return "nested too deep", DEPTH
    except ValueError:
        pass
    return "", ""


def too_deep(line: bytes, value: Any) -> bool:
    """True if a value that could be read from `line` is nested deeper than any message."""
    if line.count(b"[") + line.count(b"{") <= _MANY_BRACKETS:
        return False
    level = [value]
    for _ in range(DEEPEST):
        level = [inner for item in level for inner in _inside(item)]
        if not level:
            return False
    return True


def read_leniently(line: bytes) -> Any:
    """Return what a line says, its numbers and texts in a form that any reader takes.

    A codec may make a number without end of a few bytes, or half a surrogate pair: it is judged by
    that. Such a number stands as text, and such a half as its escape. Raises ValueError, and
    RecursionError where it is nested too deep.
    """
    text = line.decode("utf-8")
    said = json.loads(text, parse_int=_integer, parse_float=_finite, parse_constant=_finite)
    return _writable(said)


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text} is no JSON number")
    return number


def _integer(digits: str) -> int | str:
    return int(digits) if len(digits) <= _MOST_DIGITS else digits


def _writable(item: Any) -> Any:
    if isinstance(item, str):
        return item.encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(item, dict):
        return {_writable(name): _writable(inner) for name, inner in item.items()}
    return [_writable(inner) for inner in item] if isinstance(item, list) else item


def _inside(item: Any) -> list[Any]:
    if isinstance(item, dict):
        return list(item.values())
    return item if isinstance(item, list) else []


def doubled_key(line: bytes) -> str:
    """A key that an object of the line has twice, "" if none has; reads it anew."""
    found: list[str] = []

    def check(pairs: list[tuple[str, Any]]) -> None:
        names = [name for name, _ in pairs]
        found.extend(name for name in names if names.count(name) > 1)

    json.loads(line, object_pairs_hook=check)
    return found[0] if found else ""
