"""ApiVersions: lists for some alone, by their version, their rights, their login or the time."""

from __future__ import annotations

from conformance.api_keys import API_VERSIONS, METADATA
from conformance.brokers.mutants.mutant import BrokerMutant
from conformance.brokers.mutants.sasl.bases import WithUsers
from conformance.error_codes import ILLEGAL_SASL_STATE, UNSUPPORTED_VERSION
from conformance.reference.broker.cluster import Request, Value
from conformance.reference.broker.connections.session import Session
from conformance.reference.broker.errors import Hangup


class NewApisFromVersion3(BrokerMutant, breaks="api-versions.version-0-suffices"):
    """Lists its newest APIs in flexible versions alone."""

    def advertised(self, version: int) -> list[Value]:
        entries = super().advertised(version)
        return entries if version >= 3 else entries[:-1]


class FlexibleRangesFromVersion3(BrokerMutant, breaks="api-versions.version-0-suffices"):
    """Lists Metadata up to its last inflexible version for clients that ask so themselves."""

    def advertised(self, version: int) -> list[Value]:
        entries = super().advertised(version)
        if version < 3:
            for each in entries:
                if each["apiKey"] == METADATA:
                    each["maxVersion"] = 8
        return entries


class ListOnce(BrokerMutant, breaks="api-versions.list-lasts"):
    """Lists ApiVersions alone where it is asked again on a connection."""

    class Sessions(Session):
        told = False

        def greet(self, request: Request) -> Value:
            answer = super().greet(request)
            if self.told and not answer["errorCode"]:
                answer["apiKeys"] = [self.broker.advertised_range(API_VERSIONS)]
            self.told = True
            return answer


class ListShrinks(BrokerMutant, breaks="api-versions.list-lasts"):
    """Lists an API less each time that it is asked."""

    asked = 0

    def advertised(self, version: int) -> list[Value]:
        self.asked += 1
        listed = super().advertised(version)
        others = [item for item in listed if item["apiKey"] != API_VERSIONS]
        kept = others[-max(2, 13 - self.asked) :]
        return [item for item in listed if item["apiKey"] == API_VERSIONS or item in kept]


class ListByRights(BrokerMutant, breaks="api-versions.same-for-every-caller"):
    """Lists what changes something for those alone who may."""

    def api_versions(self, request: Request) -> Value:
        answer = super().api_versions(request)
        if request.principal not in self.super_users:
            answer["apiKeys"] = [each for each in answer["apiKeys"] if each["apiKey"] < 19]
        return answer


class ListBeforeLoginShort(WithUsers, breaks="api-versions.same-for-every-caller"):
    """Lists what login needs alone before login."""

    class Sessions(Session):
        def greet(self, request: Request) -> Value:
            stranger = self.state != "authenticated"
            answer = super().greet(request)
            if stranger:
                login = (17, API_VERSIONS, 36)
                answer["apiKeys"] = [each for each in answer["apiKeys"] if each["apiKey"] in login]
            return answer


class VersionsNeedLogin(WithUsers, breaks="api-versions.served-before-login"):
    """Hangs up on ApiVersions before login."""

    class Sessions(Session):
        def greet(self, request: Request) -> Value:
            if self.state != "authenticated":
                raise Hangup
            return super().greet(request)


class FlexibleVersionsNeedLogin(WithUsers, breaks="api-versions.served-before-login"):
    """Answers ApiVersions in a flexible version with UNSUPPORTED_VERSION before login."""

    class Sessions(Session):
        def greet(self, request: Request) -> Value:
            if self.state != "authenticated" and request.version >= 3:
                return {"errorCode": UNSUPPORTED_VERSION, "apiKeys": [], "throttleTimeMs": 0}
            return super().greet(request)


class VersionsOverAfterLogin(WithUsers, breaks="api-versions.served-before-login"):
    """Answers ApiVersions above version 0 with ILLEGAL_SASL_STATE after login."""

    class Sessions(Session):
        def greet(self, request: Request) -> Value:
            if self.state == "authenticated" and request.version:
                return {"errorCode": ILLEGAL_SASL_STATE, "apiKeys": [], "throttleTimeMs": 0}
            return super().greet(request)
