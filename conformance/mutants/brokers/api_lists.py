"""ApiVersions: lists in the wrong form, for the wrong people, or for too short a time."""

# ruff: noqa: ARG002 - not to look at something is a defect like others

from __future__ import annotations

import struct
from typing import Any, ClassVar

from conformance.mutants.brokers.mutant import BrokerMutant
from conformance.peers.cluster import Request, Value
from conformance.peers.errors import (
    ILLEGAL_SASL_STATE,
    INVALID_REQUEST,
    NONE,
    REBOOTSTRAP_REQUIRED,
    UNSUPPORTED_VERSION,
    Hangup,
)
from conformance.peers.played import Feature
from conformance.peers.session import Session
from conformance.reference import LenientCodec
from conformance.schema.layout import Form
from conformance.wire.errors import DecodeError
from conformance.wire.frames import API_VERSIONS

FEATURES = (Feature("from-one", 1, 4, 3), Feature("from-zero", 0, 2, 1))
NO_TAGS = bytes(1)
THROTTLE_TIME = bytes(4)
METADATA = 3


class _Featured(BrokerMutant):
    """Has features."""

    made_with: ClassVar = {"features": FEATURES}


class _WithUsers(BrokerMutant):
    """Has a user, so that its connections have to log in."""

    made_with: ClassVar = {"users": {"alice": "wonderland"}}


class _Forms(Session):
    """A connection that writes a list of its own form where there is no error."""

    def write(self, name: str, version: int, correlation_id: int, body: Value) -> bytes:
        """The frame, changed where it holds a list."""
        frame = super().write(name, version, correlation_id, body)
        if name != "ApiVersions" or body["errorCode"]:
            return frame
        return self.changed(version, frame, body)

    def changed(self, version: int, frame: bytes, body: Value) -> bytes:
        """The frame of another form."""
        return frame


def _plain(body: Value) -> bytes:
    entries = body["apiKeys"]
    return struct.pack(">i", len(entries)) + b"".join(map(_entry, entries))


def _entry(entry: Value) -> bytes:
    return struct.pack(">hhh", entry["apiKey"], entry["minVersion"], entry["maxVersion"])


class ThrottleTimeFirst(BrokerMutant):
    """Writes the throttle time of ApiVersions 1 and 2 before the list."""

    breaks = "api-versions.throttle-time-after-list"

    class Sessions(_Forms):
        """A connection that does as with all other answers."""

        def changed(self, version: int, frame: bytes, body: Value) -> bytes:
            """The list behind the time."""
            return frame[:6] + THROTTLE_TIME + _plain(body) if version in (1, 2) else frame


class NoThrottleTimeInVersion1(BrokerMutant):
    """Leaves the throttle time of ApiVersions 1 out."""

    breaks = "api-versions.throttle-time-after-list"

    class Sessions(_Forms):
        """A connection that is one version late."""

        def changed(self, version: int, frame: bytes, body: Value) -> bytes:
            """The frame without its end."""
            return frame[:-4] if version == 1 else frame


class TagsInVersion2(BrokerMutant):
    """Ends ApiVersions 2 with a tag section."""

    breaks = "api-versions.throttle-time-after-list"

    class Sessions(_Forms):
        """A connection that is one version early."""

        def changed(self, version: int, frame: bytes, body: Value) -> bytes:
            """The frame with a byte behind it."""
            return frame + NO_TAGS if version == 2 else frame


class ThrottleTimeInVersion0(BrokerMutant):
    """Writes a throttle time in ApiVersions 0."""

    breaks = "api-versions.version-0-has-list-alone"

    class Sessions(_Forms):
        """A connection that is one version early."""

        def changed(self, version: int, frame: bytes, body: Value) -> bytes:
            """The frame with four bytes behind it."""
            return frame if version else frame + THROTTLE_TIME


class PlainCountInFlexible(BrokerMutant):
    """Writes the number of APIs as INT32 in flexible versions too."""

    breaks = "api-versions.compact-list"

    class Sessions(_Forms):
        """A connection whose array is not compact."""

        def changed(self, version: int, frame: bytes, body: Value) -> bytes:
            """The list behind four bytes."""
            if version < 3:
                return frame
            entries = b"".join(_entry(each) + NO_TAGS for each in body["apiKeys"])
            count = struct.pack(">i", len(body["apiKeys"]))
            return frame[:6] + count + entries + THROTTLE_TIME + NO_TAGS


