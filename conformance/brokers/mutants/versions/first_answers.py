"""ApiVersions of version 0, the first request of a connection, answered wrongly."""

from __future__ import annotations

from conformance.api_keys import API_VERSIONS
from conformance.brokers.mutants.mutant import BrokerMutant
from conformance.brokers.mutants.versions.api_lists import ListWriter
from conformance.error_codes import UNKNOWN_SERVER_ERROR
from conformance.reference.broker.cluster import Request, Value
from conformance.reference.broker.connections.session import Session
from conformance.reference.broker.errors import Hangup, Unanswered

GREETED = "api-versions.version-0-answered"
SERVED = "api-versions.advertised-is-served"
CORRELATED = "framing.correlation-id-echoed"


class FirstRequestCloses(BrokerMutant, breaks=GREETED):
    """Hangs up on ApiVersions of version 0."""

    implies = ("api-versions.version-0-suffices",)

    class Sessions(Session):
        def greet(self, request: Request) -> Value:
            if request.version == 0:
                raise Hangup
            return super().greet(request)


class FirstRequestIgnored(BrokerMutant, breaks=GREETED):
    """Does not answer ApiVersions of version 0."""

    implies = ("api-versions.version-0-suffices",)

    class Sessions(Session):
        def greet(self, request: Request) -> Value:
            if request.version == 0:
                raise Unanswered
            return super().greet(request)


class FirstRequestIsAnError(BrokerMutant, breaks=GREETED):
    """Answers ApiVersions of version 0 with an error and no list."""

    implies = ("api-versions.version-0-suffices",)

    def api_versions(self, request: Request) -> Value:
        answer = super().api_versions(request)
        if request.version == 0:
            answer |= {"errorCode": UNKNOWN_SERVER_ERROR, "apiKeys": []}
        return answer


class FirstListEmpty(BrokerMutant, breaks=GREETED):
    """Lists no API in version 0 of ApiVersions."""

    implies = ("api-versions.version-0-suffices",)

    def advertised(self, version: int) -> list[Value]:
        return super().advertised(version) if version else []


class FirstListWithoutItself(BrokerMutant, breaks=GREETED):
    """Lists all APIs but ApiVersions itself in version 0."""

    implies = ("api-versions.version-0-suffices",)

    def advertised(self, version: int) -> list[Value]:
        listed = super().advertised(version)
        return [each for each in listed if version or each["apiKey"] != API_VERSIONS]


class FirstAnswerInNewestForm(BrokerMutant, breaks="api-versions.version-0-has-list-alone"):
    """Answers ApiVersions of version 0 in the form of its newest version."""

    class Sessions(ListWriter):
        def changed(self, version: int, frame: bytes, body: Value) -> bytes:
            if version:
                return frame
            newest = self.broker.versions[API_VERSIONS][1]
            number = int.from_bytes(frame[:4], "big", signed=True)
            return self.write("ApiVersions", newest, number, {**body, "throttleTimeMs": 0})


class FirstAnswerUnreadable(BrokerMutant, breaks="api-versions.version-0-has-list-alone"):
    """Announces more APIs in version 0 of ApiVersions than it lists."""

    class Sessions(ListWriter):
        def changed(self, version: int, frame: bytes, body: Value) -> bytes:
            return frame if version else frame[:6] + b"\x7f" + frame[7:]


class FirstAnswerWithOtherCorrelationId(BrokerMutant, breaks=CORRELATED):
    """Answers ApiVersions of version 0 with a correlation id of one more."""

    class Sessions(Session):
        def write(self, name: str, version: int, correlation_id: int, body: Value) -> bytes:
            added = 1 if name == "ApiVersions" and version == 0 else 0
            number = (correlation_id + added + 2**31) % 2**32 - 2**31
            return super().write(name, version, number, body)


class MetadataWithOtherCorrelationId(BrokerMutant, breaks=CORRELATED):
    """Answers Metadata with the correlation id 0."""

    class Sessions(Session):
        def write(self, name: str, version: int, correlation_id: int, body: Value) -> bytes:
            return super().write(name, version, 0 if name == "Metadata" else correlation_id, body)


class EveryAnswerWithOtherCorrelationId(BrokerMutant, breaks=CORRELATED):
    """Answers every request with the correlation id 0."""

    class Sessions(Session):
        def write(self, name: str, version: int, correlation_id: int, body: Value) -> bytes:
            return super().write(name, version, 0 * correlation_id, body)
