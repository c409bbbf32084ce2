"""Transactions whose coordinator is another broker: one that leaves, or gives something up."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from conformance import error_codes
from conformance.clients.scenarios.plain_brokers import ServesTransactions
from conformance.clients.scenarios.records.transactions import refused
from conformance.clients.scenarios.scenario import Scenario
from conformance.clients.scenarios.visit import Visit, require, succeeds
from conformance.dialogue import Broken
from conformance.reference.broker.cluster import Request, Value
from conformance.reference.broker.connections.session import Session
from conformance.reference.broker.errors import Hangup

SECOND = 2
GROUP = "group-a"


class _OfTwo(Scenario, action="transact"):
    """One of two brokers, the second of which looks after transactions, until it does not."""

    gone = False

    def coordinator(self, request: Request, key: str) -> Value:
        """The second one, until it hung up."""
        found = super().coordinator(request, key)
        home = self.company[0 if self.is_given_up(key) else -1]
        return {**found, "nodeId": home.node_id, "host": home.host, "port": home.port}

    def is_given_up(self, key: str) -> bool:
        """True if the second broker is no longer the coordinator."""
        return bool(self.company[-1].gone)  # type: ignore[attr-defined]


class _GroupElsewhere(Scenario, about="TxnOffsetCommitRequest", action="transact"):
    """One of two brokers, the second of which looks after the group, and the first after all else.

    What becomes of the offset is not judged.
    """

    def coordinator(self, request: Request, key: str) -> Value:
        found = super().coordinator(request, key)
        home = self.company[-1 if key == GROUP else 0]
        return {**found, "nodeId": home.node_id, "host": home.host, "port": home.port}


def at_group(visit: Visit) -> None:
    """Judge that TxnOffsetCommit goes to the coordinator of the group."""
    asked = require(visit.of("TxnOffsetCommit"), "it did not ask TxnOffsetCommit")
    if SECOND not in [each.node for each in asked]:
        what = f"TxnOffsetCommit v{asked[0].version} asks broker {asked[0].node} alone"
        raise Broken(what, f"broker {SECOND}, which looks after the group", asked[0].frame)


class GroupElsewhere(_GroupElsewhere):
    """Looks after a transaction, beside a broker that looks after the group of its offsets."""

    others: ClassVar = {SECOND: _GroupElsewhere}
    decides: ClassVar = {"client-transactions.offsets-at-group": at_group}


class _Leaves(_OfTwo):
    """Hangs up on what is asked for a transaction, and on all that comes from then on."""

    class Sessions(Session):
        """Over, once the broker is gone."""

        def answers(self, data: bytes) -> Iterator[bytes]:
            if isinstance(self.broker, _OfTwo) and self.broker.gone:
                self.close()
                return
            yield from super().answers(data)

    def add_partitions_to_txn(self, request: Request) -> Value:
        self.gone = True
        raise Hangup


class CoordinatorLeaves(_OfTwo, about="AddPartitionsToTxnRequest"):
    """Looks after a transaction behind another broker, which is gone at AddPartitionsToTxn."""

    others: ClassVar = {SECOND: _Leaves}
    decides: ClassVar = {"client-transactions.passing-errors-pass": succeeds}


class CoordinatorLeavesMetadata(CoordinatorLeaves):
    """Looks after a transaction behind a broker that leaves at its first use, and Metadata too."""

    def brokers(self) -> list[Value]:
        """Return the brokers that are still there."""
        is_gone = self.company[-1].gone  # type: ignore[attr-defined]
        return super().brokers()[:1] if is_gone else super().brokers()


class _GroupMoves(_OfTwo):
    """One of two that look after a group one after the other; the second has the transaction."""

    def is_given_up(self, key: str) -> bool:
        return key == GROUP and super().is_given_up(key)


class _GivesGroupUp(_GroupMoves):
    """Refuses the first TxnOffsetCommit, and then hangs up."""

    class Sessions(Session):
        """Over behind the refusal."""

        def answers(self, data: bytes) -> Iterator[bytes]:
            was_gone = self.broker.gone  # type: ignore[attr-defined]
            for answer in super().answers(data):
                if self.broker.gone and not was_gone:  # type: ignore[attr-defined]
                    self.close()
                yield answer

    def txn_offset_commit(self, request: Request) -> Value:
        found = super().txn_offset_commit(request)
        if self.gone:
            return found
        self.gone = True
        changed: Value = refused(found, error_codes.NOT_COORDINATOR)
        return changed


class GroupLeavesCoordinator(_GroupMoves, about="TxnOffsetCommitRequest"):
    """Gets a group from the broker of its transaction, which hangs up at TxnOffsetCommit then."""

    others: ClassVar = {SECOND: _GivesGroupUp}
    decides: ClassVar = {"client-transactions.passing-errors-pass": succeeds}


class _LookedUp(_OfTwo, about="FindCoordinatorRequest"):
    """Is the second of two brokers, to a client that asks for the coordinator."""


class CoordinatorNotInMetadata(_OfTwo, about="FindCoordinatorRequest"):
    """Names a coordinator of transactions that Metadata does not tell of."""

    others: ClassVar = {SECOND: _LookedUp}
    control_case = ServesTransactions
    decides: ClassVar = {"client-transactions.passing-errors-pass": succeeds}

    def brokers(self) -> list[Value]:
        return super().brokers()[:1]
