"""ApiVersions: the first request of a connection, and the fallback from a version that a broker
lacks (KIP-511).

Most clients do not take a broker for one that leaves the first request unanswered. The form of the
answer is judged by `api_lists`, and its correlation id with those of all other answers.
"""

from __future__ import annotations

import struct
from collections.abc import Generator

from conformance.api_keys import API_VERSIONS
from conformance.brokers.dialogues import question
from conformance.brokers.dialogues.frames.headers import header, no_topics, software
from conformance.brokers.dialogues.other_forms import other_form, spans, whole_in
from conformance.brokers.dialogues.talk import CLIENT_ID, GREETED, Talk, describe_received, framed
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
from conformance.error_codes import INVALID_REQUEST, REBOOTSTRAP_REQUIRED, UNSUPPORTED_VERSION
from conformance.wire.errors import DecodeError

FORM = "api-versions.version-0-has-list-alone"
EXPECTED = "error 0 and a list of APIs in a body of version 0"
LIST_OFFSET = 10
"""The offset of the entries: after correlation id, error code and their number."""


@question(GREETED)
def _first_request(talk: Talk) -> Dialogue:
    number = talk.number()
    yield Send(talk.frame("ApiVersions", 0, {}, number))
    frame = yield from talk.echo("ApiVersions", 0, number)
    if 0 not in whole_in(talk.codec, "ApiVersionsResponse", frame):
        raise Broken("the answer has another form", EXPECTED, frame, judged_by=FORM)
    (error,) = struct.unpack_from(">h", frame, 4)
    listed = {key: low for key, low, _ in struct.iter_unpack(">hhh", frame[LIST_OFFSET:])}
    if error == UNSUPPORTED_VERSION and listed.get(API_VERSIONS, 0) > 0:
        raise NotApplicable(f"the broker has ApiVersions from v{listed[API_VERSIONS]} on")
    if error:
        raise Broken(f"ApiVersions v0 is answered with error {error}", EXPECTED, frame)
    if not listed:
        raise Broken("the answer to ApiVersions v0 lists no API", EXPECTED, frame)
    if API_VERSIONS not in listed:
        what = f"the answer to ApiVersions v0 does not list ApiVersions itself ({API_VERSIONS})"
        raise Broken(what, EXPECTED, frame)


TOO_HIGH = 1000
UNLISTED = "api-versions.unlisted-not-served"
FALLBACK = "error 35 (UNSUPPORTED_VERSION) in a body of version 0"
ANY = range(100)
WITH_SOFTWARE = range(3, 100)
WITH_CLUSTER = range(5, 100)
NO_SUCH_NODE = 2**31 - 1
ILLEGAL = (
    "",
    "-begins",
    "ends-",
    ".begins",
    "ends.",
    "with blank",
    "comma,ed",
    "slash/ed",
    "under_score",
    "ünicode",
    "tab\t",
    "line\n",
    "\nline",
    "null\0",
    "a+b",
    "a:b",
    "a@b",
    "(a)",
    "a,",
    "-",
    ".",
    "a" * 1000 + "_",
    "٣",
)


LEGAL = ("0", "a-b", "a--b", "a..b", "Z-.9", "x" * 1000)


@question("api-versions.each-key-once", "ApiVersions", ANY)
def _list_of_keys(talk: Talk, version: int) -> Dialogue:
    reply = yield from talk.ask("ApiVersions", version, software(version))
    talk.expect("the error code", 0, reply.value["errorCode"])
    keys = [entry["apiKey"] for entry in reply.value["apiKeys"]]
    twice = sorted({key for key in keys if keys.count(key) > 1})
    if twice:
        raise Broken(f"listed twice: api keys {twice}", "each key once", reply.frame)
    for entry in reply.value["apiKeys"]:
        if entry["minVersion"] > entry["maxVersion"]:
            raise Broken(f"of api key {entry['apiKey']} the lowest version is above the highest")


@question("api-versions.unsupported-answered-in-v0", malformed=True)
def _too_high_version(talk: Talk) -> Dialogue:
    yield from fallback(talk, TOO_HIGH)


