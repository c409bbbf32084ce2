"""Answers that JSON, or the value form, has no room for, told apart for whoever wrote the adapter.

Most of what a language's own JSON library writes without asking is caught here: a NaN that is no
JSON at all, half a surrogate pair, an integer that no field of 64 bits ever held, brackets without
end. Everything is looked at twice only where a glance at the line gives reason to.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final

DEEPEST: Final = 64
"""Levels of nesting that a value may have; the deepest message has six."""
_ONLY_DIGITS_ALIKE: Final = bytes(ord("0") if chr(c).isdigit() else c for c in range(128)) + bytes(
    range(128, 256)
)
_LONG_NUMBER: Final = b"0" * 19
_MANY_BRACKETS: Final = 256
_NO_NUMBER: Final = re.compile(rb"[:,\[]\s*-?(NaN|Infinity)\b")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")

NOT_FINITE: Final = 'write a float64 that is not finite as the string "NaN" or "-Infinity"'
_SURROGATES: Final = (
    "text that UTF-8 can't express is no value: answer `rejected`, as the codec ought to"
)
INTEGERS: Final = "no field is wider than 64 bits: look at how the adapter makes the number"
_DEPTH: Final = f"no message is nested deeper than {DEEPEST}: look for a value that holds itself"


def why_not_json(line: bytes) -> tuple[str, str]:
    """What is wrong with a line that could not be read, and the remedy; "" where that is plain."""
    number = _NO_NUMBER.search(line)
    if number:
        return f"{number[1].decode()} is no JSON number", NOT_FINITE
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as error:
        return f"byte {error.start} is not UTF-8", "write UTF-8, whatever the locale says"
    try:
        value = json.loads(text)
    except RecursionError:
        return "nested too deep", _DEPTH
    except ValueError:
        return "", ""
    if _SURROGATE.search(json.dumps(value, ensure_ascii=False)):
        return "half a surrogate pair", _SURROGATES
    return "", ""


def unfit(line: bytes, value: Any) -> tuple[str, str]:
    """What no value can hold, in one that could be read from `line`, and the remedy; or ""."""
    if line.count(b"[") + line.count(b"{") <= _MANY_BRACKETS and (
        _LONG_NUMBER not in line.translate(_ONLY_DIGITS_ALIKE)
    ):
        return "", ""
    level = [value]
    for _ in range(DEEPEST):
        if not level:
            return "", ""
        for item in level:
            if isinstance(item, int) and not -(2**63) <= item < 2**64:
                return "an integer beyond 64 bits", INTEGERS
        level = [inner for item in level for inner in _inside(item)]
    return f"more than {DEEPEST} levels of nesting", _DEPTH


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
