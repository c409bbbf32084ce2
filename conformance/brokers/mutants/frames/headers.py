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


class NullClientIdRefused(BrokerMutant):
    """Hangs up on a client id that is null."""

    breaks = "request-header.null-client-id"

    class Sessions(Session):
        """A connection that wants a name."""

        def handle(self, request: Request) -> Value:
            """Return the answer's body; hang up on a client without a client id."""
            if request.header["clientId"] is None:
                raise Hangup
            return super().handle(request)


class EmptyClientIdRefused(BrokerMutant):
    """Hangs up on a client id that is empty."""

    breaks = "request-header.null-client-id"

    class Sessions(Session):
        """A connection that wants a name with letters."""

        def handle(self, request: Request) -> Value:
            """Return the answer's body; hang up on a client without a client id."""
            if request.header["clientId"] == "":
                raise Hangup
            return super().handle(request)


class NullClientIdIsAnError(BrokerMutant):
    """Answers ApiVersions with INVALID_REQUEST where the client id is null."""

    breaks = "request-header.null-client-id"

    def api_versions_error(self, request: Request) -> int:
        unnamed = request.header["clientId"] is None
        return INVALID_REQUEST if unnamed else super().api_versions_error(request)


class NullClientIdOfTwoBytesMore(BrokerMutant):
    """Takes a client id that is null for one with two bytes behind its length."""

    breaks = "request-header.null-client-id"

    class Sessions(Session):
        """A connection that has no null."""

        def read_request(self, api_key: int, version: int, frame: bytes) -> Request:
            """The request, shifted where the client id is null."""
            if frame[8:10] == b"\xff\xff":
                frame = frame[:10] + frame[12:]
            return super().read_request(api_key, version, frame)


class HeaderTagsRefused(BrokerMutant):
    """Hangs up on unknown tagged fields in a header."""

    breaks = "request-header.unknown-tag-skipped"

    class Sessions(Session):
        """A connection that wants to know all fields."""

        def handle(self, request: Request) -> Value:
            """The body of the answer to a plain header."""
            if request.header.get(TAGS):
                raise Hangup
            return super().handle(request)


class HeaderTagsAreAnError(BrokerMutant):
    """Answers ApiVersions with INVALID_REQUEST where the header has unknown tagged fields."""

    breaks = "request-header.unknown-tag-skipped"

    def api_versions_error(self, request: Request) -> int:
        tagged = request.header.get(TAGS)
        return INVALID_REQUEST if tagged else super().api_versions_error(request)


class HeaderTagsReadAsBody(BrokerMutant):
    """Takes the tag section of a header for one zero byte, and reads its fields as the body."""

    breaks = "request-header.unknown-tag-skipped"

    class Sessions(Session):
        """A connection that skips one byte."""

        def read_request(self, api_key: int, version: int, frame: bytes) -> Request:
            """The request, the number of tags taken for 0."""
            (length,) = struct.unpack_from(">h", frame, 8)
            where = 10 + max(length, 0)
            request = super().read_request(api_key, version, frame)
            if TAGS not in request.header:
                return request
            return super().read_request(
                api_key, version, frame[:where] + bytes(1) + frame[where + 1 :]
            )


class UnknownKeyIgnored(BrokerMutant):
    """Drops a request of an unknown api key, and goes on."""

    breaks = "request-header.unknown-key-closes"

    class Sessions(Session):
        """A connection that lets it pass."""

        def answer_unknown_api_key(self) -> bytes | None:
            return None


class UnknownKeyIsAnError(BrokerMutant):
    """Answers a request of an unknown api key with UNSUPPORTED_VERSION."""

    breaks = "request-header.unknown-key-closes"

    class Sessions(Session):
        """A connection that explains."""

        def respond(self, frame: bytes) -> bytes | None:
            if self.api_key_and_version(frame)[0] not in self.broker.versions:
                return frame[_CORRELATION_ID] + struct.pack(">h", UNSUPPORTED_VERSION)
            return super().respond(frame)


class UnknownKeyTakenForApiVersions(BrokerMutant):
    """Answers a request of an unknown api key as if it were ApiVersions."""

    breaks = "request-header.unknown-key-closes"

    class Sessions(Session):
        """A connection with a default."""

        def respond(self, frame: bytes) -> bytes | None:
            """The answer to it or to ApiVersions."""
            if self.api_key_and_version(frame)[0] not in self.broker.versions:
                frame = struct.pack(">hh", API_VERSIONS, 0) + frame[4:]
            return super().respond(frame)


class NegativeKeyIgnored(BrokerMutant):
    """Drops a request of an api key below 0, and goes on."""

    breaks = "request-header.unknown-key-closes"

    class Sessions(Session):
        """A connection that lets it pass."""

        def respond(self, frame: bytes) -> bytes | None:
            """The answer where the key is one."""
            return None if self.api_key_and_version(frame)[0] < 0 else super().respond(frame)


