"""FindCoordinator in batches: keys lost, moved and mistaken."""

from __future__ import annotations

from conformance.brokers.mutants.mutant import BrokerMutant
from conformance.error_codes import COORDINATOR_NOT_AVAILABLE, INVALID_REQUEST
from conformance.reference.broker.cluster import Request, Value
from conformance.reference.broker.errors import Hangup, Refused
from conformance.reference.broker.groups.coordinators import (
    BATCHES_SINCE,
    GROUP_KEY,
    SHARE_KEY,
    TRANSACTION_KEY,
)


class FirstKeyOnly(BrokerMutant, breaks="results.one-for-each"):
    """Answers the first key alone."""

    def coordinators(self, request: Request, keys: list[str]) -> list[Value]:
        return super().coordinators(request, keys[:1])


class KeysNotNamed(BrokerMutant, breaks="results.one-for-each"):
    """Leaves the key empty in each entry."""

    def coordinators(self, request: Request, keys: list[str]) -> list[Value]:
        return [{**each, "key": ""} for each in super().coordinators(request, keys)]


class KeysInReverse(BrokerMutant, breaks="coordinators.in-order-of-keys"):
    """Answers the keys in the reverse order."""

    def coordinators(self, request: Request, keys: list[str]) -> list[Value]:
        return super().coordinators(request, keys[::-1])


class KeysSorted(BrokerMutant, breaks="coordinators.in-order-of-keys"):
    """Answers the keys in the order of the alphabet."""

    def coordinators(self, request: Request, keys: list[str]) -> list[Value]:
        return super().coordinators(request, sorted(keys))


class NoKeysCloses(BrokerMutant, breaks="coordinators.no-keys-no-entries"):
    """Hangs up on a batch without keys."""

    def coordinators(self, request: Request, keys: list[str]) -> list[Value]:
        if not keys:
            raise Hangup
        return super().coordinators(request, keys)


class NoKeysIsAnError(BrokerMutant, breaks="coordinators.no-keys-no-entries"):
    """Answers a batch without keys with an error for the empty key."""

    def coordinators(self, request: Request, keys: list[str]) -> list[Value]:
        refused = {"key": "", **self.no_coordinator(Refused(INVALID_REQUEST))}
        return super().coordinators(request, keys) or [refused]


class NoKeysTakenForEmptyKey(BrokerMutant, breaks="coordinators.no-keys-no-entries"):
    """Takes a batch without keys for the empty key of older versions."""

    def coordinators(self, request: Request, keys: list[str]) -> list[Value]:
        return super().coordinators(request, keys or [""])


class UnknownTypeTakenForGroup(BrokerMutant, breaks="coordinators.unknown-type-refused"):
    """Finds a coordinator for a type of key that it has not."""

    def check_key_type(self, request: Request) -> None:
        """Check nothing."""


class UnknownTypeNotAvailable(BrokerMutant, breaks="coordinators.unknown-type-refused"):
    """Answers a type of key that it has not with COORDINATOR_NOT_AVAILABLE."""

    def check_key_type(self, request: Request) -> None:
        try:
            super().check_key_type(request)
        except Refused:
            raise Refused(COORDINATOR_NOT_AVAILABLE) from None


class UnknownTypeCloses(BrokerMutant, breaks="coordinators.unknown-type-refused"):
    """Hangs up on a type of key that it has not."""

    def check_key_type(self, request: Request) -> None:
        try:
            super().check_key_type(request)
        except Refused:
            raise Hangup from None


class UnknownTypeRefusedOnce(BrokerMutant, breaks="results.one-for-each"):
    """Answers a type of key that it has not in one entry for all keys."""

    def coordinators(self, request: Request, keys: list[str]) -> list[Value]:
        known = request.value["keyType"] in (GROUP_KEY, TRANSACTION_KEY)
        return super().coordinators(request, keys if known else keys[:1])


class FailedKeyHasNodeZero(BrokerMutant, breaks="coordinators.failed-key-has-no-node"):
    """Tells node 0 and port 0 for a key that failed."""

    def no_coordinator(self, refused: Refused) -> Value:
        return {**super().no_coordinator(refused), "nodeId": 0, "port": 0}


class FailedKeyHasOwnNode(BrokerMutant, breaks="coordinators.failed-key-has-no-node"):
    """Tells its own node, host and port for a key that failed."""

    def no_coordinator(self, refused: Refused) -> Value:
        place = {"nodeId": self.node_id, "host": self.host, "port": self.port}
        return {**super().no_coordinator(refused), **place}


