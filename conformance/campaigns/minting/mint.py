"""Minting: planned values become golden vectors if independent oracles write the same bytes.

Each wire form is written by our own codec and by Apache Kafka's codec of every release that has it,
each release by its own jar. If all agree byte for byte the vector is golden; if one does not, the
result is a disagreement instead of a vector, and a person has to find out which is wrong. Nothing
depends on time, chance or order of arrival: minting again gives the same files.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from conformance import __version__
from conformance.campaigns.minting.drafts import (
    Draft,
    batch_drafts,
    compressed_by,
    is_compressed,
    read_as,
    reading,
)
from conformance.codecs.cases.decides import covers
from conformance.codecs.cases.evidence import Evidence
from conformance.codecs.cases.plan import UNKNOWN_TAG, Plan, plan, primitive_plans, unknown_tag
from conformance.codecs.cases.values.fill import digest
from conformance.codecs.cases.vectors import Oracle, Vector
from conformance.reference.codec import ReferenceCodec
from conformance.schema.layout import Form
from conformance.schema.primitives import KIND as PRIMITIVE
from conformance.schema.record_batch import RECORD_BATCH, RECORD_SET
from conformance.schema.releases import UNDEFINED, message_names, wire_forms
from conformance.testee_protocol import Outcome, Request, Target
from conformance.wire.frames import header_version
from conformance.wire.reader import UNKNOWN_TAGS

CLIENT_ID = "kafka-conformance"


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A vector that an oracle wrote differently or refused: each oracle's answer, in hex."""

    id: str
    message: str
    version: int
    ours: str
    answers: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        others = (f"{oracle} {told}" for oracle, told in self.answers if told != self.ours)
        return f"{self.id}: reference {self.ours}, {', '.join(others)}"


def mint(
    oracles: Mapping[str, Target], messages: Sequence[str] | None = None
) -> Iterator[Vector | Disagreement]:
    """Mint every form of these messages that the oracles know: targets by Kafka release.

    A form is minted if the oracle of each of its releases declares it. Raises TargetLost.
    """
    drafts = [
        compressed_by(draft, oracles[draft.form.releases[0]]) if is_compressed(draft) else draft
        for draft in all_drafts(messages)
        if _all_know(draft.form, oracles)
    ]
    votes: dict[str, dict[str, str]] = {draft.id: {} for draft in drafts}
    for release, oracle in oracles.items():
        known = [draft for draft in drafts if release in draft.form.releases]
        codec = ReferenceCodec(release)
        requests = (_request(draft, codec) for draft in known)
        for draft, outcome in zip(known, oracle.ask(requests), strict=True):
            told = read_as(draft, outcome) if is_compressed(draft) else _answer(outcome)
            votes[draft.id][release] = told
    for draft in drafts:
        yield from _count(draft, votes[draft.id], oracles)


def minted_messages() -> tuple[str, ...]:
    """Return the messages that vectors are minted of, those without a definition last."""
    return *message_names(), *UNDEFINED


def all_drafts(messages: Sequence[str] | None = None) -> Iterator[Draft]:
    """Yield every draft, or those of some messages. Equal bytes of a form are drafted once."""
    codec = ReferenceCodec()
    for message in minted_messages() if messages is None else messages:
        if message in (RECORD_BATCH, RECORD_SET):
            yield from batch_drafts(message)
            continue
        for forms in wire_forms(message).values():
            for form in forms:
                yield from _drafts(form, codec)


def _drafts(form: Form, codec: ReferenceCodec) -> Iterator[Draft]:
    seen: set[tuple[int | None, bytes]] = set()
    for draft in (*_bodies(form, codec), *_frames(form, codec)):
        key = (draft.evidence.header_version, draft.data)
        if key not in seen:
            seen.add(key)
            yield draft


def _bodies(form: Form, codec: ReferenceCodec) -> Iterator[Draft]:
    for item in primitive_plans(form) if form.type == PRIMITIVE else plan(form):
        evidence = Evidence(form, item.shape, item.about, item.value)
        yield Draft(evidence, item.name, item.comment, codec.write(form, item.value))


def _frames(form: Form, codec: ReferenceCodec) -> Iterator[Draft]:
    if form.type not in ("request", "response"):
        return
    filled = next(item for item in plan(form) if item.shape == "filled")
    for item, header in _headers(form):
        evidence = Evidence(form, item.shape, "", filled.value, header, header_version(form))
        data = codec.write(codec.header_form(form), header) + codec.write(form, filled.value)
        yield Draft(evidence, item.name, item.comment, data)


