"""Request headers as a broker reads them, and response headers as it writes them."""

from __future__ import annotations

import struct
from collections.abc import Generator, Sequence

from conformance.api_keys import METADATA
from conformance.brokers.dialogues import question
from conformance.brokers.dialogues.harmless import LEFT_OUT, harmless
from conformance.brokers.dialogues.talk import (
    CLIENT_ID,
    ENDED,
    Talk,
    api_keys,
    describe_received,
    framed,
)
from conformance.dialogue import Broken, Dialogue, Receive, Received, Reconnect, Send, Step, Tell
from conformance.error_codes import UNSUPPORTED_VERSION
from conformance.testee_protocol import Value

NO_SUCH_KEY = 32_000
REFUSED_VERSION = (
    struct.pack(">ih", 1, UNSUPPORTED_VERSION),
    struct.pack(">ibh", 1, 0, UNSUPPORTED_VERSION),
)
"""The first bytes of an answer to a request of `header` that holds UNSUPPORTED_VERSION and
nothing else, in response header version 0 and in version 1.
"""
LONGEST = 2**15 - 1
"""The most bytes that an INT16 length allows."""


@question("request-header.null-client-id", "ApiVersions", range(100))
def _client_id_that_is_null(talk: Talk, version: int) -> Dialogue:
    yield from alike(talk, "ApiVersions", version, software(version), [None])


@question("request-header.null-client-id", "ApiVersions", range(100))
def _client_id_that_is_empty(talk: Talk, version: int) -> Dialogue:
    yield from alike(talk, "ApiVersions", version, software(version), [""])


@question("request-header.unknown-key-closes", malformed=True)
def _key_that_nobody_has(talk: Talk) -> Dialogue:
    yield Send(framed(header(NO_SUCH_KEY, 0)))
    yield from talk.ends(f"a request of api key {NO_SUCH_KEY} came")


@question("request-header.unknown-key-closes", malformed=True)
def _key_below_zero(talk: Talk) -> Dialogue:
    yield Send(framed(header(-1, 0)))
    yield from talk.ends("a request of api key -1 came")


@question("request-header.unknown-key-closes", malformed=True)
def _keys_all_around(talk: Talk) -> Dialogue:
    known = talk.facts.advertised
    for key in (max(*known, *api_keys().values()) + 1, 2**15 - 1, 1000, -2, -(2**15)):
        if key not in known:
            yield Send(framed(header(key, 0)))
            yield from talk.ends(f"a request of api key {key} came")
            yield Reconnect()


@question("request-header.disabled-key-closes", malformed=True)
def _keys_of_other_listeners(talk: Talk) -> Dialogue:
    """Send headers without a body, so that a broker that knows the API can't execute the
    request.
    """
    for key in sorted(set(api_keys().values()) - set(talk.facts.advertised)):
        yield Send(framed(struct.pack(">hhih", key, 0, 1, -1)))
        yield from talk.ends(f"a request of api key {key} came, which is not advertised")
        yield Reconnect()


@question("request-header.unsupported-version-closes", "Metadata", malformed=True)
def _version_above_all(talk: Talk) -> Dialogue:
    yield Send(framed(header(METADATA, 1000)))
    yield from talk.ends("a Metadata request of version 1000 came", unanswered=True)


@question("request-header.unsupported-version-closes", "Metadata", malformed=True)
def _next_version_in_the_form_of_the_last(talk: Talk) -> Dialogue:
    """Send a request that a broker can read if it takes the unsupported version for its highest."""
    _, known = talk.facts.range_of("Metadata")
    version = talk.facts.advertised[METADATA][1] + 1
    value = talk.codec.form("MetadataRequest", known).layout.default_value()
    request = talk.frame("Metadata", known, value, 1)[4:]
    yield Send(framed(struct.pack(">hh", METADATA, version) + request[4:]))
    yield from talk.ends(f"a Metadata request of version {version} came", unanswered=True)


@question("request-header.unsupported-version-closes", "Metadata", malformed=True)
def _version_below_zero(talk: Talk) -> Dialogue:
    yield Send(framed(header(METADATA, -1)))
    yield from talk.ends("a Metadata request of version -1 came", unanswered=True)


@question("request-header.unsupported-version-closes", malformed=True)
def _next_version_of_each_api(talk: Talk) -> Dialogue:
    for key in _harmless_keys(talk):
        version = talk.facts.advertised[key][1] + 1
        if key != api_keys()["ApiVersions"]:
            yield Send(framed(header(key, version)))
            yield from talk.ends(
                f"a request of api key {key} in version {version} came", unanswered=True
            )
            yield Reconnect()


