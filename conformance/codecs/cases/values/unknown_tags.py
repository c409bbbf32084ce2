"""The tagged fields in a value that nobody knew."""

from __future__ import annotations

from typing import Any

from conformance.wire.reader import UNKNOWN_TAGS


def without_unknown_tags(value: Any) -> tuple[Any, bool]:
    """The value without the tags that nobody knew, at any depth, and whether it had some."""
    return (_stripped(value), True) if has_unknown_tags(value) else (value, False)


def has_unknown_tags(value: Any) -> bool:
    """Whether a value has tags that nobody knew, at any depth."""
    if isinstance(value, dict):
        return UNKNOWN_TAGS in value or any(map(has_unknown_tags, value.values()))
    return isinstance(value, list) and any(map(has_unknown_tags, value))


def _stripped(value: Any) -> Any:
    if isinstance(value, list):
        return [_stripped(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {name: _stripped(item) for name, item in value.items() if name != UNKNOWN_TAGS}