def _headers(form: Form) -> Iterator[tuple[Plan, dict[str, Any]]]:
    version = header_version(form)
    number = int.from_bytes(digest(f"{form.message} {form.version}")[:3], "big") | 1 << 24
    header: dict[str, Any] = {"correlationId": number}
    if form.type == "request":
        header = {
            "requestApiKey": form.api_key,
            "requestApiVersion": form.version,
            "correlationId": number,
        }
        if version > 0:
            header["clientId"] = CLIENT_ID
    yield _frame_plan("frame", header, "a whole frame")
    negative = {**header, "correlationId": -number}
    yield _frame_plan("frame-negative-correlation-id", negative, "correlation id below zero")
    if "clientId" in header:
        yield _frame_plan("frame-null-client-id", {**header, "clientId": None}, "client id null")
        yield _frame_plan("frame-empty-client-id", {**header, "clientId": ""}, "client id empty")
    if version == (2 if form.type == "request" else 1):
        tags = [unknown_tag("header"), unknown_tag("header", UNKNOWN_TAG + 1)]
        one, two = ({**header, UNKNOWN_TAGS: tags[:count]} for count in (1, 2))
        yield _frame_plan("frame-unknown-tag", one, "an unknown tag in the header")
        if _is_first_flexible(form):
            yield _frame_plan("frame-unknown-tags", two, "two unknown tags in the header")


def _is_first_flexible(form: Form) -> bool:
    versions = wire_forms(form.message)
    flexible = (version for version, forms in versions.items() if any(f.flexible for f in forms))
    return form.version == min(flexible)


def _frame_plan(shape: str, header: dict[str, Any], comment: str) -> tuple[Plan, dict[str, Any]]:
    return Plan(shape, {}, comment=comment), header


def _all_know(form: Form, oracles: Mapping[str, Target]) -> bool:
    return all(
        release in oracles
        and (support := oracles[release].hello.messages.get(form.message)) is not None
        and support.covers(form.version, "encode")
        for release in form.releases
    )


def _request(draft: Draft, codec: ReferenceCodec) -> Request:
    """Return the request to an oracle: the draft's value with the names and tags of its release."""
    if is_compressed(draft):
        return reading(draft)
    form = codec.form(draft.form.message, draft.form.version)
    evidence = draft.evidence
    offset = 0
    if evidence.header is not None:
        _, offset = codec.read(codec.header_form(form), draft.data)
    value, _ = codec.read(form, draft.data, offset)
    header = evidence.header and {
        name: given for name, given in evidence.header.items() if not name.startswith("requestApi")
    }
    op = "encode" if evidence.header is None else f"encode-{form.type}"
    return Request(
        op=op,  # type: ignore[arg-type]
        message=form.message,
        version=form.version,
        value=value,
        header=header,
    )


def _answer(outcome: Outcome) -> str:
    if outcome.bytes is not None:
        return outcome.bytes.hex()
    return f"{outcome.outcome}: {outcome.error} {outcome.text}".strip()


def _count(
    draft: Draft, votes: Mapping[str, str], oracles: Mapping[str, Target]
) -> Iterator[Vector | Disagreement]:
    ours = draft.data.hex()
    if any(theirs != ours for theirs in votes.values()):
        answers = tuple((f"apache-kafka {release}", told) for release, told in votes.items())
        yield Disagreement(draft.id, draft.form.message, draft.form.version, ours, answers)
        return
    evidence = draft.evidence
    kafka = [Oracle("apache-kafka", oracles[release].hello.version) for release in votes]
    yield Vector(
        id=draft.id,
        message=draft.form.message,
        version=draft.form.version,
        releases=draft.form.releases,
        header=evidence.header_version,
        hex=ours,
        value=evidence.value,
        header_value=evidence.header,
        covers=covers(evidence),
        comment=draft.comment,
        oracles=(*kafka, Oracle("reference", __version__)),
    )


def golden(minted: Iterable[Vector | Disagreement]) -> tuple[list[Vector], list[Disagreement]]:
    """Return the vectors and the disagreements, apart."""
    vectors: list[Vector] = []
    against: list[Disagreement] = []
    for item in minted:
        if isinstance(item, Vector):
            vectors.append(item)
        else:
            against.append(item)
    return vectors, against