class EntriesWithoutTags(BrokerMutant):
    """Writes the APIs of flexible versions without a tag section each."""

    breaks = "api-versions.compact-list"

    class Sessions(_Forms):
        """A connection with a tag section at the end alone."""

        def changed(self, version: int, frame: bytes, body: Value) -> bytes:
            """The entries side by side."""
            if version < 3:
                return frame
            count = bytes([len(body["apiKeys"]) + 1])
            entries = b"".join(map(_entry, body["apiKeys"]))
            return frame[:6] + count + entries + THROTTLE_TIME + NO_TAGS


class CountWithoutOneMore(BrokerMutant):
    """Writes the number of APIs itself in flexible versions, where one more is due."""

    breaks = "api-versions.compact-list"

    class Sessions(_Forms):
        """A connection that is off by one."""

        def changed(self, version: int, frame: bytes, body: Value) -> bytes:
            """One entry less announced."""
            return frame[:6] + bytes([frame[6] - 1]) + frame[7:] if version >= 3 else frame


class _Tags(_Forms):
    """A connection that writes the tags of features in its own way."""

    def changed(self, version: int, frame: bytes, body: Value) -> bytes:
        """The frame with other tags at its end."""
        if version < 3:
            return frame
        count = bytes([len(body["apiKeys"]) + 1])
        entries = b"".join(_entry(each) + NO_TAGS for each in body["apiKeys"])
        supported = [(each.name, each.low, each.high) for each in FEATURES if each.low]
        finalized = [(each.name, each.level, each.level) for each in FEATURES]
        tags = self.tags(_features(supported), struct.pack(">q", 1), _features(finalized))
        section = bytes([len(tags)]) + b"".join(bytes([number]) + each for number, each in tags)
        return frame[:6] + count + entries + THROTTLE_TIME + section

    def tags(self, supported: bytes, epoch: bytes, finalized: bytes) -> list[tuple[int, bytes]]:
        """Number and value of each tag, the value with its size."""
        return [(0, _sized(supported)), (1, _sized(epoch)), (2, _sized(finalized))]


def _features(entries: list[tuple[str, int, int]]) -> bytes:
    found = bytes([len(entries) + 1])
    for name, first, second in entries:
        text = name.encode()
        found += bytes([len(text) + 1]) + text + struct.pack(">hh", first, second) + NO_TAGS
    return found


def _sized(value: bytes) -> bytes:
    return bytes([len(value)]) + value


class FeaturesWithPlainLengths(_Featured):
    """Writes the names of features with a length of two bytes."""

    breaks = "api-versions.features-in-tags"

    class Sessions(_Tags):
        """A connection whose strings are not compact in tags."""

        def tags(self, supported: bytes, epoch: bytes, finalized: bytes) -> list[tuple[int, bytes]]:
            """The first tag in another form."""
            plain = struct.pack(">ih", 1, 8) + b"from-one" + struct.pack(">hh", 1, 4)
            return [(0, _sized(plain)), (1, _sized(epoch)), (2, _sized(finalized))]


class EpochOfFourBytes(_Featured):
    """Writes the epoch of the finalized features as INT32."""

    breaks = "api-versions.features-in-tags"

    class Sessions(_Tags):
        """A connection with short numbers."""

        def tags(self, supported: bytes, epoch: bytes, finalized: bytes) -> list[tuple[int, bytes]]:
            """The second tag cut short."""
            return [(0, _sized(supported)), (1, _sized(epoch[4:])), (2, _sized(finalized))]


class EpochAndFeaturesSwapped(_Featured):
    """Writes the finalized features in tag 1, and their epoch in tag 2."""

    breaks = "api-versions.features-in-tags"

    class Sessions(_Tags):
        """A connection that counts in another order."""

        def tags(self, supported: bytes, epoch: bytes, finalized: bytes) -> list[tuple[int, bytes]]:
            """Two tags swapped."""
            return [(0, _sized(supported)), (1, _sized(finalized)), (2, _sized(epoch))]


class FeaturesUpsideDown(_Featured):
    """Writes the highest version of a supported feature before its lowest."""

    breaks = "api-versions.features-in-tags"

    def features_of(self, version: int) -> Value:
        """The features, each of them upside down."""
        found = super().features_of(version)
        for each in found["supportedFeatures"]:
            each["minVersion"], each["maxVersion"] = each["maxVersion"], each["minVersion"]
        return found


