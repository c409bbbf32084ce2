"""Drafts: vectors before oracles have voted on their bytes, those of batches of records among them.

Compressors differ, and so do their releases, so no two codecs need to write a compressed batch with
the same bytes. Its bytes are those that Apache Kafka's newest codec wrote when it was first minted;
they are golden if Kafka's codec of every release and ours read the planned value from them, and
they stay for as long as all of them do.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache

from conformance.codecs.cases.evidence import Evidence
from conformance.codecs.cases.records.plan import plans
from conformance.codecs.cases.records.set_plan import set_plans
from conformance.codecs.cases.vectors import read_vectors
from conformance.data import vector_messages
from conformance.reference.codec import PlainCodec
from conformance.schema.layout import Form
from conformance.schema.releases import wire_forms
from conformance.testee_protocol import Outcome, Request, Target
from conformance.wire.records.reader import COMPRESSION_BITS


@dataclass(frozen=True, slots=True)
class Draft:
    """A vector before the vote: the value to be written, and our own bytes for it."""

    evidence: Evidence
    name: str
    comment: str
    data: bytes

    @property
    def form(self) -> Form:
        """The wire form."""
        return self.evidence.form

    @property
    def id(self) -> str:
        """The vector's id, with the release if the version has another form in a newer one."""
        form = self.form
        newest = wire_forms(form.message)[form.version][0]
        apart = form.unstable or form.releases != newest.releases
        release = f"@{form.releases[0]}" if apart else ""
        return f"{form.message}-v{form.version}{release}-{self.name}"


def batch_drafts(message: str) -> Iterator[Draft]:
    """Yield every batch, or every field of records, to be minted."""
    codec = PlainCodec()
    for (form,) in wire_forms(message).values():
        for plan in plans() if form.layout.batch else set_plans(form.version):
            evidence = Evidence(form, plan.shape, plan.about, plan.value)
            data = codec.write(form, plan.value)
            found = Draft(evidence, plan.name, plan.comment, data)
            yield (
                replace(found, data=_stored(message).get(found.id, data))
                if is_compressed(found)
                else found
            )


def is_compressed(draft: Draft) -> bool:
    """True if oracles read a draft's bytes, rather than write its value."""
    return draft.form.layout.by_hand and bool(draft.evidence.value["attributes"] & COMPRESSION_BITS)


def compressed_by(draft: Draft, oracle: Target) -> Draft:
    """Return the draft with an oracle's bytes, or unchanged if a vector with its id exists."""
    if draft.id in _stored(draft.form.message):
        return draft
    form, value = draft.form, draft.evidence.value
    asked = Request(op="encode", message=form.message, version=form.version, value=value)
    (outcome,) = oracle.ask([asked])
    return replace(draft, data=outcome.bytes or b"")


def reading(draft: Draft) -> Request:
    """Return the request that asks an oracle to read compressed bytes."""
    form = draft.form
    return Request(op="decode", message=form.message, version=form.version, bytes=draft.data)


def read_as(draft: Draft, outcome: Outcome) -> str:
    """Return the draft's bytes in hex if an oracle read the planned value, else its answer."""
    if outcome.value == draft.evidence.value and not outcome.remaining:
        return draft.data.hex()
    return f"read otherwise: {outcome.outcome} {outcome.error} {outcome.text}".strip()


@cache
def _stored(message: str) -> dict[str, bytes]:
    """Return the bytes that are golden already, by id."""
    known = message in vector_messages()
    return {vector.id: vector.data for vector in read_vectors(message)} if known else {}
