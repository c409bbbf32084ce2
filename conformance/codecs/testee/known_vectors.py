"""Messages to ask a testee about that declares none of those worked out by hand.

They are golden vectors, which Apache Kafka's codecs and an independent one agree to, one body for
each message that is declared: the first that a codec can go wrong in as little as may be.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from conformance.codecs.cases.known_definitions import followed_release
from conformance.codecs.cases.vectors import Vector, read_vectors
from conformance.codecs.testee.worked_examples import TextKind, WorkedExample
from conformance.data import vector_messages
from conformance.schema.layout import Layout
from conformance.schema.releases import form_for
from conformance.testee_protocol import Hello, Op, Request

MOST = 20
"""The number of messages asked about."""
BODIES: tuple[Op, ...] = ("decode", "encode", "roundtrip")
_TEXTS: dict[str, TextKind] = {
    "int64": "int64",
    "uuid": "uuid",
    "bytes": "bytes",
    "records": "bytes",
}


def vectors_for(hello: Hello) -> Iterator[WorkedExample]:
    """The messages that a target declares, with one body each."""
    return islice(_each(hello), MOST)


def _each(hello: Hello) -> Iterator[WorkedExample]:
    known = set(vector_messages())
    release = followed_release(hello)
    for message in sorted(known & hello.messages.keys()):
        fitting = [
            (vector, form)
            for vector in read_vectors(message)
            if _is_asked(vector, hello) and (form := form_for(release, message, vector.version))
            if set(form.releases) & set(vector.releases)
        ]
        if fitting:
            vector, form = min(fitting, key=lambda pair: (len(pair[0].hex), pair[0].id))
            kinds = _kinds(form.layout)
            yield WorkedExample(message, vector.version, vector.data, vector.value, kinds=kinds)


def _is_asked(vector: Vector, hello: Hello) -> bool:
    """True if the vector is a body that can be cut, in a version that the target has."""
    is_body = vector.header is None and len(vector.data) > 1 and isinstance(vector.value, dict)
    return is_body and any(
        hello.supports(Request(op=op, message=vector.message, version=vector.version))
        for op in BODIES
    )


def _kinds(layout: Layout) -> dict[str, TextKind]:
    found: dict[str, TextKind] = {}
    for item in (*layout.fields, *layout.tagged):
        type_ = item.type.element or item.type
        if type_.struct is not None:
            found |= _kinds(type_.struct)
        elif type_.kind in _TEXTS:
            found[item.name] = _TEXTS[type_.kind]
    return found
