"""Clients that come to grief over fetch sessions, or make brokers come to grief over them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from conformance import error_codes
from conformance.api_keys import FETCH
from conformance.clients.mutants.mutant import ClientMutant
from conformance.reference.broker.records.fetch import BY_ID
from conformance.reference.client import Asking, Failed
from conformance.schema.layout import ZERO_UUID
from conformance.testee_protocol import Value

SINCE = 7
LOST = (error_codes.FETCH_SESSION_ID_NOT_FOUND, error_codes.INVALID_FETCH_SESSION_EPOCH)


class _InSession(ClientMutant):
    """Reads from the first broker in a session, as one may."""

    def __init__(self) -> None:
        super().__init__()
        self.session = self.epoch_of_session = 0
        self.inside: set[tuple[str, str, int]] = set()
        self.by_id = False

    def ask(self, api_key: int, version: int, wanted: Mapping[str, Any]) -> Asking:
        if api_key != FETCH or version < SINCE:
            return (yield from super().ask(api_key, version, wanted))
        (topic,) = wanted["topics"]
        (own,) = topic["partitions"]
        self.name_topics(by_id=version >= BY_ID)
        changed = self.in_session(topic, own)
        answer = yield from super().ask(api_key, version, {**wanted, **changed})
        if answer["errorCode"] in LOST:
            self.session = self.epoch_of_session = 0
            return (yield from self.begin_anew(api_key, version, wanted))
        self.go_on(int(answer["sessionId"]))
        mine = [each for each in answer["responses"] if _is_one(each, topic)]
        told = [{**each, "partitions": _of(own, each)} for each in mine]
        return {**answer, "responses": [each for each in told if each["partitions"]]}

    def begin_anew(self, api_key: int, version: int, wanted: Mapping[str, Any]) -> Asking:
        """Fetch again in another session, as the broker has lost this one."""
        return (yield from self.ask(api_key, version, wanted))

    def name_topics(self, by_id: bool) -> None:
        """Begin another session on a change between names and ids of topics."""
        if by_id != self.by_id:
            self.by_id, self.session, self.epoch_of_session = by_id, 0, 0

    def in_session(self, topic: Value, own: Value) -> Value:
        """Return the fields of a Fetch on its session, and the partitions that it forgets."""
        at = topic["topic"], topic["topicId"], int(own["partition"])
        gone = self.inside - {at} if self.session else set()
        self.inside = {at}
        told = {"sessionId": self.session, "sessionEpoch": self.epoch_of_session}
        forgotten = [self.forgotten(*each) for each in gone] if self.forgets else []
        return {**told, "forgottenTopicsData": forgotten}

    def forgotten(self, topic: str, topic_id: str, index: int) -> Value:
        """A partition that is read no more."""
        return {"topic": topic, "topicId": topic_id, "partitions": [index]}

    forgets = True

    def go_on(self, session: int) -> None:
        """Keep the session that was given, if any."""
        self.epoch_of_session = self.epoch_of_session + 1 if session else 0
        self.session = session


def _is_one(told: Value, topic: Value) -> bool:
    """True if a part of an answer is about this topic, given by its name or its id."""
    return any(told.get(key) == topic[key] for key in ("topic", "topicId"))


def _of(own: Value, topic: Value) -> list[Value]:
    return [each for each in topic["partitions"] if each["partitionIndex"] == own["partition"]]


class SessionsForNothing(_InSession, breaks="client-sessions.gone-on-in"):
    """Begins a session with each Fetch, and goes on in none."""

    def go_on(self, session: int) -> None:
        """Forget it."""


class EpochsStay(_InSession, breaks="client-sessions.epoch-goes-on"):
    """Asks again in the epoch of the last Fetch."""

    implies = ("client-sessions.lost-begun-anew",)

    def go_on(self, session: int) -> None:
        super().go_on(session)
        self.epoch_of_session = min(self.epoch_of_session, 1)

    def begin_anew(self, api_key: int, version: int, wanted: Mapping[str, Any]) -> Asking:
        del api_key, version, wanted
        yield from ()
        raise Failed("the session is gone")


class SessionsLast(_InSession, breaks="client-sessions.lost-begun-anew"):
    """Gives up where the broker does not know its session any more."""

    def begin_anew(self, api_key: int, version: int, wanted: Mapping[str, Any]) -> Asking:
        del api_key, version, wanted
        yield from ()
        raise Failed("the session is gone")


class ForgetsNoPartition(_InSession, breaks="client-sessions.forgotten-told"):
    """Leaves in its session what it reads elsewhere."""

    forgets = False


class ForgetsAnotherTopic(_InSession, breaks="client-sessions.forgotten-told"):
    """Names a topic of which it keeps no id among what its session is to forget."""

    def forgotten(self, topic: str, topic_id: str, index: int) -> Value:
        return {**super().forgotten(topic, topic_id, index), "topicId": ZERO_UUID}


class SilenceIsTheEnd(ClientMutant, breaks="client-records.nothing-yet"):
    """Gives up where a Fetch is answered without records a second time."""

    silent = 0

    def fetch(self, topic_id: str, offset: int) -> Asking:
        found = yield from super().fetch(topic_id, offset)
        self.silent = 0 if found["records"] or found["errorCode"] else self.silent + 1
        if self.silent > 1 and len(self.indices) == 1:
            raise Failed("no records")
        return found
