"""Values for fields, made from the field's own path and not from chance.

The same definition gives the same values on every machine; neighbours differ, bytes within a number
differ, and nothing is at its default, so that a value in the wrong place shows.
"""

from __future__ import annotations

import hashlib
from typing import Any

from conformance.error_codes import UNKNOWN_SERVER_ERROR
from conformance.schema.layout import Layout, WireField, WireType
from conformance.wire.text import bytes_to_text, uuid_to_text

Value = dict[str, Any]

_VARINT_BITS = {"varint": 32, "varlong": 64, "uvarint": 31}
"""The bits of each kind; `uvarint` has 31 for lengths and tags, as Java's integers have no more."""
KNOWN_ERROR_CODE = 3
"""UNKNOWN_TOPIC_OR_PARTITION: codecs may know error codes by name, so a filled one is real."""
SOME_TIME_MS = 1_600_000_000_123
SOME_SPAN_MS = 30_123
LONGEST_STRING = 32_767
"""Bytes that a string may have; other lengths go on."""
MULTIBYTE = "é-ключ-键"
"""Characters of one to three bytes of UTF-8."""
UNUSUAL = "\ufeff🔑-\x00"
"""U+FEFF first, a character of four bytes, and U+0000."""


class Filler:
    """Fills every field with a value that is not its default.

    `elements` is the length of each array, `text` replaces the field's name in strings, `length`
    is that of strings (as far as they may), bytes and records in bytes, `tagged` fills tagged
    fields too, `numbers` is "filled", or "lowest" or "highest" of each width. `flat` leaves arrays
    in arrays empty.
    """

    def __init__(
        self,
        elements: int = 1,
        text: str = "",
        length: int | None = None,
        tagged: bool = False,
        numbers: str = "filled",
        flat: bool = False,
    ) -> None:
        self.flat = flat
        self.elements = elements
        self.length = length
        self.text = text
        self.tagged = tagged
        self.numbers = numbers

    def struct(self, layout: Layout, path: str = "") -> Value:
        """A struct with every plain field filled."""
        fields = (*layout.fields, *layout.tagged) if self.tagged else layout.fields
        return {item.name: self.value(item, f"{path}.{item.name}") for item in fields}

    def value(self, item: WireField, path: str) -> Any:
        """A value for one field."""
        return self.typed(item.type, item.default, item.name, path)

    def typed(self, type_: WireType, default: Any, name: str, path: str) -> Any:
        """A value of a type, never the default."""
        seed = digest(path)
        number = int.from_bytes(seed[:8], "big")
        match type_.kind:
            case "struct":
                return self.struct(type_.layout, path)
            case "array":
                elements = 0 if self.flat and "[" in path else self.elements
                return [
                    self.typed(type_.item, None, name, f"{path}[{index}]")
                    for index in range(elements)
                ]
            case "string":
                text = f"{self.text or name}-{number % 1000}"
                if self.length is None:
                    return text
                length = min(self.length, LONGEST_STRING)
                return text.ljust(length, ".")[:length]
            case "bytes" | "records":
                length = 5 + number % 7 if self.length is None else self.length
                return bytes_to_text((seed * (length // len(seed) + 1))[:length])
            case "uuid":
                return uuid_to_text(seed[:16])
            case "bool":
                return not default
            case "float64":
                return (number % 10_000 + 1) / 7
        return self.integer(type_.kind, default, name, number)

    def integer(self, kind: str, default: Any, name: str, number: int) -> int:
        """An integer of a size that the field's name makes sense of, never the default."""
        meaning = _meaningful(kind, name.lower())
        if self.numbers == "lowest" and meaning == KNOWN_ERROR_CODE:
            return UNKNOWN_SERVER_ERROR
        if meaning is not None:
            return meaning
        bits = _VARINT_BITS.get(kind) or int(kind.lstrip("uint"))
        if self.numbers != "filled":
            low, high = (
                (0, 2**bits - 1) if kind[0] == "u" else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
            )
            return low if self.numbers == "lowest" else high
        value = number % (1 << (bits - 2)) | 1 << (bits - 3)
        if kind[0] == "u":
            value |= 1 << (bits - 1)
        return value if value != default else value + 1


def _meaningful(kind: str, name: str) -> int | None:
    """A value for fields whose numbers stand for something that codecs may look up or convert."""
    if name.endswith("errorcode"):
        return KNOWN_ERROR_CODE
    if kind == "int64" and ("time" in name or name.endswith("ms")):
        return SOME_TIME_MS if "stamp" in name or name.endswith("timems") else SOME_SPAN_MS
    if kind == "int32" and name.endswith("ms"):
        return SOME_SPAN_MS
    return None


def emptied(layout: Layout, elements: int = 0) -> Value:
    """Defaults, with everything that can be empty empty rather than null.

    `elements` is the length of arrays of structs: with one, it is their fields that are empty.
    """
    value = layout.default_value()
    for item in layout.fields:
        type_ = item.type
        if type_.kind in ("string", "bytes", "records"):
            value[item.name] = ""
        elif type_.kind == "array":
            inner = type_.item.struct
            value[item.name] = [emptied(inner, elements)] * elements if inner else []
        elif type_.kind == "struct":
            value[item.name] = emptied(type_.layout, elements)
    return value


def zero(type_: WireType) -> Any:
    """The zero or empty value of a type, whatever a field's default; structs have none."""
    match type_.kind:
        case "string" | "bytes" | "records":
            return ""
        case "array":
            return []
        case "bool":
            return False
        case "float64":
            return 0.0
        case "struct" | "uuid":
            return None
    return 0


def digest(path: str) -> bytes:
    """Return 32 bytes that depend on the path alone."""
    return hashlib.sha256(path.encode()).digest()
