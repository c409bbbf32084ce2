"""Request headers: client ids, tags, keys and versions that a broker stumbles over."""

from __future__ import annotations

import struct
from typing import Any

from conformance.api_keys import API_VERSIONS, METADATA
from conformance.brokers.mutants.mutant import BrokerMutant
from conformance.error_codes import INVALID_REQUEST, UNSUPPORTED_VERSION
from conformance.reference.broker.cluster import Request, Value
from conformance.reference.broker.connections.session import Session
from conformance.reference.broker.errors import Hangup
from conformance.schema.releases import definitions

TAGS = "_unknownTaggedFields"
_CORRELATION_ID = slice(4, 8)


class NullClientIdRefused(BrokerMutant, breaks="request-header.null-client-id"):
    """Hangs up on a client id that is null."""

    class Sessions(Session):
        def handle(self, request: Request) -> Value:
            if request.header["clientId"] is None:
                raise Hangup
            return super().handle(request)


class EmptyClientIdRefused(BrokerMutant, breaks="request-header.null-client-id"):
    """Hangs up on a client id that is empty."""

    class Sessions(Session):
        def handle(self, request: Request) -> Value:
            if request.header["clientId"] == "":
                raise Hangup
            return super().handle(request)


class NullClientIdIsAnError(BrokerMutant, breaks="request-header.null-client-id"):
    """Answers ApiVersions with INVALID_REQUEST where the client id is null."""

    def api_versions_error(self, request: Request) -> int:
        unnamed = request.header["clientId"] is None
        return INVALID_REQUEST if unnamed else super().api_versions_error(request)


class NullClientIdOfTwoBytesMore(BrokerMutant, breaks="request-header.null-client-id"):
    """Takes a client id that is null for one with two bytes behind its length."""

    class Sessions(Session):
        def read_request(self, api_key: int, version: int, frame: bytes) -> Request:
            if frame[8:10] == b"\xff\xff":
                frame = frame[:10] + frame[12:]
            return super().read_request(api_key, version, frame)


class HeaderTagsRefused(BrokerMutant, breaks="request-header.unknown-tag-skipped"):
    """Hangs up on unknown tagged fields in a header."""

    class Sessions(Session):
        def handle(self, request: Request) -> Value:
            if request.header.get(TAGS):
                raise Hangup
            return super().handle(request)


class HeaderTagsAreAnError(BrokerMutant, breaks="request-header.unknown-tag-skipped"):
    """Answers ApiVersions with INVALID_REQUEST where the header has unknown tagged fields."""

    def api_versions_error(self, request: Request) -> int:
        tagged = request.header.get(TAGS)
        return INVALID_REQUEST if tagged else super().api_versions_error(request)


class HeaderTagsReadAsBody(BrokerMutant, breaks="request-header.unknown-tag-skipped"):
    """Takes the tag section of a header for one zero byte, and reads its fields as the body."""

    class Sessions(Session):
        def read_request(self, api_key: int, version: int, frame: bytes) -> Request:
            (length,) = struct.unpack_from(">h", frame, 8)
            where = 10 + max(length, 0)
            request = super().read_request(api_key, version, frame)
            if TAGS not in request.header:
                return request
            return super().read_request(
                api_key, version, frame[:where] + bytes(1) + frame[where + 1 :]
            )


class UnknownKeyIgnored(BrokerMutant, breaks="request-header.unknown-key-closes"):
    """Drops a request of an unknown api key, and goes on."""

    class Sessions(Session):
        def answer_unknown_api_key(self) -> bytes | None:
            return None


class UnknownKeyIsAnError(BrokerMutant, breaks="request-header.unknown-key-closes"):
    """Answers a request of an unknown api key with UNSUPPORTED_VERSION."""

    class Sessions(Session):
        def respond(self, frame: bytes) -> bytes | None:
            if self.api_key_and_version(frame)[0] not in self.broker.versions:
                return frame[_CORRELATION_ID] + struct.pack(">h", UNSUPPORTED_VERSION)
            return super().respond(frame)


class UnknownKeyTakenForApiVersions(BrokerMutant, breaks="request-header.unknown-key-closes"):
    """Answers a request of an unknown api key as if it were ApiVersions."""

    class Sessions(Session):
        def respond(self, frame: bytes) -> bytes | None:
            if self.api_key_and_version(frame)[0] not in self.broker.versions:
                frame = struct.pack(">hh", API_VERSIONS, 0) + frame[4:]
            return super().respond(frame)


