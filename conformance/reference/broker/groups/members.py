"""JoinGroup and its companions: a group of one, for clients that read only as members.

A member that joins is the leader of a group of its own, and is given the share that it assigns to
itself. Offsets are accepted and dropped, so each member begins where it does without an offset.
"""

from __future__ import annotations

from conformance import error_codes
from conformance.reference.broker.cluster import Cluster, Request, Value

GENERATION = 1
GROUPS_SINCE = 8
"""The first version of OffsetFetch that asks about several groups."""
IDS_SINCE = 10
"""The first version of OffsetFetch and of OffsetCommit that has ids of topics."""
MEMBERS_SINCE = 3
"""The first version of LeaveGroup that several members leave by."""
NO_OFFSET = -1


def offsets_taken(request: Request, ids_since: int) -> Value:
    """Return no error for each partition of a commit; topics have ids from `ids_since` on."""
    key = "topicId" if request.version >= ids_since else "name"
    topics = [
        {
            key: topic[key],
            "partitions": [
                {"partitionIndex": each["partitionIndex"], "errorCode": error_codes.NONE}
                for each in topic["partitions"]
            ],
        }
        for topic in request.value["topics"]
    ]
    return {"throttleTimeMs": 0, "topics": topics}


class Members(Cluster):
    """The handlers of the requests of members."""

    def join_group(self, request: Request) -> Value:
        """Let a member join at once, as the only one."""
        asked = request.value
        member_id = asked["memberId"] or f"member-{self.new_topic_id()}"
        protocol = next(iter(asked["protocols"]), {"name": "", "metadata": ""})
        member = {"memberId": member_id, "groupInstanceId": asked["groupInstanceId"]}
        answer: Value = {
            "throttleTimeMs": 0,
            "errorCode": error_codes.NONE,
            "generationId": GENERATION,
            "protocolName": protocol["name"],
            "leader": member_id,
            "skipAssignment": False,
            "memberId": member_id,
            "members": [{**member, "metadata": protocol["metadata"]}],
        }
        return answer | ({"protocolType": asked["protocolType"]} if request.version >= 7 else {})

    def sync_group(self, request: Request) -> Value:
        """Return the share that the leader has assigned to itself."""
        asked = request.value
        shares = {each["memberId"]: each["assignment"] for each in asked["assignments"]}
        answer: Value = {
            "throttleTimeMs": 0,
            "errorCode": error_codes.NONE,
            "assignment": shares.get(asked["memberId"], ""),
        }
        if request.version >= 5:
            answer |= {key: asked[key] for key in ("protocolType", "protocolName")}
        return answer

    def heartbeat(self, request: Request) -> Value:
        """Return no error."""
        del request
        return {"throttleTimeMs": 0, "errorCode": error_codes.NONE}

    def leave_group(self, request: Request) -> Value:
        """Return no error, for the group and for each member."""
        answer: Value = {"throttleTimeMs": 0, "errorCode": error_codes.NONE}
        if request.version >= MEMBERS_SINCE:
            answer["members"] = [
                {
                    "memberId": each["memberId"],
                    "groupInstanceId": each["groupInstanceId"],
                    "errorCode": error_codes.NONE,
                }
                for each in request.value["members"]
            ]
        return answer

    def offset_fetch(self, request: Request) -> Value:
        """Return no committed offset for each partition asked."""
        answer: Value = {"throttleTimeMs": 0}
        if request.version < GROUPS_SINCE:
            topics = self.no_offsets(request, request.value["topics"])
            return {**answer, "topics": topics, "errorCode": error_codes.NONE}
        groups = [
            {
                "groupId": each["groupId"],
                "topics": self.no_offsets(request, each["topics"]),
                "errorCode": error_codes.NONE,
            }
            for each in request.value["groups"]
        ]
        return {**answer, "groups": groups}

    def no_offsets(self, request: Request, topics: list[Value] | None) -> list[Value]:
        """Return no offset for each partition."""
        key = "topicId" if request.version >= IDS_SINCE else "name"
        return [
            {
                key: topic[key],
                "partitions": [
                    {
                        "partitionIndex": index,
                        "committedOffset": NO_OFFSET,
                        "committedLeaderEpoch": -1,
                        "metadata": "",
                        "errorCode": error_codes.NONE,
                    }
                    for index in topic["partitionIndexes"]
                ],
            }
            for topic in topics or ()
        ]

    def offset_commit(self, request: Request) -> Value:
        """Accept the offsets, and drop them."""
        return offsets_taken(request, IDS_SINCE)

    def offset_delete(self, request: Request) -> Value:
        """Return no error: no offset is ever stored (KIP-496)."""
        topics = [
            {
                "name": topic["name"],
                "partitions": [
                    {**each, "errorCode": error_codes.NONE} for each in topic["partitions"]
                ],
            }
            for topic in request.value["topics"]
        ]
        return {"errorCode": error_codes.NONE, "throttleTimeMs": 0, "topics": topics}
