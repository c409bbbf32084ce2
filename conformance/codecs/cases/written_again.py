"""The result expected when a codec writes what it has read, given what its reader should do."""

from __future__ import annotations

from dataclasses import replace

from conformance.codecs.cases.case import (
    Expectation,
    NotTakenFor,
    Reads,
    RefusesOrReads,
    RefusesOrWrites,
    Writes,
)
from conformance.codecs.cases.values.unknown_tags import without_unknown_tags
from conformance.schema.layout import Layout
from conformance.testee_protocol import Value
from conformance.wire.errors import EncodeError
from conformance.wire.writer import Writer


def written_again(expects: Expectation) -> Expectation | None:
    """Return the same expectation of a round trip, or None if the value can't be written.

    A tag that is there twice, for example, can be read and has no canonical bytes.
    """
    try:
        if isinstance(expects, RefusesOrReads):
            return RefusesOrWrites(expects.why, _writes(expects.reads))
        if isinstance(expects, NotTakenFor) and isinstance(expects.what, Reads):
            return NotTakenFor(expects.why, _writes(expects.what))
        return _writes(expects) if isinstance(expects, Reads) else expects
    except EncodeError:
        return None


def saying_the_same(expects: Expectation, reads: Reads) -> Expectation:
    """Return the expectation of a writer, met by any bytes that say what was read.

    Compressed records need not be the same bytes, and a codec that drops unknown tags may write
    the message without them.
    """
    if isinstance(expects, RefusesOrWrites):
        return RefusesOrWrites(expects.why, _alike(expects.writes, reads))
    return _alike(expects, reads) if isinstance(expects, Writes) else expects


def _alike(writes: Writes, reads: Reads) -> Writes:
    if reads.keeps_tags:
        return replace(writes, alike=reads.value)
    bare, _ = without_unknown_tags(reads.value)
    options = dict.fromkeys((canonical(reads.layout, bare), *writes.options))
    return replace(writes, options=tuple(options), alike=bare)


def canonical(layout: Layout, value: Value) -> bytes:
    """Return the canonical bytes of a value. Raises EncodeError."""
    writer = Writer()
    writer.struct(layout, value)
    return bytes(writer.out)


def _writes(reads: Reads) -> Writes:
    return Writes((canonical(reads.layout, reads.value),), (reads.layout,))