class NegativeKeyIgnored(BrokerMutant, breaks="request-header.unknown-key-closes"):
    """Drops a request of an api key below 0, and goes on."""

    class Sessions(Session):
        def respond(self, frame: bytes) -> bytes | None:
            return None if self.api_key_and_version(frame)[0] < 0 else super().respond(frame)


class UnsupportedVersionIgnored(BrokerMutant, breaks="request-header.unsupported-version-closes"):
    """Drops a request in a version that it has not, and goes on."""

    implies = ("request-header.negative-version-survived",)

    class Sessions(Session):
        def answer_unsupported_version(
            self, api_key: int, version: int, frame: bytes
        ) -> bytes | None:
            if api_key != API_VERSIONS:
                return None
            return super().answer_unsupported_version(api_key, version, frame)


class UnsupportedVersionIsAnError(BrokerMutant, breaks="request-header.unsupported-version-closes"):
    """Answers a request in a version that it has not with UNSUPPORTED_VERSION."""

    class Sessions(Session):
        def answer_unsupported_version(
            self, api_key: int, version: int, frame: bytes
        ) -> bytes | None:
            if api_key != API_VERSIONS:
                return frame[_CORRELATION_ID] + struct.pack(">h", UNSUPPORTED_VERSION)
            return super().answer_unsupported_version(api_key, version, frame)


class HigherVersionAnsweredInHighest(
    BrokerMutant, breaks="request-header.unsupported-version-closes"
):
    """Answers a request of a version above its highest in its highest."""

    class Sessions(Session):
        def answer_unsupported_version(
            self, api_key: int, version: int, frame: bytes
        ) -> bytes | None:
            high = self.broker.versions[api_key][1]
            if api_key == API_VERSIONS or version < high:
                return super().answer_unsupported_version(api_key, version, frame)
            request = self.read_request(api_key, high, frame)
            return self.write_response(request, self.handle(request))


class NegativeVersionTakenForLowest(
    BrokerMutant, breaks="request-header.unsupported-version-closes"
):
    """Answers a request of a version below 0 in its lowest."""

    implies = ("api-versions.negative-version-answered", "request-header.negative-version-survived")

    class Sessions(Session):
        def api_key_and_version(self, frame: bytes) -> tuple[int, int]:
            api_key, version = super().api_key_and_version(frame)
            low: Any = self.broker.versions.get(api_key, (0,))[0]
            return api_key, max(version, low)


class LargeHeaderTagsRefused(BrokerMutant, breaks="request-header.unknown-tag-skipped"):
    """Hangs up on a tagged field of more than four kilobytes in a header."""

    class Sessions(Session):
        def handle(self, request: Request) -> Value:
            if any(len(each["bytes"]) > 6000 for each in request.header.get(TAGS, [])):
                raise Hangup
            return super().handle(request)


class HeaderTagsOfApiVersionsAlone(BrokerMutant, breaks="request-header.unknown-tag-skipped"):
    """Hangs up on unknown tagged fields in the header of other requests than ApiVersions."""

    class Sessions(Session):
        def handle(self, request: Request) -> Value:
            if request.api_key != API_VERSIONS and request.header.get(TAGS):
                raise Hangup
            return super().handle(request)


class DisabledKeyIgnored(BrokerMutant, breaks="request-header.disabled-key-closes"):
    """Drops a request of an api key that it knows and does not advertise, and goes on."""

    class Sessions(Session):
        def respond(self, frame: bytes) -> bytes | None:
            known = self.api_key_and_version(frame)[0] in definitions().requests
            try:
                return super().respond(frame)
            except Hangup:
                if known and self.api_key_and_version(frame)[0] not in self.broker.versions:
                    return None
                raise


class DisabledKeyIsAnError(BrokerMutant, breaks="request-header.disabled-key-closes"):
    """Answers a request of an api key that it knows and does not advertise with an error."""

    class Sessions(Session):
        def respond(self, frame: bytes) -> bytes | None:
            api_key, _ = self.api_key_and_version(frame)
            if api_key in definitions().requests and api_key not in self.broker.versions:
                return frame[_CORRELATION_ID] + struct.pack(">h", INVALID_REQUEST)
            return super().respond(frame)