class FinalizedAboveSupported(_Featured):
    """Names a feature as finalized at a level that it does not support."""

    breaks = "api-versions.finalized-is-supported"

    def features_of(self, version: int) -> Value:
        """The features, one of them too high."""
        found = super().features_of(version)
        for each in found["finalizedFeatures"][:1]:
            each["maxVersionLevel"] = 9
        return found


class FinalizedWithoutSupport(_Featured):
    """Names a feature as finalized that it does not name as supported."""

    breaks = "api-versions.finalized-is-supported"

    def features_of(self, version: int) -> Value:
        """The features, one of them left out."""
        found = super().features_of(version)
        return {**found, "supportedFeatures": found["supportedFeatures"][1:]}


class FinalizedWithoutEpoch(_Featured):
    """Gives no epoch for the features that are finalized."""

    breaks = "api-versions.finalized-is-supported"

    def features_of(self, version: int) -> Value:
        """The features without the number."""
        return {**super().features_of(version), "finalizedFeaturesEpoch": -1}


class ZeroFeaturesForAll(_Featured):
    """Lists features whose lowest version is 0 in version 3 too."""

    breaks = "api-versions.zero-features-left-out"

    def features_of(self, version: int) -> Value:
        """The features of newer versions."""
        return super().features_of(4)


class NoFeaturesBelow4(_Featured):
    """Lists no supported feature in version 3."""

    breaks = "api-versions.zero-features-left-out"

    def features_of(self, version: int) -> Value:
        """The features, of newer versions alone."""
        found = super().features_of(version)
        return found if version >= 4 else {**found, "supportedFeatures": []}


class ZeroFeaturesFromOne(_Featured):
    """Lists features whose lowest version is 0 with 1 for it in version 3."""

    breaks = "api-versions.zero-features-left-out"

    def features_of(self, version: int) -> Value:
        """The features, none of which begins with 0."""
        found = super().features_of(4)
        if version < 4:
            for each in found["supportedFeatures"]:
                each["minVersion"] = max(each["minVersion"], 1)
        return found


class NewApisFromVersion3(BrokerMutant):
    """Lists its newest APIs in flexible versions alone."""

    breaks = "api-versions.version-0-suffices"

    def advertised(self, version: int) -> list[Value]:
        """The list, shorter for old clients."""
        entries = super().advertised(version)
        return entries if version >= 3 else entries[:-1]


class FlexibleRangesFromVersion3(BrokerMutant):
    """Lists Metadata up to its last inflexible version for clients that ask so themselves."""

    breaks = "api-versions.version-0-suffices"

    def advertised(self, version: int) -> list[Value]:
        """The list, one range of it shorter for old clients."""
        entries = super().advertised(version)
        if version < 3:
            for each in entries:
                if each["apiKey"] == METADATA:
                    each["maxVersion"] = 8
        return entries


class ListOnce(BrokerMutant):
    """Lists ApiVersions alone where it is asked again on a connection."""

    breaks = "api-versions.list-lasts"

    class Sessions(Session):
        """A connection that has said it."""

        told = False

        def greet(self, request: Request) -> Value:
            """The list, or its own entry."""
            answer = super().greet(request)
            if self.told and not answer["errorCode"]:
                answer["apiKeys"] = [self.broker.advertised_range(API_VERSIONS)]
            self.told = True
            return answer


class ListShrinks(BrokerMutant):
    """Lists an API less each time that it is asked."""

    breaks = "api-versions.list-lasts"
    asked = 0

    def advertised(self, version: int) -> list[Value]:
        """The list, and less of it."""
        self.asked += 1
        return super().advertised(version)[-max(3, 14 - self.asked) :]


class ListByRights(BrokerMutant):
    """Lists what changes something for those alone who may."""

    breaks = "api-versions.same-for-every-caller"

    def api_versions(self, request: Request) -> Value:
        """The list, shorter for some."""
        answer = super().api_versions(request)
        if request.principal not in self.super_users:
            answer["apiKeys"] = [each for each in answer["apiKeys"] if each["apiKey"] < 19]
        return answer


