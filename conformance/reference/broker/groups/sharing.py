"""Groups of consumers (KIP-848) of a broker that keeps them: partitions are shared out by degrees.

A partition is assigned to a member once no other member has it: neither was it assigned one, nor
did one say in its last heartbeat that it owns it. Any other broker has groups of one.
"""

from __future__ import annotations

from conformance.reference.broker.cluster import Consumer, Request, Value
from conformance.reference.broker.groups.consumers import JOINING, Consumers

Partitions = frozenset[tuple[str, int]]


class SharingConsumers(Consumers):
    """The handler of ConsumerGroupHeartbeat, of a broker that keeps groups."""

    def beaten(self, request: Request, member_id: str) -> Value:
        """Let a member join, leave or stay; one that stays gets the epoch of the group."""
        answer = super().beaten(request, member_id)
        group = request.value["groupId"]
        member = self.consumers.get((group, member_id))
        if self.keeps_groups and member is not None and answer["memberEpoch"] > JOINING:
            answer["memberEpoch"] = member.epoch = self.epochs[group]
        return answer

    def first_epoch(self, request: Request) -> int:
        """Return the epoch of a member that joins, by which the group gets a higher one."""
        if not self.keeps_groups:
            return super().first_epoch(request)
        return self.next_epoch(request.value["groupId"])

    def next_epoch(self, group: str) -> int:
        """Return the next epoch of a group."""
        self.epochs[group] = self.epochs.get(group, 0) + 1
        return self.epochs[group]

    def remove_consumer(self, key: tuple[str, str]) -> None:
        """Take a member out of its group, which gets a higher epoch."""
        super().remove_consumer(key)
        if self.keeps_groups:
            self.next_epoch(key[0])

    def news_of(self, request: Request, member: Consumer) -> Value | None:
        """Return the assignment of a member, None if it is the one that it has."""
        if not self.keeps_groups:
            return super().news_of(request, member)
        asked = request.value
        if asked["topicPartitions"] is not None:
            member.owned = frozenset(
                (topic["topicId"], index)
                for topic in asked["topicPartitions"]
                for index in topic["partitions"]
            )
        due = self.due(asked["groupId"], member)
        if due == member.given:
            return None
        member.given = due
        by_topic: dict[str, list[int]] = {}
        for topic_id, index in sorted(due):
            by_topic.setdefault(topic_id, []).append(index)
        topics = [{"topicId": key, "partitions": each} for key, each in by_topic.items()]
        return {"topicPartitions": topics}

    def due(self, group: str, member: Consumer) -> Partitions:
        """Return a member's share, without what other members still have."""
        others = [each for each in self.members_of(group) if each is not member]
        return self.target(group, member).difference(
            *(self.held_by(each) for each in others),
        )

    def members_of(self, group: str) -> list[Consumer]:
        """Return the members of a group, in the order in which they joined."""
        return [each for (name, _), each in self.consumers.items() if name == group]

    def held_by(self, member: Consumer) -> Partitions:
        """Return what a member was assigned last, or still owns."""
        return member.owned | (member.given or frozenset())

    def target(self, group: str, member: Consumer) -> Partitions:
        """Return a member's share of the partitions of its topics."""
        found = []
        for topic in (self.topics[name] for name in member.wants if name in self.topics):
            sharing = [each for each in self.members_of(group) if topic.name in each.wants]
            first = sharing.index(member)
            indexes = self.share_of(topic)["partitions"][first :: len(sharing)]
            found += [(topic.topic_id, index) for index in indexes]
        return frozenset(found)
