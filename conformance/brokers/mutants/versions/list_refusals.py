"""ApiVersions: refused or served wrongly, to any client or to those of another cluster or node."""

from __future__ import annotations

import struct
from typing import Any

from conformance.api_keys import API_VERSIONS
from conformance.brokers.mutants.mutant import BrokerMutant
from conformance.brokers.mutants.sasl.bases import WithUsers
from conformance.error_codes import INVALID_REQUEST, NONE, REBOOTSTRAP_REQUIRED
from conformance.reference.broker.cluster import Request, Value
from conformance.reference.broker.connections.session import Session
from conformance.reference.broker.errors import Hangup
from conformance.reference.codec import LenientCodec
from conformance.schema.layout import Form
from conformance.wire.errors import DecodeError


class NegativeApiVersionsCloses(BrokerMutant, breaks="api-versions.negative-version-answered"):
    """Hangs up on ApiVersions of a negative version."""

    class Sessions(Session):
        def answer_unsupported_version(
            self, api_key: int, version: int, frame: bytes
        ) -> bytes | None:
            if version < 0:
                raise Hangup
            return super().answer_unsupported_version(api_key, version, frame)


class NegativeApiVersionsIsZero(BrokerMutant, breaks="api-versions.negative-version-answered"):
    """Answers ApiVersions of a negative version as one of version 0."""

    class Sessions(Session):
        def answer_unsupported_version(
            self, api_key: int, version: int, frame: bytes
        ) -> bytes | None:
            found = super().answer_unsupported_version(api_key, version, frame)
            if version >= 0 or found is None:
                return found
            return found[:4] + struct.pack(">h", NONE) + found[6:]


class FallbackReadsBody(BrokerMutant, breaks="api-versions.unsupported-answered-in-v0"):
    """Reads the body of ApiVersions in its highest version where it has not the one asked for."""

    class Sessions(Session):
        def answer_unsupported_version(
            self, api_key: int, version: int, frame: bytes
        ) -> bytes | None:
            if api_key == API_VERSIONS:
                self.read_request(api_key, self.broker.versions[api_key][1], frame)
            return super().answer_unsupported_version(api_key, version, frame)


class FallbackForgetsLogin(WithUsers, breaks="api-versions.unsupported-keeps-connection"):
    """Takes ApiVersions of a version that it has not for the only one before the handshake."""

    class Sessions(Session):
        def answer_unsupported_version(
            self, api_key: int, version: int, frame: bytes
        ) -> bytes | None:
            found = super().answer_unsupported_version(api_key, version, frame)
            if self.state == "begun":
                self.state = "greeted"
            return found


class _NullIsEmpty(LenientCodec):
    """A reader to which a null name of a client's software is another name."""

    name_for_null = b"\x02x"

    def read(self, form: Form, data: bytes, offset: int = 0) -> tuple[Value, int]:
        """Return the message, with a name in place of a null one."""
        try:
            return super().read(form, data, offset)
        except DecodeError:
            if form.message != "ApiVersionsRequest" or b"\0" not in data[offset : offset + 20]:
                raise
            at = data.index(b"\0", offset)
            return super().read(form, data[:at] + self.name_for_null + data[at + 1 :], offset)


class NullSoftwareServed(BrokerMutant, breaks="api-versions.null-software-refused"):
    """Serves a client whose software has null for a name or a version."""

    def __init__(self, *given: Any, **more: Any) -> None:
        super().__init__(*given, **more)
        self.reads = _NullIsEmpty()


class NullSoftwareIgnored(BrokerMutant, breaks="api-versions.null-software-refused"):
    """Drops an ApiVersions request that it can't read, and goes on."""

    implies = ("request-header.short-header-closes",)

    class Sessions(Session):
        def respond(self, frame: bytes) -> bytes | None:
            try:
                return super().respond(frame)
            except DecodeError:
                if self.api_key_and_version(frame)[0] == API_VERSIONS:
                    return None
                raise


