"""Messages: every golden vector of both directions keeps its meaning through a proxy.

Requests and answers are those of the APIs and versions that the proxy lists. If a proxy is expected
to change the contents of an answer, other modules check that answer (`addresses`, `versions`).
"""

from __future__ import annotations

import base64
import struct
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any

from conformance.brokers.dialogues.talk import api_keys, describe_received, framed
from conformance.codecs.cases.values.explicit import explicit_defaults
from conformance.codecs.cases.vectors import Vector, read_vectors
from conformance.data import vector_messages
from conformance.dialogue import Broken, Dialogue, Send
from conformance.proxies.dialogues import (
    LOGINS,
    Held,
    Making,
    ProxyCase,
    basics,
    case_of,
    cases,
    dialogue,
    is_rewritten,
    is_settled,
    said,
)
from conformance.proxies.dialogues.frames import LARGE, unacknowledged
from conformance.proxies.dialogues.partitions import (
    has_extreme_numbers,
    request_for,
    with_small_numbers,
)
from conformance.proxies.dialogues.talk import (
    ANSWERS_MEAN,
    ANSWERS_PASS,
    ANSWERS_WELL_FORMED,
    REQUESTS_MEAN,
    REQUESTS_PASS,
    REQUESTS_WELL_FORMED,
    ProxyFacts,
    ProxyTalk,
    behind_client_id,
    differences,
    number_of,
)
from conformance.reference.proxy.translation import NOTHING
from conformance.testee_protocol import Value
from conformance.wire.reader import UNKNOWN_TAGS

REQUEST_BYTES = "proxy-messages.requests-keep-bytes"
ANSWER_BYTES = "proxy-messages.answers-keep-bytes"
HEADER_TAGS = "proxy-messages.header-tags-kept"
RECORDS = "proxy-messages.records-untouched"
UNKNOWN_PASSES = "proxy-messages.unknown-not-garbled"
SMALL_BYTES = 60_000
"""The size below which a proxy with a limit on frames forwards any message."""
NO_TAGS = b"\0"
"""The tags that follow the correlation id in response header v1, which newer versions have."""
TAG = [{"tag": 4711, "bytes": base64.b64encode(b"unknown").decode()}]
"""Unknown tags in the reference codec's form of them."""
Said = tuple[Value, Value]
"""Header and body of a message."""
_OF_REQUESTS = (REQUESTS_PASS, REQUESTS_WELL_FORMED, REQUESTS_MEAN)
_OF_ANSWERS = (ANSWERS_PASS, ANSWERS_WELL_FORMED, ANSWERS_MEAN)


def golden(facts: ProxyFacts) -> Iterator[tuple[str, Vector]]:
    """Yield every body's vector that the proxy lists and all releases write alike, with its API."""
    for message in vector_messages():
        api = message.removesuffix("Request").removesuffix("Response")
        if message == api or not facts.has(api) or api in LOGINS:
            continue
        low, high = facts.range_of(api)
        for vector in read_vectors(message):
            is_listed = vector.header is None and low <= vector.version <= high
            is_known = facts.codec.release in vector.releases
            if is_listed and is_known and is_settled(api, vector.version):
                yield api, vector


@cases
def _forwarded(facts: ProxyFacts) -> Iterator[ProxyCase]:
    """Yield a case for every vector of a body, in a frame."""
    known = cache(partial(basics, facts))
    for api, vector in golden(facts):
        if is_rewritten(facts, vector.message, vector.value):
            continue
        is_request = vector.message.endswith("Request")
        make = _request if is_request else _answer
        make = _in_a_large_frame(make) if len(vector.data) > SMALL_BYTES else make
        unanswered = is_request and vector.value.get("acks") == 0
        yield case_of(
            f"{vector.id}/forwarded",
            rules_of(facts, is_request=is_request),
            vector.message,
            vector.version,
            Held(facts, make, (vector.message, vector.version, vector.data)),
            basics=(
                *known(api, vector.version),
                *((unacknowledged(facts),) if unanswered else ()),
            ),
            milder=_milder(facts, vector, make),
        )


def _milder(facts: ProxyFacts, vector: Vector, make: Making) -> Held | None:
    """Return the dialogue with small numbers, None if the message has no extreme ones."""
    if not has_extreme_numbers(vector.value):
        return None
    form = facts.codec.form(vector.message, vector.version)
    body = facts.codec.write(form, with_small_numbers(vector.value))
    return Held(facts, make, (vector.message, vector.version, body))


def _in_a_large_frame(make: Callable[..., Dialogue]) -> Callable[..., Dialogue]:
    """Return a dialogue whose message is lost for the size of its frame, if it is lost.

    Plain requests of its API and version go through, or they are charged in its place.
    """

    def dialogue(*args: Any) -> Dialogue:
        try:
            yield from make(*args)
        except Broken as broken:
            if broken.judged_by in (REQUESTS_PASS, ANSWERS_PASS):
                broken.judged_by = LARGE
            raise

    return dialogue


