"""Request headers as a broker reads them, and response headers as it writes them."""

from __future__ import annotations

import struct

from conformance.cases.dialogues import question
from conformance.cases.dialogues.talk import CLIENT_ID, Talk, framed
from conformance.dialogue import Dialogue, Send

METADATA = 3
NO_SUCH_KEY = 32_000
UNKNOWN_TAGS = [{"tag": 10_000, "bytes": "AAE="}, {"tag": 10_001, "bytes": ""}]


@question("request-header.null-client-id", "ApiVersions", range(100))
def _client_id_that_is_null(talk: Talk, version: int) -> Dialogue:
    reply = yield from talk.ask("ApiVersions", version, software(version), clientId=None)
    talk.expect("the error code", 0, reply.value["errorCode"])


@question("request-header.null-client-id", "ApiVersions", range(100))
def _client_id_that_is_empty(talk: Talk, version: int) -> Dialogue:
    reply = yield from talk.ask("ApiVersions", version, software(version), clientId="")
    talk.expect("the error code", 0, reply.value["errorCode"])


@question("request-header.unknown-tag-skipped", "ApiVersions", range(3, 100))
def _unknown_tags_in_the_header(talk: Talk, version: int) -> Dialogue:
    reply = yield from talk.ask(
        "ApiVersions", version, software(version), _unknownTaggedFields=UNKNOWN_TAGS
    )
    talk.expect("the error code", 0, reply.value["errorCode"])


@question("request-header.unknown-key-closes", hurts=True)
def _key_that_nobody_has(talk: Talk) -> Dialogue:
    yield Send(framed(header(NO_SUCH_KEY, 0)))
    yield from talk.ends(f"a request of api key {NO_SUCH_KEY} came")


@question("request-header.unknown-key-closes", hurts=True)
def _key_below_zero(talk: Talk) -> Dialogue:
    yield Send(framed(header(-1, 0)))
    yield from talk.ends("a request of api key -1 came")


@question("request-header.unsupported-version-closes", "Metadata", hurts=True)
def _version_above_all(talk: Talk) -> Dialogue:
    yield Send(framed(header(METADATA, 1000)))
    yield from talk.ends("a Metadata request of version 1000 came")


@question("request-header.unsupported-version-closes", "Metadata", hurts=True)
def _next_version_in_the_form_of_the_last(talk: Talk) -> Dialogue:
    """What a broker could read that takes the version for its highest."""
    _, known = talk.facts.range_of("Metadata")
    version = talk.facts.advertised[METADATA][1] + 1
    value = talk.codec.form("MetadataRequest", known).layout.default_value()
    request = talk.frame("Metadata", known, value, 1)[4:]
    yield Send(framed(struct.pack(">hh", METADATA, version) + request[4:]))
    yield from talk.ends(f"a Metadata request of version {version} came")


@question("request-header.unsupported-version-closes", "Metadata", hurts=True)
def _version_below_zero(talk: Talk) -> Dialogue:
    yield Send(framed(header(METADATA, -1)))
    yield from talk.ends("a Metadata request of version -1 came")


def header(api_key: int, version: int, number: int = 1) -> bytes:
    """Request header version 1, and behind it what may be an empty body."""
    client = CLIENT_ID.encode()
    return struct.pack(">hhih", api_key, version, number, len(client)) + client + bytes(4)


def software(version: int) -> dict[str, object]:
    """An ApiVersions request of any version."""
    if version < 3:
        return {}
    value: dict[str, object] = {
        "clientSoftwareName": "kafka-conformance",
        "clientSoftwareVersion": "0.1",
    }
    return value if version < 5 else {**value, "clusterId": None, "nodeId": -1}
