"""A client's view of its cluster: the leaders, and the metrics that brokers ask for."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence

from conformance import error_codes
from conformance.api_keys import GET_TELEMETRY_SUBSCRIPTIONS, METADATA, PUSH_TELEMETRY
from conformance.dialogue import Received
from conformance.reference.client.logging_in import LoggingIn
from conformance.reference.client.steps import Asking, Course, Failed, Lost, Step, Trying, Wait
from conformance.reference.client.versions import LAST_BY_NAME
from conformance.schema.layout import ZERO_UUID
from conformance.testee_protocol import Value

TOPIC = "events"
NO_EPOCH = -1
PASSING = frozenset({5, 6, 14, 15, 16})
"""No leader yet, another leader, and a coordinator that is not ready, missing or elsewhere."""
RETRIABLE = frozenset({2, 3, 7, 19, 41, 51, 56, 74, 75, 78, 88})
"""Other errors that pass by themselves, by Kafka's list."""


class ClientCluster(LoggingIn):
    """The way to the leader of the topic `named`, repeated if the leader has changed.

    `partition` is the present one, `indices` are all that the topic has, and `leader_epoch` is that
    of the leader which it has reached. `epochs` are the highest that it was sent, by topic, its id
    and partition. If `has_topics_made`, missing topics are to be created.
    """

    waits_for_leader = True
    named = TOPIC
    partition = 0
    indices: Sequence[int] = (0,)
    leader_epoch = -1
    has_topics_made = False

    def __init__(self) -> None:
        super().__init__()
        self.epochs: dict[tuple[str, str, int], int] = {}

    def metadata(self, *names: str) -> Asking:
        """Return some topics of the cluster, or all; in version 0 an empty list asks for all."""
        version = self.version_of(METADATA)
        every: list[Value] | None = None if version else []
        topics = [{"name": each} for each in names] or every
        wanted = {"topics": topics, "allowAutoTopicCreation": self.has_topics_made}
        answer = yield from self.ask(METADATA, version, wanted)
        if not answer["brokers"]:
            raise Failed("the cluster has no brokers")
        return answer

    def trying(self, once: Callable[[], Trying], what: str) -> Course:
        """Do an action until it has no error that may pass. Raises Failed."""
        code = error_codes.NONE
        for attempt in range(1, self.attempts + 1):
            code = yield from once()
            if code not in self.passing():
                break
            yield Wait(self.backoff(attempt))
            yield from self.connect(None)
        self.check(code, what)

    def passing(self) -> frozenset[int]:
        """Return the errors that another attempt may not meet any more."""
        return PASSING | RETRIABLE

    def reach_leader(self) -> Generator[Step, Received | None, str]:
        """Connect to the leader of the topic; return the topic's id. Raises Failed."""
        for attempt in range(1, self.attempts + 1):
            answer = yield from self.metadata(self.named)
            topic = next((each for each in answer["topics"] if each["name"] == self.named), None)
            if topic is None:
                raise Failed(f"there is no topic {self.named}")
            if not self.is_old(topic) and (yield from self.reach(answer, self.leader_in(topic))):
                return str(topic.get("topicId", ZERO_UUID))
            if not self.waits_for_leader:
                break
            yield Wait(self.backoff(attempt))
        raise Failed(f"nobody leads the topic {self.named}")

    def is_old(self, topic: Value) -> bool:
        """True if a leader with a higher epoch was listed before (KIP-320)."""
        for each in topic["partitions"]:
            of = topic["name"], topic.get("topicId", ZERO_UUID), each["partitionIndex"]
            epoch, highest = each.get("leaderEpoch", NO_EPOCH), self.epochs.get(of, NO_EPOCH)
            if NO_EPOCH < epoch < highest:
                return True
            self.epochs[of] = max(epoch, highest)
        return False

    def leader_in(self, topic: Value) -> int:
        """Return the leader in Metadata."""
        self.indices = sorted(each["partitionIndex"] for each in topic["partitions"]) or (0,)
        for each in topic["partitions"]:
            if each["partitionIndex"] == self.partition:
                self.leader_epoch = each.get("leaderEpoch", -1)
                return int(each["leaderId"])
        return -1

    def reach(self, answer: Value, node_id: int) -> Generator[Step, Received | None, bool]:
        """Connect to a broker that Metadata lists; return True if it is there."""
        for node in answer["brokers"]:
            if node["nodeId"] == node_id:
                yield from self.connect((node["host"], node["port"]))
                return True
        return False

    def version_with(self, api_key: int, topic_id: str) -> int:
        """Return the version for a request about a topic: one with names if its id is unknown."""
        version = self.version_of(api_key)
        if topic_id != ZERO_UUID:
            return version
        low, _ = self.common(api_key, self.served[api_key])
        if low > LAST_BY_NAME[api_key]:
            raise Failed("the topic has no id, and the broker knows it by none else")
        return min(version, LAST_BY_NAME[api_key])

    def report(self) -> Course:
        """Ask for the metrics that the broker wants (KIP-714), if it serves that, and send them."""
        if GET_TELEMETRY_SUBSCRIPTIONS not in self.served:
            return
        try:
            answer = yield from self.ask(
                GET_TELEMETRY_SUBSCRIPTIONS, 0, {"clientInstanceId": ZERO_UUID}
            )
            yield from self.push(answer)
        except Lost:
            yield from self.connect(None)

    def push(self, answer: Value) -> Course:
        """Send the metrics that the broker wants, of a client that counts nothing."""
        if not answer["errorCode"] and answer["requestedMetrics"] and PUSH_TELEMETRY in self.served:
            told = {key: answer[key] for key in ("clientInstanceId", "subscriptionId")}
            yield from self.ask(PUSH_TELEMETRY, 0, {**told, "metrics": ""})
