"""Generated code and the plain reader and writer are two readings of one definition.

The reference codec falls back on the plain ones where generated code raises, which would hide that
it raises where it must not; so here it is called alone.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from conformance.codecs.cases.plan import plan
from conformance.reference.codec import PlainCodec, load_compiled
from conformance.schema.layout import Form
from conformance.schema.model import MESSAGE_TYPES
from conformance.schema.releases import message_names, wire_forms

plain = PlainCodec()


def forms(kind: str) -> Iterator[Form]:
    """Every form of every version of every message of a type."""
    for name in message_names():
        for found in wire_forms(name).values():
            yield from (form for form in found if form.type == kind)


@pytest.mark.parametrize("kind", MESSAGE_TYPES)
def test_generated_code_agrees_with_plain_for_every_plan(kind: str) -> None:
    count = 0
    for form in forms(kind):
        fast = load_compiled(form)
        for item in plan(form):
            name = (form.message, form.version, item.name)
            data = plain.write(form, item.value)
            value, end = plain.read(form, data)
            assert end == len(data), name
            assert fast.encode(item.value) == data, name
            assert fast.decode(data, 0) == (value, end), name
            assert fast.encode(value) == data, name
            count += 1
    assert count > 20
