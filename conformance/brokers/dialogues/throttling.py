"""A client that breaks its quota: it is answered at once, and made to wait afterwards (KIP-219).

A quota of almost nothing is set for a client id of this run, and requests are sent by that id until
an answer has a throttle time. From then on each answer has to come long before that time is up.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import Any

from conformance.brokers.dialogues import question
from conformance.brokers.dialogues.harmless import harmless
from conformance.brokers.dialogues.talk import CLIENT_ID as OURS
from conformance.brokers.dialogues.talk import Talk
from conformance.dialogue import (
    Broken,
    Dialogue,
    NotApplicable,
    Receive,
    Received,
    Reconnect,
    Send,
    Step,
    Tell,
)
from conformance.schema.filling import filled

CLIENT_ID = "client-id"
QUOTA = "request_percentage"
"""The share of the broker's time that a client may have (KIP-124)."""
LEAST = 0.0001
"""Less than any request takes."""
SINCE = 2
"""The version of ApiVersions and of FindCoordinator from which the answer comes first."""
ENOUGH_MS = 100
"""A throttle time that is clearly longer than an answer takes."""
TRIES = 3
ABOUT: Mapping[str, Any] = {"needs": ("AlterClientQuotas",), "wants": ("writes",)}


@question("api-versions.answered-before-throttling", "ApiVersions", range(SINCE, 100), **ABOUT)
def _throttled_client_that_asks_for_versions(talk: Talk, version: int) -> Dialogue:
    yield from _answered_first(talk, "ApiVersions", version)


@question("coordinators.answered-before-throttling", "FindCoordinator", range(SINCE, 100), **ABOUT)
def _throttled_client_that_asks_for_a_coordinator(talk: Talk, version: int) -> Dialogue:
    yield from _answered_first(talk, "FindCoordinator", version)


def _answered_first(talk: Talk, api: str, version: int) -> Dialogue:
    client_id = talk.facts.name("throttled")
    yield from set_quota(talk, client_id, LEAST)
    throttled_ms = yield from _throttled(talk, api, version, client_id)
    is_soon = yield from _is_soon(talk, api, version, client_id, throttled_ms)
    is_always = is_soon or (yield from _is_always_soon(talk, api, version, throttled_ms))
    yield Reconnect()
    yield from set_quota(talk, client_id, None)
    if not throttled_ms:
        raise NotApplicable("the broker throttles nobody for a quota of requests")
    if not is_always:
        raise NotApplicable("the broker is too slow to be told from one that makes clients wait")
    if not is_soon:
        what = f"no answer to {api} v{version} in half of the throttle time of {throttled_ms} ms"
        raise Broken(what, "an answer, and then the throttling", "nothing")
    yield Tell(f"a throttle time of {throttled_ms} ms")


def _is_soon(
    talk: Talk, api: str, version: int, client_id: str, throttled_ms: int
) -> Generator[Step, Received | None, bool]:
    """Return True if one of several requests is answered in half of the throttle time."""
    for _ in range(TRIES):
        if (yield from _in_time(talk, api, version, client_id, throttled_ms / 2000)):
            return True
    return False


def _is_always_soon(
    talk: Talk, api: str, version: int, throttled_ms: int
) -> Generator[Step, Received | None, bool]:
    """True if each of several requests of a client without a quota has its answer in that time."""
    for _ in range(TRIES):
        if not (yield from _in_time(talk, api, version, OURS, throttled_ms / 2000)):
            return False
    return True


def _in_time(
    talk: Talk, api: str, version: int, client_id: str, patience_s: float
) -> Generator[Step, Received | None, bool]:
    """Return True if a request is answered within a time, on a connection that nothing holds up."""
    yield Reconnect()
    number = talk.number()
    yield Send(talk.frame(api, version, harmless(talk, api, version), number, clientId=client_id))
    received = yield Receive(patience_s)
    assert received is not None
    return received.kind != "silent" and bool(talk.understood(api, version, number, received))


def _throttled(
    talk: Talk, api: str, version: int, client_id: str
) -> Generator[Step, Received | None, int]:
    """Return the first noticeable throttle time, 0 if none comes: a quota takes a moment."""
    for time in range(talk.facts.times()):
        yield Reconnect()
        value = harmless(talk, api, version)
        reply = yield from talk.ask(api, version, value, clientId=client_id)
        if reply.value["throttleTimeMs"] >= ENOUGH_MS:
            return int(reply.value["throttleTimeMs"])
        yield Receive(time / 100)
    return 0


def set_quota(talk: Talk, client_id: str, share: float | None) -> Dialogue:
    """Give a client id a quota, or take it away. Raises NotApplicable where none can be."""
    version = talk.facts.range_of("AlterClientQuotas")[1]
    layout = talk.codec.form("AlterClientQuotasRequest", version).layout
    entity = [{"entityType": CLIENT_ID, "entityName": client_id}]
    ops = [{"key": QUOTA, "value": share or 0.0, "remove": share is None}]
    value = filled(layout, {"entries": [{"entity": entity, "ops": ops}]})
    reply = yield from talk.ask("AlterClientQuotas", version, value)
    codes = [item["errorCode"] for item in reply.value["entries"]]
    if codes != [0]:
        raise NotApplicable(f"no quota can be set: {codes}")
