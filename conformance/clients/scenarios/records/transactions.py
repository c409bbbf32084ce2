"""Transactions as clients write them, by the version of them that the cluster has (KIP-890)."""

from __future__ import annotations

from typing import Any, ClassVar

from conformance import error_codes
from conformance.clients.scenarios import Scenario
from conformance.clients.scenarios.playing import Rewrites
from conformance.clients.scenarios.visit import Sent, Visit, succeeds
from conformance.dialogue import Broken, NotApplicable
from conformance.reference.broker.cluster import Value
from conformance.reference.broker.releases import NAMES, Feature
from conformance.schema.layout import Form

LAST_OF_CLIENTS = 3
LAST_BEFORE_V2 = {"Produce": 11, "EndTxn": 4, "TxnOffsetCommit": 4}
"""The last versions that belong to the older way of transactions."""


def of_transaction(visit: Visit) -> list[Sent]:
    """What was asked for the transaction. Raises NotHere where nothing was."""
    apis = ("AddPartitionsToTxn", "Produce", "TxnOffsetCommit", "EndTxn")
    found = [each for each in visit.sent if each.api in apis and each.value is not None]
    if not found:
        raise NotApplicable("it asked nothing for a transaction")
    return found


def asked_as_client(visit: Visit) -> None:
    """Partitions are added in a version that is for clients."""
    asked = visit.of("AddPartitionsToTxn")
    if not asked:
        raise NotApplicable("it did not ask AddPartitionsToTxn")
    for each in asked:
        if each.version > LAST_OF_CLIENTS:
            what = f"AddPartitionsToTxn v{each.version} was sent, which is for brokers"
            raise Broken(what, f"at most v{LAST_OF_CLIENTS}", each.frame)


def added_first(visit: Visit) -> None:
    """What is written belongs to the transaction already, in versions in which it has to."""
    added = False
    for each in of_transaction(visit):
        added = added or each.api == "AddPartitionsToTxn"
        if each.version > LAST_BEFORE_V2.get(each.api, each.version):
            what = f"{each.api} v{each.version} was sent to a cluster that has not gone over to it"
            raise Broken(what, f"at most v{LAST_BEFORE_V2[each.api]}", each.frame)
        if each.api == "Produce" and not added:
            what = f"Produce v{each.version} came before AddPartitionsToTxn"
            raise Broken(what, "AddPartitionsToTxn", each.frame)


class Transacts(Scenario):
    """Takes a transaction, and lists no features."""

    about = "AddPartitionsToTxnRequest"
    action = "transact"
    decides: ClassVar = {
        "client-transactions.asked-as-client": asked_as_client,
        "client-transactions.added-first": added_first,
    }


class NotGoneOver(Scenario):
    """Knows transactions of version 2, and has not gone over to them."""

    about = "AddPartitionsToTxnRequest"
    action = "transact"
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
    22: ("CONCURRENT_TRANSACTIONS", "COORDINATOR_LOAD_IN_PROGRESS"),
    24: ("CONCURRENT_TRANSACTIONS", "NOT_COORDINATOR"),
    25: ("CONCURRENT_TRANSACTIONS", "COORDINATOR_NOT_AVAILABLE"),
    26: ("CONCURRENT_TRANSACTIONS", "COORDINATOR_LOAD_IN_PROGRESS"),
    28: ("COORDINATOR_LOAD_IN_PROGRESS", "NOT_COORDINATOR"),
}
"""By api key, what passes by itself."""


class _RefusedOnce(Rewrites):
    """Answers one API with an error, once."""

    action = "transact"
    code: ClassVar[int]

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.is_done = False

    def body(self, form: Form, body: Value) -> Value:
        del form
        if self.is_done:
            return body
        self.is_done = True
        changed: Value = _refused(body, self.code)
        return changed


def _refused(value: Any, code: int) -> Any:
    if isinstance(value, list):
        return [_refused(each, code) for each in value]
    if not isinstance(value, dict):
        return value
    named = ("errorCode", "partitionErrorCode")
    return {name: code if name in named else _refused(each, code) for name, each in value.items()}


for _key, _codes in _PASSING.items():
    _api = NAMES[_key]
    for _code in _codes:
        _words = "".join(word.capitalize() for word in _code.split("_"))
        _fields: dict[str, Any] = {
            "__doc__": f"Answers the first {_api} of a transaction with {_code}.",
            "__module__": __name__,
            "api": _api,
            "about": f"{_api}Request",
            "code": getattr(error_codes, _code),
            "decides": {"client-transactions.passing-errors-pass": succeeds},
        }
        type(f"{_words}In{_api}", (_RefusedOnce,), _fields)