@question("api-versions.unsupported-answered-in-v0", malformed=True)
def _next_version(talk: Talk) -> Dialogue:
    yield from fallback(talk, talk.facts.advertised[API_VERSIONS][1] + 1)


@question("api-versions.unsupported-answered-in-v0", malformed=True)
def _versions_from_end_to_end(talk: Talk) -> Dialogue:
    """Send any bytes after the header: a broker can't know a body of such a version."""
    for version in (100, 2**15 - 1):
        for body in (b"", b"\xff" * 40, bytes(3)):
            yield from fallback(talk, version, body)
            yield Reconnect()


@question("api-versions.unlisted-not-served", malformed=True)
def _unlisted_versions(talk: Talk) -> Dialogue:
    for version in (talk.facts.advertised[API_VERSIONS][1] + 1, TOO_HIGH):
        received = yield from _asked(version, talk.number(), bytes(3))
        if received.kind == "reply" and _is_served(talk, version, received.frame):
            raise Broken(_answered(talk, version, received.frame), FALLBACK, received.frame)
        yield Reconnect()


@question("api-versions.negative-version-answered", malformed=True)
def _versions_below_zero(talk: Talk) -> Dialogue:
    for version in (-1, -(2**15)):
        yield from fallback(talk, version)
        yield Reconnect()


@question("api-versions.unsupported-names-own-range", malformed=True)
def _range_of_the_fallback(talk: Talk) -> Dialogue:
    frame = yield from fallback(talk, TOO_HIGH)
    named = _named_ranges(frame)
    if not named and talk.facts.advertised[API_VERSIONS][1] < WITH_SOFTWARE.start:
        raise NotApplicable("brokers before Apache Kafka 2.4 answer without any range")
    talk.expect(
        "the versions of ApiVersions", talk.facts.advertised[API_VERSIONS], named.get(API_VERSIONS)
    )


@question("api-versions.named-version-served", malformed=True)
def _version_that_was_named(talk: Talk) -> Dialogue:
    """Ask again on this connection, or on a new one if the broker closes this one."""
    frame = yield from fallback(talk, TOO_HIGH)
    _, named = _named_ranges(frame).get(API_VERSIONS, (0, 0))
    version = min(named, talk.facts.range_of("ApiVersions")[1])
    number = talk.number()
    yield Send(talk.frame("ApiVersions", version, software(version), number))
    received = yield Receive()
    assert received is not None
    if received.kind in ("closed", "reset"):
        yield Reconnect()
        reply = yield from talk.ask("ApiVersions", version, software(version))
    else:
        frame = talk.understood("ApiVersions", version, number, received)
        reply = talk.read("ApiVersions", version, frame)
    talk.expect("the error", 0, reply.value["errorCode"])
    talk.expect("the version of the answer", version, reply.version)


@question("api-versions.unsupported-keeps-connection", malformed=True)
def _request_after_the_fallback(talk: Talk) -> Dialogue:
    yield from fallback(talk, TOO_HIGH)
    low, high = talk.facts.range_of("ApiVersions")
    for version in (high, low):
        reply = yield from talk.ask("ApiVersions", version, software(version))
        talk.expect("the error", 0, reply.value["errorCode"])


@question("api-versions.unsupported-keeps-connection", malformed=True)
def _many_fallbacks_and_all_else(talk: Talk) -> Dialogue:
    """Expect the connection to stay: more fallbacks may follow, and then any request."""
    low, high = talk.facts.range_of("ApiVersions")
    for version in range(TOO_HIGH, TOO_HIGH + 10):
        yield from fallback(talk, version)
    for version in range(low, high + 1):
        reply = yield from talk.ask("ApiVersions", version, software(version))
        talk.expect(f"version {version}: the error", 0, reply.value["errorCode"])


@question("api-versions.unsupported-keeps-connection", "Metadata", malformed=True)
def _metadata_after_the_fallback(talk: Talk) -> Dialogue:
    _, high = talk.facts.range_of("Metadata")
    yield from fallback(talk, TOO_HIGH)
    yield from talk.ask("Metadata", high, no_topics(talk, high))


