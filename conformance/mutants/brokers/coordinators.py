"""FindCoordinator in batches: keys lost, moved and mistaken."""

from __future__ import annotations

from conformance.mutants.brokers.mutant import BrokerMutant
from conformance.peers.cluster import Request, Value
from conformance.peers.coordinators import GROUP_KEY, TRANSACTION_KEY
from conformance.peers.errors import (
    COORDINATOR_NOT_AVAILABLE,
    INVALID_REQUEST,
    Hangup,
    Refused,
)


class FirstKeyOnly(BrokerMutant):
    """Answers the first key alone."""

    breaks = "coordinators.one-entry-a-key"

    def coordinators(self, request: Request, keys: list[str]) -> list[Value]:
        """The coordinator of one key."""
        return super().coordinators(request, keys[:1])


class LastKeyLost(BrokerMutant):
    """Answers all keys but the last."""

    breaks = "coordinators.one-entry-a-key"

    def coordinators(self, request: Request, keys: list[str]) -> list[Value]:
        """The coordinator of each key but one."""
        return super().coordinators(request, keys[:-1] or keys)


class KeyAnsweredTwice(BrokerMutant):
    """Answers the first key twice where there are more."""

    breaks = "coordinators.one-entry-a-key"

    def coordinators(self, request: Request, keys: list[str]) -> list[Value]:
        """The coordinator of each key, and one again."""
        return super().coordinators(request, keys + keys[: len(keys) - 1][:1])


class KeysNotNamed(BrokerMutant):
    """Leaves the key empty in each entry."""

    breaks = "coordinators.one-entry-a-key"

    def coordinators(self, request: Request, keys: list[str]) -> list[Value]:
        """The coordinators of nobody."""
        return [{**each, "key": ""} for each in super().coordinators(request, keys)]


class KeysInReverse(BrokerMutant):
    """Answers the keys in the reverse order."""

    breaks = "coordinators.in-order-of-keys"

    def coordinators(self, request: Request, keys: list[str]) -> list[Value]:
        """The coordinator of each key, the last one first."""
        return super().coordinators(request, keys[::-1])


class KeysSorted(BrokerMutant):
    """Answers the keys in the order of the alphabet."""

    breaks = "coordinators.in-order-of-keys"

    def coordinators(self, request: Request, keys: list[str]) -> list[Value]:
        """The coordinator of each key, sorted."""
        return super().coordinators(request, sorted(keys))


class NoKeysCloses(BrokerMutant):
    """Hangs up on a batch without keys."""

    breaks = "coordinators.no-keys-no-entries"

    def coordinators(self, request: Request, keys: list[str]) -> list[Value]:
        """The coordinator of each key, of which there has to be one."""
        if not keys:
            raise Hangup
        return super().coordinators(request, keys)


class NoKeysIsAnError(BrokerMutant):
    """Answers a batch without keys with an error for the empty key."""

    breaks = "coordinators.no-keys-no-entries"

    def coordinators(self, request: Request, keys: list[str]) -> list[Value]:
        """The coordinator of each key, or an error."""
        refused = {"key": "", **self.no_coordinator(Refused(INVALID_REQUEST))}
        return super().coordinators(request, keys) or [refused]


class NoKeysTakenForEmptyKey(BrokerMutant):
    """Takes a batch without keys for the empty key of older versions."""

    breaks = "coordinators.no-keys-no-entries"

    def coordinators(self, request: Request, keys: list[str]) -> list[Value]:
        """The coordinator of each key, or of the empty one."""
        return super().coordinators(request, keys or [""])


class UnknownTypeTakenForGroup(BrokerMutant):
    """Takes a type of key that it has not for that of groups."""

    breaks = "coordinators.unknown-type-refused"

    def check_key_type(self, request: Request) -> None:
        """No check."""


class UnknownTypeNotAvailable(BrokerMutant):
    """Answers a type of key that it has not with COORDINATOR_NOT_AVAILABLE."""

    breaks = "coordinators.unknown-type-refused"

    def check_key_type(self, request: Request) -> None:
        """Raise Refused with the wrong error."""
        try:
            super().check_key_type(request)
        except Refused:
            raise Refused(COORDINATOR_NOT_AVAILABLE) from None


class UnknownTypeCloses(BrokerMutant):
    """Hangs up on a type of key that it has not."""

    breaks = "coordinators.unknown-type-refused"

    def check_key_type(self, request: Request) -> None:
        """Raise Hangup in place of Refused."""
        try:
            super().check_key_type(request)
        except Refused:
            raise Hangup from None


class UnknownTypeRefusedOnce(BrokerMutant):
    """Answers a type of key that it has not in one entry for all keys."""

    breaks = "coordinators.unknown-type-refused"

    def coordinators(self, request: Request, keys: list[str]) -> list[Value]:
        """The coordinator of each key, or one error."""
        known = request.value["keyType"] in (GROUP_KEY, TRANSACTION_KEY)
        return super().coordinators(request, keys if known else keys[:1])


class FailedKeyHasNodeZero(BrokerMutant):
    """Tells node 0 and port 0 for a key that failed."""

    breaks = "coordinators.failed-key-has-no-node"

    def no_coordinator(self, refused: Refused) -> Value:
        """The error, and a node that there could be."""
        return {**super().no_coordinator(refused), "nodeId": 0, "port": 0}


class FailedKeyHasOwnNode(BrokerMutant):
    """Tells its own node, host and port for a key that failed."""

    breaks = "coordinators.failed-key-has-no-node"

    def no_coordinator(self, refused: Refused) -> Value:
        """The error, and where it came from."""
        place = {"nodeId": self.node_id, "host": self.host, "port": self.port}
        return {**super().no_coordinator(refused), **place}


class FailedKeyHasHost(BrokerMutant):
    """Tells its own host for a key that failed."""

    breaks = "coordinators.failed-key-has-no-node"

    def no_coordinator(self, refused: Refused) -> Value:
        """The error, and half of where it came from."""
        return {**super().no_coordinator(refused), "host": self.host}