@question("request-header.negative-version-survived", malformed=True)
def _versions_below_zero(talk: Talk) -> Dialogue:
    """ApiVersions may be answered; any other API be refused, or the connection ended."""
    for key in _harmless_keys(talk):
        for version in (-1, -(2**15)):
            yield Send(framed(header(key, version)))
            received = yield Receive()
            assert received is not None
            is_refused = received.frame.startswith(REFUSED_VERSION)
            is_greeting = key == api_keys()["ApiVersions"]
            answered = received.kind == "reply" and (is_refused or is_greeting)
            if not answered and (yield from talk.heard_after(received)).kind not in ENDED:
                what = f"api key {key} in version {version}: {describe_received(received)}"
                raise Broken(what, "the connection closed", received.frame)
            yield Reconnect()


@question("request-header.short-header-closes", malformed=True)
def _headers_cut_short(talk: Talk) -> Dialogue:
    low, _ = talk.facts.range_of("ApiVersions")
    whole = talk.frame("ApiVersions", low, {}, 1)[4:]
    for size in range(1, 8 + 2 + len(CLIENT_ID)):
        yield Send(framed(whole[:size]))
        yield from talk.ends(f"a header of {size} bytes came", unanswered=True)
        yield Reconnect()


@question("request-header.client-id-of-any-length", "ApiVersions", range(100))
def _client_ids_of_many_lengths(talk: Talk, version: int) -> Dialogue:
    lengths = (1, 127, 128, 255, 256, LONGEST - 1, LONGEST)
    given = ["x" * length for length in lengths]
    yield from alike(talk, "ApiVersions", version, software(version), given)


@question("request-header.client-id-of-any-length", "Metadata", range(1, 100))
def _longest_client_id_before_a_body(talk: Talk, version: int) -> Dialogue:
    value = harmless(talk, "Metadata", version)
    yield from alike(talk, "Metadata", version, value, ["é" * (LONGEST // 2)])


@question("request-header.client-id-below-null", "ApiVersions", range(100), malformed=True)
def _client_id_of_length_below_null(talk: Talk, version: int) -> Dialogue:
    plain = talk.frame("ApiVersions", version, software(version), 1, clientId=None)[4:]
    yield Send(framed(plain))
    due = yield from talk.echo("ApiVersions", version, 1)
    for length in (-2, -(2**15)):
        yield Send(framed(plain[:8] + struct.pack(">h", length) + plain[10:]))
        received = yield Receive()
        assert received is not None
        if received.kind == "reply":
            error = slice(4, 6)  # the features after it have an epoch that others may change
            found = received.frame[error].hex()
            talk.expect(f"the error of the answer to length {length}", due[error].hex(), found)
            yield Tell("read as null")
        elif received.kind in ("closed", "reset"):
            yield Tell("refused")
            yield Reconnect()
        else:
            raise Broken(
                f"a client id of length {length}, and {describe_received(received)}",
                "null or closed",
            )


def alike(
    talk: Talk, api: str, version: int, value: Value, client_ids: Sequence[str | None]
) -> Dialogue:
    """Check that a request has the same error with each of these client ids as with the run's own.

    Nothing else of the answer is judged. Raises Broken.
    """
    due = yield from _error(talk, api, version, value, CLIENT_ID)
    for client_id in client_ids:
        found = yield from _error(talk, api, version, value, client_id)
        size = "null" if client_id is None else f"{len(client_id.encode())} bytes"
        talk.expect(f"client id of {size}: what follows the correlation id", due, found)


def _error(
    talk: Talk, api: str, version: int, value: Value, client_id: str | None
) -> Generator[Step, Received | None, str]:
    """Return the two bytes after the correlation id as hex, in most versions the error."""
    frame = yield from talk.is_answered(api, version, value, clientId=client_id)
    return frame[4:6].hex()


def _harmless_keys(talk: Talk) -> list[int]:
    """Return the advertised api keys, without those whose requests might do harm if served."""
    names = {key: api for api, key in api_keys().items()}
    return [key for key in sorted(talk.facts.advertised) if names.get(key) not in LEFT_OUT]


def no_topics(talk: Talk, version: int) -> dict[str, object]:
    """Return a Metadata request that asks for no topic; versions before 1 can't express that."""
    value = talk.codec.form("MetadataRequest", version).layout.default_value()
    return {**value, "topics": []}


def header(api_key: int, version: int, number: int = 1) -> bytes:
    """Return request header version 1, followed by four zero bytes that may serve as an empty
    body.
    """
    client = CLIENT_ID.encode()
    return struct.pack(">hhih", api_key, version, number, len(client)) + client + bytes(4)


def software(version: int) -> dict[str, object]:
    """Return an ApiVersions request of any version."""
    if version < 3:
        return {}
    value: dict[str, object] = {
        "clientSoftwareName": "kafka-conformance",
        "clientSoftwareVersion": "0.1",
    }
    return value if version < 5 else {**value, "clusterId": None, "nodeId": -1}
