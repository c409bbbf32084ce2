"""ApiVersions (KIP-35, KIP-511, KIP-584): the versions and features that the broker serves.

A version that the broker does not know is answered by the session, from the header alone: its body
must not be parsed.
"""

from __future__ import annotations

import re

from conformance import error_codes
from conformance.api_keys import API_VERSIONS
from conformance.reference.broker.cluster import Cluster, Request, Value

_SOFTWARE = re.compile(r"[a-zA-Z0-9](?:[a-zA-Z0-9\-.]*[a-zA-Z0-9])?")
FEATURES_FROM_ZERO = 4
"""The first version that may have features whose least version is 0 (KAFKA-17011)."""
OWN_RANGE_SINCE = 3
"""A broker that serves this version gives its own range with UNSUPPORTED_VERSION (KIP-511)."""


class ApiVersions(Cluster):
    """The handler of ApiVersions."""

    def api_versions(self, request: Request) -> Value:
        """Return the whole list, or an error with an empty one."""
        code = self.api_versions_error(request)
        if code:
            return {"errorCode": code, "apiKeys": [], "throttleTimeMs": 0}
        return {
            "errorCode": error_codes.NONE,
            "apiKeys": self.advertised(request.version),
            "throttleTimeMs": 0,
            **self.features_of(request.version),
        }

    def api_versions_error(self, request: Request) -> int:
        """Return the error if the request is refused, else 0."""
        if request.version >= 3 and not self.software_is_named(request.value):
            return error_codes.INVALID_REQUEST
        if request.version >= 5 and self.is_half_named(request.value):
            return error_codes.INVALID_REQUEST
        if request.version >= 5 and not self.meant_for_us(request.value):
            return error_codes.REBOOTSTRAP_REQUIRED
        return error_codes.NONE

    def software_is_named(self, value: Value) -> bool:
        """True if the client's software and its version are names as KIP-511 demands."""
        names = (value["clientSoftwareName"], value["clientSoftwareVersion"])
        return all(_SOFTWARE.fullmatch(name) for name in names)

    def is_half_named(self, value: Value) -> bool:
        """True if a cluster is given without a node of it, or the other way around (KIP-1242)."""
        return bool((value["clusterId"] is None) != (value["nodeId"] == -1))

    def meant_for_us(self, value: Value) -> bool:
        """True if the cluster and node, as far as given, are this one (KIP-1242)."""
        return value["clusterId"] in (None, self.cluster_id) and value["nodeId"] in (
            -1,
            self.node_id,
        )

    def advertised(self, version: int) -> list[Value]:
        """Return the range of each API, ascending by key. `version` is that of the answer."""
        del version
        return [self.advertised_range(api_key) for api_key in sorted(self.versions)]

    def advertised_range(self, api_key: int) -> Value:
        """Return the least and the highest version of one API."""
        low, high = self.versions[api_key]
        return {"apiKey": api_key, "minVersion": low, "maxVersion": high}

    def features_of(self, version: int) -> Value:
        """Return the tagged fields of features, without those that the version can't carry."""
        supported = [
            {"name": each.name, "minVersion": each.low, "maxVersion": each.high}
            for each in self.features
            if each.low or version >= FEATURES_FROM_ZERO
        ]
        finalized = [
            {"name": each.name, "maxVersionLevel": each.level, "minVersionLevel": each.level}
            for each in self.features
            if each.level
        ]
        epoch = 1 if finalized else -1
        return {
            "supportedFeatures": supported,
            "finalizedFeaturesEpoch": epoch,
            "finalizedFeatures": finalized,
        }

    def unsupported_api_versions(self) -> Value:
        """Return the body, in version 0, for a version that is not served (KIP-511)."""
        return {"errorCode": error_codes.UNSUPPORTED_VERSION, "apiKeys": self.versions_to_retry()}

    def versions_to_retry(self) -> list[Value]:
        """Return the range of ApiVersions itself; nothing from a broker older than KIP-511."""
        if self.versions[API_VERSIONS][1] < OWN_RANGE_SINCE:
            return []
        return [self.advertised_range(API_VERSIONS)]
