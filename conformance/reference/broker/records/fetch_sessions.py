"""Fetch sessions (KIP-227): a broker that stores a client's partitions, and is sent only changes.

A Fetch of epoch 0 begins a session with all that it names, and one of epoch -1 has none. In between
each names only partitions that are new, changed or forgotten, and is answered for all of them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from conformance import error_codes
from conformance.reference.broker.cluster import Request, Value
from conformance.reference.broker.errors import Refused
from conformance.reference.broker.records.fetch import BY_ID, Fetch

NONE, BEGINS = -1, 0
SINCE = 7
"""The first version of Fetch that has sessions."""
Key = tuple[str, int]


@dataclass(slots=True)
class FetchSession:
    """The partitions that a client reads, and the epoch of its next request.

    It is `by_id` if its topics are named by their ids, as they were in its first request.
    """

    number: int
    by_id: bool
    epoch: int = 1
    wanted: dict[Key, Value] = field(default_factory=dict)


class FetchSessions(Fetch):
    """A Fetch with sessions. `fetch_sessions` are by their ids."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.fetch_sessions: dict[int, FetchSession] = {}
        self.sessions_made = 0

    def fetch(self, request: Request) -> Value:
        """Return the records of each partition of a session, or of a request without one."""
        value = request.value
        if request.version < SINCE or value["sessionEpoch"] == NONE:
            self.fetch_sessions.pop(value.get("sessionId", 0), None)
            return super().fetch(request)
        try:
            session = self.session_of(value, request.version >= BY_ID)
        except Refused as refused:
            return {**self.fetched([]), "errorCode": refused.code}
        self.change(request, session)
        return {**self.answered(request, session), "sessionId": session.number}

    def session_of(self, value: Value, by_id: bool) -> FetchSession:
        """Return the session of a request, which may begin it. Raises Refused."""
        number, epoch = value["sessionId"], value["sessionEpoch"]
        if epoch == BEGINS:
            self.fetch_sessions.pop(number, None)
            self.sessions_made += 1
            number = self.sessions_made
            self.fetch_sessions[number] = FetchSession(number, by_id)
            return self.fetch_sessions[number]
        if number not in self.fetch_sessions:
            raise Refused(error_codes.FETCH_SESSION_ID_NOT_FOUND)
        session = self.fetch_sessions[number]
        if by_id != session.by_id:
            raise Refused(error_codes.FETCH_SESSION_TOPIC_ID_ERROR)
        if epoch != session.epoch:
            raise Refused(error_codes.INVALID_FETCH_SESSION_EPOCH)
        session.epoch += 1
        return session

    def change(self, request: Request, session: FetchSession) -> None:
        """Add the partitions that a request names, and remove those that it forgets."""
        key = "topicId" if request.version >= BY_ID else "topic"
        for topic in request.value["topics"]:
            for each in topic["partitions"]:
                session.wanted[topic[key], each["partition"]] = each
        for topic in request.value["forgottenTopicsData"]:
            for index in topic["partitions"]:
                session.wanted.pop((topic[key], index), None)

    def answered(self, request: Request, session: FetchSession) -> Value:
        """Return all partitions if the session begins; later those with records or an error."""
        key = "topicId" if request.version >= BY_ID else "topic"
        begins = request.value["sessionEpoch"] == BEGINS
        topics: dict[str, list[Value]] = {}
        for (name, _), wanted in session.wanted.items():
            found = self.fetched_of(request, {key: name}, wanted)
            if begins or found["records"] or found["errorCode"]:
                topics.setdefault(name, []).append(found)
        told = [{key: name, "partitions": found} for name, found in topics.items()]
        return self.fetched(told)
