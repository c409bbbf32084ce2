"""Clients that come to grief over transactions that are refused, or that are empty."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from conformance import error_codes
from conformance.api_keys import TXN_OFFSET_COMMIT
from conformance.clients.mutants.mutant import ClientMutant
from conformance.reference.client import Asking, Course, Trying, Wait
from conformance.testee_protocol import Value

REFUSALS = (
    error_codes.OUT_OF_ORDER_SEQUENCE_NUMBER,
    error_codes.MESSAGE_TOO_LARGE,
    error_codes.TOPIC_AUTHORIZATION_FAILED,
)


class NeverWaitsInTransactions(ClientMutant, breaks="client-transactions.errors-waited-out"):
    """Sends what a transaction's coordinator refused again at once."""

    def backoff(self, attempt: int) -> float:
        return 0.0 if self.in_transaction else super().backoff(attempt)


class FencingPasses(ClientMutant, breaks="client-transactions.fencing-told"):
    """Asks for the id of a producer until it is not fenced any more."""

    def init_transactions(self) -> Trying:
        for _ in range(1000):
            code = yield from super().init_transactions()
            if code != error_codes.PRODUCER_FENCED:
                break
        return code


class CommitsTheRest(ClientMutant, breaks="client-transactions.lost-not-committed"):
    """Commits what is left of a transaction when a record of it was refused."""

    def write(self) -> Trying:
        code = yield from super().write()
        return 0 if self.in_transaction and code in REFUSALS else code


class GoesOnBehindAborted(ClientMutant, breaks="client-transactions.next-committed"):
    """Goes on in its sequence behind a transaction that was aborted, whatever it failed at."""

    def abort(self) -> Course:
        kept, written = self.kept, self.written
        yield from super().abort()
        self.kept, self.written = kept, written


class EndsNothing(ClientMutant, breaks="client-transactions.nothing-to-end"):
    """Ends each transaction that was begun, also one to which nothing was added."""

    def empty(self) -> Course:
        yield from super().empty()
        yield from self.trying(self.end_transaction, "the transaction")


class ListsAreSorted(ClientMutant, breaks="client-records.aborted-in-any-order"):
    """Takes it that aborted transactions are listed in their order."""

    def by_producer(self, told: list[Value]) -> dict[int, list[int]]:
        offsets: dict[int, list[int]] = {}
        for each in told:
            offsets.setdefault(each["producerId"], []).append(each["firstOffset"])
        return offsets


class SleepsWhenThrottled(ClientMutant, breaks="client-transactions.goes-on-when-throttled"):
    """Asks nothing for three seconds in a transaction when it is throttled."""

    def throttle(self, answer: Value) -> Course:
        yield from super().throttle(answer)
        if self.in_transaction and answer.get("throttleTimeMs", 0):
            yield Wait(3.0)


class NothingGivenIsAnError(ClientMutant, breaks="client-records.aborted-is-no-error"):
    """Tells its caller of an error where an answer to Fetch holds aborted records alone."""

    had_none = False

    def records_of(self, found: Value, offset: int) -> tuple[list[Value], int]:
        records, following = super().records_of(found, offset)
        self.had_none = self.had_none or (bool(self.aborted) and not records)
        return records, following

    def join(self) -> Course:
        yield from super().join()
        self.told = ["told", "MESSAGE_TOO_LARGE"] if self.had_none else self.told


class CommitsOffsetsWhereItEnds(ClientMutant, breaks="client-transactions.offsets-at-group"):
    """Sends the offsets of a transaction to the coordinator of that one."""

    def ask(self, api_key: int, version: int, wanted: Mapping[str, Any]) -> Asking:
        if api_key == TXN_OFFSET_COMMIT:
            yield from self.reach_transactions()
        return (yield from super().ask(api_key, version, wanted))