class FailedKeyHasHost(BrokerMutant, breaks="coordinators.failed-key-has-no-node"):
    """Tells its own host for a key that failed."""

    def no_coordinator(self, refused: Refused) -> Value:
        return {**super().no_coordinator(refused), "host": self.host}


class ShareKeysBeforeTheirTime(BrokerMutant, breaks="coordinators.unknown-type-refused"):
    """Takes the type of share groups in versions that do not have it."""

    def check_key_type(self, request: Request) -> None:
        if request.value["keyType"] != SHARE_KEY:
            super().check_key_type(request)


class UnknownTypeOfOneKeyTaken(BrokerMutant, breaks="coordinators.unknown-type-refused"):
    """Finds a coordinator for any type of key below version 4."""

    def check_key_type(self, request: Request) -> None:
        if request.version >= BATCHES_SINCE:
            super().check_key_type(request)


class TransactionsRefused(BrokerMutant, breaks="coordinators.type-by-version"):
    """Has no coordinators of transactions."""

    def check_key_type(self, request: Request) -> None:
        super().check_key_type(request)
        if request.value["keyType"] == TRANSACTION_KEY:
            raise Refused(INVALID_REQUEST)


class FirstVersionHasNoType(BrokerMutant, breaks="coordinators.type-by-version"):
    """Refuses version 0, since it has no type of key."""

    def check_key_type(self, request: Request) -> None:
        super().check_key_type(request)
        if request.version == 0:
            raise Refused(INVALID_REQUEST)


class CoordinatorIsNoBroker(BrokerMutant, breaks="coordinators.type-by-version"):
    """Tells a coordinator that is no broker of the cluster."""

    def coordinator(self, request: Request, key: str) -> Value:
        found = super().coordinator(request, key)
        return found if found["errorCode"] else {**found, "nodeId": 99}


class AnotherCoordinatorBeforeBatches(BrokerMutant, breaks="coordinators.type-by-version"):
    """Tells another port for the coordinator below version 4."""

    def coordinator_of_one(self, request: Request) -> Value:
        found = super().coordinator_of_one(request)
        return found if found["errorCode"] else {**found, "port": found["port"] + 1}


class KeyGivenTwiceLost(BrokerMutant, breaks="coordinators.no-key-lost"):
    """Answers no key that is given twice."""

    def coordinators(self, request: Request, keys: list[str]) -> list[Value]:
        return super().coordinators(request, [key for key in keys if keys.count(key) == 1])


class SecondMentionFails(BrokerMutant, breaks="coordinators.no-key-lost"):
    """Answers the second mention of a key with an error."""

    def coordinators(self, request: Request, keys: list[str]) -> list[Value]:
        found = super().coordinators(request, keys)
        again = self.no_coordinator(Refused(COORDINATOR_NOT_AVAILABLE))
        return [
            {**each, **again} if each["key"] in keys[:index] else each
            for index, each in enumerate(found)
        ]


class TypeOfTheFirstKeyAlone(BrokerMutant, breaks="coordinators.no-key-lost"):
    """Refuses a type of key that it has not for some keys of a request, and not for all."""

    def coordinators(self, request: Request, keys: list[str]) -> list[Value]:
        found = super().coordinators(request, keys[:1])
        request.value["keyType"] = GROUP_KEY
        return found + super().coordinators(request, keys[1:])


class OneFailedKeyFailsAll(BrokerMutant, breaks="coordinators.failed-key-alone"):
    """Answers all keys with an error where one has it."""

    def coordinators(self, request: Request, keys: list[str]) -> list[Value]:
        found = super().coordinators(request, keys)
        code = next((each["errorCode"] for each in found if each["errorCode"]), 0)
        failed = self.no_coordinator(Refused(code))
        return [{**each, **failed} for each in found] if code else found


class FirstFailedKeyEndsBatch(BrokerMutant, breaks="results.one-for-each"):
    """Leaves every key out behind the first that failed."""

    def coordinators(self, request: Request, keys: list[str]) -> list[Value]:
        found = super().coordinators(request, keys)
        codes = [bool(each["errorCode"]) for each in found]
        return found[: codes.index(True) + 1] if True in codes else found


class KeysBesideFailedHaveNoNode(BrokerMutant, breaks="coordinators.failed-key-alone"):
    """Tells no node for any key where one failed."""

    def coordinators(self, request: Request, keys: list[str]) -> list[Value]:
        found = super().coordinators(request, keys)
        if any(each["errorCode"] for each in found):
            return [{**each, "nodeId": -1} for each in found]
        return found
