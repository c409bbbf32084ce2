"""Messages: every golden vector of both directions comes out with the meaning that it had.

Requests and answers are those of the APIs and versions that the proxy lists. Where a proxy is to
change what is in an answer, the answer is asked about elsewhere (`addresses`, `versions`).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from conformance.brokers.dialogues.talk import framed
from conformance.codecs.cases.vectors import Vector, read_vectors, vector_messages
from conformance.dialogue import Broken, Dialogue
from conformance.proxies.dialogues import ProxyCase, cases, well_formed
from conformance.proxies.dialogues.talk import (
    ANSWERS_PASS,
    ANSWERS_WELL_FORMED,
    REQUESTS_PASS,
    REQUESTS_WELL_FORMED,
    ProxyFacts,
    ProxyTalk,
    differences,
    number_of,
)
from conformance.reference.proxy.translation import tells_addresses
from conformance.wire.frames import header_name, header_version

REQUESTS_MEAN = "proxy-messages.requests-keep-meaning"
ANSWERS_MEAN = "proxy-messages.answers-keep-meaning"
REQUEST_BYTES = "proxy-messages.requests-keep-bytes"
ANSWER_BYTES = "proxy-messages.answers-keep-bytes"
_OF_REQUESTS = (REQUESTS_PASS, REQUESTS_WELL_FORMED, REQUESTS_MEAN)
_OF_ANSWERS = (ANSWERS_PASS, ANSWERS_WELL_FORMED, ANSWERS_MEAN)
UNNAMED = frozenset({"SaslHandshake", "SaslAuthenticate"})
"""Of no use on a connection that has begun otherwise: logins are dialogues of their own."""


@cases
def _golden(facts: ProxyFacts) -> Iterator[ProxyCase]:
    """Every vector of a body, in a frame around it."""
    for message in vector_messages():
        api = message.removesuffix("Request").removesuffix("Response")
        if message == api or not facts.has(api) or api in UNNAMED:
            continue
        low, high = facts.range_of(api)
        for vector in read_vectors(message):
            if vector.header is None and low <= vector.version <= high:
                yield from _of_vector(facts, api, vector)


def _of_vector(facts: ProxyFacts, api: str, vector: Vector) -> Iterator[ProxyCase]:
    is_request = vector.message.endswith("Request")
    if facts.codec.release not in vector.releases:
        return
    if not is_request and _is_rewritten(facts, api, vector):
        return
    whole = facts.rewrites == {"none"}
    rules = _OF_REQUESTS if is_request else _OF_ANSWERS
    if whole:
        rules = (*rules, REQUEST_BYTES if is_request else ANSWER_BYTES)
    if is_request:
        begin = partial(_begin, _request, facts, vector)
    else:
        begin = partial(_begin, _answer, facts, api, vector)
    yield ProxyCase(
        id=f"{vector.id}/forwarded",
        rules=rules,
        message=vector.message,
        version=vector.version,
        begin=begin,
        control_case=partial(_begin, well_formed, facts),
        basic=_basic(facts, api, vector.version),
    )


def _is_rewritten(facts: ProxyFacts, api: str, vector: Vector) -> bool:
    """Whether a proxy changes such an answer: it names addresses, or versions."""
    form = facts.codec.form(vector.message, vector.version)
    changes = "addresses" in facts.rewrites and tells_addresses(form)
    return changes or (api == "ApiVersions" and facts.rewrites != {"none"})


def _basic(facts: ProxyFacts, api: str, version: int) -> ProxyCase | None:
    """A request and an answer of this API and version, of which every field is at its default."""
    form = facts.codec.form(f"{api}Response", version)
    if api == "ApiVersions" or ("addresses" in facts.rewrites and tells_addresses(form)):
        return None
    begin = partial(_begin, _plainly, facts, api, version)
    return ProxyCase(
        f"{api}Request-v{version}/plain", (REQUESTS_PASS,), f"{api}Request", version, begin, begin
    )


def _begin(make, facts: ProxyFacts, *given) -> Dialogue:  # type: ignore[no-untyped-def]
    dialogue: Dialogue = make(ProxyTalk(facts), *given)
    return dialogue


def _plainly(talk: ProxyTalk, api: str, version: int) -> Dialogue:
    yield from talk.passes(api, version)


def _request(talk: ProxyTalk, vector: Vector) -> Dialogue:
    """A request that came to the broker says what the client said."""
    form = talk.codec.form(vector.message, vector.version)
    header = talk.codec.form(header_name(form), header_version(form))
    fields = {
        "requestApiKey": form.api_key,
        "requestApiVersion": vector.version,
        "correlationId": talk.number(),
        "clientId": talk.client_id,
    }
    sent = framed(talk.codec.write(header, fields) + vector.data)
    arrived = yield from talk.forwarded(sent)
    got = arrived.frame
    if got[:4] + got[8:] == sent[4:8] + sent[12:]:
        return
    before = talk.read_request(sent[4:], form, sent)
    after = talk.read_request(got, form, sent)
    _compare(before, after, sent, got, REQUESTS_MEAN)
    raise Broken("the request has other bytes", sent[4:].hex(), got, judged_by=REQUEST_BYTES)


def _answer(talk: ProxyTalk, api: str, vector: Vector) -> Dialogue:
    """An answer that came to the client says what the broker said."""
    form = talk.codec.form(vector.message, vector.version)
    header = talk.codec.form(header_name(form), header_version(form))
    request = talk.request(api, vector.version)
    arrived = yield from talk.forwarded(request)
    sent = framed(talk.codec.write(header, {"correlationId": arrived.number}) + vector.data)
    got = yield from talk.answered(sent, number_of(request))
    if got[4:] == sent[8:]:
        return
    before = talk.read_answer(sent[4:], form, sent)
    after = talk.read_answer(got, form, sent)
    _compare(before, after, sent, got, ANSWERS_MEAN)
    raise Broken("the answer has other bytes", sent[4:].hex(), got, judged_by=ANSWER_BYTES)


def _compare(before, after, sent: bytes, got: bytes, rule: str) -> None:  # type: ignore[no-untyped-def]
    """Raises Broken where header or body mean something else."""
    one, other = ({**header, "correlationId": 0} for header, _ in (before, after))
    places = [
        *(f"header {path}" for path in differences(one, other)),
        *differences(before[1], after[1]),
    ]
    if places:
        where = ", ".join(places[:3]) + (" and more" if len(places) > 3 else "")
        raise Broken(f"it says something else of {where}", sent[4:].hex(), got, judged_by=rule)