def rules_of(facts: ProxyFacts, *, is_request: bool) -> tuple[str, ...]:
    """Return the rules that a forwarded message decides, in the order in which they can break."""
    if facts.rewrites != {NOTHING}:
        return _OF_REQUESTS if is_request else _OF_ANSWERS
    return (*_OF_REQUESTS, REQUEST_BYTES) if is_request else (*_OF_ANSWERS, ANSWER_BYTES)


def _request(talk: ProxyTalk, message: str, version: int, body: bytes) -> Dialogue:
    """Check that a request means the same at the broker; its client id is another rule's."""
    form = talk.codec.form(message, version)
    sent = framed(talk.request_header(form, talk.number()) + body)
    arrived = yield from talk.forwarded(sent)
    got = arrived.frame
    if got[:4] == sent[4:8] and behind_client_id(got) == behind_client_id(sent[4:]):
        return
    before = talk.read_request(sent[4:], form, sent)
    header, value = talk.read_request(got, form, sent)
    after = {**header, "clientId": before[0]["clientId"]}, value
    compare(before, after, sent, got, REQUESTS_MEAN)
    if talk.facts.rewrites == {NOTHING}:
        raise Broken("the request has other bytes", sent[4:].hex(), got, judged_by=REQUEST_BYTES)


def _answer(talk: ProxyTalk, message: str, version: int, body: bytes) -> Dialogue:
    """Check that an answer means the same at the client."""
    form, api = talk.codec.form(message, version), message.removesuffix("Response")
    value, _ = talk.codec.read(form, body)
    request = talk.request(api, version, request_for(talk, api, version, value))
    arrived = yield from talk.forwarded(request)
    sent = framed(talk.response_header(form, arrived.number) + body)
    got = yield from talk.answered(sent, number_of(request))
    if got[4:] == sent[8:]:
        return
    before = talk.read_answer(sent[4:], form, sent)
    after = talk.read_answer(got, form, sent)
    compare(before, after, sent, got, ANSWERS_MEAN)
    if talk.facts.rewrites == {NOTHING}:
        raise Broken("the answer has other bytes", sent[4:].hex(), got, judged_by=ANSWER_BYTES)


def compare(before: Said, after: Said, sent: bytes, got: bytes, rule: str) -> None:
    """Raise Broken if header or body have another meaning."""
    one, other = ({**header, "correlationId": 0} for header, _ in (before, after))
    places = [
        *(f"header {path}" for path in differences(one, other)),
        *differences(before[1], after[1]),
    ]
    if places:
        where = ", ".join(places[:3]) + (" and more" if len(places) > 3 else "")
        raise Broken(f"it says something else of {where}", sent[4:].hex(), got, judged_by=rule)


@cases
def _explicit_defaults(facts: ProxyFacts) -> Iterator[ProxyCase]:
    """Yield cases of tagged fields whose default is written out: legal, but unusual."""
    for api in sorted(filter(facts.has, api_keys())):
        _, version = facts.range_of(api)
        if api in LOGINS or not is_settled(api, version):
            continue
        for message in (f"{api}Request", f"{api}Response"):
            form = facts.codec.form(message, version)
            value = form.layout.default_value()
            is_request = message.endswith("Request")
            if is_rewritten(facts, message, value):
                continue
            make = _request if is_request else _answer
            for each in explicit_defaults(form, value):
                yield case_of(
                    f"{message}-v{version}/explicit-default-of-{each.path}",
                    rules_of(facts, is_request=is_request),
                    message,
                    version,
                    Held(facts, make, (message, version, each.data)),
                    basics=basics(facts, api, version),
                )


@cases
def _tags_in_headers(facts: ProxyFacts) -> Iterator[ProxyCase]:
    """Yield cases of an unknown tag in a header."""
    for api in sorted(filter(facts.has, api_keys())):
        _, version = facts.range_of(api)
        form = facts.codec.form(f"{api}Response", version)
        if api in LOGINS or not form.flexible or api == "ApiVersions":
            continue
        if is_rewritten(facts, form.message, form.layout.default_value()):
            continue
        for make in (_tag_in_request_header, _tag_in_response_header):
            yield case_of(
                f"{api}Request-v{version}/{said(make)}",
                (HEADER_TAGS,),
                f"{api}Request",
                version,
                Held(facts, make, (api, version)),
                basics=basics(facts, api, version),
            )


def _tag_in_request_header(talk: ProxyTalk, api: str, version: int) -> Dialogue:
    sent = talk.frame(
        api, version, talk.plain(api, version), 7, clientId=talk.client_id, **{UNKNOWN_TAGS: TAG}
    )
    arrived = yield from talk.forwarded(sent)
    if behind_client_id(arrived.frame) != behind_client_id(sent[4:]):
        header, _ = talk.read_request(
            arrived.frame, talk.codec.form(f"{api}Request", version), sent
        )
        _expect_tag(header, sent, arrived.frame)


