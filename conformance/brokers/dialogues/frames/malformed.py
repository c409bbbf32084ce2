"""Requests with one fault each, made of live ones by the very edits that codecs are judged by.

Each edit of a request that is harmless goes over a connection of its own. What Apache Kafka's
reader can't read has to end the connection, or be answered with an error that the whole request
did not get; what it can read is answered as it reads it, or refused. Whatever it is, something
comes: neither silence nor an answer that is none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from conformance.brokers.dialogues import question
from conformance.brokers.dialogues.frames.unknown_tags import answered, still
from conformance.brokers.dialogues.harmless import LEFT_OUT, REQUESTS, harmless
from conformance.brokers.dialogues.talk import (
    CORRELATED,
    ENDED,
    Talk,
    describe_received,
    first_error,
    framed,
)
from conformance.codecs.cases.mutate.fault import FAULTS, Answer, Edit, Scope, Subject
from conformance.codecs.cases.mutate.faults import some
from conformance.codecs.cases.mutate.primitives import MAX_INT32
from conformance.codecs.cases.mutate.sites import find_sites
from conformance.codecs.cases.values.unknown_tags import without_unknown_tags
from conformance.dialogue import Broken, Dialogue, Receive, Reconnect, Send, Tell
from conformance.reference.codec import LenientCodec
from conformance.schema.filling import filled
from conformance.schema.layout import Layout
from conformance.wire.errors import DecodeError, EncodeError

BOOLEANS = "primitives.boolean-non-zero-true"
NUMBER = 1
SHORT_S = 0.3
"""The seconds that an answer to a count beyond all memory is waited for: none is needed."""
MOST = 10
MOST_LOGINS = 3
"""The most edits of one request that are sent for one rule, each on its own connection;
`MOST_LOGINS` is the limit if each connection has to log in.
"""
FIRST_FLEXIBLE = {
    "Metadata": 9,
    "FindCoordinator": 3,
    "DescribeConfigs": 4,
    "DescribeAcls": 2,
    "CreateTopics": 5,
}
WITHOUT_ARRAYS = frozenset(
    {
        "AddOffsetsToTxn",
        "ApiVersions",
        "DescribeAcls",
        "DescribeCluster",
        "EndTxn",
        "ExpireDelegationToken",
        "GetTelemetrySubscriptions",
        "Heartbeat",
        "InitProducerId",
        "PushTelemetry",
        "RenewDelegationToken",
        "SaslAuthenticate",
        "SaslHandshake",
    }
)
WITH_NAMES = {"Metadata": 4, "CreateTopics": 1}
"""The first version of each API whose malformed requests name topics; a request of an earlier
version would create them.
"""


class Whole(NamedTuple):
    """A request that is well-formed: its value, and its bytes from the header on."""

    api: str
    version: int
    value: dict[str, Any]
    head: bytes
    body: bytes


class RequestFault(NamedTuple):
    """One edit: the bytes of the request, and the answer that is allowed."""

    edit: Edit
    data: bytes
    answer: Answer


def whole(talk: Talk, api: str, version: int, rule: str = "") -> Whole:
    """Return the harmless request of an API, with elements in its arrays."""
    value = harmless(talk, api, version)
    if rule == BOOLEANS and api == "Metadata":
        value["topics"] = []  # of none, so that none comes to be where creating it is a boolean
    if api == "DescribeConfigs":
        value["resources"][0]["configurationKeys"] = ["retention.ms", "cleanup.policy"]
    if api == "CreateTopics" and value["topics"]:
        layout = talk.codec.form("CreateTopicsRequest", version).layout
        config = {"configs": [{"name": "retention.ms", "value": "1000"}]}
        fields = next(item for item in layout.fields if item.name == "topics").type.item.layout
        value["topics"][0] |= {"configs": filled(fields, config)["configs"]}
    form = talk.codec.form(f"{api}Request", version)
    body = talk.codec.write(form, value)
    request = talk.frame(api, version, value, NUMBER)[4:]
    return Whole(api, version, value, request[: len(request) - len(body)], body)


def faults(talk: Talk, given: Whole, rule: str) -> Iterator[RequestFault]:
    """Yield the edits of a request that decide a rule, or a selection if there are many."""
    for item in FAULTS:
        if item.rule == rule:
            subject = _subject(talk, given, item.scope)
            edits = [edit for edit in item.make(subject) if edit.version is None]
            most = MOST_LOGINS if talk.facts.authenticates else MOST
            for edit in some(edits, most, f"{given.api}-{given.version}"):
                head = given.head if item.scope == "body" else b""
                yield RequestFault(edit, head + edit.data, item.answer)


def _subject(talk: Talk, given: Whole, scope: Scope) -> Subject:
    form = talk.codec.form(f"{given.api}Request", given.version)
    if scope == "body":
        sites = find_sites((form.layout,), given.body)
        return Subject(form, "filled", (form.layout,), given.body, sites)
    layouts = (talk.codec.header_form(form).layout, form.layout)
    data = given.head + given.body
    return Subject(form, "frame", layouts, data, find_sites(layouts, data).in_part(0))


def _sends(rule: str, api: str) -> Callable[[Talk, int], Dialogue]:
    def _malformed(talk: Talk, version: int) -> Dialogue:
        given = whole(talk, api, version, rule)
        due = yield from answered(talk, api, version, given.value)
        received: dict[str, int] = {}
        sent = list(faults(talk, given, rule))
        assert sent, f"no edit of {api} v{version} decides {rule}"
        for fault in sent:
            legal = due.value
            read = _as_kafka_reads(talk, given, fault.data)
            if (read is None) != (fault.answer in ("refused", "unreadable", "survived")):
                continue
            if read is not None:
                legal = (yield from talk.ask(api, version, read)).value
            what = yield from _outcome(talk, given, fault, legal)
            received[what] = received.get(what, 0) + 1
            yield Reconnect()
        yield Tell(_listed(received))

    return _malformed


def _listed(received: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {what}" for what, count in received.items())


def _outcome(talk: Talk, given: Whole, fault: RequestFault, legal: dict[str, Any]) -> Any:
    """Return the outcome of one edit in a few words. Raises Broken if it is not allowed."""
    why = f"{given.api} v{given.version}, {fault.edit.why}"
    yield Send(framed(fault.data))
    received = yield Receive()
    if received.kind in ("closed", "reset"):
        if fault.answer == "read":
            raise Broken(f"{why}: {describe_received(received)}", "an answer")
        return "closed"
    if received.kind != "reply":
        raise Broken(
            f"{why}: {describe_received(received)}",
            "an error, or the connection closed",
            received.frame,
        )
    try:
        reply = talk.read(given.api, given.version, received.frame)
    except Broken:
        if fault.answer != "read" and (yield from talk.heard_after(received)).kind in ENDED:
            return "answered in no form of it, and closed"
        raise
    if reply.header["correlationId"] != NUMBER:
        raise Broken(f"{why}: another correlation id", str(NUMBER), judged_by=CORRELATED)
    error, usual = first_error(reply.value), first_error(legal)
    same = still(reply.value) == still(legal)
    if fault.answer == "survived" or error not in (0, usual):
        return f"error {error}" if error else "answered"
    if fault.answer in ("lenient", "read") and same:
        return "read"
    raise Broken(f"{why}: answered as if nothing were wrong", "an error, or closed", reply.frame)


def _counts(api: str) -> Callable[[Talk], Dialogue]:
    """The question whether a broker reserves memory for what an array is said to have."""

    def _counts_of_two_billion(talk: Talk) -> Dialogue:
        _, version = talk.facts.range_of(api)
        sent = list(counts_beyond_memory(talk, api, version))
        received: Counter[str] = Counter()
        for data in sent:
            yield Send(framed(data))
            heard = yield Receive(SHORT_S)
            assert heard is not None
            received[heard.kind] += 1
            yield Reconnect()
        yield Tell(_listed(received) or f"v{version} has no array")

    return _counts_of_two_billion


def counts_beyond_memory(talk: Talk, api: str, version: int) -> Iterator[bytes]:
    """Yield a request for each array, which announces 2^31 - 1 elements in it.

    What stands before the count is harmless, and nothing follows it: no broker can carry it out.
    """
    form = talk.codec.form(f"{api}Request", version)
    value = with_elements(form.layout, harmless(talk, api, version))
    frame = talk.frame(api, version, value, NUMBER)[4:]
    begin = len(frame) - len(talk.codec.write(form, value))
    sites = find_sites((form.layout,), frame[begin:])
    subject = Subject(form, "filled", (form.layout,), frame[begin:], sites)
    for site in sites.of("length"):
        if site.type and site.type.element is not None and site.value is not None:
            edited = subject.with_length(site, MAX_INT32)
            lengthened = len(edited) - len(subject.data)
            yield frame[:begin] + edited[: site.end + lengthened]


def with_elements(layout: Layout, value: dict[str, Any]) -> dict[str, Any]:
    """Return a value without null arrays, and with an element in each array of structs."""
    whole = dict(value)
    for item in layout.fields:
        if item.type.element is None:
            continue
        elements = whole[item.name] or []
        if item.type.item.struct is not None:
            inner = item.type.item.layout
            given = elements or [inner.default_value()]
            elements = [with_elements(inner, each) for each in given]
        whole[item.name] = elements
    return whole


def _as_kafka_reads(talk: Talk, given: Whole, data: bytes) -> dict[str, Any] | None:
    """Return the request as Apache Kafka's reader reads it, without unknown tags, or None.

    It is None if the reader refuses the bytes.
    """
    form = talk.codec.form(f"{given.api}Request", given.version)
    reads = LenientCodec()
    try:
        _, begin = reads.read(reads.header_form(form), data)
        value, _ = without_unknown_tags(reads.read(form, data, begin)[0])
        talk.codec.write(form, value)
    except (DecodeError, EncodeError):
        return None
    return dict(value)


def _well_formed(api: str) -> Callable[[Talk], Dialogue]:
    def _request(talk: Talk) -> Dialogue:
        _, version = talk.facts.range_of(api)
        yield from talk.ask(api, version, whole(talk, api, version).value)

    return _request


def _ask(rule: str, apis: Sequence[str], versions: Callable[[str], range]) -> None:
    for api in apis:
        make = _sends(rule, api)
        question(rule, api, versions(api), malformed=True, control_case=_well_formed(api))(make)


def _ask_all_others(rule: str) -> None:
    """Ask every other API with a harmless request, in the highest version alone."""
    for api in sorted(REQUESTS.keys() - LEFT_OUT.keys() - FIRST_FLEXIBLE.keys()):
        make = _at_the_highest(api, _sends(rule, api))
        question(rule, api, malformed=True, control_case=_well_formed(api))(make)


def _at_the_highest(api: str, sends: Callable[[Talk, int], Dialogue]) -> Callable[[Talk], Dialogue]:
    def _malformed(talk: Talk) -> Dialogue:
        return sends(talk, talk.facts.range_of(api)[1])

    return _malformed


def _any(api: str) -> range:
    return range(WITH_NAMES.get(api, 0), 100)


def _classic(api: str) -> range:
    return range(WITH_NAMES.get(api, 0), FIRST_FLEXIBLE[api])


def _flexible(api: str) -> range:
    return range(FIRST_FLEXIBLE[api], 100)


_EVERY = tuple(FIRST_FLEXIBLE)
_READS = ("Metadata", "DescribeConfigs")
for _api in sorted(REQUESTS.keys() - LEFT_OUT.keys() - WITHOUT_ARRAYS):
    question(
        "primitives.length-beyond-input-refused",
        _api,
        malformed=True,
        control_case=_well_formed(_api),
    )(_counts(_api))
_ask("framing.trailing-bytes-ignored", _EVERY, _any)
_ask("primitives.null-refused", (*_READS, "FindCoordinator", "CreateTopics"), _classic)
_ask("primitives.length-below-null", _READS, _classic)
_ask("primitives.length-beyond-input-refused", _EVERY, _any)
_ask_all_others("primitives.length-beyond-input-refused")
_ask("primitives.short-input-refused", _EVERY, _any)
_ask("primitives.varint-too-long-refused", _READS, _flexible)
_ask("primitives.varint-overlong-accepted", _READS, _flexible)
_ask("primitives.varint-overflow-dropped", _READS, _flexible)
_ask(BOOLEANS, ("DescribeConfigs",), lambda _: range(1, 100))
_ask(BOOLEANS, ("Metadata",), lambda _: range(8, 11))
_ask("primitives.invalid-utf8", _READS, _any)
_ask("compact.null-refused", ("DescribeConfigs", "FindCoordinator", "CreateTopics"), _flexible)
_ask("compact.null-refused", ("Metadata",), lambda _: range(9, 10))
_ask("compact.length-above-int32", _EVERY, _flexible)
_ask("tags.section-required", _READS, _flexible)
_ask("tags.count-beyond-input-refused", _READS, _flexible)
_ask("tags.count-above-int32", _READS, _flexible)
_ask("tags.size-beyond-input-refused", _READS, _flexible)
_ask("tags.size-above-int32", _READS, _flexible)
_ask("tags.unsorted-accepted", _READS, _flexible)
_ask("tags.duplicate-unknown", _READS, _flexible)
