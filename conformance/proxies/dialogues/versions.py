"""Versions through a proxy: a list that holds at both ends, and refusals that get through."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from functools import partial

from conformance.api_keys import API_VERSIONS, METADATA, PRODUCE
from conformance.brokers.dialogues.talk import describe_received
from conformance.dialogue import Answer, Arrive, Broken, Dialogue, Received, Send, Step
from conformance.error_codes import INVALID_REQUEST, NONE, UNSUPPORTED_VERSION
from conformance.proxies.dialogues import dialogue
from conformance.proxies.dialogues.talk import (
    ProxyTalk,
    behind_client_id,
    correlation_id,
    number_of,
)
from conformance.reference.proxy.link import api_of
from conformance.reference.proxy.translation import LOGIN
from conformance.testee_protocol import Value
from conformance.wire.errors import DecodeError

LISTED_BY_BOTH = "proxy-versions.listed-by-both"
ONE_LIST = "proxy-versions.one-list-in-all-versions"
LIST_READABLE = "proxy-versions.list-readable"
TOO_NEW = "proxy-versions.too-new-refused-in-v0"
REFUSAL_PASSES = "proxy-versions.refusal-reaches-client"
SOFTWARE = "proxy-versions.software-name-comes-through"
FEATURES = "proxy-versions.features-kept"
ERRORS = "proxy-versions.errors-kept"
OLDER: Mapping[int, tuple[int, int]] = {
    0: (3, 9),
    1: (4, 12),
    3: (0, 9),
    10: (0, 3),
    18: (0, 3),
    19: (2, 5),
}
"""The list of a broker that is older than any proxy of today."""
FUTURE = 100
_MOST_TRIES = 4


@dialogue(LISTED_BY_BOTH, api="ApiVersions", versions=True)
def _broker_of_older_versions(talk: ProxyTalk, version: int) -> Dialogue:
    """List few APIs, in old versions: the proxy must not list any others."""
    value = yield from _asked(talk, version, _listing(OLDER))
    found = _ranges(value)
    beyond = [
        f"{key} {low} to {high}"
        for key, (low, high) in found.items()
        if not (talk.facts.mechanism and key in LOGIN)  # which are the proxy's own matter then
        and (key not in OLDER or _lowest(key) > low or high > OLDER[key][1])
    ]
    if beyond:
        raise Broken(
            f"it lists what the broker has not listed: api key {', '.join(beyond[:3])}",
            f"{dict(OLDER)}",
            f"{found}",
        )


@dialogue(LISTED_BY_BOTH, api="ApiVersions")
def _broker_of_newer_versions(talk: ProxyTalk) -> Dialogue:
    """List versions that do not exist yet: the proxy has to forward those that it lists on."""
    newer = {**OLDER, METADATA: (0, 90)}
    value = yield from _asked(talk, talk.facts.range_of("ApiVersions")[1], _listing(newer))
    found = {each["apiKey"]: each["maxVersion"] for each in value["apiKeys"]}
    if found.get(METADATA, 0) < 90:
        return
    name = talk.client_id.encode()
    head = METADATA.to_bytes(2, "big") + (90).to_bytes(2, "big") + (5).to_bytes(4, "big")
    body = head + len(name).to_bytes(2, "big") + name + b"\x00 of the future"
    sent = len(body).to_bytes(4, "big") + body
    yield Send(sent)
    received = yield Arrive()
    assert received is not None
    came = behind_client_id(received.frame)
    if received.kind != "reply" or came != behind_client_id(body):
        what = f"it lists Metadata 90, and does not forward it: {describe_received(received)}"
        raise Broken(what, body.hex(), received.frame)


@dialogue(ONE_LIST, api="ApiVersions")
def _same_list_in_all_versions(talk: ProxyTalk) -> Dialogue:
    """Ask for the list of a broker that is newer than any proxy, in each version."""
    low, high = talk.facts.range_of("ApiVersions")
    lists = []
    for version in range(low, high + 1):
        value = yield from _asked(talk, version, _listing({**OLDER, METADATA: (0, 90)}))
        lists.append(_ranges(value))
        if lists[-1] != lists[0]:
            what = f"ApiVersions v{version} lists other versions than v{low}"
            raise Broken(what, f"{lists[0]}", f"{lists[-1]}")


@dialogue(LIST_READABLE, api="ApiVersions", versions=True)
def list_in_each_version(talk: ProxyTalk, version: int) -> Dialogue:
    """Check that the answer has header 0 in every version, and the body of the requested one."""
    yield from _asked(talk, version, _listing(OLDER))


@dialogue(TOO_NEW, api="ApiVersions")
def _version_of_the_future(talk: ProxyTalk) -> Dialogue:
    """Check that proxy or broker, whichever refuses the version, does as KIP-511 says.

    A broker's refusal that does not reach the client is another rule's, whatever was refused.
    """
    sent = talk.frame(
        "ApiVersions",
        3,
        {"clientSoftwareName": "future", "clientSoftwareVersion": "1"},
        talk.number(),
        clientId=talk.client_id,
        requestApiVersion=FUTURE,
    )
    heard = yield from _answered(talk, sent, partial(_refusing, talk, 4))
    value = _refusal(talk, sent, heard, REFUSAL_PASSES if heard.written else TOO_NEW)
    own = [each for each in value["apiKeys"] if each["apiKey"] == API_VERSIONS]
    if not own or own[0]["minVersion"] > own[0]["maxVersion"] or own[0]["maxVersion"] >= FUTURE:
        what = "the refusal names no versions of ApiVersions to go on with"
        raise Broken(what, "api key 18 with its versions", heard.received.frame)


@dialogue(REFUSAL_PASSES, api="ApiVersions")
def _refused_by_the_broker(talk: ProxyTalk) -> Dialogue:
    """Play a broker that knows ApiVersions up to 2.

    Either the client gets the refusal, or the proxy asks again by itself.
    """
    _, version = talk.facts.range_of("ApiVersions")
    sent = talk.request("ApiVersions", version)
    heard = yield from _answered(talk, sent, partial(_refusing, talk, 2))
    if _error(heard) != UNSUPPORTED_VERSION:
        _read(talk, version, heard, REFUSAL_PASSES)
        return
    value = _refusal(talk, sent, heard, REFUSAL_PASSES)
    own = [each["maxVersion"] for each in value["apiKeys"] if each["apiKey"] == API_VERSIONS]
    if own and own[0] > 2:
        what = f"the refusal names ApiVersions {own[0]}, which the broker has just refused"
        raise Broken(what, "at most 2", heard.received.frame)


@dialogue(REFUSAL_PASSES, api="ApiVersions")
def _refused_without_a_range(talk: ProxyTalk) -> Dialogue:
    """Refuse with an empty list, as brokers before 2.4 do."""
    _, version = talk.facts.range_of("ApiVersions")
    sent = talk.request("ApiVersions", version)
    heard = yield from _answered(talk, sent, partial(_refusing, talk, None))
    if _error(heard) == UNSUPPORTED_VERSION:
        _refusal(talk, sent, heard, REFUSAL_PASSES)
    else:
        _read(talk, version, heard, REFUSAL_PASSES)


@dialogue(SOFTWARE, api="ApiVersions")
def _software_of_the_client(talk: ProxyTalk) -> Dialogue:
    _, version = talk.facts.range_of("ApiVersions")
    if version < 3:
        return
    value = {**talk.plain("ApiVersions", version)}
    value |= {"clientSoftwareName": "a-client.of-ours", "clientSoftwareVersion": "1.2.3-rc4"}
    sent = talk.request("ApiVersions", version, value)
    yield Send(sent)
    received = yield Arrive()
    assert received is not None
    if received.kind != "reply":
        raise Broken(
            f"ApiVersions does not come to the broker: {describe_received(received)}",
            sent[4:].hex(),
            received.frame,
        )
    for text in (b"a-client.of-ours", b"1.2.3-rc4"):
        if text not in received.frame:
            what = f"the broker is not told {text.decode()}"
            raise Broken(what, sent[4:].hex(), received.frame)


@dialogue(FEATURES, api="ApiVersions")
def _features_of_the_cluster(talk: ProxyTalk) -> Dialogue:
    _, version = talk.facts.range_of("ApiVersions")
    if version < 3:
        return
    feature = {"name": "metadata.version", "minVersion": 7, "maxVersion": 30}
    level = {"name": "metadata.version", "maxVersionLevel": 29, "minVersionLevel": 29}
    given = {
        "supportedFeatures": [feature],
        "finalizedFeaturesEpoch": 4711,
        "finalizedFeatures": [level],
    }
    value = yield from _asked(talk, version, {**_listing(OLDER), **given})
    for name, expected in given.items():
        if value.get(name) != expected:
            what = f"{name} of the cluster do not come to the client"
            raise Broken(what, f"{expected}", f"{value.get(name)}")


@dialogue(ERRORS, api="ApiVersions", versions=True)
def _another_error(talk: ProxyTalk, version: int) -> Dialogue:
    """Check that any error but 35 is in the version that was asked for."""
    answer = {"errorCode": INVALID_REQUEST, "apiKeys": []}
    sent = talk.request("ApiVersions", version)
    heard = yield from _answered(talk, sent, partial(_in_full, talk, answer))
    value = _read(talk, version, heard, ERRORS)
    if value["errorCode"] != INVALID_REQUEST:
        what = f"the broker's error {INVALID_REQUEST} comes as {value['errorCode']}"
        raise Broken(what, heard.expected, heard.received.frame)


def _lowest(key: int) -> int:
    """Return the lowest version that may be listed of an API.

    Apache Kafka lists Produce from version 0 on for the sake of old clients that ask for it, though
    it serves none of those since KIP-896 (KAFKA-18659).
    """
    return 0 if key == PRODUCE else OLDER[key][0]


def _ranges(value: Value) -> dict[int, tuple[int, int]]:
    return {each["apiKey"]: (each["minVersion"], each["maxVersion"]) for each in value["apiKeys"]}


def _listing(ranges: Mapping[int, tuple[int, int]]) -> Value:
    keys = [
        {"apiKey": key, "minVersion": low, "maxVersion": high}
        for key, (low, high) in ranges.items()
    ]
    return {"errorCode": NONE, "apiKeys": keys, "throttleTimeMs": 0}


@dataclass(frozen=True, slots=True)
class Heard:
    """The client's answer to its ApiVersions, and the frame that the broker wrote last."""

    received: Received
    written: bytes = b""

    @property
    def expected(self) -> str:
        """The broker's frame in hex, if there was one."""
        return self.written[4:].hex() or "an answer"


