"""A member of a share group (KIP-932): it reads a record, acknowledges it, and leaves."""

from __future__ import annotations

from conformance import error_codes
from conformance.api_keys import (
    DESCRIBE_SHARE_GROUP_OFFSETS,
    SHARE_ACKNOWLEDGE,
    SHARE_FETCH,
    SHARE_GROUP_HEARTBEAT,
)
from conformance.reference.client.actions.consumers import JOINING, LEAVING, MEMBER_ID, Consumers
from conformance.reference.client.actions.consuming import FETCH_WAIT_S, MOST_BYTES
from conformance.reference.client.cluster import TOPIC
from conformance.reference.client.steps import Asking, Course, Failed, Trying, Wait
from conformance.testee_protocol import Value

SHARE_GROUP = "share-a"
BEGINS, ENDS = 0, -1
ACCEPT = 1
MOST_RECORDS = 500


class Sharing(Consumers):
    """A member of a share group that reads. `share_epoch` is that of its session's next request."""

    share_epoch = BEGINS

    def share(self) -> Course:
        """Read one record as a member of a share group, acknowledge it, and leave."""
        self.generation, self.member_id = JOINING, MEMBER_ID
        yield from self.trying(self.be_sharer, f"the group {SHARE_GROUP}")

    def ask_shared(self) -> Course:
        """Ask for a share group's offset in the topic."""
        yield from self.trying(self.look_up_shared, f"the group {SHARE_GROUP}")

    def look_up_shared(self) -> Trying:
        """Ask the group's coordinator for its offset; return the error code."""
        if code := (yield from self.reach_share_coordinator()):
            return code
        version = self.version_of(DESCRIBE_SHARE_GROUP_OFFSETS)
        topics = [{"topicName": TOPIC, "partitions": [self.partition]}]
        groups = [{"groupId": SHARE_GROUP, "topics": topics}]
        answer = yield from self.ask(DESCRIBE_SHARE_GROUP_OFFSETS, version, {"groups": groups})
        return int(self.first_entry(answer, "groups")["errorCode"])

    def be_sharer(self) -> Trying:
        """Be a member from the first request to the last; return the first error code."""
        topic_id = yield from self.reach_leader()
        if code := (yield from self.reach_share_coordinator()):
            return code
        if code := (yield from self.become_sharer(topic_id)):
            return code
        yield from self.reach_leader()
        if code := (yield from self.read_shared(topic_id)):
            return code
        if code := (yield from self.reach_share_coordinator()):
            return code
        answer = yield from self.beat_as_sharer({"memberEpoch": LEAVING})
        return int(answer["errorCode"])

    def reach_share_coordinator(self) -> Trying:
        """Connect to the group's coordinator; return the error code of the search."""
        found = (yield from self.coordinators([SHARE_GROUP]))[SHARE_GROUP]
        if not found["errorCode"]:
            yield from self.connect((found["host"], found["port"]))
        return int(found["errorCode"])

    def become_sharer(self, topic_id: str) -> Trying:
        """Send heartbeats until something is assigned; return the error code. Raises Failed."""
        for _ in range(self.attempts):
            said = {} if self.generation else {"subscribedTopicNames": [TOPIC]}
            answer = yield from self.beat_as_sharer(said)
            if answer["errorCode"]:
                return self.lost(int(answer["errorCode"]))
            self.generation = answer["memberEpoch"]
            if answer["assignment"] is not None:
                self.take_share(answer["assignment"], topic_id)
                return error_codes.NONE
            yield Wait(answer["heartbeatIntervalMs"] / 1000)
        raise Failed("nothing was assigned")

    def beat_as_sharer(self, said: Value) -> Asking:
        """Send a heartbeat in its epoch, or in one that `said` has."""
        version = self.version_of(SHARE_GROUP_HEARTBEAT)
        member = {"memberId": self.member_id, "memberEpoch": self.generation}
        wanted = {"groupId": SHARE_GROUP, **member, **said}
        return (yield from self.ask(SHARE_GROUP_HEARTBEAT, version, wanted))

    def read_shared(self, topic_id: str) -> Trying:
        """Read until a record comes, and acknowledge all records; return the error code."""
        self.share_epoch = BEGINS
        waited_s = 0.0
        while waited_s < self.reading_s:
            found = yield from self.fetch_shared(topic_id)
            if found["errorCode"]:
                return int(found["errorCode"])
            batches = found["acquiredRecords"]
            if batches:
                code = yield from self.acknowledge(topic_id, batches)
                if code or self.records_of(found, batches[0]["firstOffset"])[0]:
                    return code
            waited_s += FETCH_WAIT_S
        raise Failed(f"no record came within {self.reading_s:g} s")

    def fetch_shared(self, topic_id: str) -> Asking:
        """Ask for records that no member has yet; return the answer for the partition."""
        partition = {"partitionIndex": self.partition, "acknowledgementBatches": []}
        wanted = {
            "maxWaitMs": int(FETCH_WAIT_S * 1000),
            "minBytes": 1,
            "maxBytes": MOST_BYTES,
            "maxRecords": MOST_RECORDS,
            "batchSize": MOST_RECORDS,
        }
        answer = yield from self.ask_shares(SHARE_FETCH, topic_id, partition, wanted)
        found: list[Value] = [each for item in answer["responses"] for each in item["partitions"]]
        return found[0] if found else {"errorCode": answer["errorCode"], "acquiredRecords": []}

    def acknowledge(self, topic_id: str, batches: list[Value]) -> Trying:
        """Accept these records, and end the session; return the error code."""
        accepted = [{**each, "acknowledgeTypes": [ACCEPT]} for each in batches]
        partition = {"partitionIndex": self.partition, "acknowledgementBatches": accepted}
        answer = yield from self.ask_shares(SHARE_ACKNOWLEDGE, topic_id, partition, {})
        codes = [each["errorCode"] for item in answer["responses"] for each in item["partitions"]]
        return int(next(filter(None, [answer["errorCode"], *codes]), error_codes.NONE))

    def ask_shares(self, api_key: int, topic_id: str, partition: Value, wanted: Value) -> Asking:
        """Send the next request of the share session, about one partition."""
        member = {"groupId": SHARE_GROUP, "memberId": self.member_id}
        session = {**member, "shareSessionEpoch": self.share_epoch}
        self.share_epoch += 1
        topics = [{"topicId": topic_id, "partitions": [partition]}]
        version = self.version_of(api_key)
        return (yield from self.ask(api_key, version, {**session, **wanted, "topics": topics}))
