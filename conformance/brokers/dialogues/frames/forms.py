"""Which header a request and its answer have, and that both are of one version.

Each question is asked in versions on one side of the flexible border alone: there the header, and
nothing else, is what a broker gets wrong. The answer has to be whole, and to be about what was
asked for, since a header that is read one byte too long or short shifts all that is behind it.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import suppress

from conformance.brokers.dialogues import question
from conformance.brokers.dialogues.frames.headers import software
from conformance.brokers.dialogues.harmless import harmless
from conformance.brokers.dialogues.talk import (
    CLIENT_ID,
    SERVED,
    Steps,
    Talk,
    framed,
    judged_by,
)
from conformance.dialogue import (
    Broken,
    Dialogue,
    NotApplicable,
    Receive,
    Received,
    Reconnect,
    Send,
    Step,
)
from conformance.testee_protocol import Value

FIRST_FLEXIBLE: Mapping[str, int] = {
    "Metadata": 9,
    "FindCoordinator": 3,
    "DescribeConfigs": 4,
    "DescribeAcls": 2,
    "CreateTopics": 5,
    "DeleteTopics": 4,
}
"""APIs that are asked, and where each becomes flexible."""
NUMBER = 0x0102_0304
"""A correlation id that no other number of a header is part of."""
CLIENT_IDS = (None, "", "x", "x" * 127, "x" * 128, "x" * 300)


Shape = Callable[[bytes], bytes]
"""A misread header: maps a frame to the one that a broker with this mistake would accept."""


def _with_tags(request: bytes) -> bytes:
    """Return the request with a tag section after its client id."""
    end = _client_id_end(request)
    return request[:end] + bytes(1) + request[end:]


def _without_tags(request: bytes) -> bytes:
    """Return the request without the tag section after its client id, which holds no tags."""
    end = _client_id_end(request)
    return request[:end] + request[end + 1 :]


def _id_before_version(request: bytes) -> bytes:
    """The request with its correlation id before its version."""
    return request[:2] + request[4:8] + request[2:4] + request[8:]


def _with_compact_client_id(request: bytes) -> bytes:
    """The request with a client id as flexible versions write other strings."""
    (size,) = struct.unpack_from(">h", request, 8)
    return request[:8] + bytes([size + 1]) + request[10:]


def _client_id_end(request: bytes) -> int:
    (size,) = struct.unpack_from(">h", request, 8)
    return 10 + max(int(size), 0)


CLASSIC_MISREAD = {
    "with a tag section in its header": _with_tags,
    "with the correlation id before the version": _id_before_version,
}
FLEXIBLE_MISREAD: Mapping[str, Shape] = {"without the tag section of its header": _without_tags}
COMPACT_MISREAD = {"with a client id of compact length": _with_compact_client_id}
CLASSIC_MISWRITTEN = {
    "a correlation id of eight bytes": lambda answer: answer[4:],
    "a tag section in its header": lambda answer: answer[:4] + answer[5:],
}
FLEXIBLE_MISWRITTEN = {
    "no tag section in its header": lambda answer: answer[:4] + bytes(1) + answer[4:]
}


def _reads(
    api: str, misread: Mapping[str, Shape], client_ids: Sequence[str | None] = CLIENT_IDS
) -> Callable[..., Dialogue]:
    def _client_ids_of_each_kind(talk: Talk, version: int) -> Dialogue:
        """A header is misread where the request in a wrong form is answered, and this one not."""
        value = harmless(talk, api, version)
        for client_id in client_ids:
            request = talk.frame(api, version, value, NUMBER, clientId=client_id)[4:]
            broken = yield from _not_answered(talk, api, version, value, request)
            if broken is not None:  # not for good, maybe
                yield Reconnect()
                broken = yield from _not_answered(talk, api, version, value, request)
            if broken is not None and _has_id_of_other_bytes(request, broken):
                broken.judged_by = ""
                raise broken
            if broken is not None:
                yield from _expect_unread(talk, api, version, value, request, misread)
                raise broken

    return _client_ids_of_each_kind


def _not_answered(
    talk: Talk, api: str, version: int, value: Value, request: bytes
) -> Generator[Step, Received | None, Broken | None]:
    """Return the reason why a request has no proper answer, None if it has one."""
    yield Send(framed(request))
    try:
        reply = yield from talk.answer(api, version, NUMBER)
        echoed(talk, api, value, reply.value)
    except Broken as broken:
        broken.judged_by, broken.unanswered = broken.judged_by or SERVED, None
        return broken
    return None


def _has_id_of_other_bytes(request: bytes, broken: Broken) -> bool:
    """True if the answer's correlation id is the four bytes from the version on."""
    return broken.actual.startswith(request[2:6].hex())


def _expect_unread(
    talk: Talk,
    api: str,
    version: int,
    value: Value,
    request: bytes,
    misread: Mapping[str, Shape],
) -> Dialogue:
    """The request is not answered in one of these forms instead. Raises Broken."""
    for what, shape in misread.items():
        yield Reconnect()
        refused = yield from _not_answered(talk, api, version, value, shape(request))
        if refused is None:
            raise Broken(
                f"{api} v{version} is answered {what}, and not as it is due",
                request.hex(),
                shape(request),
            )