class ListBeforeLoginShort(_WithUsers):
    """Lists what login needs alone before login."""

    breaks = "api-versions.same-for-every-caller"

    class Sessions(Session):
        """A connection that tells nothing to strangers."""

        def greet(self, request: Request) -> Value:
            """The list, short before login."""
            stranger = self.state != "authenticated"
            answer = super().greet(request)
            if stranger:
                login = (17, API_VERSIONS, 36)
                answer["apiKeys"] = [each for each in answer["apiKeys"] if each["apiKey"] in login]
            return answer


class VersionsNeedLogin(_WithUsers):
    """Hangs up on ApiVersions before login."""

    breaks = "api-versions.served-before-login"

    class Sessions(Session):
        """A connection that wants to know who asks."""

        def greet(self, request: Request) -> Value:
            """The list for those who are known."""
            if self.state != "authenticated":
                raise Hangup
            return super().greet(request)


class FlexibleVersionsNeedLogin(_WithUsers):
    """Answers ApiVersions in a flexible version with UNSUPPORTED_VERSION before login."""

    breaks = "api-versions.served-before-login"

    class Sessions(Session):
        """A connection that knows the old ones alone until it knows who asks."""

        def greet(self, request: Request) -> Value:
            """The list, or an error."""
            if self.state != "authenticated" and request.version >= 3:
                return {"errorCode": UNSUPPORTED_VERSION, "apiKeys": [], "throttleTimeMs": 0}
            return super().greet(request)


class VersionsOverAfterLogin(_WithUsers):
    """Answers ApiVersions above version 0 with ILLEGAL_SASL_STATE after login."""

    breaks = "api-versions.served-before-login"

    class Sessions(Session):
        """A connection that has said it."""

        def greet(self, request: Request) -> Value:
            """The list, or an error."""
            if self.state == "authenticated" and request.version:
                return {"errorCode": ILLEGAL_SASL_STATE, "apiKeys": [], "throttleTimeMs": 0}
            return super().greet(request)


class NegativeApiVersionsCloses(BrokerMutant):
    """Hangs up on ApiVersions of a negative version."""

    breaks = "api-versions.negative-version-answered"

    class Sessions(Session):
        """A connection that knows too high alone."""

        def answer_unsupported_version(
            self, api_key: int, version: int, frame: bytes
        ) -> bytes | None:
            """The way back from above."""
            if version < 0:
                raise Hangup
            return super().answer_unsupported_version(api_key, version, frame)


class NegativeApiVersionsIsZero(BrokerMutant):
    """Answers ApiVersions of a negative version as one of version 0."""

    breaks = "api-versions.negative-version-answered"

    class Sessions(Session):
        """A connection that clamps."""

        def answer_unsupported_version(
            self, api_key: int, version: int, frame: bytes
        ) -> bytes | None:
            """The list where the version is below."""
            found = super().answer_unsupported_version(api_key, version, frame)
            if version >= 0 or found is None:
                return found
            return found[:4] + struct.pack(">h", NONE) + found[6:]


class FallbackReadsBody(BrokerMutant):
    """Reads the body of ApiVersions in its highest version where it has not the one asked for."""

    breaks = "api-versions.unsupported-answered-in-v0"

    class Sessions(Session):
        """A connection that wants to know everything."""

        def answer_unsupported_version(
            self, api_key: int, version: int, frame: bytes
        ) -> bytes | None:
            """The way back, where the body can be read."""
            if api_key == API_VERSIONS:
                self.read_request(api_key, self.broker.versions[api_key][1], frame)
            return super().answer_unsupported_version(api_key, version, frame)


class FallbackForgetsLogin(_WithUsers):
    """Takes ApiVersions of a version that it has not for the only one before the handshake."""

    breaks = "api-versions.unsupported-keeps-connection"

    class Sessions(Session):
        """A connection that takes it for a greeting."""

        def answer_unsupported_version(
            self, api_key: int, version: int, frame: bytes
        ) -> bytes | None:
            """The way back, which is not open any more."""
            found = super().answer_unsupported_version(api_key, version, frame)
            if self.state == "begun":
                self.state = "greeted"
            return found


class _NullIsEmpty(LenientCodec):
    """A reader to which a null name of a client's software is another name."""

    name_for_null = b"\x02x"

    def read(self, form: Form, data: bytes, offset: int = 0) -> tuple[Value, int]:
        """The message, with a name where there is none."""
        try:
            return super().read(form, data, offset)
        except DecodeError:
            if form.message != "ApiVersionsRequest" or b"\0" not in data[offset : offset + 20]:
                raise
            at = data.index(b"\0", offset)
            return super().read(form, data[:at] + self.name_for_null + data[at + 1 :], offset)


