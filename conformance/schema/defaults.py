"""Check that a default, which definitions write as text, fits the type of its field."""

from __future__ import annotations

import re
from math import isfinite

_INTEGER = re.compile(r"0x[0-9A-Fa-f]+|[+-]?[0-9]+")
_UUID = re.compile(r"[A-Za-z0-9_-]{22}(==)?")


def fits(kind: str, default: str) -> bool:
    """True if a default other than null and "" is a value of this kind."""
    match kind:
        case "string":
            return True
        case "bool":
            return default.lower() in ("true", "false")
        case "uuid":
            return bool(_UUID.fullmatch(default))
        case "float64":
            return _is_finite(default)
        case "int8" | "int16" | "int32" | "int64" | "uint16" | "uint32":
            return bool(_INTEGER.fullmatch(default)) and integer(default) in _range(kind)
    return False  # arrays, bytes and structs default to nothing in them, or to null


def integer(text: str) -> int:
    """The number that a default stands for, as Kafka's generator reads it."""
    return int(text, 16 if text.startswith("0x") else 10)


def _is_finite(text: str) -> bool:
    try:
        return isfinite(float(text))
    except ValueError:
        return False


def _range(kind: str) -> range:
    bits = int(kind.lstrip("uint"))
    if kind.startswith("u"):
        return range(1 << bits)
    return range(-1 << (bits - 1), 1 << (bits - 1))
