"""Large records, none of which waits for the answer to another."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from typing import Any

from conformance.api_keys import PRODUCE
from conformance.dialogue import Received
from conformance.reference.client.actions.sending import Sending
from conformance.reference.client.actions.writing import WRITTEN_MS
from conformance.reference.client.cluster import TOPIC
from conformance.reference.client.steps import Course, Step
from conformance.testee_protocol import Value

LENGTH = 500_000
SHORT = 100
ROUNDS = (("a" * LENGTH, "b" * SHORT), ("c" * LENGTH, "d" * LENGTH))
Answers = Generator[Step, Received | None, list[Value]]
NOBODY: Value = {"producerId": -1, "producerEpoch": -1}


class Large(Sending):
    """The action that sends requests which a connection does not take at once."""

    def ways_of_writing(self) -> Mapping[str, Any]:
        """Return all ways of writing, this one included."""
        return {**super().ways_of_writing(), "large": self.large}

    def large(self) -> Course:
        """Write two rounds of large records, all of a round at once."""
        topic_id = yield from self.reach_leader()
        for texts in ROUNDS:
            for answer in (yield from self.write_round(topic_id, texts)):
                for topic in answer["responses"]:
                    for one in topic["partitionResponses"]:
                        self.check(one["errorCode"], f"the topic {TOPIC}")

    def write_round(self, topic_id: str, texts: Sequence[str]) -> Answers:
        """Send a Produce for each of these values, and return the answers."""
        version = self.version_with(PRODUCE, topic_id)
        wanted = [self.filled_with(topic_id, text) for text in texts]
        return (yield from self.ask_all(PRODUCE, version, wanted))

    def filled_with(self, topic_id: str, text: str) -> Value:
        """Return a Produce of one record with this value."""
        self.at_once = (("k", text, WRITTEN_MS, ()),)
        return self.request_of(topic_id, NOBODY)