def _tag_in_response_header(talk: ProxyTalk, api: str, version: int) -> Dialogue:
    request = talk.request(api, version)
    arrived = yield from talk.forwarded(request)
    form = talk.codec.form(f"{api}Response", version)
    header = {"correlationId": arrived.number, UNKNOWN_TAGS: TAG}
    body = talk.plain_answer(api, version)
    sent = framed(talk.codec.encode_response(form.message, version, header, body))
    got = yield from talk.answered(sent, number_of(request))
    found, _ = talk.read_answer(got, form, sent)
    _expect_tag(found, sent, got)


def _expect_tag(header: Value, sent: bytes, got: bytes) -> None:
    if header.get(UNKNOWN_TAGS) != TAG:
        raise Broken("the header has lost a tag", sent[4:].hex(), got, judged_by=HEADER_TAGS)


@cases
def _records(facts: ProxyFacts) -> Iterator[ProxyCase]:
    """Yield cases of batches of every kind, compressed or not, produced and fetched."""
    for api, make in (("Produce", _produced), ("Fetch", _fetched)):
        if not facts.has(api):
            continue
        _, version = facts.range_of(api)
        for vector in read_vectors("RecordBatch"):
            yield case_of(
                f"{api}Request-v{version}/{vector.id}",
                (RECORDS,),
                f"{api}Request",
                version,
                Held(facts, make, (version, vector.data)),
                basics=basics(facts, api, version),
            )


def _produced(talk: ProxyTalk, version: int, batch: bytes) -> Dialogue:
    value = {**talk.plain("Produce", version), **_topics("Produce", version, batch)}
    sent = talk.request("Produce", version, value)
    arrived = yield from talk.forwarded(sent)
    if batch not in arrived.frame:
        raise Broken("the batch is not the one that was sent", batch.hex(), arrived.frame)


def _fetched(talk: ProxyTalk, version: int, batch: bytes) -> Dialogue:
    value = {**talk.plain_answer("Fetch", version), **_topics("Fetch", version, batch)}
    request = talk.request("Fetch", version, request_for(talk, "Fetch", version, value))
    arrived = yield from talk.forwarded(request)
    sent = talk.answer_frame("Fetch", version, value, arrived.number)
    got = yield from talk.answered(sent, number_of(request))
    if batch not in got:
        raise Broken("the batch is not the one that was sent", batch.hex(), got)


def _topics(api: str, version: int, batch: bytes) -> Value:
    """Return one batch in one partition, of a topic by its name or, in newer versions, its id."""
    records = base64.b64encode(batch).decode()
    topic = {"topicId": "AAAAAAAAAAAAAAAAAAAAKg"} if version >= 13 else {}
    if api == "Produce":
        name = topic or {"name": "events"}
        return {"topicData": [{**name, "partitionData": [{"index": 0, "records": records}]}]}
    name = topic or {"topic": "events"}
    partition = {
        "partitionIndex": 0,
        "errorCode": 0,
        "highWatermark": 1,
        "records": records,
        "abortedTransactions": None,
    }
    return {"responses": [{**name, "partitions": [partition]}]}


@dialogue(UNKNOWN_PASSES, malformed=True)
def _an_api_that_nobody_knows(talk: ProxyTalk) -> Dialogue:
    yield from _unknown(talk, struct.pack(">hh", 32000, 0))


@dialogue(UNKNOWN_PASSES, malformed=True)
def _a_version_that_nobody_knows(talk: ProxyTalk) -> Dialogue:
    yield from _unknown(talk, struct.pack(">hh", api_keys()["Metadata"], 99))


def _unknown(talk: ProxyTalk, begin: bytes) -> Dialogue:
    """Check that an unknown request is forwarded unchanged, or its connection is ended."""
    name = talk.client_id.encode()
    head = struct.pack(">ih", 77, len(name)) + name
    sent = framed(begin + head + bytes(range(40)))
    yield Send(sent)
    received, at_client = yield from talk.either()
    got = received.frame
    if received.kind == "reply" and not at_client:
        if got[:4] != sent[4:8] or behind_client_id(got) != behind_client_id(sent[4:]):
            raise Broken("a request that nobody knows comes out changed", sent[4:].hex(), got)
        answer = framed(got[4:8] + NO_TAGS + b"an answer that nobody knows")
        back = yield from talk.answered(answer, 77, judged_by=UNKNOWN_PASSES)
        if back[4:] != answer[8:]:
            raise Broken("an answer that nobody knows comes out changed", answer[4:].hex(), back)
        return
    if received.kind not in ("closed", "reset"):
        what = f"it is neither forwarded nor refused: {describe_received(received)}"
        raise Broken(what, "the request at the broker, or the end", received.frame)
