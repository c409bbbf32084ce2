"""ApiVersions and the way back from a version that a broker has not (KIP-511)."""

from __future__ import annotations

import struct
from collections.abc import Generator

from conformance.cases.dialogues import question
from conformance.cases.dialogues.headers import header, software
from conformance.cases.dialogues.talk import INVALID_REQUEST, UNSUPPORTED_VERSION, Talk, framed
from conformance.dialogue import Broken, Dialogue, Hear, Heard, NotHere, Send, Step

KEY = 18
TOO_HIGH = 1000
ANY = range(100)
WITH_SOFTWARE = range(3, 100)
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
)


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


@question("api-versions.unsupported-answered-in-v0", hurts=True)
def _too_high_version(talk: Talk) -> Dialogue:
    yield from _fallback(talk, TOO_HIGH)


@question("api-versions.unsupported-answered-in-v0", hurts=True)
def _next_version(talk: Talk) -> Dialogue:
    yield from _fallback(talk, talk.facts.advertised[KEY][1] + 1)


@question("api-versions.unsupported-names-own-range", hurts=True)
def _range_of_the_fallback(talk: Talk) -> Dialogue:
    frame = yield from _fallback(talk, TOO_HIGH)
    (number,) = struct.unpack_from(">i", frame, 6)
    if not number and talk.facts.advertised[KEY][1] < WITH_SOFTWARE.start:
        raise NotHere("brokers before Apache Kafka 2.4 answer without any range")
    entries = [struct.unpack_from(">hhh", frame, 10 + 6 * index) for index in range(number)]
    own = {key: (low, high) for key, low, high in entries}.get(KEY)
    talk.expect("the versions of ApiVersions", talk.facts.advertised[KEY], own)


@question("api-versions.unsupported-keeps-connection", hurts=True)
def _request_after_the_fallback(talk: Talk) -> Dialogue:
    yield from _fallback(talk, TOO_HIGH)
    low, high = talk.facts.range_of("ApiVersions")
    for version in (high, low):
        yield from talk.ask("ApiVersions", version, software(version))


@question("api-versions.illegal-software-refused", "ApiVersions", WITH_SOFTWARE, hurts=True)
def _illegal_names(talk: Talk, version: int) -> Dialogue:
    for name in ILLEGAL:
        for field in ("clientSoftwareName", "clientSoftwareVersion"):
            reply = yield from talk.ask("ApiVersions", version, {**software(version), field: name})
            talk.expect(f"{field} {name!r}: the error", INVALID_REQUEST, reply.value["errorCode"])
            talk.expect("the version of the answer", version, reply.version)


@question("api-versions.legal-software-served", "ApiVersions", WITH_SOFTWARE)
def _legal_names(talk: Talk, version: int) -> Dialogue:
    for name in ("a", "A9", "apache-kafka-java", "1.2.3-SNAPSHOT", "a.-b", "x" * 250):
        given = {**software(version), "clientSoftwareName": name, "clientSoftwareVersion": name}
        reply = yield from talk.ask("ApiVersions", version, given)
        talk.expect(f"{name!r}: the error", 0, reply.value["errorCode"])


def _fallback(talk: Talk, version: int) -> Generator[Step, Heard | None, bytes]:
    """Ask in a version that is not there; the answer is one of version 0, to the byte.

    Returns its frame. A body of version 0 has an error code and an array of entries of 6 bytes.
    """
    number = talk.number()
    yield Send(framed(header(KEY, version, number)))
    heard = yield Hear()
    assert heard is not None
    if heard.kind != "reply":
        raise Broken(f"no answer to ApiVersions v{version}: {heard.kind}", "error 35 in version 0")
    frame = heard.frame
    if len(frame) < 10:
        raise Broken("too short for an ApiVersions response of version 0", "10 bytes", frame)
    correlation, error, entries = struct.unpack_from(">ihi", frame)
    talk.expect("the correlation id", number, correlation)
    talk.expect("the error code", UNSUPPORTED_VERSION, error)
    if len(frame) != 10 + 6 * entries:
        raise Broken(f"{entries} entries in {len(frame)} bytes", f"{10 + 6 * entries} bytes", frame)
    return frame
