"""Changes of a topic: more partitions, an election, its first records deleted."""

from __future__ import annotations

from conformance import error_codes
from conformance.api_keys import CREATE_PARTITIONS, DELETE_RECORDS, ELECT_LEADERS
from conformance.reference.client.cluster import TOPIC, ClientCluster
from conformance.reference.client.steps import Course, Failed, Trying
from conformance.testee_protocol import Value

BEFORE = 1
PREFERRED = 0


class Changing(ClientCluster):
    """The actions that change a topic, sent to the controller or to the leader."""

    def reach_controller(self) -> Course:
        """Connect to the controller, if Metadata names it."""
        answer = yield from self.metadata()
        yield from self.reach(answer, answer.get("controllerId", -1))

    def grow(self) -> Course:
        """Ask if the topic may have a second partition."""
        yield from self.reach_controller()
        topic = {"name": TOPIC, "count": 2, "assignments": self.assigned()}
        wanted = {"topics": [topic], "timeoutMs": 5000, "validateOnly": self.validates_only}
        version = self.version_of(CREATE_PARTITIONS)
        answer = yield from self.ask(CREATE_PARTITIONS, version, wanted)
        for each in answer["results"]:
            self.check(each["errorCode"], f"the partitions of {TOPIC}")

    validates_only = True

    def assigned(self) -> list[Value] | None:
        """Return the replicas of the new partitions; None leaves them to the broker."""
        return None

    def elect(self) -> Course:
        """Have the preferred replica of a partition elected."""
        yield from self.reach_controller()
        topics = [{"topic": TOPIC, "partitions": [0]}]
        wanted = {"electionType": PREFERRED, "topicPartitions": topics, "timeoutMs": 5000}
        answer = yield from self.ask(ELECT_LEADERS, self.version_of(ELECT_LEADERS), wanted)
        self.check(answer.get("errorCode", error_codes.NONE), "the election")
        for each in answer["replicaElectionResults"]:
            for one in each["partitionResult"]:
                self.check(one["errorCode"], f"the election of {TOPIC}")

    def trim(self) -> Course:
        """Delete the first record of the topic."""
        yield from self.trying(self.delete, f"the records of {TOPIC}")

    def delete(self) -> Trying:
        """Delete the record at the present leader; return the error code of the partition."""
        yield from self.reach_for_deletion()
        partition = {"partitionIndex": 0, "offset": BEFORE}
        wanted = {"topics": [{"name": TOPIC, "partitions": [partition]}], "timeoutMs": 5000}
        answer = yield from self.ask(DELETE_RECORDS, self.version_of(DELETE_RECORDS), wanted)
        return int(self.first_entry(answer, "topics", "partitions")["errorCode"])

    def reach_for_deletion(self) -> Course:
        """Connect to the leader of the topic."""
        yield from self.reach_leader()

    def describe_topic(self) -> Course:
        """Describe the topic, which has to exist."""
        answer = yield from self.metadata(TOPIC)
        found = [each for each in answer["topics"] if each["name"] == TOPIC]
        if not found:
            raise Failed(f"there is no topic {TOPIC}")
        self.check(self.error_of(found[0]), f"the topic {TOPIC}")
        for each in found[0]["partitions"][:1]:
            self.told = self.replicas_told(answer, each["replicaNodes"])

    def replicas_told(self, answer: Value, replicas: list[int]) -> list[str]:
        """Return the replicas of a partition, those that are down included."""
        del answer
        return [str(each) for each in replicas]

    def error_of(self, topic: Value) -> int:
        """Return the error code of a topic in Metadata."""
        return int(topic["errorCode"])