class UnsupportedVersionIgnored(BrokerMutant):
    """Drops a request in a version that it has not, and goes on."""

    breaks = "request-header.unsupported-version-closes"
    implies = ("request-header.negative-version-survived",)

    class Sessions(Session):
        """A connection that lets it pass."""

        def answer_unsupported_version(
            self, api_key: int, version: int, frame: bytes
        ) -> bytes | None:
            if api_key != API_VERSIONS:
                return None
            return super().answer_unsupported_version(api_key, version, frame)


class UnsupportedVersionIsAnError(BrokerMutant):
    """Answers a request in a version that it has not with UNSUPPORTED_VERSION."""

    breaks = "request-header.unsupported-version-closes"

    class Sessions(Session):
        """A connection that explains."""

        def answer_unsupported_version(
            self, api_key: int, version: int, frame: bytes
        ) -> bytes | None:
            """The answer to ApiVersions, or the error."""
            if api_key != API_VERSIONS:
                return frame[_CORRELATION_ID] + struct.pack(">h", UNSUPPORTED_VERSION)
            return super().answer_unsupported_version(api_key, version, frame)


class HigherVersionAnsweredInHighest(BrokerMutant):
    """Answers a request of a version above its highest in its highest."""

    breaks = "request-header.unsupported-version-closes"

    class Sessions(Session):
        """A connection that guesses."""

        def answer_unsupported_version(
            self, api_key: int, version: int, frame: bytes
        ) -> bytes | None:
            """The answer to ApiVersions, or to the highest version."""
            high = self.broker.versions[api_key][1]
            if api_key == API_VERSIONS or version < high:
                return super().answer_unsupported_version(api_key, version, frame)
            request = self.read_request(api_key, high, frame)
            return self.write_response(request, self.handle(request))


class NegativeVersionTakenForLowest(BrokerMutant):
    """Answers a request of a version below 0 in its lowest."""

    breaks = "request-header.unsupported-version-closes"
    implies = ("api-versions.negative-version-answered", "request-header.negative-version-survived")

    class Sessions(Session):
        """A connection that guesses."""

        def api_key_and_version(self, frame: bytes) -> tuple[int, int]:
            """The version never below the lowest."""
            api_key, version = super().api_key_and_version(frame)
            low: Any = self.broker.versions.get(api_key, (0,))[0]
            return api_key, max(version, low)


class LargeHeaderTagsRefused(BrokerMutant):
    """Hangs up on a tagged field of more than four kilobytes in a header."""

    breaks = "request-header.unknown-tag-skipped"

    class Sessions(Session):
        """A connection with a buffer for headers."""

        def handle(self, request: Request) -> Value:
            """The body of the answer to a header of some size."""
            if any(len(each["bytes"]) > 6000 for each in request.header.get(TAGS, [])):
                raise Hangup
            return super().handle(request)


class HeaderTagsOfApiVersionsAlone(BrokerMutant):
    """Hangs up on unknown tagged fields in the header of other requests than ApiVersions."""

    breaks = "request-header.unknown-tag-skipped"

    class Sessions(Session):
        """A connection that is patient once."""

        def handle(self, request: Request) -> Value:
            if request.api_key != API_VERSIONS and request.header.get(TAGS):
                raise Hangup
            return super().handle(request)


class DisabledKeyIgnored(BrokerMutant):
    """Drops a request of an api key that it knows and does not advertise, and goes on."""

    breaks = "request-header.disabled-key-closes"

    class Sessions(Session):
        """A connection that lets it pass."""

        def respond(self, frame: bytes) -> bytes | None:
            """Return the answer; ignore a known API that is not served, instead of hanging up."""
            known = self.api_key_and_version(frame)[0] in definitions().requests
            try:
                return super().respond(frame)
            except Hangup:
                if known and self.api_key_and_version(frame)[0] not in self.broker.versions:
                    return None
                raise


class DisabledKeyIsAnError(BrokerMutant):
    """Answers a request of an api key that it knows and does not advertise with an error."""

    breaks = "request-header.disabled-key-closes"

    class Sessions(Session):
        """A connection that explains."""

        def respond(self, frame: bytes) -> bytes | None:
            """The answer, or the error alone."""
            api_key, _ = self.api_key_and_version(frame)
            if api_key in definitions().requests and api_key not in self.broker.versions:
                return frame[_CORRELATION_ID] + struct.pack(">h", INVALID_REQUEST)
            return super().respond(frame)


class NegativeVersionIgnored(BrokerMutant):
    """Drops a request of a negative version, and goes on."""

    breaks = "request-header.negative-version-survived"
    implies = (
        "request-header.unsupported-version-closes",
        "api-versions.negative-version-answered",
    )

    class Sessions(Session):
        """A connection that lets it pass."""

        def respond(self, frame: bytes) -> bytes | None:
            """The answer to versions from 0 on."""
            return None if self.api_key_and_version(frame)[1] < 0 else super().respond(frame)


