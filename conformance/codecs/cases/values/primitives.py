"""The values of single types to be minted: those of every field, and the borders of varints."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.codecs.cases.plan import Plan, plan
from conformance.schema.layout import Form

NUMBER = "number"
"""The shape of a varint at a border."""
_SIGNED = (-1, 1, -2, 63, -64, 64, -65, 8191, -8192, 8192, -8193, 2**20, 2**27 - 1, -(2**27) - 1)
_BORDERS = {
    "varint": _SIGNED,
    "varlong": (*_SIGNED, 2**31 - 1, -(2**31), 2**31, 2**34, 2**41, 2**48, -(2**55), 2**62 - 1),
    "uvarint": (1, 127, 128, 16_383, 16_384, 2**21 - 1, 2**21, 2**28 - 1, 2**28),
}
"""Around where a number takes a byte more."""


def primitive_plans(form: Form) -> Iterator[Plan]:
    """Yield every value to be minted of one type."""
    yield from plan(form)
    for field in form.layout.fields:
        for number in _BORDERS.get(field.type.kind, ()):
            about = str(number).replace("-", "minus-")
            yield Plan(NUMBER, {field.name: number}, about, f"{field.name} of {number}")
