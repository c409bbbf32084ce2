"""Lists of versions that do not hold, and refusals that do not get through; and proxies that refuse
a version which they list.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from conformance.api_keys import API_VERSIONS
from conformance.brokers.dialogues.talk import api_keys
from conformance.error_codes import NONE, UNSUPPORTED_VERSION
from conformance.proxies.in_process import OWN
from conformance.proxies.mutants.mutant import ProxyMutant
from conformance.reference.proxy.link import Link, api_of
from conformance.reference.proxy.proxy import Proxy
from conformance.reference.proxy.translation import NOTHING, USUAL, VERSIONS, known_versions
from conformance.schema.layout import Form

Value = dict[str, Any]


class OwnVersionsListed(ProxyMutant, breaks="proxy-versions.listed-by-both"):
    """Lists its own versions, whatever the broker behind it has."""

    implies = ("proxy-versions.refusal-reaches-client",)

    def listed(self, value: Value) -> Value:
        own = [
            {"apiKey": key, "minVersion": low, "maxVersion": high}
            for key, (low, high) in self.versions.items()
        ]
        return {**value, "apiKeys": own}


class OwnHighestListed(ProxyMutant, breaks="proxy-versions.listed-by-both"):
    """Lists its own highest version of each API that the broker has."""

    implies = ("proxy-versions.refusal-reaches-client",)

    def listed(self, value: Value) -> Value:
        found = super().listed(value)
        keys = [
            {**each, "maxVersion": self.versions[each["apiKey"]][1]} for each in found["apiKeys"]
        ]
        return {**found, "apiKeys": keys}


class BrokersVersionsListed(ProxyMutant, breaks="proxy-versions.listed-by-both"):
    """Lists the broker's versions, and ends the connection on those that it does not know."""

    implies = ("proxy-security.tokens-pass",)

    def listed(self, value: Value) -> Value:
        return value

    class Links(Link):
        def request(self, frame: bytes) -> None:
            key, version = api_of(frame)
            known = self.proxy.form(key, version, "Request") is not None
            super().request(frame) if known or key == API_VERSIONS else self.close()


class ListWithHeader1(ProxyMutant, breaks="proxy-versions.list-readable"):
    """Writes flexible ApiVersions answers with response header 1."""

    implies = (
        "proxy-versions.errors-kept",
        "proxy-versions.refusal-reaches-client",
    )

    def translate(self, form: Form, frame: bytes) -> bytes:
        found = super().translate(form, frame)
        flexible = form.api_key == API_VERSIONS and form.flexible
        return found[:4] + b"\0" + found[4:] if flexible else found


class ListsInVersion0(ProxyMutant, breaks="proxy-versions.list-readable"):
    """Answers ApiVersions in version 0, whatever was asked for."""

    def translate(self, form: Form, frame: bytes) -> bytes:
        if form.api_key != API_VERSIONS:
            return super().translate(form, frame)
        header, value, _, _ = self.codec.decode_response(form.message, form.version, frame)
        if value["errorCode"]:
            return frame
        plain = {"errorCode": value["errorCode"], "apiKeys": self.listed(value)["apiKeys"]}
        keys = [
            {name: each[name] for name in ("apiKey", "minVersion", "maxVersion")}
            for each in plain["apiKeys"]
        ]
        return self.codec.encode_response(form.message, 0, header, {**plain, "apiKeys": keys})


class FutureListEndsConnection(ProxyMutant, breaks="proxy-versions.too-new-refused-in-v0"):
    """Ends the connection on an ApiVersions that it does not know."""

    class Links(Link):
        def request(self, frame: bytes) -> None:
            key, version = api_of(frame)
            unknown = key == API_VERSIONS and self.is_too_new(version)
            self.close() if unknown else super().request(frame)


class FutureListRefusedInNewest(ProxyMutant, breaks="proxy-versions.too-new-refused-in-v0"):
    """Refuses an ApiVersions that it does not know in the newest version that it does."""

    class Links(Link):
        def refusal(self, correlation_id: int) -> bytes:
            _, high = self.proxy.versions[API_VERSIONS]
            value = {"errorCode": UNSUPPORTED_VERSION, "apiKeys": [], "throttleTimeMs": 0}
            header = {"correlationId": correlation_id}
            return self.proxy.codec.encode_response("ApiVersionsResponse", high, header, value)


class FutureRefusedWithoutRange(ProxyMutant, breaks="proxy-versions.too-new-refused-in-v0"):
    """Refuses an ApiVersions that it does not know with an empty list."""

    class Links(Link):
        def refusal(self, correlation_id: int) -> bytes:
            value = {"errorCode": UNSUPPORTED_VERSION, "apiKeys": []}
            header = {"correlationId": correlation_id}
            return self.proxy.codec.encode_response("ApiVersionsResponse", 0, header, value)


class FutureForwardedAsNewest(ProxyMutant, breaks="proxy-versions.too-new-refused-in-v0"):
    """Answers an ApiVersions that it does not know with a list in version 0."""

    class Links(Link):
        def refusal(self, correlation_id: int) -> bytes:
            keys = [
                {"apiKey": key, "minVersion": low, "maxVersion": high}
                for key, (low, high) in self.proxy.versions.items()
            ]
            header = {"correlationId": correlation_id}
            value = {"errorCode": NONE, "apiKeys": keys}
            return self.proxy.codec.encode_response("ApiVersionsResponse", 0, header, value)


class RefusalReadAsAsked(ProxyMutant, breaks="proxy-versions.refusal-reaches-client"):
    """Ends the connection on a broker's refusal, which it reads in the version of the request."""

    def translate(self, form: Form, frame: bytes) -> bytes:
        if form.api_key == API_VERSIONS:
            self.codec.read(form, frame, 4)
        return super().translate(form, frame)