Replying = Generator[Step, Received | None, Heard]


def _asked(talk: ProxyTalk, version: int, answer: Value) -> Generator[Step, Received | None, Value]:
    """Return the list that a client gets if the broker answers so. Raises Broken."""
    sent = talk.request("ApiVersions", version)
    heard = yield from _answered(talk, sent, partial(_in_full, talk, answer))
    return _read(talk, version, heard, LIST_READABLE)


def _in_full(talk: ProxyTalk, answer: Value, version: int, number: int) -> bytes:
    """Return the answer of a broker that has ApiVersions in the requested version."""
    known = talk.codec.form("ApiVersionsResponse", version).layout
    names = {item.name for item in (*known.fields, *known.tagged)}
    value = {name: given for name, given in answer.items() if name in names}
    return talk.answer_frame("ApiVersions", version, value, number)


def _refusing(talk: ProxyTalk, highest: int | None, version: int, number: int) -> bytes:
    """Return the answer of a broker with ApiVersions up to `highest`; None refuses without one."""
    if version <= (highest or 0):
        return _in_full(talk, _listing(OLDER), version, number)
    own = {} if highest is None else {API_VERSIONS: (0, highest)}
    value = {"errorCode": UNSUPPORTED_VERSION, "apiKeys": _listing(own)["apiKeys"]}
    return talk.answer_frame("ApiVersions", 0, value, number)


