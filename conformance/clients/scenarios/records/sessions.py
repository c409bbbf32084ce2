"""Fetch sessions (KIP-227): brokers that hand them out, lose them, and get lists of forgotten
topics.

A client may do without. A client that asks for a session has to go on in it; otherwise each Fetch
makes the broker set up another session and drop that of some other client.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from conformance import error_codes
from conformance.clients.scenarios.actions import FILLED, FIRST
from conformance.clients.scenarios.judging import all_of
from conformance.clients.scenarios.scenario import Scenario, id_of
from conformance.clients.scenarios.visit import Sent, Visit, require, succeeds
from conformance.dialogue import Broken, NotApplicable
from conformance.reference.broker.cluster import Request, Topic, Value
from conformance.reference.broker.errors import Refused
from conformance.reference.broker.records.fetch import BY_ID
from conformance.reference.broker.records.fetch_sessions import SINCE, FetchSessions

SECOND = 2
EMPTY_ANSWERS = 3


class NothingYet(Scenario, about="FetchRequest", action="consume"):
    """Has no record for the first three Fetch, and then one."""

    decides: ClassVar = {"client-records.nothing-yet": succeeds}
    left = EMPTY_ANSWERS

    def records_from(self, topic: Topic, index: int, offset: int) -> bytes:
        self.left -= 1
        return b"" if self.left >= 0 else super().records_from(topic, index, offset)


class _InSession(FetchSessions, Scenario, about="FetchRequest", action="consume"):
    """Hands out sessions, and has no record for a while."""

    control_case = NothingYet
    left = EMPTY_ANSWERS

    def records_from(self, topic: Topic, index: int, offset: int) -> bytes:
        self.left -= 1
        return b"" if self.left >= 0 else super().records_from(topic, index, offset)


def _asked(visit: Visit, node: int = FIRST) -> list[tuple[Sent, Value]]:
    """The requests of a broker that may be of a session. Raises NotApplicable."""
    asked = [
        (each, each.value)
        for each in visit.of("Fetch")
        if each.value and each.version >= SINCE and each.node == node
    ]
    require(len(asked) >= 2, f"it did not ask Fetch of version {SINCE} or above twice")
    return asked


def goes_on(visit: Visit) -> None:
    """Judge that after a Fetch begins a session, none begins another on the same connection."""
    begun: set[int] = set()
    for each, value in _asked(visit):
        if value["sessionEpoch"] == 0:
            if each.connection in begun:
                what = f"Fetch v{each.version} asks for a session again, having one"
                raise Broken(what, "the session's id and its next epoch, or epoch -1", each.frame)
            begun.add(each.connection)


def epoch_is_next(visit: Visit) -> None:
    """Judge that each Fetch in a session has the session's id and the next epoch."""
    number = epoch = 0
    for each, value in _asked(visit):
        told = value["sessionId"], value["sessionEpoch"]
        if told[1] == 0:
            number, epoch = number + 1, 0
        elif told[1] > 0:
            epoch += 1
            if told != (number, epoch):
                what = f"Fetch v{each.version} is of session {told[0]} and epoch {told[1]}"
                raise Broken(what, f"session {number}, epoch {epoch}", each.frame)


class SessionHandedOut(_InSession):
    """Hands out a session, and has no record for the first three Fetch in it."""

    decides: ClassVar = {
        "client-sessions.gone-on-in": goes_on,
        "client-sessions.epoch-goes-on": all_of(epoch_is_next, succeeds),
    }


class SessionLost(_InSession):
    """Hands out a session, and does not know it any more at the second Fetch in it."""

    decides: ClassVar = {"client-sessions.lost-begun-anew": succeeds}

    def fetch(self, request: Request) -> Value:
        if request.value.get("sessionEpoch") == 1:
            self.fetch_sessions.clear()
        return super().fetch(request)


class _Halves(FetchSessions, Scenario, action="join"):
    """One of two brokers, each of which leads a partition."""

    asked = 0
    moved = False

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.add_topic(Topic(FILLED, id_of(FILLED), [[FIRST], [FIRST]]))

    @property
    def nodes(self) -> list[int]:
        return [FIRST, SECOND]

    def described_topic(self, topic: Topic) -> Value:
        """Return the topic; the second broker leads the first partition once it moved."""
        told = super().described_topic(topic)
        first = self.company[0]
        if topic.name != FILLED or not (isinstance(first, _Halves) and first.moved):
            return told
        led = {"leaderId": SECOND, "replicaNodes": [SECOND], "isrNodes": [SECOND]}
        own, *rest = sorted(told["partitions"], key=lambda each: int(each["partitionIndex"]))
        return {**told, "partitions": [{**own, **led}, *rest]}

    def coordinator(self, request: Request, key: str) -> Value:
        """The first of them, whichever is asked."""
        home = self.company[0]
        found = super().coordinator(request, key)
        return {**found, "nodeId": home.node_id, "host": home.host, "port": home.port}

    def fetch(self, request: Request) -> Value:
        self.asked += 1
        return super().fetch(request)


class _Took(_Halves):
    """The one that leads the first partition now, which is empty."""

    def records_from(self, topic: Topic, index: int, offset: int) -> bytes:
        return b""


def forgets(visit: Visit) -> None:
    """Judge that a partition read from another broker is not asked for in the session here.

    The first Fetch after that one may have been under way already.
    """
    moved = next((each.at_s for each in visit.of("Fetch") if each.node == SECOND), None)
    if moved is None:
        raise NotApplicable("it did not read from the second broker")
    is_left, late = False, 0
    for each, value in _asked(visit):
        late += each.at_s > moved
        if value["sessionEpoch"] <= 0:
            is_left = True
        is_left = is_left or 0 in _indices(each, value["forgottenTopicsData"])
        if late > 1 and not is_left:
            what = f"Fetch v{each.version} has not forgotten partition 0 of {FILLED}"
            raise Broken(what, "the partition in forgottenTopicsData", each.frame)
        if 0 in _indices(each, value["topics"], "partition"):
            is_left = False


def _indices(each: Sent, topics: list[Value], name: str = "") -> Iterator[int]:
    """The partitions of the topic, by whatever it is called."""
    key, called = ("topicId", id_of(FILLED)) if each.version >= BY_ID else ("topic", FILLED)
    for topic in topics:
        if topic[key] == called:
            yield from (one[name] if name else one for one in topic["partitions"])


class PartitionMovesInSession(_Halves, about="FetchRequest"):
    """Leads one of two partitions, and led the other one until it was asked for it."""

    others: ClassVar = {SECOND: _Took}
    decides: ClassVar = {"client-sessions.forgotten-told": forgets}
    since = 0

    def fetched_of(self, request: Request, item: Value, wanted: Value) -> Value:
        self.moved = self.moved or not wanted["partition"]
        return super().fetched_of(request, item, wanted)

    def check_partition(self, topic: Topic, index: int) -> None:
        super().check_partition(topic, index)
        if topic.name == FILLED and not index:
            raise Refused(error_codes.NOT_LEADER_OR_FOLLOWER)

    def records_from(self, topic: Topic, index: int, offset: int) -> bytes:
        """Return no records until it was asked several times after the second broker was asked."""
        other = self.company[-1]
        assert isinstance(other, _Halves)
        self.since += bool(other.asked)
        if self.since <= EMPTY_ANSWERS:
            return b""
        return super().records_from(topic, index, offset)
