"""ApiVersions: lists that contradict themselves, ways back that lead nowhere, names misjudged."""

from __future__ import annotations

import re
from typing import ClassVar

from conformance.api_keys import API_VERSIONS, METADATA
from conformance.brokers.mutants.mutant import BrokerMutant
from conformance.error_codes import INVALID_REQUEST, NONE, UNSUPPORTED_VERSION
from conformance.reference.broker.cluster import Request, Value
from conformance.reference.broker.connections.session import Session
from conformance.reference.broker.errors import Hangup


class KeyListedTwice(BrokerMutant, breaks="api-versions.each-key-once"):
    """Lists its last API twice."""

    def advertised(self, version: int) -> list[Value]:
        entries = super().advertised(version)
        return [*entries, entries[-1]]


class KeyListedInParts(BrokerMutant, breaks="api-versions.each-key-once"):
    """Lists Metadata twice."""

    def advertised(self, version: int) -> list[Value]:
        entries = super().advertised(version)
        whole = next(each for each in entries if each["apiKey"] == METADATA)
        old = {**whole, "maxVersion": 8}
        whole["minVersion"] = 9
        return [old, *entries]


class KeyListedTwiceInFlexible(BrokerMutant, breaks="api-versions.each-key-once"):
    """Lists ApiVersions a second time in answers of version 3 and above."""

    def advertised(self, version: int) -> list[Value]:
        entries = super().advertised(version)
        return [*entries, self.advertised_range(API_VERSIONS)] if version >= 3 else entries


class LowestAboveHighest(BrokerMutant, breaks="api-versions.each-key-once"):
    """Lists Metadata with its highest version for the lowest, and the other way around."""

    def advertised_range(self, api_key: int) -> Value:
        entry = super().advertised_range(api_key)
        if api_key == METADATA:
            entry["minVersion"], entry["maxVersion"] = entry["maxVersion"], entry["minVersion"]
        return entry


class _Fallback(Session):
    """A connection that answers an ApiVersions of an unknown version in some other way."""

    def answer_unsupported_version(self, api_key: int, version: int, frame: bytes) -> bytes | None:
        """The other way, for ApiVersions alone."""
        if api_key != API_VERSIONS:
            return super().answer_unsupported_version(api_key, version, frame)
        header = self.read_unsupported_header(version, frame)
        return self.fall_back(version, header["correlationId"])

    def fall_back(self, version: int, correlation_id: int) -> bytes | None:
        """The frame of the answer; that of the reference unless overridden."""
        del version
        body = self.broker.unsupported_api_versions()
        return self.write("ApiVersions", 0, correlation_id, body)


class FallbackWithThrottleTime(BrokerMutant, breaks="api-versions.unsupported-answered-in-v0"):
    """Answers a version of ApiVersions that it has not in the body of version 1."""

    class Sessions(_Fallback):
        def fall_back(self, version: int, correlation_id: int) -> bytes | None:
            body = {**self.broker.unsupported_api_versions(), "throttleTimeMs": 0}
            return self.write("ApiVersions", 1, correlation_id, body)


class FallbackWithTags(BrokerMutant, breaks="api-versions.unsupported-answered-in-v0"):
    """Ends its answer to a version of ApiVersions that it has not with a tag section."""

    class Sessions(_Fallback):
        def fall_back(self, version: int, correlation_id: int) -> bytes | None:
            return (super().fall_back(version, correlation_id) or b"") + bytes(1)


class FallbackWithHeaderOne(BrokerMutant, breaks="api-versions.unsupported-answered-in-v0"):
    """Answers a version of ApiVersions that it has not with response header version 1."""

    class Sessions(_Fallback):
        def fall_back(self, version: int, correlation_id: int) -> bytes | None:
            frame = super().fall_back(version, correlation_id) or b""
            return frame[:4] + bytes(1) + frame[4:]


class FallbackInHighest(BrokerMutant, breaks="api-versions.unsupported-answered-in-v0"):
    """Answers a version of ApiVersions that it has not in its own highest."""

    class Sessions(_Fallback):
        def fall_back(self, version: int, correlation_id: int) -> bytes | None:
            highest = self.broker.versions[API_VERSIONS][1]
            body = {**self.broker.unsupported_api_versions(), "throttleTimeMs": 0}
            return self.write("ApiVersions", highest, correlation_id, body)


class FallbackWithoutError(BrokerMutant, breaks="api-versions.unsupported-answered-in-v0"):
    """Answers a version of ApiVersions that it has not in version 0 as if that had been asked."""

    def unsupported_api_versions(self) -> Value:
        return {"errorCode": NONE, "apiKeys": self.advertised(0)}


class FallbackWithOtherError(BrokerMutant, breaks="api-versions.unsupported-answered-in-v0"):
    """Answers a version of ApiVersions that it has not with INVALID_REQUEST."""

    def unsupported_api_versions(self) -> Value:
        return {**super().unsupported_api_versions(), "errorCode": INVALID_REQUEST}


