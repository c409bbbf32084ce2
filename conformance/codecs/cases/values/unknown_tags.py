"""The unknown tagged fields in a value."""

from __future__ import annotations

from typing import Any

from conformance.wire.reader import UNKNOWN_TAGS


def without_unknown_tags(value: Any) -> tuple[Any, bool]:
    """Return the value without its unknown tags, at any depth, and True if it had some."""
    return (_stripped(value), True) if has_unknown_tags(value) else (value, False)


def has_unknown_tags(value: Any) -> bool:
    """True if a value has unknown tags, at any depth."""
    if isinstance(value, dict):
        return UNKNOWN_TAGS in value or any(map(has_unknown_tags, value.values()))
    return isinstance(value, list) and any(map(has_unknown_tags, value))


def _stripped(value: Any) -> Any:
    if isinstance(value, list):
        return [_stripped(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {name: _stripped(item) for name, item in value.items() if name != UNKNOWN_TAGS}
