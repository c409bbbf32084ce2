"""Versions that are advertised and not served, or served in the form of another version."""

from __future__ import annotations

import struct

from conformance.brokers.mutants.mutant import BrokerMutant
from conformance.error_codes import UNSUPPORTED_VERSION
from conformance.reference.broker.cluster import Request, Value
from conformance.reference.broker.connections.session import Session
from conformance.reference.broker.errors import Hangup
from conformance.reference.broker.releases import IMPLEMENTED

_CORRELATION_ID = slice(4, 8)


class HighestVersionNotServed(BrokerMutant, breaks="api-versions.advertised-is-served"):
    """Hangs up on DescribeConfigs in the highest version that it lists."""

    def describe_configs(self, request: Request) -> Value:
        if request.version == self.versions[request.api_key][1]:
            raise Hangup
        return super().describe_configs(request)


class LowestVersionNotServed(BrokerMutant, breaks="api-versions.advertised-is-served"):
    """Hangs up on DeleteTopics in the lowest version that it lists."""

    def delete_topics(self, request: Request) -> Value:
        if request.version == self.versions[request.api_key][0]:
            raise Hangup
        return super().delete_topics(request)


class ListedAclsNotServed(BrokerMutant, breaks="api-versions.advertised-is-served"):
    """Lists DescribeAcls, and does not answer it."""

    def describe_acls(self, request: Request) -> Value:
        del request
        raise Hangup


class ListedVersionIsAnError(BrokerMutant, breaks="api-versions.advertised-is-served"):
    """Answers IncrementalAlterConfigs, which it lists, with UNSUPPORTED_VERSION and no body."""

    implies = ("request-header.unsupported-version-closes",)

    class Sessions(Session):
        def respond(self, frame: bytes) -> bytes | None:
            api_key, _ = self.api_key_and_version(frame)
            if IMPLEMENTED.get(api_key) == "IncrementalAlterConfigs":
                return frame[_CORRELATION_ID] + struct.pack(">h", UNSUPPORTED_VERSION)
            return super().respond(frame)


class AnswersInLowestVersion(BrokerMutant, breaks="api-versions.advertised-is-served"):
    """Answers AlterConfigs in the lowest version that it lists, whatever version was asked for."""

    class Sessions(Session):
        def write(self, name: str, version: int, correlation_id: int, body: Value) -> bytes:
            lowest = 0 if name == "AlterConfigs" else version
            return super().write(name, lowest, correlation_id, body)


class AnswerWithBytesBehind(BrokerMutant, breaks="api-versions.advertised-is-served"):
    """Writes one byte more than the answer has, behind the results of AlterConfigs."""

    class Sessions(Session):
        def write(self, name: str, version: int, correlation_id: int, body: Value) -> bytes:
            frame = super().write(name, version, correlation_id, body)
            return frame + bytes(1) if name == "AlterConfigs" else frame


class OldHeaderOfFlexibleAnswers(BrokerMutant, breaks="api-versions.advertised-is-served"):
    """Leaves out the tag section in the header of FindCoordinator's flexible answers."""

    implies = ("response-header.flexible-adds-tags",)

    class Sessions(Session):
        def write(self, name: str, version: int, correlation_id: int, body: Value) -> bytes:
            frame = super().write(name, version, correlation_id, body)
            return frame[:4] + frame[5:] if name == "FindCoordinator" and version > 2 else frame
