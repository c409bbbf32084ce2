"""One record read from whoever leads, from the begin of the topic, however often nothing comes."""

from __future__ import annotations

from conformance.peers import errors
from conformance.peers.client.batches import Batches
from conformance.peers.client.cluster import TOPIC, Cluster
from conformance.peers.client.spoken import FETCH, LIST_OFFSETS
from conformance.peers.client.steps import Asking, Course, Failed, Trying, Wait
from conformance.protocol import Value

FETCH_WAIT_S = 0.4


class Consuming(Batches, Cluster):
    """Reads a record; `reading_s` is how long it waits for one, `position` the offset behind it."""

    reading_s = 8.0
    position = 0

    def consume(self) -> Course:
        """Read one record, from the begin of the topic."""
        yield from self.report()
        yield from self.trying(self.read_topic, f"the topic {TOPIC}")

    def read_topic(self) -> Trying:
        """Read from whoever leads now until a record comes; the error code of the partition."""
        topic_id = yield from self.reach_leader()
        begin = yield from self.begin()
        if begin["errorCode"]:
            return int(begin["errorCode"])
        return (yield from self.read_from(topic_id, begin["offset"]))

    def begin(self) -> Asking:
        """Where the partition begins."""
        partition = {"partitionIndex": 0, "timestamp": -2}
        wanted = {"replicaId": -1, "topics": [{"name": TOPIC, "partitions": [partition]}]}
        answer = yield from self.ask(LIST_OFFSETS, self.version_of(LIST_OFFSETS), wanted)
        found: Value = answer["topics"][0]["partitions"][0]
        return found

    def read_from(self, topic_id: str, offset: int) -> Trying:
        """Read until a record comes; the error code of the partition. Raises Failed."""
        waited_s = 0.0
        while waited_s < self.reading_s:
            found = yield from self.fetch(topic_id, offset)
            if found["errorCode"]:
                return int(found["errorCode"])
            records, following = self.records_in(found["records"], offset)
            self.position = following
            if records:
                return errors.NONE
            if following == offset:
                yield Wait(self.backoff_s)
                waited_s += self.backoff_s + FETCH_WAIT_S
            offset = following
        raise Failed(f"no record came within {self.reading_s:g} s")

    def fetch(self, topic_id: str, offset: int) -> Asking:
        """What the partition has from an offset on."""
        version = self.version_with(FETCH, topic_id)
        partition = {"partition": 0, "fetchOffset": offset, "partitionMaxBytes": 1 << 20}
        topic = {"topic": TOPIC, "topicId": topic_id, "partitions": [partition]}
        wanted = {
            "replicaId": -1,
            "maxWaitMs": int(FETCH_WAIT_S * 1000),
            "minBytes": 1,
            "maxBytes": 1 << 20,
            "topics": [topic],
        }
        answer = yield from self.ask(FETCH, version, wanted)
        self.check(answer.get("errorCode", errors.NONE), "the fetch")
        found: list[Value] = [each for item in answer["responses"] for each in item["partitions"]]
        return found[0] if found else {"errorCode": errors.NONE, "records": None}
