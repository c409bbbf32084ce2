"""Messages that do not go through, or that are changed on their way."""

from __future__ import annotations

from typing import Any

from conformance.api_keys import API_VERSIONS, FETCH, PRODUCE
from conformance.proxies.dialogues.talk import behind_client_id
from conformance.proxies.mutants.mutant import ProxyMutant
from conformance.reference.proxy.link import Link, api_of
from conformance.reference.proxy.translation import CLIENT_IDS, REWRITES, USUAL
from conformance.schema.layout import Form
from conformance.wire.reader import UNKNOWN_TAGS

DESCRIBE_CLUSTER = 60
OFFSET_COMMIT = 8


class OneApiNotForwarded(ProxyMutant, breaks="proxy-messages.requests-pass"):
    """Drops requests of an API that it lists."""

    class Links(Link):
        def request(self, frame: bytes) -> None:
            if api_of(frame)[0] != OFFSET_COMMIT:
                super().request(frame)


class NewestVersionsCut(ProxyMutant, breaks="proxy-messages.requests-pass"):
    """Lists the broker's versions, and ends the connection on one that it does not know."""

    implies = ("proxy-security.tokens-pass",)

    class Links(Link):
        def request(self, frame: bytes) -> None:
            key, version = api_of(frame)
            if key != API_VERSIONS and version >= 12:
                self.close()
            else:
                super().request(frame)


class LargeAnswersLost(ProxyMutant, breaks="proxy-messages.answers-pass"):
    """Drops answers of more than 200 bytes."""

    implies = (
        "proxy-frames.in-order",
        "proxy-frames.large-frames-pass",
        "proxy-frames.unread-answers-wait",
        "proxy-messages.records-untouched",
    )

    class Links(Link):
        def send(self, frame: bytes) -> None:
            if len(frame) <= 200:
                super().send(frame)


class RequestsCutShort(ProxyMutant, breaks="proxy-messages.requests-well-formed"):
    """Loses the last byte of requests whose header has a tag section."""

    implies = ("proxy-frames.large-frames-pass", "proxy-frames.in-order")

    class Links(Link):
        def forwarded(self, frame: bytes) -> bytes:
            key, version = api_of(frame)
            form = self.proxy.form(key, version, "Request")
            return frame[:-1] if form is not None and form.flexible else frame


class AnswerHeadersWithoutTags(ProxyMutant, breaks="proxy-messages.answers-well-formed"):
    """Writes answers of flexible versions with response header 0."""

    implies = (
        "proxy-frames.large-frames-pass",
        "proxy-messages.answers-keep-meaning",
    )

    def translate(self, form: Form, frame: bytes) -> bytes:
        found = super().translate(form, frame)
        flexible = form.flexible and form.api_key != API_VERSIONS
        return found[:4] + found[5:] if flexible else found


class _Rewriting(ProxyMutant):
    """Reads and writes all that goes through, changed or not."""

    class Links(Link):
        def forwarded(self, frame: bytes) -> bytes:
            header, value, _ = self.proxy.codec.decode_request(frame)
            key, version = header["requestApiKey"], header["requestApiVersion"]
            form = self.proxy.form(key, version, "Request")
            assert form is not None
            assert isinstance(self.proxy, _Rewriting)
            changed = self.proxy.changed(value)
            return self.proxy.codec.encode_request(form.message, version, header, changed)

    def translate(self, form: Form, frame: bytes) -> bytes:
        name, version = form.message, form.version
        header, value, _, read_as = self.codec.decode_response(
            name, version, super().translate(form, frame)
        )
        return self.codec.encode_response(name, read_as, header, self.changed(value))

    def changed(self, value: Any) -> Any:
        """Return the value to write for one that was read."""
        if isinstance(value, list):
            return [self.changed(each) for each in value]
        if isinstance(value, dict):
            return {name: self.changed(each) for name, each in value.items()}
        return value


class UnknownTagsDropped(_Rewriting, breaks="proxy-messages.requests-keep-meaning"):
    """Drops tags that it does not know."""

    implies = (
        "proxy-messages.answers-keep-meaning",
        "proxy-security.tokens-pass",
    )

    def changed(self, value: Any) -> Any:
        found = super().changed(value)
        if isinstance(found, dict):
            found.pop(UNKNOWN_TAGS, None)
        return found


class LongTextCut(_Rewriting, breaks="proxy-messages.requests-keep-meaning"):
    """Cuts text at a hundred letters."""

    implies = (
        "proxy-messages.answers-keep-meaning",
        "proxy-frames.large-frames-pass",
        "proxy-frames.unread-answers-wait",
        "proxy-messages.records-untouched",
        "proxy-security.tokens-pass",
    )

    def changed(self, value: Any) -> Any:
        return value[:100] if isinstance(value, str) else super().changed(value)


class LongThrottleTimesCut(ProxyMutant, breaks="proxy-messages.answers-keep-meaning"):
    """Tells no throttle time above a second."""

    def translate(self, form: Form, frame: bytes) -> bytes:
        found = super().translate(form, frame)
        header, value, _, read_as = self.codec.decode_response(form.message, form.version, found)
        if value.get("throttleTimeMs", 0) <= 1000:
            return found
        changed = {**value, "throttleTimeMs": 1000}
        return self.codec.encode_response(form.message, read_as, header, changed)


