"""Messages mixed at random, by a seed of their own: what no single question asks together.

Every choice comes from the message's name, version and number, so that the same mixture is made on
every machine, and any one can be made again alone.
"""

from __future__ import annotations

from random import Random
from typing import Any

from conformance.codecs.cases.values.fill import MULTIBYTE, Filler, Value, zero
from conformance.schema.layout import Form, Layout, WireField, WireType
from conformance.wire.reader import UNKNOWN_TAGS
from conformance.wire.text import bytes_to_text

MOST_ELEMENTS = 3
_ODDS_OF_NULL = 0.2
_ODDS_OF_TAG = 0.5
_ODDS_OF_UNKNOWN_TAG = 0.1


def mixture(form: Form, number: int) -> Value:
    """The mixture of this number for one form."""
    return _Mixer(Random(f"{form.message} {form.version} {number}")).struct(form.layout, "")


class _Mixer:
    """Chooses for each field, in the order of the wire."""

    def __init__(self, random: Random) -> None:
        self.random = random

    def struct(self, layout: Layout, path: str) -> Value:
        value = {item.name: self.field(item, path) for item in layout.fields}
        for item in layout.tagged:
            if self.random.random() < _ODDS_OF_TAG:
                given = self.field(item, path)
                if given != item.default and not self.all_default(item, given):
                    value[item.name] = given
        if layout.flexible and self.random.random() < _ODDS_OF_UNKNOWN_TAG:
            value[UNKNOWN_TAGS] = self.unknown_tags()
        return value

    def all_default(self, item: WireField, given: Any) -> bool:
        """True if a tagged struct holds nothing but defaults, and so would not be written."""
        struct = item.type.struct
        return (
            struct is not None
            and given is not None
            and item.default is not None
            and all(given.get(field.name) == field.default for field in struct.fields)
            and UNKNOWN_TAGS not in given
        )

    def unknown_tags(self) -> list[dict[str, Any]]:
        numbers = sorted(self.random.sample(range(5_000, 60_000), self.random.randint(1, 3)))
        return [
            {"tag": tag, "bytes": bytes_to_text(self.random.randbytes(self.random.randint(0, 9)))}
            for tag in numbers
        ]

    def field(self, item: WireField, path: str) -> Any:
        return self.value(item.type, item.default, item.name, f"{path}.{item.name}")

    def value(self, type_: WireType, default: Any, name: str, path: str) -> Any:
        if type_.nullable and self.random.random() < _ODDS_OF_NULL:
            return None
        if type_.kind == "struct":
            return self.struct(type_.layout, path)
        if type_.kind == "array":
            return [
                self.value(type_.item, None, name, f"{path}[{index}]")
                for index in range(self.random.randint(0, MOST_ELEMENTS))
            ]
        how = self.random.choice(("filled", "filled", "zero", "lowest", "highest", "text"))
        empty = zero(type_)
        if how == "zero" and empty is not None:
            return empty
        numbers = how if how in ("lowest", "highest") else "filled"
        text = MULTIBYTE if how == "text" else ""
        place = f"{path} {self.random.random()}"
        return Filler(text=text, numbers=numbers).typed(type_, default, name, place)
