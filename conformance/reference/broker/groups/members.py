"""JoinGroup and its companions: a group of one, for clients that read only as members.

A member that joins is the leader of a group of its own, and is given the share that it assigns to
itself. Offsets are kept by a broker that is made so; any other accepts and drops them, so each
member begins where it does without an offset.
"""

from __future__ import annotations

from conformance import error_codes
from conformance.reference.broker.cluster import Cluster, Committed, Request, Value
from conformance.reference.broker.errors import Refused

GENERATION = 1
GROUPS_SINCE = 8
"""The first version of OffsetFetch that asks about several groups."""
IDS_SINCE = 10
"""The first version of OffsetFetch and of OffsetCommit that has ids of topics."""
NOT_FOUND_SINCE = 9
"""The first version of OffsetCommit whose members learn that their group does not exist."""
MEMBERS_SINCE = 3
"""The first version of LeaveGroup that several members leave by."""
NO_OFFSET = -1
MOST_METADATA_BYTES = 4096
"""Apache Kafka's default of offset.metadata.max.bytes."""
MOST_COMMITTED = 10_000
"""The most groups whose offsets are kept."""


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
        """Return the committed offset of each partition asked, or of all for null."""
        asked, answer = request.value, {"throttleTimeMs": 0}
        if request.version < GROUPS_SINCE:
            topics = self.offsets(request, asked["groupId"], asked["topics"])
            return {**answer, "topics": topics, "errorCode": error_codes.NONE}
        groups = [
            {
                "groupId": each["groupId"],
                "topics": self.offsets(request, each["groupId"], each["topics"]),
                "errorCode": error_codes.NONE,
            }
            for each in asked["groups"]
        ]
        return {**answer, "groups": groups}

    def offsets(self, request: Request, group: str, topics: list[Value] | None) -> list[Value]:
        """Return what a group committed of these topics, or of all topics for None."""
        key = "topicId" if request.version >= IDS_SINCE else "name"
        if topics is None:
            topics = self.topics_of(group)
        answers = []
        for topic in topics:
            name = self.committed_name(request, topic)
            partitions = [
                self.offset_told(index, self.last_commit(group, name, index))
                for index in topic["partitionIndexes"]
            ]
            if self.keeps_offsets and key == "topicId" and not name:
                for each in partitions:
                    each["errorCode"] = error_codes.UNKNOWN_TOPIC_ID
            answers.append({key: topic[key], "partitions": partitions})
        return answers

    def topics_of(self, group: str) -> list[Value]:
        """Return the topics and partitions that a group committed offsets of."""
        indexes: dict[str, list[int]] = {}
        for name, index in self.committed.get(group, {}):
            indexes.setdefault(name, []).append(index)
        return [
            {"name": name, "topicId": self.topics[name].topic_id, "partitionIndexes": found}
            for name, found in indexes.items()
            if name in self.topics
        ]

    def last_commit(self, group: str, name: str, index: int) -> Committed:
        """Return what a group committed last of a partition, or that it committed nothing."""
        return self.committed.get(group, {}).get((name, index), Committed())

    def offset_told(self, index: int, found: Committed) -> Value:
        """Return the entry of a partition in an answer."""
        return {
            "partitionIndex": index,
            "committedOffset": found.offset,
            "committedLeaderEpoch": found.epoch,
            "metadata": found.metadata,
            "errorCode": error_codes.NONE,
        }

    def committed_name(self, request: Request, topic: Value) -> str:
        """Return the name of a topic, which some versions name by its id; "" without one."""
        if request.version < IDS_SINCE:
            return str(topic["name"])
        found = self.topic_of_id(topic["topicId"])
        return found.name if found else ""

    def offset_commit(self, request: Request) -> Value:
        """Keep the offsets, or accept and drop them."""
        answer = offsets_taken(request, IDS_SINCE)
        if self.keeps_offsets:
            for topic, taken in zip(request.value["topics"], answer["topics"], strict=True):
                for each, result in zip(topic["partitions"], taken["partitions"], strict=True):
                    result["errorCode"] = self.commit(request, topic, each)
        return answer

    def commit(self, request: Request, topic: Value, wanted: Value) -> int:
        """Keep the offset of one partition; return an error code."""
        try:
            self.check_commit(request, topic, wanted)
        except Refused as refused:
            return refused.code
        group = self.committed.setdefault(request.value["groupId"], {})
        epoch = wanted.get("committedLeaderEpoch", -1)
        kept = Committed(wanted["committedOffset"], epoch, wanted["committedMetadata"] or "")
        group[self.committed_name(request, topic), wanted["partitionIndex"]] = kept
        if len(self.committed) > MOST_COMMITTED:
            self.committed.pop(next(iter(self.committed)))
        return error_codes.NONE

    def check_commit(self, request: Request, topic: Value, wanted: Value) -> None:
        """Raise Refused for a stranger, for a partition that is not there, or for a long text."""
        there = self.topics.get(self.committed_name(request, topic))
        if there is None and request.version >= IDS_SINCE:
            raise Refused(error_codes.UNKNOWN_TOPIC_ID)
        if there is None or not 0 <= wanted["partitionIndex"] < len(there.replicas):
            raise Refused(error_codes.UNKNOWN_TOPIC_OR_PARTITION)
        self.check_stranger(request)
        if len((wanted["committedMetadata"] or "").encode()) > MOST_METADATA_BYTES:
            raise Refused(error_codes.OFFSET_METADATA_TOO_LARGE)

    def check_stranger(self, request: Request) -> None:
        """Raise Refused for a generation of a group that has no members here."""
        if request.value["generationIdOrMemberEpoch"] < 0:
            return
        if self.keeps_groups and not self.is_group(request.value["groupId"]):
            is_new = request.version >= NOT_FOUND_SINCE
            raise Refused(
                error_codes.GROUP_ID_NOT_FOUND if is_new else error_codes.ILLEGAL_GENERATION
            )
        raise Refused(error_codes.UNKNOWN_MEMBER_ID)

    def offset_delete(self, request: Request) -> Value:
        """Delete offsets of a group; nothing where none are kept (KIP-496)."""
        group = request.value["groupId"]
        if self.keeps_offsets and not self.is_group(group):
            code = error_codes.GROUP_ID_NOT_FOUND
            return {"errorCode": code, "throttleTimeMs": 0, "topics": []}
        topics = [
            {
                "name": topic["name"],
                "partitions": [
                    {**each, "errorCode": self.offset_deleted(group, topic["name"], each)}
                    for each in topic["partitions"]
                ],
            }
            for topic in request.value["topics"]
        ]
        return {"errorCode": error_codes.NONE, "throttleTimeMs": 0, "topics": topics}

    def offset_deleted(self, group: str, name: str, partition: Value) -> int:
        """Delete the offset of one partition; return an error code."""
        index = partition["partitionIndex"]
        there = self.topics.get(name)
        is_there = there is not None and 0 <= index < len(there.replicas)
        if self.keeps_offsets and not is_there:
            return error_codes.UNKNOWN_TOPIC_OR_PARTITION
        self.committed.get(group, {}).pop((name, index), None)
        return error_codes.NONE

    def is_group(self, name: str) -> bool:
        """True if a group of this name has members or offsets, or had some."""
        return name in self.committed or name in self.groups
