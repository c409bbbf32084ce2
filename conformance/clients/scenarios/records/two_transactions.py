"""Two transactions of one producer, something of the first of which is refused or lost.

The broker keeps account of the sequence numbers, as Apache Kafka does, and gives the transactional
id another epoch each time that it is asked for one.
"""

from __future__ import annotations

import base64
from typing import ClassVar

from conformance import error_codes
from conformance.clients.scenarios.playing import Closes
from conformance.clients.scenarios.records.streams import SENT, THIRD, TakesStream, batch_in
from conformance.clients.scenarios.records.writing import written_batches
from conformance.clients.scenarios.visit import Sent, Visit, require, succeeds, survives
from conformance.dialogue import Broken
from conformance.reference.broker.cluster import Request, Topic, Value
from conformance.reference.broker.errors import Hangup, Refused
from conformance.reference.broker.records.produce import BATCHES_SINCE

FIRST = [f"v{number}" for number in range(SENT)]
"""The values of the first transaction."""
COMMITTED = "committed"
DELETED_BEFORE = 100


def commits_whole(visit: Visit) -> None:
    """Judge that the first committed transaction has all its records since it got its epoch, or
    none.

    The driver may write one of these values in the second transaction as well: that is what the
    last transaction held where nothing was wrong.
    """
    second = _transactions(visit.control_case)[-1:] if visit.control_case else []
    first = [value for value in FIRST if not any(value in each for _, each in second)]
    for end, within in _transactions(visit):
        lost = [value for value in first if value not in within]
        if end.value and end.value["committed"] and 0 < len(lost) < len(first):
            what = f"EndTxn commits a transaction without {' '.join(lost)}"
            raise Broken(what, "EndTxn that aborts", end.frame)


def _transactions(visit: Visit) -> list[tuple[Sent, set[str]]]:
    """Each EndTxn, and the values that were written for it since the producer got its epoch."""
    batches = {id(each): batch for each, batch in written_batches(visit)}
    found: list[tuple[Sent, set[str]]] = []
    within: set[str] = set()
    for each in visit.sent:
        if each.api == "InitProducerId":
            within = set()
        if id(each) in batches:
            values = [one["value"] for one in batches[id(each)]["records"]]
            within |= {base64.b64decode(value or "").decode("utf-8", "replace") for value in values}
        if each.api == "EndTxn" and each.value is not None:
            found.append((each, within))
            within = set()
    return found


def next_committed(visit: Visit) -> None:
    """The second transaction is committed, whatever became of the first."""
    succeeds(visit)
    told = require(visit.ended.text.split(), "it does not tell what became of its transactions")
    if told[-1] != COMMITTED:
        raise Broken(f"the second transaction was {told[-1]}", COMMITTED, " ".join(told))


class TakesTwoTransactions(TakesStream, action="twice"):
    """Takes two transactions of one producer, and keeps each answer to Produce back for a while."""

    is_long = True
    decides: ClassVar = {
        "client-transactions.lost-not-committed": commits_whole,
        "client-transactions.next-committed": next_committed,
    }

    def init_producer_id(self, request: Request) -> Value:
        """Return the same producer id each time, and the next epoch."""
        found = super().init_producer_id(request)
        return {**found, "producerId": 1, "producerEpoch": self.producers - 1}


class RefusesOneOfTransaction(TakesTwoTransactions):
    """Refuses the third Produce of a transaction for now, and those behind it as out of order."""

    at = THIRD

    def meet(self) -> None:
        raise Refused(error_codes.NOT_LEADER_OR_FOLLOWER)


class LosesOneOfTransaction(TakesTwoTransactions):
    """Closes the connection on the third Produce of a transaction, of which nothing is kept."""

    at = THIRD
    decides: ClassVar = {"client-transactions.lost-not-committed": commits_whole}

    def meet(self) -> None:
        raise Hangup


class ForgetsProducerOfTransaction(TakesTwoTransactions):
    """Has deleted the first record of a transaction, and does not know its producer any more."""

    is_deleted = False

    def stored(self, request: Request, topic: Topic, data: Value) -> int:
        """Store a batch; for an unknown producer only the first of a sequence. Raises Refused."""
        batch = batch_in(data) if request.version >= BATCHES_SINCE else {"baseSequence": 0}
        if batch["baseSequence"] > 0 and not self.written:
            raise Refused(error_codes.UNKNOWN_PRODUCER_ID)
        offset = super().stored(request, topic, data)
        if not self.is_deleted:
            self.is_deleted = True
            self.written.clear()
        return offset

    def produced(self, request: Request, item: Value, data: Value) -> Value:
        """Return the result with the log's present first offset, if the producer is unknown."""
        found = super().produced(request, item, data)
        is_unknown = found["errorCode"] == error_codes.UNKNOWN_PRODUCER_ID
        return {**found, "logStartOffset": DELETED_BEFORE} if is_unknown else found


class LosesEachEnd(Closes, about="EndTxnRequest", action="twice"):
    """Closes the connection on each EndTxn."""

    decides: ClassVar = {"client-answers.end-survived": survives}
