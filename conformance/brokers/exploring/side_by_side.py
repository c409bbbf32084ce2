"""The target and the model, asked the same: the answers must say the same.

What a cluster may take a moment to agree on is no difference. So requests that only read are asked
until the answers agree, and others while the target refuses them with an error that passes.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import suppress
from typing import Any

from conformance import error_codes
from conformance.brokers.dialogues.talk import (
    ENDED,
    PAUSE_S,
    Reply,
    Talk,
)
from conformance.brokers.exploring.comparing import Comparison, Difference
from conformance.brokers.exploring.conversation import Asked
from conformance.brokers.exploring.identities import PLACE, Identities
from conformance.brokers.exploring.model import Model
from conformance.dialogue import Broken, Dialogue, Receive, Received, Reconnect, Send, Step, Switch
from conformance.reference.broker.connections.session import Session
from conformance.schema.filling import filled

READING = frozenset(
    {
        "ApiVersions",
        "Metadata",
        "Fetch",
        "ListOffsets",
        "OffsetFetch",
        "OffsetForLeaderEpoch",
        "DescribeConfigs",
        "DescribeGroups",
        "ListGroups",
        "FindCoordinator",
        "DescribeTransactions",
        "ListTransactions",
        "DescribeProducers",
        "DescribeTopicPartitions",
        "DescribeAcls",
        "DescribeClientQuotas",
        "ListPartitionReassignments",
    }
)
"""The APIs that change nothing, so that they can be asked again."""
PASSING = frozenset(
    {
        error_codes.COORDINATOR_LOAD_IN_PROGRESS,
        error_codes.COORDINATOR_NOT_AVAILABLE,
        error_codes.NOT_COORDINATOR,
        error_codes.CONCURRENT_TRANSACTIONS,
        error_codes.NOT_LEADER_OR_FOLLOWER,
        error_codes.LEADER_NOT_AVAILABLE,
    }
)
"""Errors of a broker that is not ready: it has changed nothing, and is asked again."""

LATEST, COMMITTED = -1, 1
"""The end of a log, and the isolation level of readers of committed records alone."""

SETTLED_S = 0.1
"""The pause after a change of configs, which a broker takes over a moment after it answered."""
_SIZE = 4
"""The bytes of a frame's length."""

Steps = Generator[Step, Received | None, Any]


class Differs(Broken):
    """The target answers otherwise than the model. `kind` is what Hypothesis may not change."""

    kind = ""


