"""Transactions as clients write them, by the version of them that the cluster has (KIP-890), and as
clients read them in several answers.

An answer to Fetch may hold aborted records alone: then there is nothing to give, and nothing wrong.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, ClassVar

from conformance import error_codes
from conformance.api_keys import (
    ADD_OFFSETS_TO_TXN,
    ADD_PARTITIONS_TO_TXN,
    INIT_PRODUCER_ID,
    PRODUCE,
)
from conformance.clients.scenarios.batches import ABORT, TRANSACTIONAL, batch, marker
from conformance.clients.scenarios.judging import all_of, asks_at_most, nothing_told
from conformance.clients.scenarios.plain_brokers import ServesTransactions
from conformance.clients.scenarios.playing import EVER, Refuses, in_camel_case
from conformance.clients.scenarios.records.delivery import where_committed
from conformance.clients.scenarios.scenario import Scenario
from conformance.clients.scenarios.visit import (
    Sent,
    Visit,
    fails,
    judgement,
    require,
    succeeds,
)
from conformance.dialogue import Broken, NotApplicable
from conformance.reference.broker.cluster import Batch, Request, Value
from conformance.reference.broker.releases import NAMES, Feature

LAST_OF_CLIENTS = 3
MOST_ATTEMPTS = 3
THROTTLED = (PRODUCE, INIT_PRODUCER_ID, ADD_PARTITIONS_TO_TXN, ADD_OFFSETS_TO_TXN)
THROTTLE_MS, MOST_WAIT_S = 300, 2.0
FEW, LEAST_S = 3, 0.005
"""The requests allowed before pauses are checked, and the least pause in seconds between them."""
LAST_BEFORE_V2 = {"Produce": 11, "EndTxn": 4, "TxnOffsetCommit": 4}
"""The last versions that belong to the older way of transactions."""


def of_transaction(visit: Visit) -> list[Sent]:
    """Return the requests for the transaction. Raises NotApplicable if there are none."""
    apis = ("AddPartitionsToTxn", "Produce", "TxnOffsetCommit", "EndTxn")
    found = [each for each in visit.sent if each.api in apis and each.value is not None]
    if not found:
        raise NotApplicable("it asked nothing for a transaction")
    return found


def asked_as_client(visit: Visit) -> None:
    """Judge that partitions are added in a version that is for clients."""
    asked = require(visit.of("AddPartitionsToTxn"), "it did not ask AddPartitionsToTxn")
    for each in asked:
        if each.version > LAST_OF_CLIENTS:
            what = f"AddPartitionsToTxn v{each.version} was sent, which is for brokers"
            raise Broken(what, f"at most v{LAST_OF_CLIENTS}", each.frame)


def added_first(visit: Visit) -> None:
    """Judge that partitions are added before records are written, in versions that need it."""
    added = False
    for each in of_transaction(visit):
        added = added or each.api == "AddPartitionsToTxn"
        if each.version > LAST_BEFORE_V2.get(each.api, each.version):
            what = f"{each.api} v{each.version} was sent to a cluster that has not gone over to it"
            raise Broken(what, f"at most v{LAST_BEFORE_V2[each.api]}", each.frame)
        if each.api == "Produce" and not added:
            what = f"Produce v{each.version} came before AddPartitionsToTxn"
            raise Broken(what, "AddPartitionsToTxn", each.frame)


class Transacts(Scenario, about="AddPartitionsToTxnRequest", action="transact"):
    """Takes a transaction, and lists no features."""

    decides: ClassVar = {
        "client-transactions.asked-as-client": asked_as_client,
        "client-transactions.added-first": added_first,
    }


class NotGoneOver(Scenario, about="AddPartitionsToTxnRequest", action="transact"):
    """Knows transactions of version 2, and has not gone over to them."""

    answers = ""
    decides: ClassVar = {
        "client-transactions.asked-as-client": asked_as_client,
        "client-transactions.added-first": added_first,
        "client-transactions.each-way-done": succeeds,
    }
    level: ClassVar[int] = 0

    def __init__(self, **settings: Any) -> None:
        feature = Feature("transaction.version", 0, 2, self.level)
        super().__init__(**{"features": (feature,), **settings})


class GoneOver(NotGoneOver):
    """Has gone over to transactions of version 2."""

    level = 2
    decides: ClassVar = {"client-transactions.each-way-done": succeeds}


_PASSING: dict[int, tuple[str, ...]] = {
    10: ("COORDINATOR_NOT_AVAILABLE", "COORDINATOR_LOAD_IN_PROGRESS"),
    22: ("CONCURRENT_TRANSACTIONS", "COORDINATOR_LOAD_IN_PROGRESS"),
    24: ("CONCURRENT_TRANSACTIONS", "NOT_COORDINATOR"),
    25: ("CONCURRENT_TRANSACTIONS", "COORDINATOR_NOT_AVAILABLE"),
    26: ("CONCURRENT_TRANSACTIONS", "COORDINATOR_LOAD_IN_PROGRESS"),
    28: ("COORDINATOR_LOAD_IN_PROGRESS", "NOT_COORDINATOR"),
}
"""The errors that pass by themselves, by api key."""
_OF_OTHERS = {10}
"""The APIs that are not for transactions alone."""


class _RefusedOnce(Refuses, action="transact"):
    """Answers one API with an error, once."""

    def changed(self, body: Value) -> Value:
        found: Value = refused(body, self.code)
        return found


def refused(value: Any, code: int) -> Any:
    """An answer with this error wherever one may be."""
    if isinstance(value, list):
        return [refused(each, code) for each in value]
    if not isinstance(value, dict):
        return value
    named = ("errorCode", "partitionErrorCode")
    return {name: code if name in named else refused(each, code) for name, each in value.items()}


for _key, _codes in _PASSING.items():
    _api = NAMES[_key]
    for _code in _codes:
        _whose = "OfTransaction" if _key in _OF_OTHERS else ""
        _RefusedOnce.variant(
            f"{in_camel_case(_code)}In{_api}{_whose}",
            f"Answers the first {_api} of a transaction with {_code}.",
            about=f"{_api}Request",
            code=getattr(error_codes, _code),
            decides={"client-transactions.passing-errors-pass": succeeds},
            control_case=ServesTransactions if _key in _OF_OTHERS else None,
        )


class _RefusedForLong(_RefusedOnce):
    """Answers one API with an error that passes, ten times."""

    times = 10


@judgement
def waits_between(visit: Visit, api: str) -> None:
    """Judge that a refused request is not repeated at once: the error takes a while to pass."""
    asked = visit.of(api)
    require(len(asked) > FEW, f"it did not ask {api} more than {FEW} times")
    for first, last in zip(asked, asked[FEW:], strict=False):
        took_s = last.at_s - first.at_s
        if took_s < FEW * LEAST_S:
            what = f"{api} was sent {FEW + 1} times within {took_s * 1000:.0f} ms"
            raise Broken(what, "a pause before each but the first", last.frame)


for _key in (22, 24, 25, 26, 28):
    _api = NAMES[_key]
    _RefusedForLong.variant(
        f"{_api}LoadsForLong",
        f"Answers {_api} ten times with COORDINATOR_LOAD_IN_PROGRESS.",
        about=f"{_api}Request",
        code=error_codes.COORDINATOR_LOAD_IN_PROGRESS,
        decides={"client-transactions.errors-waited-out": waits_between(_api)},
    )


class EndTxnLoadsForVeryLong(_RefusedForLong, about="EndTxnRequest", action="twice"):
    """Answers EndTxn 36 times with COORDINATOR_LOAD_IN_PROGRESS, to who waits 64 ms each time."""

    code = error_codes.COORDINATOR_LOAD_IN_PROGRESS
    times = 36
    decides: ClassVar = {"client-transactions.errors-waited-out": waits_between("EndTxn")}


class _RefusedForGood(_RefusedOnce):
    """Answers one API with an error, each time."""

    times = EVER


class Fenced(_RefusedForGood, about="InitProducerIdRequest"):
    """Answers every InitProducerId with PRODUCER_FENCED."""

    code = error_codes.PRODUCER_FENCED
    decides: ClassVar = {
        "client-transactions.fencing-told": all_of(
            asks_at_most(MOST_ATTEMPTS, "InitProducerId"), fails
        )
    }


class FencedWhileConcurrent(_RefusedOnce, about="InitProducerIdRequest", action="fence"):
    """Answers the first InitProducerId of who fences producers off with CONCURRENT_TRANSACTIONS."""

    code = error_codes.CONCURRENT_TRANSACTIONS
    decides: ClassVar = {"client-transactions.passing-errors-pass": succeeds}


def not_committed(visit: Visit) -> None:
    """Judge that no transaction whose record was refused is committed, or reported so."""
    asked = [each for each in visit.of("EndTxn") if each.value and each.value["committed"]]
    for each in asked:
        raise Broken("EndTxn commits a transaction whose record was refused", "none", each.frame)
    fails(visit)


for _code in ("OUT_OF_ORDER_SEQUENCE_NUMBER", "MESSAGE_TOO_LARGE", "TOPIC_AUTHORIZATION_FAILED"):
    _RefusedForGood.variant(
        f"{in_camel_case(_code)}InTransaction",
        f"Answers every Produce of a transaction with {_code}.",
        about="ProduceRequest",
        code=getattr(error_codes, _code),
        decides={"client-transactions.lost-not-committed": not_committed},
    )


def _pauses(visit: Visit) -> list[float]:
    """The seconds between the requests of a transaction."""
    return [after.at_s - before.at_s for before, after in pairwise(of_transaction(visit))]


def goes_on_in_time(visit: Visit) -> None:
    """Between two requests of the transaction there is not much more than the throttle time, and
    what passes between two of them where nothing is throttled."""
    asked = of_transaction(visit)
    usual_s = max(_pauses(visit.control_case), default=0.0) if visit.control_case else 0.0
    for (before, after), waited_s in zip(pairwise(asked), _pauses(visit), strict=True):
        if waited_s > MOST_WAIT_S + 2 * usual_s:
            what = f"{after.api} came {waited_s:.1f} s behind {before.api}"
            raise Broken(what, f"not much more than {THROTTLE_MS} ms", after.frame)
    succeeds(visit)


class ThrottledTransaction(Scenario, about="AddPartitionsToTxnRequest", action="transact"):
    """Throttles what is asked for a transaction by 300 ms each time."""

    decides: ClassVar = {"client-transactions.goes-on-when-throttled": goes_on_in_time}

    def throttled(self, request: Request, body: Value) -> Value:
        found = super().throttled(request, body)
        return {**found, "throttleTimeMs": THROTTLE_MS} if request.api_key in THROTTLED else found


def ends_nothing(visit: Visit) -> None:
    """A transaction to which nothing was added is not ended at the coordinator."""
    for each in visit.of("EndTxn"):
        raise Broken(f"EndTxn v{each.version} was sent", "nothing", each.frame)
    succeeds(visit)


class NothingToEnd(Scenario, about="EndTxnRequest", action="empty"):
    """Looks after a transaction to which nothing is added."""

    answers = "InitProducerId"
    decides: ClassVar = {"client-transactions.nothing-to-end": ends_nothing}

    def end_txn(self, request: Request) -> Value:
        """There is none."""
        return {**super().end_txn(request), "errorCode": error_codes.INVALID_TXN_STATE}


class AbortedForMembers(Scenario, about="FetchRequest", action="join"):
    """Gives a batch in an answer: an aborted one, the end of its transaction, and a record."""

    aborted = 1

    def records(self) -> list[Batch]:
        batches = [batch(at, ("k", "v"), attributes=TRANSACTIONAL) for at in range(self.aborted)]
        return [*batches, marker(self.aborted, ABORT), batch(self.aborted + 1, ("k", "v"))]

    is_batch_by_batch = True

    def fetched_of(self, request: Request, item: Value, wanted: Value) -> Value:
        """Return the aborted transaction as well, if its records or its end are in the answer."""
        found = super().fetched_of(request, item, wanted)
        is_there = wanted["fetchOffset"] <= self.aborted
        told = [{"producerId": 1, "firstOffset": 0}] if is_there else []
        return {**found, "abortedTransactions": told}


class AbortedInManyAnswers(AbortedForMembers):
    """Gives a batch in an answer: the first 15 of an aborted transaction, its end, and a record."""

    aborted = 15
    control_case = AbortedForMembers
    decides: ClassVar = {
        "client-records.aborted-is-no-error": where_committed(all_of(succeeds, nothing_told))
    }