def _writes(api: str, miswritten: Mapping[str, Shape]) -> Callable[..., Dialogue]:
    def _whole_answer(talk: Talk, version: int) -> Dialogue:
        """A header is miswritten where the answer is whole when it is read with a wrong one."""
        value = harmless(talk, api, version)
        yield Send(talk.frame(api, version, value, NUMBER))
        received = yield Receive()
        assert received is not None
        right = _whole(talk, api, version, value, received.frame)
        for what, shape in miswritten.items():
            if not right and _whole(talk, api, version, value, shape(received.frame)):
                raise Broken(f"the answer to {api} v{version} has {what}", "", received.frame)
        if not right:
            raise Broken("no whole answer", f"{api} v{version}", received.frame, judged_by=SERVED)

    return _whole_answer


def _whole(talk: Talk, api: str, version: int, value: Value, frame: bytes) -> bool:
    """True if a frame is a whole answer, to this request and about the same names."""
    try:
        reply = talk.read(api, version, frame)
        talk.expect("the correlation id", NUMBER, reply.header["correlationId"])
        echoed(talk, api, value, reply.value)
    except Broken:
        return False
    return True


def echoed(talk: Talk, api: str, asked: Value, answer: Value) -> None:
    """Check that the answer is about the names that were asked for. Raises Broken."""
    if api == "DescribeConfigs":
        due = [each["resourceName"] for each in asked["resources"]]
        talk.expect("the resources", due, [each["resourceName"] for each in answer["results"]])
    elif topics := asked.get("topics") or asked.get("topicNames"):
        due = sorted(each if isinstance(each, str) else each["name"] for each in topics)
        found = answer.get("topics") or answer.get("responses") or []
        talk.expect("the topics", due, sorted(each["name"] for each in found))


for _api, _first in FIRST_FLEXIBLE.items():
    _classic, _flexible = range(_first), range(_first, 100)
    question("request-header.v1-fields", _api, _classic)(_reads(_api, CLASSIC_MISREAD))
    question("request-header.flexible-adds-tags", _api, _flexible)(
        _reads(_api, FLEXIBLE_MISREAD, [CLIENT_ID])
    )
    question("request-header.client-id-not-compact", _api, _flexible)(
        _reads(_api, COMPACT_MISREAD, ["x", CLIENT_ID, "x" * 100])
    )
    question("response-header.v0-fields", _api, _classic)(_writes(_api, CLASSIC_MISWRITTEN))
    question("response-header.flexible-adds-tags", _api, _flexible)(
        _writes(_api, FLEXIBLE_MISWRITTEN)
    )


@question("response-header.api-versions-stays-v0", "ApiVersions", range(3, 100))
def _header_before_the_list(talk: Talk, version: int) -> Dialogue:
    """Expect, after the correlation id, the error of two bytes and the size of the list."""
    frame = yield from talk.is_answered("ApiVersions", version, software(version))
    if not any(frame[4:7]) and any(frame[7:8]):
        raise Broken("a byte stands between correlation id and error code", "0000", frame)


@question("response-header.body-has-request-version", "Metadata", range(1, 100))
def _answer_of_the_version_asked(talk: Talk, version: int) -> Dialogue:
    number = talk.number()
    yield Send(talk.frame("Metadata", version, harmless(talk, "Metadata", version), number))
    frame = yield from _echoed(talk, version, number)
    expect_version(talk, version, frame)


@question("response-header.body-has-request-version", "Metadata")
def _versions_mixed_on_one_connection(talk: Talk) -> Dialogue:
    """Mix versions, up and down and in one go: a version belongs to one request alone.

    Those that are answered wrongly by themselves are left out.
    """
    known = yield from _answered_alone(talk)
    if len(known) < 2:
        raise NotApplicable("fewer than two versions of Metadata are answered as they are asked")
    order = (*known, *reversed(known), known[-1], known[0])
    sent = [(version, talk.number()) for version in order]
    requests = (
        talk.frame("Metadata", version, harmless(talk, "Metadata", version), number)
        for version, number in sent
    )
    yield Send(b"".join(requests))
    for version, number in sent:
        frame = yield from _echoed(talk, version, number)
        expect_version(talk, version, frame)


def _answered_alone(talk: Talk) -> Steps[list[int]]:
    """Return the versions of Metadata that are answered as asked, each on its own connection."""
    low, high = talk.facts.range_of("Metadata")
    found: list[int] = []
    for version in range(max(low, 1), high + 1):
        with suppress(Broken):
            yield from _answer_of_the_version_asked(talk, version)
            found.append(version)
        yield Reconnect()
    return found


@judged_by(SERVED)
def _echoed(talk: Talk, version: int, number: int) -> Steps[bytes]:
    frame = yield from talk.echo("Metadata", version, number)
    return frame


def expect_version(talk: Talk, version: int, frame: bytes) -> None:
    """Raise Broken if an answer of Metadata is not whole in this version alone."""
    try:
        talk.read("Metadata", version, frame)
    except Broken as broken:
        low, high = talk.facts.range_of("Metadata")
        for other in range(low, high + 1):
            with suppress(Broken):
                talk.read("Metadata", other, frame)
                what = f"Metadata v{version} is answered in version {other}"
                break
        else:
            broken.judged_by = SERVED
            raise
        raise Broken(what, f"version {version}", frame) from None