class SoftwareWantedInVersion2(BrokerMutant, breaks="api-versions.unnamed-software-served"):
    """Answers ApiVersions 1 and 2 with INVALID_REQUEST, because no software is named."""

    def api_versions_error(self, request: Request) -> int:
        early = request.version in (1, 2)
        return INVALID_REQUEST if early else super().api_versions_error(request)


class ClientIdTakenForSoftware(BrokerMutant, breaks="api-versions.unnamed-software-served"):
    """Checks the client id as the name of the software where there is no other."""

    implies = ("request-header.null-client-id",)

    def api_versions_error(self, request: Request) -> int:
        name = request.header["clientId"]
        if request.version < 3 and name is not None:
            named = {"clientSoftwareName": name, "clientSoftwareVersion": "1"}
            return NONE if self.software_is_named(named) else INVALID_REQUEST
        return super().api_versions_error(request)


class PlusAllowed(BrokerMutant, breaks="api-versions.illegal-software-refused"):
    """Takes a plus, as semantic versions have it, in the name of a client's software."""

    def software_is_named(self, value: Value) -> bool:
        names = ("clientSoftwareName", "clientSoftwareVersion")
        return super().software_is_named(
            {**value, **{each: value[each].replace("+", "-") for each in names}}
        )


class FallbackNeedsLogin(WithUsers, breaks="api-versions.unsupported-answered-in-v0"):
    """Hangs up on a version of ApiVersions that it has not, until the client has logged in."""

    class Sessions(Session):
        def answer_unsupported_version(
            self, api_key: int, version: int, frame: bytes
        ) -> bytes | None:
            """The way back, after login. Raises Hangup."""
            if self.state != "authenticated":
                raise Hangup
            return super().answer_unsupported_version(api_key, version, frame)


class FallbackForEver(BrokerMutant, breaks="api-versions.named-version-served"):
    """Refuses every version of ApiVersions once it was asked for one that it has not."""

    implies = ("api-versions.unsupported-keeps-connection",)

    class Sessions(Session):
        sent_back = False

        def answer_unsupported_version(
            self, api_key: int, version: int, frame: bytes
        ) -> bytes | None:
            self.sent_back = True
            return super().answer_unsupported_version(api_key, version, frame)

        def is_supported(self, api_key: int, version: int) -> bool:
            return not self.sent_back and super().is_supported(api_key, version)


class OtherClusterServed(BrokerMutant, breaks="api-versions.other-cluster-sent-back"):
    """Serves who looks for another cluster."""

    def meant_for_us(self, value: Value) -> bool:
        return super().meant_for_us({**value, "clusterId": None})


class OtherNodeServed(BrokerMutant, breaks="api-versions.other-cluster-sent-back"):
    """Serves who looks for another node."""

    def meant_for_us(self, value: Value) -> bool:
        return super().meant_for_us({**value, "nodeId": -1})


class NoClusterSentBack(BrokerMutant, breaks="api-versions.other-cluster-sent-back"):
    """Sends back who names no cluster."""

    def meant_for_us(self, value: Value) -> bool:
        return value["clusterId"] is not None and super().meant_for_us(value)


class OtherClusterIsInvalid(BrokerMutant, breaks="api-versions.other-cluster-sent-back"):
    """Answers who looks for another cluster with INVALID_REQUEST."""

    def api_versions_error(self, request: Request) -> int:
        code = super().api_versions_error(request)
        return INVALID_REQUEST if code == REBOOTSTRAP_REQUIRED else code


class HalfNamedClusterServed(BrokerMutant, breaks="api-versions.half-named-cluster-refused"):
    """Serves who names a cluster and no node, or a node and no cluster."""

    def api_versions_error(self, request: Request) -> int:
        half = request.version >= 5 and self.is_half_named(request.value)
        return NONE if half else super().api_versions_error(request)


class HalfNamedClusterSentBack(BrokerMutant, breaks="api-versions.half-named-cluster-refused"):
    """Sends back who names another cluster and no node, or another node and no cluster."""

    def is_half_named(self, value: Value) -> bool:
        return False