class RefusalWrittenAsAsked(ProxyMutant, breaks="proxy-versions.refusal-reaches-client"):
    """Writes a broker's refusal anew in the version of the request."""

    def translate(self, form: Form, frame: bytes) -> bytes:
        if form.api_key != API_VERSIONS:
            return super().translate(form, frame)
        header, value, _, read_as = self.codec.decode_response(form.message, form.version, frame)
        if read_as == form.version:
            return super().translate(form, frame)
        whole = {**value, "throttleTimeMs": 0}
        return self.codec.encode_response(form.message, form.version, header, whole)


class RefusalNamesOwnRange(ProxyMutant, breaks="proxy-versions.refusal-reaches-client"):
    """Tells its own versions of ApiVersions where the broker has refused one of them."""

    def listed(self, value: Value) -> Value:
        if value["errorCode"] != UNSUPPORTED_VERSION:
            return super().listed(value)
        low, high = self.versions[API_VERSIONS]
        own = {"apiKey": API_VERSIONS, "minVersion": low, "maxVersion": high}
        return {**value, "apiKeys": [own]}


class RefusalMadeAList(ProxyMutant, breaks="proxy-versions.refusal-reaches-client"):
    """Turns a broker's refusal into a list without an error."""

    implies = ("proxy-versions.errors-kept",)

    def listed(self, value: Value) -> Value:
        return {**super().listed(value), "errorCode": NONE}


class EveryErrorInVersion0(ProxyMutant, breaks="proxy-versions.errors-kept"):
    """Writes each ApiVersions answer with an error in version 0."""

    def translate(self, form: Form, frame: bytes) -> bytes:
        if form.api_key != API_VERSIONS:
            return super().translate(form, frame)
        header, value, _, _ = self.codec.decode_response(form.message, form.version, frame)
        if not value["errorCode"]:
            return super().translate(form, frame)
        plain = {"errorCode": value["errorCode"], "apiKeys": value["apiKeys"]}
        return self.codec.encode_response(form.message, 0, header, plain)


class ErrorsMadeUnsupported(ProxyMutant, breaks="proxy-versions.errors-kept"):
    """Tells UNSUPPORTED_VERSION for every error of an ApiVersions answer."""

    def listed(self, value: Value) -> Value:
        error = UNSUPPORTED_VERSION if value["errorCode"] else NONE
        return {**super().listed(value), "errorCode": error}


class OwnSoftwareTold(ProxyMutant, breaks="proxy-versions.software-name-comes-through"):
    """Tells the broker its own name for that of the client's software."""

    implies = ("proxy-messages.requests-keep-meaning",)

    class Links(Link):
        def forwarded(self, frame: bytes) -> bytes:
            key, version = api_of(frame)
            if key != API_VERSIONS or version < 3:
                return frame
            header, value, _ = self.proxy.codec.decode_request(frame)
            own = {**value, "clientSoftwareName": "a-proxy", "clientSoftwareVersion": "1"}
            return self.proxy.codec.encode_request("ApiVersionsRequest", version, header, own)


class FeaturesDropped(ProxyMutant, breaks="proxy-versions.features-kept"):
    """Keeps the list of an ApiVersions answer, and none of its tagged fields."""

    def listed(self, value: Value) -> Value:
        found = super().listed(value)
        names = ("errorCode", "apiKeys", "throttleTimeMs")
        return {name: found[name] for name in names if name in found}


class FinalizedFeaturesDropped(ProxyMutant, breaks="proxy-versions.features-kept"):
    """Drops the finalized features of an ApiVersions answer."""

    def listed(self, value: Value) -> Value:
        found = super().listed(value)
        found.pop("finalizedFeatures", None)
        return found


class VersionsUndeclared(ProxyMutant, breaks="proxy-messages.answers-keep-meaning"):
    """Says that it changes nothing, and lists fewer versions than the broker."""

    rewrites = (NOTHING,)
    does = (VERSIONS,)


class OldListsLeft(ProxyMutant, breaks="proxy-versions.one-list-in-all-versions"):
    """Lists what both have in flexible ApiVersions answers, and what the broker has in others."""

    def translate(self, form: Form, frame: bytes) -> bytes:
        old = form.api_key == API_VERSIONS and not form.flexible
        return frame if old else super().translate(form, frame)


JUDGED_BY: Mapping[str, str] = {
    "ApiVersions": "proxy-versions.list-readable",
    "SaslAuthenticate": "proxy-security.tokens-pass",
}
"""The rules that judge if requests of these APIs pass; `OTHERS` judges all other APIs."""
OTHERS = "proxy-messages.requests-pass"


class RefusesOneVersion(Proxy):
    """Ends the connection on one version of one API, which it lists."""

    def __init__(self, api_key: int, version: int) -> None:
        super().__init__(OWN, rewrites=USUAL)
        self.refused = api_key, version

    class links(Link):  # noqa: N801
        """A connection that closes when it gets a request of the refused API."""

        def request(self, frame: bytes) -> None:
            assert isinstance(self.proxy, RefusesOneVersion)
            self.close() if api_of(frame) == self.proxy.refused else super().request(frame)


def rows() -> Iterator[tuple[str, int, int]]:
    """Yield each API with its key and a version that is neither first nor last, if possible."""
    for api, key in sorted(api_keys().items()):
        if key in known_versions():
            low, high = known_versions()[key]
            yield api, key, (low + high) // 2 + (low + high) % 2
