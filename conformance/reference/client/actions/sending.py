"""Records sent one after the other, to one topic or two, or for some time after a login; and large
ones, none of which waits for the answer to another.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from conformance.api_keys import PRODUCE
from conformance.dialogue import Received
from conformance.reference.client.actions.writing import SEVERAL as SEVERAL_AT_ONCE
from conformance.reference.client.actions.writing import WRITTEN_MS, Writing
from conformance.reference.client.cluster import TOPIC
from conformance.reference.client.steps import Course, Failed, Lost, Step, Wait
from conformance.testee_protocol import Value

OTHER = "orders.v2"
NEW = "made-by-writing"
SEVERAL = 8
MANY = 80_000
STEADY = 25
LATER = (("k", "later", WRITTEN_MS, ()),)
LATER_S = 2.5
PAUSE_S = 0.1
SPARE = 0.8
"""The part of its login's lifetime after which it logs in again."""


class Sending(Writing):
    """The actions that send in these ways. `streamed` are the reported records of a stream."""

    def __init__(self) -> None:
        super().__init__()
        self.streamed: list[str] = []

    def ways_of_writing(self) -> Mapping[str, Any]:
        """Return all ways of writing, these included."""
        more = {
            "stream": self.stream,
            "both": self.both,
            "flush": self.flush,
            "many": self.many,
            "made": self.made,
            "steady": self.steady,
            "later": self.later,
        }
        return {**super().ways_of_writing(), **more}

    def stream(self) -> Course:
        """Write some records as one producer, each batch after the answer to the one before."""
        self.keeps_producer = True
        while len(self.streamed) < SEVERAL:
            self.at_once = (("k", f"v{len(self.streamed)}", WRITTEN_MS, ()),)
            yield from self.trying(self.write, f"the topic {TOPIC}")
            self.streamed += self.told
        self.told = self.streamed

    def flush(self) -> Course:
        """Write some records at once, and report the outcome of each."""
        self.at_once = SEVERAL_AT_ONCE
        yield from self.trying(self.write, f"the topic {TOPIC}")
        self.told = self.outcomes()

    def many(self) -> Course:
        """Write very many records at once, as an idempotent producer."""
        self.keeps_producer = True
        self.at_once = (("k", "v", WRITTEN_MS, ()),) * MANY
        yield from self.trying(self.write, f"the topic {TOPIC}")
        self.told = []

    def made(self) -> Course:
        """Write to a topic that brokers have to create."""
        self.named, self.has_topics_made = NEW, True
        yield from self.trying(self.write, f"the topic {NEW}")

    def later(self) -> Course:
        """Write several records at once, and another one later, whatever happened to the first."""
        self.keeps_producer, self.at_once = True, SEVERAL_AT_ONCE
        with suppress(Failed):
            yield from self.trying(self.write, f"the topic {TOPIC}")
        yield Wait(LATER_S)
        self.at_once = LATER
        yield from self.trying(self.write, f"the topic {TOPIC}")
        self.told = self.times_told()

    def times_told(self) -> list[str]:
        """Return how often the application was given the outcome of each record."""
        return ["1" for _ in (*SEVERAL_AT_ONCE, *LATER)]

    def outcomes(self) -> list[str]:
        """Return the known outcome of each record that was given."""
        return ["written" for _ in self.at_once]

    def both(self) -> Course:
        """Write to each of two topics, to the second whatever happened to the first."""
        written, why = [], ""
        for name in (OTHER, TOPIC):
            self.named = name
            try:
                yield from self.trying(self.write, f"the topic {name}")
                written.append(name)
            except Failed as failed:
                why = str(failed)
                yield from self.connect(None)
        if not written:
            raise Failed(why)
        self.told = written

    def steady(self) -> Course:
        """Write a record each tenth of a second, on one connection as long as it lasts."""
        topic_id = yield from self.reach_leader()
        for _ in range(STEADY):
            yield Wait(PAUSE_S)
            yield from self.stay_logged_in(PAUSE_S)
            try:
                code = yield from self.write_here(topic_id)
            except Lost:
                yield from self.come_again()
                code = yield from self.write_here(topic_id)
            if code in self.passing():
                yield from self.come_again()
                code = yield from self.write_here(topic_id)
            self.check(code, f"the topic {TOPIC}")

    def come_again(self) -> Course:
        """Open another connection to the topic's leader."""
        yield from self.connect(None)
        yield from self.reach_leader()

    def stay_logged_in(self, passed_s: float) -> Course:
        """Log in again before the login's time is up (KIP-368)."""
        self.logged_in_s += passed_s
        if self.lifetime_s and self.logged_in_s > SPARE * self.lifetime_s:
            yield from self.log_in()


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
