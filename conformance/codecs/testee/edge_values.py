"""Values at the edges of their types, to ask a testee about: one of each type that it declares.

What JSON, or a language's only type of numbers, can't hold is lost between a codec and the suite,
and then looks like many defects of the codec. So it is asked before any rule is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from conformance.codecs.cases.case import Case
from conformance.codecs.cases.golden import families
from conformance.codecs.cases.known_definitions import followed_release
from conformance.codecs.cases.vectors import Vector, read_vectors
from conformance.data import vector_messages
from conformance.rules import catalogue
from conformance.rules.selection import Selection
from conformance.schema.layout import Form, Layout, WireType
from conformance.schema.releases import form_for
from conformance.testee_protocol import Hello, Op

_OPS: tuple[Op, ...] = ("decode", "encode", "roundtrip")


class Edge(NamedTuple):
    """A kind of value, in words, and which values of a type are such."""

    name: str
    kind: str
    holds: Callable[[Any], bool]


EDGES = (
    Edge("an INT64 beyond 2^53", "int64", lambda value: abs(value) > 2**53),
    Edge("a negative INT32", "int32", lambda value: value < 0),
    Edge("a UINT16 above 32767", "uint16", lambda value: value > 0x7FFF),
    Edge("a UINT32 above 2147483647", "uint32", lambda value: value > 0x7FFFFFFF),
    Edge("a FLOAT64 that is no number", "float64", lambda value: value == "NaN"),
    Edge("a string beyond ASCII", "string", lambda value: not value.isascii()),
)


def edge_cases(hello: Hello, edge: Edge) -> Iterator[Case]:
    """The cases on one short message that has such a value, none where no message has one."""
    vector = next(_vectors(hello, edge), None)
    if vector is not None:
        wanted = {f"{vector.id}/{op}" for op in _OPS}
        for family in families([vector], hello, Selection(rules=catalogue())):
            yield from (case for case in family.cases if case.id in wanted and case.is_asked)


def _vectors(hello: Hello, edge: Edge) -> Iterator[Vector]:
    """Yield the shortest body with such a value, for each message that has one."""
    release = followed_release(hello)
    for message in sorted(hello.messages.keys() & set(vector_messages())):
        forms = {
            version: form
            for low, high in hello.messages[message].versions
            for version in range(low, high + 1)
            if (form := form_for(release, message, version)) and _has(form.layout, edge.kind)
        }
        found = [v for v in (read_vectors(message) if forms else ()) if _is_edge(v, forms, edge)]
        if found:
            yield min(found, key=lambda vector: (len(vector.hex), vector.id))


def _is_edge(vector: Vector, forms: dict[int, Form], edge: Edge) -> bool:
    form = forms.get(vector.version)
    is_body = vector.header is None and isinstance(vector.value, dict)
    if form is None or not is_body or not set(form.releases) & set(vector.releases):
        return False
    return any(map(edge.holds, _values(form.layout, vector.value, edge.kind)))


def _has(layout: Layout, kind: str) -> bool:
    types = [item.type.element or item.type for item in (*layout.fields, *layout.tagged)]
    return any(
        type_.kind == kind or (type_.struct is not None and _has(type_.struct, kind))
        for type_ in types
    )


def _values(layout: Layout, value: dict[str, Any], kind: str) -> Iterator[Any]:
    """The values of a type in a struct, at any depth."""
    for item in (*layout.fields, *layout.tagged):
        if item.name in value:
            yield from _of_type(item.type, value[item.name], kind)


def _of_type(type_: WireType, value: Any, kind: str) -> Iterator[Any]:
    if value is None:
        return
    if type_.kind == "array":
        for each in value:
            yield from _of_type(type_.item, each, kind)
    elif type_.kind == "struct":
        yield from _values(type_.layout, value, kind)
    elif type_.kind == kind:
        yield value