class SideBySide:
    """One conversation with the target, and the same with the model.

    What may pass is asked for again so many `times`, by default as often as any dialogue does.
    """

    def __init__(self, talk: Talk, model: Model, times: int = 0) -> None:
        self._times = times
        self.talk = talk
        self.model = model
        self.identities = Identities(talk.facts.name("").rstrip("-"))
        self._comparison = Comparison(talk.codec, self.identities)
        self._sessions: dict[int, Session] = {}
        self._on = 0

    def ask(self, asked: Asked) -> Dialogue:
        """Ask both. Raises Differs."""
        before, ends, configs = self._topics(), self._stable_ends(), dict(self.model.configs)
        due = self._of_model(asked)
        if self._on != asked.connection:
            self._on = asked.connection
            yield Switch(str(asked.connection) if asked.connection else "")
        if not isinstance(due, Reply):
            yield from self._ended(asked, due)
            return
        found = yield from self._of_target(asked, due)
        for time in range(1, (self._times or self.talk.facts.times()) + 1):
            if found is None or not self._may_pass(asked, due, found[0]):
                break
            yield Receive(time * PAUSE_S)  # nothing was asked: a pause
            found = yield from self._of_target(asked, due)
        else:
            if found is not None and not self._times:
                self.talk.facts.waited_in_vain.append(found[1].path)
        if found is not None:
            raise _differs(asked, found[1])
        if self._topics() != before:
            with suppress(Broken):  # which a request for topics would show
                yield from self._settle()
        if asked.api != "Produce" and self._has_grown_since(ends):
            with suppress(Broken):
                yield from self._settle_logs()
        if self.model.configs != configs:
            yield Receive(SETTLED_S)

    def _of_model(self, asked: Asked) -> Reply | Received:
        """Return the model's answer, or what came in place of one."""
        session = self._sessions.setdefault(asked.connection, self.model.session())
        number = self.talk.number()
        frame = self.talk.frame(asked.api, asked.version, asked.value, number, **asked.header)
        answers = session.receive(frame)
        if session.closed:
            del self._sessions[asked.connection]
            return Received("closed")
        if not answers:
            return Received("silent")
        return self.talk.read(asked.api, asked.version, answers[0][_SIZE:])

    def _of_target(
        self, asked: Asked, due: Reply
    ) -> Generator[Step, Received | None, tuple[Reply, Difference] | None]:
        """Return the target's answer and its first difference, None if there is none."""
        number = self.talk.number()
        value = self.identities.to_target(asked.value)
        yield Send(self.talk.frame(asked.api, asked.version, value, number, **asked.header))
        try:
            frame = yield from self.talk.echo(asked.api, asked.version, number)
            reply = self.talk.read(asked.api, asked.version, frame)
        except Broken as broken:
            raise _as_difference(asked, broken) from None
        found = self._comparison.difference(asked.api, due.value, reply.value)
        return None if found is None else (reply, found)

    def _may_pass(self, asked: Asked, due: Reply, reply: Reply) -> bool:
        """True if it may be otherwise a moment later."""
        return asked.api in READING or bool(codes(reply.value) & PASSING - codes(due.value))

    def _ended(self, asked: Asked, due: Received) -> Dialogue:
        """Send a request that the model does not answer; the target must do as the model does."""
        number = self.talk.number()
        value = self.identities.to_target(asked.value)
        yield Send(self.talk.frame(asked.api, asked.version, value, number, **asked.header))
        if due.kind not in ENDED:
            yield from self._unanswered(asked)
            return
        heard = yield Receive(self.talk.facts.patience_s if self._times else None)
        assert heard is not None
        if heard.kind not in ENDED:
            what = f"{asked.api} v{asked.version} is answered where the connection should close"
            raise _as_difference(asked, Broken(what, "closed", heard.frame))
        yield Reconnect()

    def _unanswered(self, asked: Asked) -> Dialogue:
        """Expect the answer to a request that follows as the next one. Raises Differs."""
        number = self.talk.number()
        yield Send(self.talk.served_request(number))
        heard = yield Receive()
        assert heard is not None
        try:
            self.talk.understood(*self.talk.facts.served, number, heard)
        except Broken as broken:
            what = f"{asked.api} v{asked.version} has no answer, and then: {broken.detail}"
            raise _as_difference(asked, Broken(what, broken.expected, heard.frame)) from None

    def _topics(self) -> dict[str, int]:
        """Return the numbers of partitions of the conversation's topics, as the model has them."""
        topics = self.model.topics.items()
        return {name: len(topic.replicas) for name, topic in topics if name.startswith(PLACE)}

    def _settle(self) -> Dialogue:
        """Wait until the target has the same topics as the model; other requests judge that.

        So the conversation learns their ids, as a client does.
        """
        if not self.talk.facts.has("Metadata"):
            return
        due = self._topics()
        names = sorted(due)
        version = self.talk.facts.range_of("Metadata")[1]
        layout = self.talk.codec.form("MetadataRequest", version).layout
        asked = [{"name": self.identities.to_target(name)} for name in names]
        value = filled(layout, {"topics": asked, "allowAutoTopicCreation": False})
        for time in range(1, (self._times or self.talk.facts.times()) + 1):
            reply = yield from self.talk.ask_for_any("Metadata", version, value)
            found = self.identities.names_to_model(reply.value["topics"])
            led = {
                topic["name"]: sum(each["leaderId"] >= 0 for each in topic["partitions"])
                for topic in found
            }
            for topic in found:
                if (known := self.model.topics.get(topic["name"])) and "topicId" in topic:
                    self.identities.bind("topicId", known.topic_id, topic["topicId"])
            if led == due:
                break
            yield Receive(time * PAUSE_S)

    def _stable_ends(self) -> dict[tuple[str, int], int]:
        """Return the last stable offset of each log, as the model has them."""
        return {
            (topic.name, index): self.model.stable_end(topic, index)
            for topic in self.model.topics.values()
            for index in topic.logs
        }

    def _has_grown_since(self, ends: Mapping[tuple[str, int], int]) -> bool:
        """True if a last stable offset is another than before, as at the end of a transaction."""
        return any(end != ends.get(log, 0) for log, end in self._stable_ends().items())

    def _settle_logs(self) -> Dialogue:
        """Wait until the ends of transactions are written, which a coordinator does afterwards."""
        if not self.talk.facts.has("ListOffsets"):
            return
        version = self.talk.facts.range_of("ListOffsets")[1]
        layout = self.talk.codec.form("ListOffsetsRequest", version).layout
        ends = self._stable_ends()
        topics = [
            {
                "name": self.identities.to_target(name),
                "partitions": [{"partitionIndex": index, "timestamp": LATEST}],
            }
            for name, index in ends
        ]
        wanted = {"replicaId": -1, "isolationLevel": COMMITTED, "topics": topics}
        for time in range(1, (self._times or self.talk.facts.times()) + 1):
            reply = yield from self.talk.ask_for_any("ListOffsets", version, filled(layout, wanted))
            found = {
                (topic["name"], each["partitionIndex"]): each["offset"]
                for topic in self.identities.names_to_model(reply.value["topics"])
                for each in topic["partitions"]
            }
            if found == ends:
                break
            yield Receive(time * PAUSE_S)


def codes(value: Any) -> frozenset[int]:
    """Return all error codes of an answer but 0, at any depth."""
    if isinstance(value, list):
        return frozenset().union(*map(codes, value))
    if not isinstance(value, dict):
        return frozenset()
    own = {each for name, each in value.items() if name.lower().endswith("errorcode") and each}
    return frozenset(own).union(*map(codes, value.values()))


def _differs(asked: Asked, found: Difference) -> Differs:
    what = (
        f"{asked.api} v{asked.version} is answered otherwise than by the reference broker: "
        f"{found.path} is {found.actual} in place of {found.expected}"
    )
    raised = Differs(what, f"{found.path}: {found.expected}", f"{found.path}: {found.actual}")
    raised.kind = f"{found.kind} {found.expected if 'rrorCode' in found.path else ''}"
    return raised


def _as_difference(asked: Asked, broken: Broken) -> Differs:
    raised = Differs(broken.detail, broken.expected, broken.actual, unanswered=broken.unanswered)
    raised.kind = f"{asked.api} {'unread' if broken.unread else 'unanswered'}"
    return raised