@question("api-versions.illegal-software-refused", "ApiVersions", WITH_SOFTWARE, malformed=True)
def _illegal_names(talk: Talk, version: int) -> Dialogue:
    for name in ILLEGAL:
        for field in ("clientSoftwareName", "clientSoftwareVersion"):
            reply = yield from talk.ask("ApiVersions", version, {**software(version), field: name})
            talk.expect(f"{field} {name!r}: the error", INVALID_REQUEST, reply.value["errorCode"])
            talk.expect("the version of the answer", version, reply.version)


@question("api-versions.null-software-refused", "ApiVersions", WITH_SOFTWARE, malformed=True)
def _software_that_is_null(talk: Talk, version: int) -> Dialogue:
    """Null either name: the first fields of the body, after the client id and no tags."""
    whole = talk.frame("ApiVersions", version, software(version), 1)[4:]
    size = 8 + 2 + len(CLIENT_ID.encode()) + 1
    head, body = whole[:size], whole[size:]
    name = body[: body[0]]
    for which, data in (
        ("name", b"\0" + body[len(name) :]),
        ("version", name + b"\0" + body[len(name) + body[len(name)] :]),
    ):
        yield Send(framed(head + data))
        received = yield Receive()
        assert received is not None
        if received.kind == "reply":
            answer = talk.read("ApiVersions", version, received.frame)
            talk.expect(f"null as software {which}: the error", 42, answer.value["errorCode"])
        elif received.kind not in ("closed", "reset"):
            raise Broken(
                f"null as software {which}, and {describe_received(received)}",
                "closed, or an error",
            )
        yield Reconnect()


@question("api-versions.unnamed-software-served", "ApiVersions", range(3))
def _no_software_below_version_3(talk: Talk, version: int) -> Dialogue:
    """Ask also with a client id that could be no name of its software."""
    for client_id in ("kafka-conformance", "with blank"):
        frame = yield from talk.is_answered("ApiVersions", version, {}, clientId=client_id)
        _expect_taken(f"a client without a name for its software, {client_id!r},", frame)


@question("api-versions.legal-software-served", "ApiVersions", WITH_SOFTWARE)
def _legal_names(talk: Talk, version: int) -> Dialogue:
    for name in ("a", "A9", "apache-kafka-java", "1.2.3-SNAPSHOT", "a.-b", "x" * 250, *LEGAL):
        given = {**software(version), "clientSoftwareName": name, "clientSoftwareVersion": name}
        frame = yield from talk.is_answered("ApiVersions", version, given)
        _expect_taken(repr(name), frame)


def _error(frame: bytes) -> int:
    """The error of an answer of ApiVersions, which is read alike in each version."""
    return int.from_bytes(frame[4:6], "big", signed=True)


def _expect_taken(what: str, frame: bytes) -> None:
    """Raise Broken if an answer of ApiVersions has INVALID_REQUEST."""
    if _error(frame) == INVALID_REQUEST:
        raise Broken(f"{what} is refused with INVALID_REQUEST", "served", frame)


@question("api-versions.other-cluster-sent-back", "ApiVersions", WITH_CLUSTER, needs=("Metadata",))
def _request_for_another_cluster(talk: Talk, version: int) -> Dialogue:
    """Give both cluster and node, one of them right and the other wrong."""
    _, high = talk.facts.range_of("Metadata")
    found = yield from talk.ask("Metadata", high, no_topics(talk, high))
    cluster, node = found.value["clusterId"], found.value["brokers"][0]["nodeId"]
    for given in (
        {"clusterId": talk.facts.prefix, "nodeId": NO_SUCH_NODE},
        {"clusterId": talk.facts.prefix, "nodeId": node},
        {"clusterId": cluster, "nodeId": NO_SUCH_NODE},
    ):
        frame = yield from talk.is_answered("ApiVersions", version, {**software(version), **given})
        talk.expect(f"{given}: the error", REBOOTSTRAP_REQUIRED, _error(frame))
    frame = yield from talk.is_answered("ApiVersions", version, software(version))
    if _error(frame) == REBOOTSTRAP_REQUIRED:
        raise Broken("a client that names neither cluster nor node is sent back", "served", frame)


