"""Clients that confuse requests in a sequence, or records of one topic with another's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from conformance.api_keys import FETCH
from conformance.clients.mutants.mutant import ClientMutant
from conformance.dialogue import Send
from conformance.error_codes import TOPIC_AUTHORIZATION_FAILED, UNKNOWN_PRODUCER_ID
from conformance.reference.client import Asking, Course, Trying
from conformance.reference.client.actions.sending import NEW, OTHER, Answers
from conformance.reference.client.actions.writing import SEVERAL as SEVERAL_AT_ONCE
from conformance.reference.client.cluster import TOPIC
from conformance.reference.client.steps import Lost, Wait
from conformance.testee_protocol import Value

EMPTY_FETCHES = 5
REFUSALS = 20


class AnotherProducerAfterLoss(ClientMutant, breaks="client-produce.stream-once-in-order"):
    """Sends what was lost of a stream again as another producer."""

    implies = ("client-transactions.lost-not-committed",)

    def write_here(self, topic_id: str) -> Trying:
        try:
            return (yield from super().write_here(topic_id))
        except Lost:
            if self.streamed:
                self.kept, self.written = None, 0
            raise


class OneErrorForAllTopics(ClientMutant, breaks="client-produce.topics-apart"):
    """Gives the error of one topic to what is sent to another."""

    def both(self) -> Course:
        self.named = OTHER
        yield from self.trying(self.write, f"the topic {OTHER}")
        yield from super().both()


class FetchesNothing(ClientMutant, breaks="client-requests.nothing-not-fetched"):
    """Asks Fetch for no partition while all are paused."""

    def rest(self) -> Course:
        for _ in range(EMPTY_FETCHES):
            yield Wait(self.backoff_s)
            yield from self.ask(FETCH, self.version_of(FETCH), {"replicaId": -1, "topics": []})


class AbortedDroppedAnyway(ClientMutant, breaks="client-records.uncommitted-read"):
    """Drops the records of aborted transactions where it asked for what is not committed too."""

    def drops_aborted(self) -> bool:
        return True


class UnknownIsTheEnd(ClientMutant, breaks="client-produce.unknown-producer-writes-on"):
    """Gives a record up where the broker does not know its producer."""

    def passing(self) -> frozenset[int]:
        return super().passing() - {UNKNOWN_PRODUCER_ID}


class EpochOfTheBatch(ClientMutant, breaks="client-records.leader-epoch-as-told"):
    """Takes the epoch of the last batch for that of the leader."""

    implies = ("client-records.epoch-grown-read-on",)

    def read_batch(self, data: bytes) -> Value:
        batch = super().read_batch(data)
        self.leader_epoch = batch.get("partitionLeaderEpoch", self.leader_epoch)
        return batch


class FlushesTheFirstTry(ClientMutant, breaks="client-produce.flush-awaits-all"):
    """Takes a batch that is to be sent again for done."""

    tries = 0

    def send_records(self, version: int, wanted: Value) -> Trying:
        self.tries += 1
        return (yield from super().send_records(version, wanted))

    def outcomes(self) -> list[str]:
        return super().outcomes() if self.tries == 1 else ["waiting" for _ in self.at_once]


class TellsEachTry(ClientMutant, breaks="client-produce.told-once"):
    """Tells of records as often as they were sent."""

    tries = 0

    def send_records(self, version: int, wanted: Value) -> Trying:
        self.tries += len(self.at_once) == len(SEVERAL_AT_ONCE)
        return (yield from super().send_records(version, wanted))

    def times_told(self) -> list[str]:
        return [str(self.tries) for _ in SEVERAL_AT_ONCE] + ["1"]


class AsksBeforeEachRecord(ClientMutant, breaks="client-requests.metadata-not-repeated"):
    """Asks Metadata before each record that it writes, once one was refused."""

    is_refused = False

    def write_here(self, topic_id: str) -> Trying:
        if self.is_refused:
            yield from self.metadata(TOPIC)
        code = yield from super().write_here(topic_id)
        self.is_refused = self.is_refused or code in self.passing()
        return code


class ThrottledIsDead(ClientMutant, breaks="client-produce.throttled-not-left"):
    """Takes a connection for dead on which it is throttled for longer than a request may take."""

    most_ms = 3000

    def throttle(self, answer: Value) -> Course:
        if answer.get("throttleTimeMs", 0) <= self.most_ms:
            yield from super().throttle(answer)
        else:
            yield from self.connect(None)


class LargeBatchForgotten(ClientMutant, breaks="client-produce.large-batch-sent-again"):
    """Gives a batch up that is refused, where it holds more than 10,000 records."""

    most_kept = 10_000

    def passing(self) -> frozenset[int]:
        return super().passing() if len(self.at_once) <= self.most_kept else frozenset()


class NoTopicMade(ClientMutant, breaks="client-requests.creation-is-told"):
    """Forbids brokers to make a topic, whatever the application wants."""

    def made(self) -> Course:
        self.named = NEW
        yield from self.trying(self.write, f"the topic {NEW}")


class RefusedTopicPasses(ClientMutant, breaks="client-produce.refused-topic-told"):
    """Asks Metadata on and on for a topic that it is told that it may not see."""

    def metadata(self, *names: str) -> Asking:
        for _ in range(REFUSALS):
            answer = yield from super().metadata(*names)
            codes = [each["errorCode"] for each in answer["topics"] if each["name"] in names]
            if TOPIC_AUTHORIZATION_FAILED not in codes:
                break
        return answer


class WaitsOnceItWasFull(ClientMutant, breaks="client-requests.sent-without-an-answer"):
    """Sends nothing behind a request that the connection did not take at once, until that one is
    answered."""

    def ask_all(self, api_key: int, version: int, wanted: Sequence[Mapping[str, Any]]) -> Answers:
        numbers, bodies = [next(self._numbers) for _ in wanted], []
        waiting: list[int] = []
        for number, each in zip(numbers, wanted, strict=True):
            yield Send(self.frame(api_key, version, number, each))
            waiting.append(number)
            if self.was_full or number == numbers[-1]:
                for one in waiting:
                    frame = self.answer_to(one, (yield from self.hear()))
                    bodies.append(self.read(api_key, version, frame))
                waiting.clear()
        return bodies