class NegativeVersionIgnored(BrokerMutant, breaks="request-header.negative-version-survived"):
    """Drops a request of a negative version, and goes on."""

    implies = (
        "request-header.unsupported-version-closes",
        "api-versions.negative-version-answered",
    )

    class Sessions(Session):
        def respond(self, frame: bytes) -> bytes | None:
            return None if self.api_key_and_version(frame)[1] < 0 else super().respond(frame)


class NegativeVersionIsAnError(BrokerMutant, breaks="request-header.unsupported-version-closes"):
    """Answers a request of a negative version with an error."""

    implies = ("api-versions.negative-version-answered",)

    class Sessions(Session):
        def respond(self, frame: bytes) -> bytes | None:
            if self.api_key_and_version(frame)[1] < 0:
                return frame[_CORRELATION_ID] + struct.pack(">h", UNSUPPORTED_VERSION)
            return super().respond(frame)


class ShortHeaderIgnored(BrokerMutant, breaks="request-header.short-header-closes"):
    """Drops a frame that ends within its header, and goes on."""

    implies = ("primitives.short-input-refused",)

    class Sessions(Session):
        def respond(self, frame: bytes) -> bytes | None:
            return None if len(frame) < 10 else super().respond(frame)


class ShortHeaderFilledUp(BrokerMutant, breaks="request-header.short-header-closes"):
    """Answers a request whose header is cut short."""

    class Sessions(Session):
        def respond(self, frame: bytes) -> bytes | None:
            return super().respond(frame + bytes(max(0, 10 - len(frame))))


class ClientIdCutShort(BrokerMutant, breaks="request-header.short-header-closes"):
    """Takes as much of a client id as there is, whatever the length before it says."""

    class Sessions(Session):
        def respond(self, frame: bytes) -> bytes | None:
            if len(frame) >= 10:
                (length,) = struct.unpack_from(">h", frame, 8)
                if length > len(frame) - 10:
                    frame = frame[:8] + struct.pack(">h", len(frame) - 10) + frame[10:]
            return super().respond(frame)


class ClientIdOf255Bytes(BrokerMutant, breaks="request-header.client-id-of-any-length"):
    """Hangs up on a client id of more than 255 bytes."""

    class Sessions(Session):
        def handle(self, request: Request) -> Value:
            if len((request.header["clientId"] or "").encode()) > 255:
                raise Hangup
            return super().handle(request)


class LongestClientIdRefused(BrokerMutant, breaks="request-header.client-id-of-any-length"):
    """Hangs up on a client id of the greatest length that there is."""

    class Sessions(Session):
        def handle(self, request: Request) -> Value:
            if len((request.header["clientId"] or "").encode()) >= 2**15 - 2:
                raise Hangup
            return super().handle(request)


class ClientIdLengthOfOneByte(BrokerMutant, breaks="request-header.client-id-of-any-length"):
    """Takes the lower byte of a client id's length for all of it."""

    class Sessions(Session):
        def read_request(self, api_key: int, version: int, frame: bytes) -> Request:
            if frame[8] not in (0, 0xFF):
                frame = frame[:8] + bytes(1) + frame[9:]
            return super().read_request(api_key, version, frame)


class ClientIdBelowNullIgnored(BrokerMutant, breaks="request-header.client-id-below-null"):
    """Drops a request whose client id has a length below -1, and goes on."""

    class Sessions(Session):
        def respond(self, frame: bytes) -> bytes | None:
            below = len(frame) >= 10 and struct.unpack_from(">h", frame, 8)[0] < -1
            return None if below else super().respond(frame)


class ClientIdBelowNullIsAnError(BrokerMutant, breaks="request-header.client-id-below-null"):
    """Answers ApiVersions with version 0 where the client id has a length below -1."""

    class Sessions(Session):
        def respond(self, frame: bytes) -> bytes | None:
            if len(frame) >= 10 and struct.unpack_from(">h", frame, 8)[0] < -1:
                return frame[_CORRELATION_ID] + struct.pack(">hi", INVALID_REQUEST, 0)
            return super().respond(frame)


class NextVersionOfOthersIgnored(BrokerMutant, breaks="request-header.unsupported-version-closes"):
    """Drops a request in the version behind its highest of any API but Metadata, and goes on."""

    implies = ("request-header.negative-version-survived",)

    class Sessions(Session):
        def answer_unsupported_version(
            self, api_key: int, version: int, frame: bytes
        ) -> bytes | None:
            if api_key not in (METADATA, API_VERSIONS):
                return None
            return super().answer_unsupported_version(api_key, version, frame)