def _answered(talk: ProxyTalk, sent: bytes, reply: Callable[[int, int], bytes]) -> Replying:
    """Return what the client gets for an ApiVersions; the broker answers as often as it is asked.

    `reply` makes its answer for a version and a correlation id.
    """
    yield Send(sent)
    written = b""
    for _ in range(_MOST_TRIES):
        received, at_client = yield from talk.either()
        if at_client or received.kind != "reply":
            break
        _, version = api_of(received.frame)
        written = reply(version, correlation_id(received.frame[4:]))
        yield Answer(written)
    return Heard(received, written)


def _error(heard: Heard) -> int:
    return int.from_bytes(heard.received.frame[4:6], "big")


def _read(talk: ProxyTalk, version: int, heard: Heard, rule: str) -> Value:
    """Return an answer to ApiVersions in the version that was asked for. Raises Broken."""
    received = heard.received
    if received.kind != "reply":
        what = f"ApiVersions v{version} has no answer: {describe_received(received)}"
        raise Broken(what, heard.expected, received.frame, judged_by=rule)
    codec = talk.codec
    try:
        _, value, left, read_as = codec.decode_response(
            "ApiVersionsResponse", version, received.frame
        )
    except DecodeError as error:
        what = f"the answer can not be read as ApiVersionsResponse v{version}: {error}"
        raise Broken(what, heard.expected, received.frame, judged_by=rule) from None
    if left or read_as != version:
        what = f"the answer is not one of version {version}"
        raise Broken(what, heard.expected, received.frame, judged_by=rule)
    return value


def _refusal(talk: ProxyTalk, sent: bytes, heard: Heard, rule: str) -> Value:
    """Return an answer with error 35 in version 0. Raises Broken."""
    value, received = _read(talk, 0, heard, rule), heard.received
    if (
        correlation_id(received.frame) != number_of(sent)
        or value["errorCode"] != UNSUPPORTED_VERSION
    ):
        what = f"an ApiVersions that is refused is answered with error {value['errorCode']}"
        raise Broken(what, f"error {UNSUPPORTED_VERSION} in version 0", received.frame)
    return value