@question("api-versions.half-named-cluster-refused", "ApiVersions", WITH_CLUSTER, malformed=True)
def _cluster_or_node_alone(talk: Talk, version: int) -> Dialogue:
    for given in ({"clusterId": talk.facts.prefix}, {"nodeId": NO_SUCH_NODE}, {"clusterId": ""}):
        reply = yield from talk.ask("ApiVersions", version, {**software(version), **given})
        talk.expect(f"{given} alone: the error", INVALID_REQUEST, reply.value["errorCode"])


def _named_ranges(frame: bytes) -> dict[int, tuple[int, int]]:
    """The versions that a fallback names, by api key."""
    (number,) = struct.unpack_from(">i", frame, 6)
    entries = (struct.unpack_from(">hhh", frame, 10 + 6 * index) for index in range(number))
    return {key: (low, high) for key, low, high in entries}


def fallback(
    talk: Talk, version: int, body: bytes = bytes(3)
) -> Generator[Step, Received | None, bytes]:
    """Ask in a version that is not there; the answer is one of version 0, to the byte.

    `body` is what follows the header's tags. Returns the frame of the answer: a body of version 0
    has an error code and an array of entries of 6 bytes.
    """
    number = talk.number()
    received = yield from _asked(version, number, body)
    if received.kind != "reply":
        what = f"no answer to ApiVersions v{version}: {describe_received(received)}"
        raise Broken(what, FALLBACK, received.frame)
    frame = received.frame
    correlation = int.from_bytes(frame[:4], "big", signed=True)
    if correlation != number:
        what = f"the answer to ApiVersions v{version} has another correlation id: {correlation}"
        raise Broken(f"{what}, and the request had {number}", FALLBACK, frame)
    if _is_served(talk, version, frame):
        raise Broken(_answered(talk, version, frame), FALLBACK, frame, judged_by=UNLISTED)
    found = whole_in(talk.codec, "ApiVersionsResponse", frame)
    if _error(frame) != UNSUPPORTED_VERSION or 0 not in found:
        raise Broken(_answered(talk, version, frame), FALLBACK, frame)
    return frame


def _asked(version: int, number: int, body: bytes) -> Generator[Step, Received | None, Received]:
    """Ask ApiVersions in a version, with a body of these bytes, and return what comes."""
    client = header(API_VERSIONS, version, number)[:-4]
    yield Send(framed(client + bytes(1) + body))
    received = yield Receive()
    assert received is not None
    return received


def _is_served(talk: Talk, version: int, frame: bytes) -> bool:
    """True if an answer lists APIs without an error, in the form of the version asked for.

    A version that no definition has is taken to have the form of the newest.
    """
    newest = talk.codec.versions("ApiVersionsResponse")[-1]
    found = whole_in(talk.codec, "ApiVersionsResponse", frame)
    return min(version, newest) in found and _error(frame) == 0


def _answered(talk: Talk, version: int, frame: bytes) -> str:
    """Return the error and the form of an answer to a version that the broker lacks."""
    error, form = _error(frame), _form(talk, version, frame)
    return f"ApiVersions v{version} is answered with error {error} {form}"


def _form(talk: Talk, version: int, frame: bytes) -> str:
    """Return the form of an answer to a version that the broker lacks, as a phrase."""
    found = whole_in(talk.codec, "ApiVersionsResponse", frame)
    if 0 in found:
        return "in a body of version 0"
    known = talk.codec.versions("ApiVersionsResponse")
    if version in found:
        return f"in a body of {spans(found)}: in the version that was asked for"
    if known[-1] in found and version > known[-1]:
        return f"in a body of {spans(found)}: in the version that was asked for, as it seems"
    if found:
        return f"in a body of {spans(found)}"
    if why := other_form(talk.codec, "ApiVersionsResponse", 0, frame):
        return f"in a body of version 0, but {why}"
    try:
        _, _, left, _ = talk.codec.decode_response("ApiVersionsResponse", 0, frame)
    except DecodeError as error:
        return f"in a body that can not be read in any version, in version 0 because of {error}"
    return f"in a body of version 0 and {left} bytes behind it"
