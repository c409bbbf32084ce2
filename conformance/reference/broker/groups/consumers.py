"""ConsumerGroupHeartbeat (KIP-848, KIP-1082): groups of consumers with server-side assignment.

A member that joins has the group for itself, and is given every partition of the topics that it
names. Its epoch stays 1 as long as nothing changes. Commits are accepted and dropped, as those of
members of the classic protocol are.
"""

from __future__ import annotations

from conformance import error_codes
from conformance.reference.broker.admin.access import GROUP, READ, Access
from conformance.reference.broker.cluster import Consumer, Request, Topic, Value
from conformance.reference.broker.errors import Refused

JOINING, LEAVING, LEAVING_FOR_A_WHILE = 0, -1, -2
"""Special epochs: of a member that joins, one that leaves, and a static one that comes back."""
FIRST_EPOCH = 1
OWN_ID_SINCE = 1
"""The first version in which a member brings its own id (KIP-1082)."""
INTERVAL_MS = 100
ASSIGNORS = (None, "uniform", "range")


class Consumers(Access):
    """The handler of ConsumerGroupHeartbeat."""

    interval_ms = INTERVAL_MS

    def consumer_group_heartbeat(self, request: Request) -> Value:
        """Return the member's epoch, and its assignment if that is new to it."""
        asked = request.value
        try:
            self.check_heartbeat(request)
            return self.beaten(request, self.named_member(request))
        except Refused as refused:
            return {
                "throttleTimeMs": 0,
                "errorCode": refused.code,
                "errorMessage": refused.message,
                "memberId": asked["memberId"] or None,
                "memberEpoch": 0,
                "heartbeatIntervalMs": 0,
                "assignment": None,
            }

    def check_heartbeat(self, request: Request) -> None:
        """Raise Refused for a heartbeat that no member may send."""
        asked, epoch = request.value, request.value["memberEpoch"]
        if not self.may(request, READ, GROUP, asked["groupId"]):
            raise Refused(error_codes.GROUP_AUTHORIZATION_FAILED, "Not authorized.")
        if not asked["groupId"]:
            raise Refused(error_codes.INVALID_REQUEST, "GroupId can't be empty.")
        if not asked["memberId"] and (request.version >= OWN_ID_SINCE or epoch != JOINING):
            raise Refused(error_codes.INVALID_REQUEST, "MemberId can't be empty.")
        if epoch < LEAVING_FOR_A_WHILE:
            raise Refused(error_codes.INVALID_REQUEST, "MemberEpoch is invalid.")
        if epoch == LEAVING_FOR_A_WHILE and not asked["instanceId"]:
            raise Refused(error_codes.INVALID_REQUEST, "InstanceId must be provided.")
        if asked["serverAssignor"] not in ASSIGNORS:
            raise Refused(error_codes.UNSUPPORTED_ASSIGNOR, "ServerAssignor is not supported.")
        if epoch == JOINING:
            self.check_joining(asked)

    def check_joining(self, asked: Value) -> None:
        """Raise Refused for a member that joins without all required fields."""
        wants = asked["subscribedTopicNames"] is not None or asked["subscribedTopicRegex"]
        if asked["rebalanceTimeoutMs"] == -1:
            raise Refused(error_codes.INVALID_REQUEST, "RebalanceTimeoutMs must be provided.")
        if asked["topicPartitions"] != []:
            raise Refused(error_codes.INVALID_REQUEST, "TopicPartitions must be empty.")
        if not wants:
            raise Refused(error_codes.INVALID_REQUEST, "A subscription must be provided.")

    def named_member(self, request: Request) -> str:
        """Return the member id, a new one for a member that joins without one."""
        return str(request.value["memberId"] or self.new_topic_id())

    def beaten(self, request: Request, member_id: str) -> Value:
        """Let a member join, leave or stay. Raises Refused for one that is not in the group."""
        asked, epoch = request.value, request.value["memberEpoch"]
        key = asked["groupId"], member_id
        if epoch == JOINING:
            self.consumers[key] = Consumer(self.first_epoch(request))
        elif key not in self.consumers:
            raise self.unknown_consumer()
        elif epoch < JOINING:
            self.remove_consumer(key)
            return self.heartbeat_answer(member_id, epoch, None)
        elif epoch != self.consumers[key].epoch:
            raise self.fenced()
        member = self.consumers[key]
        if asked["subscribedTopicNames"] is not None:
            member.wants, member.is_told = tuple(asked["subscribedTopicNames"]), False
        return self.heartbeat_answer(member_id, member.epoch, self.news_of(request, member))

    def unknown_consumer(self) -> Refused:
        """Return the error of a heartbeat of a member that is not in the group."""
        return Refused(error_codes.UNKNOWN_MEMBER_ID, "There is no such member.")

    def fenced(self) -> Refused:
        """Return the error of a heartbeat with another epoch than the member's."""
        return Refused(error_codes.FENCED_MEMBER_EPOCH, "The member has another epoch.")

    def remove_consumer(self, key: tuple[str, str]) -> None:
        """Take a member out of its group."""
        del self.consumers[key]

    def first_epoch(self, request: Request) -> int:
        """Return the epoch of a member that joins."""
        del request
        return FIRST_EPOCH

    def news_of(self, request: Request, member: Consumer) -> Value | None:
        """Return the assignment of a member, None if it was given it already."""
        del request
        if member.is_told:
            return None
        member.is_told = True
        topics = [self.topics[name] for name in member.wants if name in self.topics]
        return {"topicPartitions": [self.share_of(topic) for topic in topics]}

    def share_of(self, topic: Topic) -> Value:
        """Return all partitions of a topic."""
        return {"topicId": topic.topic_id, "partitions": list(range(len(topic.replicas)))}

    def heartbeat_answer(self, member_id: str, epoch: int, assignment: Value | None) -> Value:
        """Return an answer without an error."""
        return {
            "throttleTimeMs": 0,
            "errorCode": error_codes.NONE,
            "errorMessage": None,
            "memberId": member_id,
            "memberEpoch": epoch,
            "heartbeatIntervalMs": self.interval_ms,
            "assignment": assignment,
        }
