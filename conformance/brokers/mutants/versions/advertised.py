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


class HighestVersionNotServed(BrokerMutant):
    """Hangs up on DescribeConfigs in the highest version that it lists."""

    breaks = "api-versions.advertised-is-served"

    def describe_configs(self, request: Request) -> Value:
        if request.version == self.versions[request.api_key][1]:
            raise Hangup
        return super().describe_configs(request)


class LowestVersionNotServed(BrokerMutant):
    """Hangs up on DeleteTopics in the lowest version that it lists."""

    breaks = "api-versions.advertised-is-served"

    def delete_topics(self, request: Request) -> Value:
        if request.version == self.versions[request.api_key][0]:
            raise Hangup
        return super().delete_topics(request)


class ListedAclsNotServed(BrokerMutant):
    """Lists DescribeAcls, and does not answer it."""

    breaks = "api-versions.advertised-is-served"

    def describe_acls(self, request: Request) -> Value:
        del request
        raise Hangup


class ListedVersionIsAnError(BrokerMutant):
    """Answers IncrementalAlterConfigs, which it lists, with UNSUPPORTED_VERSION and no body."""

    breaks = "api-versions.advertised-is-served"
    implies = ("request-header.unsupported-version-closes",)

    class Sessions(Session):
        """A connection that does not know what the list says."""

        def respond(self, frame: bytes) -> bytes | None:
            api_key, _ = self.api_key_and_version(frame)
            if IMPLEMENTED.get(api_key) == "IncrementalAlterConfigs":
                return frame[_CORRELATION_ID] + struct.pack(">h", UNSUPPORTED_VERSION)
            return super().respond(frame)


class AnswersInLowestVersion(BrokerMutant):
    """Answers AlterConfigs in the lowest version that it lists, whatever version was asked for."""

    breaks = "api-versions.advertised-is-served"

    class Sessions(Session):
        """A connection that speaks as it always did."""

        def write(self, name: str, version: int, correlation_id: int, body: Value) -> bytes:
            lowest = 0 if name == "AlterConfigs" else version
            return super().write(name, lowest, correlation_id, body)


class AnswerWithBytesBehind(BrokerMutant):
    """Writes one byte more than the answer has, behind the results of AlterConfigs."""

    breaks = "api-versions.advertised-is-served"

    class Sessions(Session):
        """A connection that counts one byte too many."""

        def write(self, name: str, version: int, correlation_id: int, body: Value) -> bytes:
            frame = super().write(name, version, correlation_id, body)
            return frame + bytes(1) if name == "AlterConfigs" else frame


class OldHeaderOfFlexibleAnswers(BrokerMutant):
    """Leaves out the tag section in the header of FindCoordinator's flexible answers."""

    breaks = "api-versions.advertised-is-served"
    implies = ("response-header.flexible-adds-tags",)

    class Sessions(Session):
        """A connection with one header for all."""

        def write(self, name: str, version: int, correlation_id: int, body: Value) -> bytes:
            """The frame with a header of version 0."""
            frame = super().write(name, version, correlation_id, body)
            return frame[:4] + frame[5:] if name == "FindCoordinator" and version > 2 else frame
