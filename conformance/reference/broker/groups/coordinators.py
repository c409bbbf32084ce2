"""FindCoordinator (KIP-699): the coordinators of groups, transactions and share groups.

The only node coordinates everything, at once and for every key; only the key and its kind can be
wrong.
"""

from __future__ import annotations

import re

from conformance import error_codes
from conformance.reference.broker.admin.access import (
    CLUSTER_ACTION,
    DESCRIBE,
    GROUP,
    TRANSACTIONAL_ID,
    Access,
)
from conformance.reference.broker.cluster import Request, Value
from conformance.reference.broker.errors import Refused

GROUP_KEY, TRANSACTION_KEY, SHARE_KEY = range(3)
BATCHES_SINCE = 4
SHARE_SINCE = 6
_SHARE_KEY = re.compile(r"(.*):([A-Za-z0-9_-]{22}):([0-9]{1,10})", re.DOTALL)


class Coordinators(Access):
    """The handler of FindCoordinator."""

    def find_coordinator(self, request: Request) -> Value:
        """Return one answer for each key, in order; for the single key of an old version, flat."""
        if request.version >= BATCHES_SINCE:
            keys = request.value["coordinatorKeys"]
            return {"throttleTimeMs": 0, "coordinators": self.coordinators(request, keys)}
        return {"throttleTimeMs": 0, **self.coordinator_of_one(request)}

    def coordinators(self, request: Request, keys: list[str]) -> list[Value]:
        """Return the coordinator of each key."""
        return [{"key": key, **self.coordinator(request, key)} for key in keys]

    def coordinator_of_one(self, request: Request) -> Value:
        """Return the coordinator of the key of a version before batches."""
        found = self.coordinator(request, request.value["key"])
        if found["errorCode"] == error_codes.NONE:
            found["errorMessage"] = "NONE"
        return found

    def coordinator(self, request: Request, key: str) -> Value:
        """Return the coordinator of a key, or an error in its place."""
        try:
            self.check_key_type(request)
            self.check_key(request, key)
        except Refused as refused:
            return self.no_coordinator(refused)
        return {
            "errorCode": error_codes.NONE,
            "errorMessage": "",
            "nodeId": self.node_id,
            "host": self.host,
            "port": self.port,
        }

    def no_coordinator(self, refused: Refused) -> Value:
        """Return the entry of a key with an error: no node, no address."""
        return {
            "errorCode": refused.code,
            "errorMessage": refused.message,
            "nodeId": -1,
            "host": "",
            "port": -1,
        }

    def check_key_type(self, request: Request) -> None:
        """Raise Refused for a kind of key that this version does not have."""
        kind = request.value["keyType"]
        known = (GROUP_KEY, TRANSACTION_KEY)
        if kind not in known and not (kind == SHARE_KEY and request.version >= SHARE_SINCE):
            raise Refused(error_codes.INVALID_REQUEST, f"There is no type of key {kind} here.")

    def check_key(self, request: Request, key: str) -> None:
        """Raise Refused for a malformed key, or one that the caller may not describe."""
        kind = request.value["keyType"]
        if kind == GROUP_KEY and not self.may(request, DESCRIBE, GROUP, key):
            raise Refused(error_codes.GROUP_AUTHORIZATION_FAILED, "Not authorized.")
        if kind == TRANSACTION_KEY and not self.may(request, DESCRIBE, TRANSACTIONAL_ID, key):
            raise Refused(error_codes.TRANSACTIONAL_ID_AUTHORIZATION_FAILED, "Not authorized.")
        if kind != SHARE_KEY:
            return
        if not self.may_cluster(request, CLUSTER_ACTION):
            raise Refused(error_codes.CLUSTER_AUTHORIZATION_FAILED, "Not authorized.")
        if not _SHARE_KEY.fullmatch(key):
            raise Refused(error_codes.INVALID_REQUEST, "The key is no group:topicId:partition.")
