"""ApiVersions: features in the wrong form, or such as no broker can have."""

from __future__ import annotations

import struct
from typing import ClassVar

from conformance.brokers.mutants.mutant import BrokerMutant
from conformance.brokers.mutants.versions.api_lists import (
    NO_TAGS,
    THROTTLE_TIME,
    ListWriter,
    entry_bytes,
)
from conformance.reference.broker.cluster import Value
from conformance.reference.broker.releases import Feature

FEATURES = (Feature("from-one", 1, 4, 3), Feature("from-zero", 0, 2, 1))


class _Featured(BrokerMutant):
    """Has features."""

    made_with: ClassVar = {"features": FEATURES}


class _Tags(ListWriter):
    """A connection that writes the tags of features in its own way."""

    def changed(self, version: int, frame: bytes, body: Value) -> bytes:
        """The frame with other tags at its end."""
        if version < 3:
            return frame
        count = bytes([len(body["apiKeys"]) + 1])
        entries = b"".join(entry_bytes(each) + NO_TAGS for each in body["apiKeys"])
        supported = [(each.name, each.low, each.high) for each in FEATURES if each.low]
        finalized = [(each.name, each.level, each.level) for each in FEATURES]
        tags = self.tags(_features(supported), struct.pack(">q", 1), _features(finalized))
        section = bytes([len(tags)]) + b"".join(bytes([number]) + each for number, each in tags)
        return frame[:6] + count + entries + THROTTLE_TIME + section

    def tags(self, supported: bytes, epoch: bytes, finalized: bytes) -> list[tuple[int, bytes]]:
        """Return number and value of each tag, the value with its size."""
        return [(0, _sized(supported)), (1, _sized(epoch)), (2, _sized(finalized))]


def _features(entries: list[tuple[str, int, int]]) -> bytes:
    found = bytes([len(entries) + 1])
    for name, first, second in entries:
        text = name.encode()
        found += bytes([len(text) + 1]) + text + struct.pack(">hh", first, second) + NO_TAGS
    return found


def _sized(value: bytes) -> bytes:
    return bytes([len(value)]) + value


class FeaturesWithPlainLengths(_Featured, breaks="api-versions.features-in-tags"):
    """Writes the names of features with a length of two bytes."""

    implies = ("api-versions.advertised-is-served",)

    class Sessions(_Tags):
        def tags(self, supported: bytes, epoch: bytes, finalized: bytes) -> list[tuple[int, bytes]]:
            plain = struct.pack(">ih", 1, 8) + b"from-one" + struct.pack(">hh", 1, 4)
            return [(0, _sized(plain)), (1, _sized(epoch)), (2, _sized(finalized))]


class EpochOfFourBytes(_Featured, breaks="api-versions.features-in-tags"):
    """Writes the epoch of the finalized features as INT32."""

    implies = ("api-versions.advertised-is-served",)

    class Sessions(_Tags):
        def tags(self, supported: bytes, epoch: bytes, finalized: bytes) -> list[tuple[int, bytes]]:
            return [(0, _sized(supported)), (1, _sized(epoch[4:])), (2, _sized(finalized))]


class EpochAndFeaturesSwapped(_Featured, breaks="api-versions.features-in-tags"):
    """Writes the finalized features in tag 1, and their epoch in tag 2."""

    implies = ("api-versions.advertised-is-served",)

    class Sessions(_Tags):
        def tags(self, supported: bytes, epoch: bytes, finalized: bytes) -> list[tuple[int, bytes]]:
            return [(0, _sized(supported)), (1, _sized(finalized)), (2, _sized(epoch))]


class FeaturesUpsideDown(_Featured, breaks="api-versions.features-in-tags"):
    """Writes the highest version of a supported feature before its lowest."""

    def features_of(self, version: int) -> Value:
        found = super().features_of(version)
        for each in found["supportedFeatures"]:
            each["minVersion"], each["maxVersion"] = each["maxVersion"], each["minVersion"]
        return found


class FinalizedAboveSupported(_Featured, breaks="api-versions.finalized-is-supported"):
    """Names a feature as finalized at a level that it does not support."""

    def features_of(self, version: int) -> Value:
        found = super().features_of(version)
        for each in found["finalizedFeatures"][:1]:
            each["maxVersionLevel"] = 9
        return found


class FinalizedWithoutSupport(_Featured, breaks="api-versions.finalized-is-supported"):
    """Names a feature as finalized that it does not name as supported."""

    def features_of(self, version: int) -> Value:
        found = super().features_of(version)
        return {**found, "supportedFeatures": found["supportedFeatures"][1:]}


class FinalizedWithoutEpoch(_Featured, breaks="api-versions.finalized-is-supported"):
    """Gives no epoch for the features that are finalized."""

    def features_of(self, version: int) -> Value:
        return {**super().features_of(version), "finalizedFeaturesEpoch": -1}


class ZeroFeaturesForAll(_Featured, breaks="api-versions.zero-features-left-out"):
    """Lists features whose lowest version is 0 in version 3 too."""

    def features_of(self, version: int) -> Value:
        return super().features_of(4)


class NoFeaturesBelow4(_Featured, breaks="api-versions.other-features-kept"):
    """Lists no supported feature in version 3."""

    def features_of(self, version: int) -> Value:
        found = super().features_of(version)
        return found if version >= 4 else {**found, "supportedFeatures": []}


class ZeroFeaturesFromOne(_Featured, breaks="api-versions.other-features-kept"):
    """Lists features whose lowest version is 0 with 1 for it in version 3."""

    def features_of(self, version: int) -> Value:
        found = super().features_of(4)
        if version < 4:
            for each in found["supportedFeatures"]:
                each["minVersion"] = max(each["minVersion"], 1)
        return found
