"""Partitions that an application pauses, or has to look up: a session forgets them by name."""

from __future__ import annotations

from collections import defaultdict
from typing import ClassVar

from conformance.clients.scenarios.actions import OTHER
from conformance.clients.scenarios.judging import all_of
from conformance.clients.scenarios.plain_brokers import HeldBack, ServesPauses, ServesTopicsAside
from conformance.clients.scenarios.visit import Sent, Visit, require
from conformance.dialogue import Broken
from conformance.reference.broker.cluster import Request, Topic
from conformance.reference.broker.records.fetch import BY_ID
from conformance.reference.broker.records.fetch_sessions import SINCE, FetchSessions
from conformance.reference.broker.releases import NAMES
from conformance.results.text import json_text
from conformance.schema.layout import ZERO_UUID
from conformance.testee_protocol import Value

MOST_AT_ONE_OFFSET = 3
DELETED = 10
LOOKUP_S = 0.3


def asks_for_something(visit: Visit) -> None:
    """Judge that outside a session each Fetch but the last asks for some partition.

    The last may end a session.
    """
    last = {each.connection: each for each in visit.of("Fetch")}
    asked = [(each, each.value) for each in visit.of("Fetch") if each.value]
    asked = [(each, value) for each, value in asked if last[each.connection] is not each]
    empty = [each for each, value in asked if not value["topics"] and not _in_session(each, value)]
    if empty:
        what = f"Fetch v{empty[0].version} was sent with no partition in it"
        raise Broken(what, "no Fetch while nothing is to be read", empty[0].frame)


def _in_session(each: Sent, value: Value) -> bool:
    return each.version >= SINCE and value["sessionId"] != 0


def forgets_paused(visit: Visit) -> None:
    """Judge that a partition that gave records is asked for the next offset, or forgotten."""
    reads = _Reads()
    for each in visit.of("Fetch"):
        if each.value is None or each.version < SINCE:
            continue
        reads.take(each, each.value)
        for (_, index), times in reads.times[each.node].items():
            if times > MOST_AT_ONE_OFFSET:
                what = f"partition {index} is asked for at one offset {times} times in a session"
                raise Broken(what, "the partition in forgottenTopicsData", each.frame)
    require(reads.asked, f"it asks no Fetch of version {SINCE} or above")


class _Reads:
    """The number of requests for a partition of a session at one offset, by its broker."""

    def __init__(self) -> None:
        self.asked = 0
        self.times: dict[int, dict[tuple[str, int], int]] = defaultdict(dict)

    def take(self, each: Sent, value: Value) -> None:
        """Count one more Fetch: a partition that it does not name is asked for as before."""
        key = "topicId" if each.version >= BY_ID else "topic"
        times = self.times[each.node]
        self.asked += 1
        if value["sessionEpoch"] <= 0:
            times.clear()
        for topic in value["topics"]:
            times.update({(topic[key], one["partition"]): 0 for one in topic["partitions"]})
        for topic in value["forgottenTopicsData"]:
            for index in topic["partitions"]:
                times.pop((topic[key], index), None)
        for asked in times:
            times[asked] += 1


def forgets_by_name(visit: Visit) -> None:
    """Judge that a session forgets only topics that it asked for, under the same names or ids."""
    inside: dict[int, set[str]] = defaultdict(set)
    asked = [each for each in visit.of("Fetch") if each.version >= SINCE]
    require(asked, f"it asks no Fetch of version {SINCE} or above")
    for each in asked:
        value, key = each.value or {}, "topicId" if each.version >= BY_ID else "topic"
        for topic in value.get("forgottenTopicsData", ()):
            if topic[key] not in inside[each.node]:
                forgotten = json_text(topic[key])
                what = f"Fetch v{each.version} forgets {forgotten}, which it never asked for"
                raise Broken(what, "a topic of the session", each.frame)
        inside[each.node].update(topic[key] for topic in value.get("topics", ()))


class Paused(ServesPauses):
    """Hands out no session to a client that pauses one of two partitions, and then the other."""

    decides: ClassVar = {"client-requests.nothing-not-fetched": asks_for_something}


class PausedInSession(FetchSessions, ServesPauses):
    """Hands out a session to a client that pauses one of two partitions, and then the other."""

    decides: ClassVar = {
        "client-requests.nothing-not-fetched": asks_for_something,
        "client-sessions.forgotten-told": forgets_paused,
    }


class TopicPausedInSession(FetchSessions, ServesTopicsAside):
    """Hands out a session to a client that pauses one of two topics, and reads the other one on."""

    decides: ClassVar = {
        "client-sessions.forgotten-told": all_of(forgets_by_name, forgets_paused),
    }


class _LooksUpLate(HeldBack):
    """Takes its time over ListOffsets, once records were deleted."""

    def handle(self, request: Request) -> Value:
        body = super().handle(request)
        assert isinstance(self.broker, RecordsDeletedInSession)
        if NAMES[request.api_key] == "ListOffsets" and self.broker.is_asked:
            self.delay_s = LOOKUP_S
        return body


class RecordsDeletedInSession(FetchSessions, ServesTopicsAside):
    """Hands out a session, and has no more the records of a topic that its first Fetch asks for."""

    sessions = _LooksUpLate
    decides: ClassVar = {"client-sessions.forgotten-told": forgets_by_name}
    is_asked = False

    def fetch(self, request: Request) -> Value:
        self.is_asked = True
        return super().fetch(request)

    def log_begin(self, topic: Topic, index: int) -> int:
        return DELETED if self.is_asked and topic.name == OTHER else super().log_begin(topic, index)


class RecordsOfNoIdDeletedInSession(RecordsDeletedInSession):
    """Hands out a session, and has no more the records of a topic that has no id, beside one."""

    def described_topic(self, topic: Topic) -> Value:
        told = super().described_topic(topic)
        return {**told, "topicId": ZERO_UUID} if topic.name == OTHER else told