class NullSoftwareServed(BrokerMutant):
    """Serves a client whose software has null for a name or a version."""

    breaks = "api-versions.null-software-refused"

    def __init__(self, *given: Any, **more: Any) -> None:
        super().__init__(*given, **more)
        self.reads = _NullIsEmpty()


class NullSoftwareIgnored(BrokerMutant):
    """Drops an ApiVersions request that it can't read, and goes on."""

    breaks = "api-versions.null-software-refused"

    class Sessions(Session):
        """A connection that lets it pass."""

        def respond(self, frame: bytes) -> bytes | None:
            """The answer to what can be read."""
            try:
                return super().respond(frame)
            except DecodeError:
                if self.api_key_and_version(frame)[0] == API_VERSIONS:
                    return None
                raise


class SoftwareWantedInVersion2(BrokerMutant):
    """Answers ApiVersions 1 and 2 with INVALID_REQUEST, because no software is named."""

    breaks = "api-versions.unnamed-software-served"

    def api_versions_error(self, request: Request) -> int:
        """Why the request is refused."""
        early = request.version in (1, 2)
        return INVALID_REQUEST if early else super().api_versions_error(request)


class ClientIdTakenForSoftware(BrokerMutant):
    """Checks the client id as the name of the software where there is no other."""

    breaks = "api-versions.unnamed-software-served"

    def api_versions_error(self, request: Request) -> int:
        """Why the request is refused."""
        name = request.header["clientId"]
        if request.version < 3 and name is not None:
            named = {"clientSoftwareName": name, "clientSoftwareVersion": "1"}
            return NONE if self.software_is_named(named) else INVALID_REQUEST
        return super().api_versions_error(request)


class OtherClusterServed(BrokerMutant):
    """Serves who looks for another cluster."""

    breaks = "api-versions.other-cluster-sent-back"

    def meant_for_us(self, value: Value) -> bool:
        """Whether the node is this one."""
        return super().meant_for_us({**value, "clusterId": None})


class OtherNodeServed(BrokerMutant):
    """Serves who looks for another node."""

    breaks = "api-versions.other-cluster-sent-back"

    def meant_for_us(self, value: Value) -> bool:
        """Whether the cluster is this one."""
        return super().meant_for_us({**value, "nodeId": -1})


class NoClusterSentBack(BrokerMutant):
    """Sends back who names no cluster."""

    breaks = "api-versions.other-cluster-sent-back"

    def meant_for_us(self, value: Value) -> bool:
        """Whether the cluster is named, and is this one."""
        return value["clusterId"] is not None and super().meant_for_us(value)


class OtherClusterIsInvalid(BrokerMutant):
    """Answers who looks for another cluster with INVALID_REQUEST."""

    breaks = "api-versions.other-cluster-sent-back"

    def api_versions_error(self, request: Request) -> int:
        """The wrong error."""
        code = super().api_versions_error(request)
        return INVALID_REQUEST if code == REBOOTSTRAP_REQUIRED else code


class HalfNamedClusterServed(BrokerMutant):
    """Serves who names a cluster and no node, or a node and no cluster."""

    breaks = "api-versions.half-named-cluster-refused"

    def api_versions_error(self, request: Request) -> int:
        """Why the request is refused, but for that."""
        half = request.version >= 5 and self.is_half_named(request.value)
        return NONE if half else super().api_versions_error(request)


class HalfNamedClusterSentBack(BrokerMutant):
    """Sends back who names another cluster and no node, or another node and no cluster."""

    breaks = "api-versions.half-named-cluster-refused"

    def is_half_named(self, value: Value) -> bool:
        """Never."""
        return False


class PlusAllowed(BrokerMutant):
    """Takes a plus, as semantic versions have it, in the name of a client's software."""

    breaks = "api-versions.illegal-software-refused"

    def software_is_named(self, value: Value) -> bool:
        """Whether both are names, apart from that."""
        names = ("clientSoftwareName", "clientSoftwareVersion")
        return super().software_is_named(
            {**value, **{each: value[each].replace("+", "-") for each in names}}
        )