class FallbackWithCorrelationIdZero(BrokerMutant, breaks="api-versions.unsupported-answered-in-v0"):
    """Answers a version of ApiVersions that it has not with the correlation id 0."""

    class Sessions(_Fallback):
        def fall_back(self, version: int, correlation_id: int) -> bytes | None:
            return super().fall_back(version, 0 * correlation_id)


class UnknownApiVersionsCloses(BrokerMutant, breaks="api-versions.unsupported-answered-in-v0"):
    """Hangs up on a version of ApiVersions that it has not."""

    class Sessions(_Fallback):
        def fall_back(self, version: int, correlation_id: int) -> bytes | None:
            raise Hangup


class UnknownApiVersionsIgnored(BrokerMutant, breaks="api-versions.unsupported-answered-in-v0"):
    """Does not answer a version of ApiVersions that it has not."""

    implies = ("request-header.negative-version-survived",)

    class Sessions(_Fallback):
        def fall_back(self, version: int, correlation_id: int) -> bytes | None:
            return None


class NextApiVersionsServed(BrokerMutant, breaks="api-versions.unlisted-not-served"):
    """Serves the version of ApiVersions behind its highest as that."""

    class Sessions(_Fallback):
        def fall_back(self, version: int, correlation_id: int) -> bytes | None:
            highest = self.broker.versions[API_VERSIONS][1]
            if version != highest + 1:
                return super().fall_back(version, correlation_id)
            body = {"errorCode": NONE, "apiKeys": self.broker.advertised(highest)}
            return self.write("ApiVersions", highest, correlation_id, {**body, "throttleTimeMs": 0})


class FallbackWithoutRange(BrokerMutant, breaks="api-versions.unsupported-names-own-range"):
    """Lists nothing in the answer to a version of ApiVersions that it has not."""

    def versions_to_retry(self) -> list[Value]:
        return []


class FallbackListsOthers(BrokerMutant, breaks="api-versions.unsupported-names-own-range"):
    """Lists all but ApiVersions in the answer to a version of that which it has not."""

    def versions_to_retry(self) -> list[Value]:
        return [each for each in self.advertised(0) if each["apiKey"] != API_VERSIONS]


class FallbackNamesVersionZero(BrokerMutant, breaks="api-versions.unsupported-names-own-range"):
    """Lists ApiVersions with version 0 alone in the answer to a version that it has not."""

    def versions_to_retry(self) -> list[Value]:
        return [{"apiKey": API_VERSIONS, "minVersion": 0, "maxVersion": 0}]


class ClosesAfterFallback(BrokerMutant, breaks="api-versions.unsupported-keeps-connection"):
    """Hangs up behind its answer to a version of ApiVersions that it has not."""

    class Sessions(_Fallback):
        def fall_back(self, version: int, correlation_id: int) -> bytes | None:
            self.close()
            return super().fall_back(version, correlation_id)


class DeafAfterFallback(BrokerMutant, breaks="api-versions.named-version-served"):
    """Answers nothing more behind its answer to a version of ApiVersions that it has not."""

    implies = ("api-versions.unsupported-keeps-connection",)

    class Sessions(_Fallback):
        deaf = False

        def fall_back(self, version: int, correlation_id: int) -> bytes | None:
            self.deaf = True
            return super().fall_back(version, correlation_id)

        def respond(self, frame: bytes) -> bytes | None:
            return None if self.deaf else super().respond(frame)


class OnlyVersionZeroAfterFallback(BrokerMutant, breaks="api-versions.named-version-served"):
    """Takes every request for one of version 0 behind a version of ApiVersions that it has not."""

    implies = ("api-versions.unsupported-keeps-connection",)

    class Sessions(_Fallback):
        fell_back = False

        def fall_back(self, version: int, correlation_id: int) -> bytes | None:
            self.fell_back = True
            return super().fall_back(version, correlation_id)

        def api_key_and_version(self, frame: bytes) -> tuple[int, int]:
            api_key, version = super().api_key_and_version(frame)
            return api_key, 0 if self.fell_back else version


class _Pattern(BrokerMutant):
    """Judges names by a pattern of its own."""

    pattern: ClassVar[str] = r"[a-zA-Z0-9](?:[a-zA-Z0-9\-.]*[a-zA-Z0-9])?"

    def software_is_named(self, value: Value) -> bool:
        names = (value["clientSoftwareName"], value["clientSoftwareVersion"])
        return all(re.fullmatch(self.pattern, name, re.DOTALL) for name in names)


class SoftwareUnchecked(_Pattern, breaks="api-versions.illegal-software-refused"):
    """Takes any text for a client's software and its version."""

    pattern = ".*"


class SoftwareVersionUnchecked(BrokerMutant, breaks="api-versions.illegal-software-refused"):
    """Checks the name of a client's software and not its version."""

    def software_is_named(self, value: Value) -> bool:
        return super().software_is_named({**value, "clientSoftwareVersion": "1"})


