"""Share groups (KIP-932): ShareGroupHeartbeat, and fetching and acknowledging in sessions.

A member that joins is given every partition of the topics that it names, and every record once,
from the first one on. Its acknowledgements are accepted and dropped.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass, field
from typing import Any

from conformance import error_codes
from conformance.api_keys import SHARE_FETCH
from conformance.reference.broker.cluster import Request, Value
from conformance.reference.broker.errors import Refused
from conformance.reference.broker.groups.consumers import JOINING, LEAVING, Consumers
from conformance.reference.broker.records.fetch import Fetch
from conformance.schema.layout import ZERO_UUID

LAG_SINCE = 1
"""The first version of DescribeShareGroupOffsets that has the number of records left."""
BEGINS, ENDS = 0, -1
"""The epochs of a share session that begin it and end it."""
LOCK_MS = 30_000
LOCK_TOLD_SINCE = 2
"""The first version of ShareAcknowledge whose answer has the time of the acquisition lock."""
Key = tuple[str, int]


@dataclass(slots=True)
class ShareSession:
    """A member's session: the next offset of each topic id and partition that it reads.

    `epoch` is that of its next request.
    """

    epoch: int = BEGINS
    following: dict[Key, int] = field(default_factory=dict)


class ShareGroups(Consumers, Fetch):
    """The handlers of ShareGroupHeartbeat, ShareFetch and ShareAcknowledge."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.share_sessions: dict[tuple[str, str], ShareSession] = {}

    def share_group_heartbeat(self, request: Request) -> Value:
        """Return the member's epoch, and its assignment if that is new to it."""
        try:
            self.check_share_heartbeat(request.value)
            return self.beaten(request, request.value["memberId"])
        except Refused as refused:
            answer = self.heartbeat_answer(request.value["memberId"], 0, None)
            told = {"errorCode": refused.code, "errorMessage": refused.message}
            return {**answer, **told, "heartbeatIntervalMs": 0}

    def check_share_heartbeat(self, asked: Value) -> None:
        """Raise Refused for a heartbeat that no member may send."""
        if not asked["groupId"] or not asked["memberId"] or asked["memberEpoch"] < LEAVING:
            raise Refused(error_codes.INVALID_REQUEST, "It has no group, no member or no epoch.")
        if asked["memberEpoch"] == JOINING and asked["subscribedTopicNames"] is None:
            raise Refused(error_codes.INVALID_REQUEST, "SubscribedTopicNames must be set.")

    def share_fetch(self, request: Request) -> Value:
        """Return the records of each partition of the session that no member was given."""
        try:
            session = self.share_session_of(request.value)
        except Refused as refused:
            return self.refused_of(request, refused)
        for topic in request.value["topics"]:
            for each in topic["partitions"]:
                session.following.setdefault((topic["topicId"], each["partitionIndex"]), 0)
        for topic in request.value["forgottenTopicsData"]:
            for index in topic["partitions"]:
                session.following.pop((topic["topicId"], index), None)
        wanted = session.following if request.value["shareSessionEpoch"] != ENDS else {}
        found = {key: self.acquired(session, key) for key in wanted}
        told = [key for key, each in found.items() if each["records"] or each["errorCode"]]
        keys = dict.fromkeys([*told, *_acknowledged(request.value)])
        return self.shared(request, [(key, found.get(key, _partition(key))) for key in keys])

    def refused_of(self, request: Request, refused: Refused) -> Value:
        """Return an answer with an error, and nothing else."""
        answer = self.shared(request, [])
        return {**answer, "errorCode": refused.code, "errorMessage": refused.message}

    def share_session_of(self, asked: Value) -> ShareSession:
        """Return the session of a request, which it may begin or end. Raises Refused."""
        key, epoch = (asked["groupId"], asked["memberId"]), asked["shareSessionEpoch"]
        if epoch == BEGINS:
            self.share_sessions[key] = ShareSession()
        if key not in self.share_sessions:
            raise Refused(error_codes.SHARE_SESSION_NOT_FOUND, "There is no such session.")
        session = self.share_sessions[key]
        if epoch == ENDS:
            return self.share_sessions.pop(key)
        self.check_share_epoch(session, epoch)
        session.epoch += 1
        return session

    def check_share_epoch(self, session: ShareSession, epoch: int) -> None:
        """Raise Refused for an epoch that is not the next one."""
        if epoch != session.epoch:
            raise Refused(error_codes.INVALID_SHARE_SESSION_EPOCH, "It has another epoch.")

    def acquired(self, session: ShareSession, key: Key) -> Value:
        """Return the records of a partition from the next offset on, acquired for the member."""
        topic, index = self.topic_of_id(key[0]), key[1]
        if topic is None or index >= len(topic.replicas):
            return {**_partition(key), "errorCode": error_codes.UNKNOWN_TOPIC_OR_PARTITION}
        first = max(session.following[key], self.log_begin(topic, index))
        end = self.log_end(topic, index)
        if first >= end:
            return _partition(key)
        session.following[key] = end
        records = base64.b64encode(self.records_from(topic, index, first)).decode()
        batch = {"firstOffset": first, "lastOffset": end - 1, "deliveryCount": 1}
        return {**_partition(key), "records": records, "acquiredRecords": [batch]}

    def share_acknowledge(self, request: Request) -> Value:
        """Accept the acknowledgements, and drop them."""
        try:
            self.share_session_of(request.value)
        except Refused as refused:
            return self.refused_of(request, refused)
        return self.shared(request, [(key, _taken(key)) for key in _acknowledged(request.value)])

    def describe_share_group_offsets(self, request: Request) -> Value:
        """Return the begin of each partition for each group that is asked about."""
        groups = [
            {
                "groupId": group["groupId"],
                "topics": [self.begun(request, each) for each in group["topics"] or ()],
                "errorCode": error_codes.NONE,
                "errorMessage": None,
            }
            for group in request.value["groups"]
        ]
        return {"throttleTimeMs": 0, "groups": groups}

    def begun(self, request: Request, asked: Value) -> Value:
        """Return the first offset of each partition of a topic."""
        topic = self.topics.get(asked["topicName"])
        code = error_codes.NONE if topic else error_codes.UNKNOWN_TOPIC_OR_PARTITION
        lag = {"lag": 0} if request.version >= LAG_SINCE else {}
        first = {"startOffset": 0, "leaderEpoch": 0, **lag, "errorCode": code, "errorMessage": None}
        return {
            "topicName": asked["topicName"],
            "topicId": topic.topic_id if topic else ZERO_UUID,
            "partitions": [{"partitionIndex": each, **first} for each in asked["partitions"]],
        }

    def shared(self, request: Request, partitions: list[tuple[Key, Value]]) -> Value:
        """Return an answer with one topic for each partition."""
        topics = [{"topicId": key[0], "partitions": [each]} for key, each in partitions]
        answer: Value = {
            "throttleTimeMs": 0,
            "errorCode": error_codes.NONE,
            "errorMessage": None,
            "responses": topics,
            "nodeEndpoints": [],
        }
        is_told = request.api_key == SHARE_FETCH or request.version >= LOCK_TOLD_SINCE
        return answer | ({"acquisitionLockTimeoutMs": LOCK_MS} if is_told else {})


def _acknowledged(asked: Value) -> list[Key]:
    """Return the partitions that have acknowledgements."""
    return [
        (topic["topicId"], each["partitionIndex"])
        for topic in asked["topics"]
        for each in topic["partitions"]
        if each["acknowledgementBatches"]
    ]


def _taken(key: Key) -> Value:
    """Return the entry of a partition that has acknowledgements."""
    return {
        "partitionIndex": key[1],
        "errorCode": error_codes.NONE,
        "errorMessage": None,
        "currentLeader": {"leaderId": 0, "leaderEpoch": 0},
    }


def _partition(key: Key) -> Value:
    """Return the entry of a partition without records."""
    acknowledged = {"acknowledgeErrorCode": error_codes.NONE, "acknowledgeErrorMessage": None}
    return {**_taken(key), **acknowledged, "records": "", "acquiredRecords": []}