class DefaultsLeftOut(_Rewriting, breaks="proxy-messages.requests-keep-bytes"):
    """Says that no byte changes, and writes every message anew in its canonical form."""

    implies = (
        "proxy-messages.answers-keep-bytes",
        "proxy-security.tokens-pass",
        "proxy-versions.listed-by-both",
    )
    rewrites = ("none",)


class AnswersWrittenAnew(_Rewriting, breaks="proxy-messages.answers-keep-bytes"):
    """Says that no byte changes, and writes every answer anew in its canonical form."""

    rewrites = ("none",)

    class Links(Link):
        """A connection that leaves requests as they are."""


class NullsMadeEmpty(_Rewriting, breaks="proxy-messages.requests-keep-meaning"):
    """Writes empty text for null in requests."""

    implies = (
        "proxy-messages.answers-keep-meaning",
        "proxy-addresses.rest-stays",
        "proxy-security.tokens-pass",
    )

    def changed(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {
                name: "" if each is None and name.endswith("Id") else self.changed(each)
                for name, each in value.items()
            }
        return super().changed(value)


class HeaderTagsDropped(ProxyMutant, breaks="proxy-messages.header-tags-kept"):
    """Drops the tags of request headers."""

    class Links(Link):
        def forwarded(self, frame: bytes) -> bytes:
            key, version = api_of(frame)
            form = self.proxy.form(key, version, "Request")
            if form is None:
                return frame
            codec = self.proxy.codec
            header, end = codec.read(codec.header_form(form), frame)
            header.pop(UNKNOWN_TAGS, None)
            return codec.write(codec.header_form(form), header) + frame[end:]


class AnswerHeaderTagsDropped(ProxyMutant, breaks="proxy-messages.header-tags-kept"):
    """Drops the tags of response headers."""

    def translate(self, form: Form, frame: bytes) -> bytes:
        found = super().translate(form, frame)
        header, end = self.codec.read(self.codec.header_form(form), found)
        header.pop(UNKNOWN_TAGS, None)
        return self.codec.write(self.codec.header_form(form), header) + found[end:]


class ProducedBatchesChanged(ProxyMutant, breaks="proxy-messages.records-untouched"):
    """Turns a bit in the records of a Produce."""

    implies = (
        "proxy-messages.requests-keep-meaning",
        "proxy-messages.requests-well-formed",
        "proxy-frames.large-frames-pass",
    )

    class Links(Link):
        def forwarded(self, frame: bytes) -> bytes:
            middle = 5 + len(frame) // 2
            if frame[:2] != b"\0\0" or len(frame) < 150:
                return frame
            return frame[:middle] + bytes([frame[middle] ^ 1]) + frame[middle + 1 :]


class FetchedBatchesChanged(ProxyMutant, breaks="proxy-messages.records-untouched"):
    """Turns a bit in the records of an answer to Fetch."""

    implies = (
        "proxy-addresses.rest-stays",
        "proxy-frames.large-frames-pass",
        "proxy-messages.answers-keep-meaning",
        "proxy-messages.answers-well-formed",
    )

    def translate(self, form: Form, frame: bytes) -> bytes:
        found = super().translate(form, frame)
        middle = len(found) // 2
        if form.message != "FetchResponse" or len(found) < 100:
            return found
        return found[:middle] + bytes([found[middle] ^ 1]) + found[middle + 1 :]


class UnknownApiCut(ProxyMutant, breaks="proxy-messages.unknown-not-garbled"):
    """Forwards the header alone of a request that it does not know."""

    implies = ("proxy-security.tokens-pass",)

    class Links(Link):
        def forwarded(self, frame: bytes) -> bytes:
            key, version = api_of(frame)
            return frame if self.proxy.form(key, version, "Request") else frame[:-40]


class UnknownApiSwallowed(ProxyMutant, breaks="proxy-messages.unknown-not-garbled"):
    """Says nothing to a request that it does not know."""

    implies = ("proxy-security.tokens-pass",)

    class Links(Link):
        def request(self, frame: bytes) -> None:
            key, version = api_of(frame)
            known = self.proxy.form(key, version, "Request") is not None
            if known or key == API_VERSIONS:
                super().request(frame)


class ClientIdsLostInSomeApis(ProxyMutant, breaks="proxy-messages.client-id-kept"):
    """Writes the headers of Produce and Fetch anew, with an empty client id."""

    class Links(Link):
        def forwarded(self, frame: bytes) -> bytes:
            frame = super().forwarded(frame)
            if api_of(frame)[0] not in (PRODUCE, FETCH):
                return frame
            return frame[:8] + b"\0\0" + behind_client_id(frame)


class ClientIdsUndeclared(ProxyMutant, breaks="proxy-messages.client-id-kept"):
    """Says nothing of client ids, and puts a word before them."""

    does = (*USUAL, CLIENT_IDS)


class ClientIdsCounted(ProxyMutant, breaks="proxy-messages.client-id-is-one"):
    """Gives each request a client id of its own."""

    rewrites = REWRITES
    number = 0

    def renamed(self, frame: bytes) -> bytes:
        self.number += 1
        name = f"a-proxy-{self.number}".encode()
        return frame[:8] + len(name).to_bytes(2, "big") + name + behind_client_id(frame)


class ClientIdsOfFlexibleHeaders(ProxyMutant, breaks="proxy-messages.client-id-is-one"):
    """Changes client ids in headers of version 2 alone."""

    rewrites = REWRITES

    def renamed(self, frame: bytes) -> bytes:
        form = self.form(*api_of(frame), "Request")
        return super().renamed(frame) if form is not None and form.flexible else frame