class SoftwareNameUnchecked(BrokerMutant, breaks="api-versions.illegal-software-refused"):
    """Checks the version of a client's software and not its name."""

    def software_is_named(self, value: Value) -> bool:
        return super().software_is_named({**value, "clientSoftwareName": "a"})


class EmptySoftwareAllowed(_Pattern, breaks="api-versions.illegal-software-refused"):
    """Takes an empty name of a client's software."""

    pattern = rf"(?:{_Pattern.pattern})?"


class HyphenAtEndAllowed(_Pattern, breaks="api-versions.illegal-software-refused"):
    """Takes a name of a client's software that ends with a hyphen."""

    pattern = rf"{_Pattern.pattern}-*"


class DotAtBeginAllowed(_Pattern, breaks="api-versions.illegal-software-refused"):
    """Takes a name of a client's software that begins with a dot."""

    pattern = rf"\.*{_Pattern.pattern}"


class UnderscoreAllowed(_Pattern, breaks="api-versions.illegal-software-refused"):
    """Takes an underscore in the name of a client's software."""

    pattern = r"[a-zA-Z0-9](?:[a-zA-Z0-9_\-.]*[a-zA-Z0-9])?"


class LettersBeyondAsciiAllowed(_Pattern, breaks="api-versions.illegal-software-refused"):
    """Takes letters of any language in the name of a client's software."""

    pattern = r"[^\W_](?:(?:[^\W_]|[\-.])*[^\W_])?"


class LineFeedAtEndAllowed(_Pattern, breaks="api-versions.illegal-software-refused"):
    """Takes a name of a client's software that ends with a line feed."""

    pattern = rf"{_Pattern.pattern}\n?"


class SoftwareMatchedAtBegin(_Pattern, breaks="api-versions.illegal-software-refused"):
    """Takes a name of a client's software that only begins as one."""

    pattern = rf"{_Pattern.pattern}.*"


class IllegalSoftwareCloses(BrokerMutant, breaks="api-versions.illegal-software-refused"):
    """Hangs up on an illegal name of a client's software."""

    def software_is_named(self, value: Value) -> bool:
        if not super().software_is_named(value):
            raise Hangup
        return True


class IllegalSoftwareAnsweredInVersionZero(
    BrokerMutant, breaks="api-versions.illegal-software-refused"
):
    """Answers an illegal name of a client's software in version 0."""

    class Sessions(Session):
        def write_response(self, request: Request, body: Value) -> bytes:
            if request.api_key == API_VERSIONS and body["errorCode"]:
                return self.write("ApiVersions", 0, request.header["correlationId"], body)
            return super().write_response(request, body)


class IllegalSoftwareIsAVersion(BrokerMutant, breaks="api-versions.illegal-software-refused"):
    """Answers an illegal name of a client's software with UNSUPPORTED_VERSION."""

    def api_versions_error(self, request: Request) -> int:
        code = super().api_versions_error(request)
        return UNSUPPORTED_VERSION if code == INVALID_REQUEST else code


class LongSoftwareRefused(_Pattern, breaks="api-versions.legal-software-served"):
    """Refuses a name of a client's software of more than 63 characters."""

    pattern = rf"(?!.{{64}}){_Pattern.pattern}"


class DotsInSoftwareRefused(_Pattern, breaks="api-versions.legal-software-served"):
    """Refuses a name of a client's software that has a dot."""

    pattern = r"[a-zA-Z0-9](?:[a-zA-Z0-9\-]*[a-zA-Z0-9])?"


class HyphensInSoftwareRefused(_Pattern, breaks="api-versions.legal-software-served"):
    """Refuses a name of a client's software that has a hyphen."""

    pattern = r"[a-zA-Z0-9](?:[a-zA-Z0-9.]*[a-zA-Z0-9])?"


class OneCharacterRefused(_Pattern, breaks="api-versions.legal-software-served"):
    """Refuses a name of a client's software of one character."""

    pattern = r"[a-zA-Z0-9][a-zA-Z0-9\-.]*[a-zA-Z0-9]"


class UpperCaseRefused(_Pattern, breaks="api-versions.legal-software-served"):
    """Refuses capitals in the name of a client's software."""

    pattern = r"[a-z0-9](?:[a-z0-9\-.]*[a-z0-9])?"


class DigitAtBeginRefused(_Pattern, breaks="api-versions.legal-software-served"):
    """Refuses a name of a client's software that begins with a digit."""

    pattern = r"[a-zA-Z](?:[a-zA-Z0-9\-.]*[a-zA-Z0-9])?"


class DoubledSeparatorRefused(_Pattern, breaks="api-versions.legal-software-served"):
    """Refuses a name of a client's software where a dot and a hyphen stand side by side."""

    pattern = r"[a-zA-Z0-9]+(?:[\-.][a-zA-Z0-9]+)*"