class NegativeVersionIsAnError(BrokerMutant):
    """Answers a request of a negative version with an error."""

    breaks = "request-header.unsupported-version-closes"
    implies = ("api-versions.negative-version-answered",)

    class Sessions(Session):
        """A connection that explains."""

        def respond(self, frame: bytes) -> bytes | None:
            """The answer, or the error alone."""
            if self.api_key_and_version(frame)[1] < 0:
                return frame[_CORRELATION_ID] + struct.pack(">h", UNSUPPORTED_VERSION)
            return super().respond(frame)


class ShortHeaderIgnored(BrokerMutant):
    """Drops a frame that ends within its header, and goes on."""

    breaks = "request-header.short-header-closes"
    implies = ("primitives.short-input-refused",)

    class Sessions(Session):
        """A connection that lets it pass."""

        def respond(self, frame: bytes) -> bytes | None:
            return None if len(frame) < 10 else super().respond(frame)


class ShortHeaderFilledUp(BrokerMutant):
    """Answers a request whose header is cut short."""

    breaks = "request-header.short-header-closes"

    class Sessions(Session):
        """A connection that reads behind the end."""

        def respond(self, frame: bytes) -> bytes | None:
            """Return the answer to the frame with zeros appended."""
            return super().respond(frame + bytes(max(0, 10 - len(frame))))


class ClientIdCutShort(BrokerMutant):
    """Takes as much of a client id as there is, whatever the length before it says."""

    breaks = "request-header.short-header-closes"

    class Sessions(Session):
        """A connection that takes as much of a name as there is."""

        def respond(self, frame: bytes) -> bytes | None:
            """The answer to the frame with a client id that fits."""
            if len(frame) >= 10:
                (length,) = struct.unpack_from(">h", frame, 8)
                if length > len(frame) - 10:
                    frame = frame[:8] + struct.pack(">h", len(frame) - 10) + frame[10:]
            return super().respond(frame)


class ClientIdOf255Bytes(BrokerMutant):
    """Hangs up on a client id of more than 255 bytes."""

    breaks = "request-header.client-id-of-any-length"

    class Sessions(Session):
        """A connection with a small buffer."""

        def handle(self, request: Request) -> Value:
            """The body of the answer to a short name."""
            if len((request.header["clientId"] or "").encode()) > 255:
                raise Hangup
            return super().handle(request)


class LongestClientIdRefused(BrokerMutant):
    """Hangs up on a client id of the greatest length that there is."""

    breaks = "request-header.client-id-of-any-length"

    class Sessions(Session):
        """A connection that is off by one."""

        def handle(self, request: Request) -> Value:
            """The body of the answer to a shorter name."""
            if len((request.header["clientId"] or "").encode()) >= 2**15 - 2:
                raise Hangup
            return super().handle(request)


class ClientIdLengthOfOneByte(BrokerMutant):
    """Takes the lower byte of a client id's length for all of it."""

    breaks = "request-header.client-id-of-any-length"

    class Sessions(Session):
        """A connection that reads half of a length."""

        def read_request(self, api_key: int, version: int, frame: bytes) -> Request:
            """Return the request, read with only the lower byte of the client id's length."""
            if frame[8] not in (0, 0xFF):
                frame = frame[:8] + bytes(1) + frame[9:]
            return super().read_request(api_key, version, frame)


class ClientIdBelowNullIgnored(BrokerMutant):
    """Drops a request whose client id has a length below -1, and goes on."""

    breaks = "request-header.client-id-below-null"

    class Sessions(Session):
        """A connection that lets it pass."""

        def respond(self, frame: bytes) -> bytes | None:
            """The answer to a client id that is one, or null."""
            below = len(frame) >= 10 and struct.unpack_from(">h", frame, 8)[0] < -1
            return None if below else super().respond(frame)


class ClientIdBelowNullIsAnError(BrokerMutant):
    """Answers ApiVersions with version 0 where the client id has a length below -1."""

    breaks = "request-header.client-id-below-null"

    class Sessions(Session):
        """A connection that takes such a client for an old one."""

        def respond(self, frame: bytes) -> bytes | None:
            """The answer, or the shortest there is."""
            if len(frame) >= 10 and struct.unpack_from(">h", frame, 8)[0] < -1:
                return frame[_CORRELATION_ID] + struct.pack(">hi", INVALID_REQUEST, 0)
            return super().respond(frame)


class NextVersionOfOthersIgnored(BrokerMutant):
    """Drops a request in the version behind its highest of any API but Metadata, and goes on."""

    breaks = "request-header.unsupported-version-closes"
    implies = ("request-header.negative-version-survived",)

    class Sessions(Session):
        """A connection that knows one API well."""

        def answer_unsupported_version(
            self, api_key: int, version: int, frame: bytes
        ) -> bytes | None:
            """The answer to ApiVersions, and none to others."""
            if api_key not in (METADATA, API_VERSIONS):
                return None
            return super().answer_unsupported_version(api_key, version, frame)
