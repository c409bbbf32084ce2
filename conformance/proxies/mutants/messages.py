"""Messages that do not go through, or come out as something else."""

from __future__ import annotations

from typing import Any

from conformance.api_keys import API_VERSIONS
from conformance.proxies.mutants.mutant import ProxyMutant
from conformance.reference.proxy.link import Link
from conformance.schema.layout import Form
from conformance.wire.reader import UNKNOWN_TAGS

DESCRIBE_CLUSTER = 60
OFFSET_COMMIT = 8


class OneApiNotForwarded(ProxyMutant):
    """Drops requests of an API that it lists."""

    breaks = "proxy-messages.requests-pass"

    class Links(Link):
        """A connection with a hole."""

        def request(self, frame: bytes) -> None:
            if int.from_bytes(frame[:2], "big") != OFFSET_COMMIT:
                super().request(frame)


class NewestVersionsCut(ProxyMutant):
    """Lists the broker's versions, and ends the connection on one that it does not know."""

    breaks = "proxy-messages.requests-pass"

    class Links(Link):
        """A connection of an older release."""

        def request(self, frame: bytes) -> None:
            key, version = int.from_bytes(frame[:2], "big"), int.from_bytes(frame[2:4], "big")
            if key != API_VERSIONS and version >= 12:
                self.close()
            else:
                super().request(frame)


class LargeAnswersLost(ProxyMutant):
    """Drops answers of more than 200 bytes."""

    breaks = "proxy-messages.answers-pass"

    class Links(Link):
        """A connection with a small buffer."""

        def send(self, frame: bytes) -> None:
            if len(frame) <= 200:
                super().send(frame)


class RequestsCutShort(ProxyMutant):
    """Loses the last byte of requests whose header has a tag section."""

    breaks = "proxy-messages.requests-well-formed"

    class Links(Link):
        """A connection that is off by one."""

        def forwarded(self, frame: bytes) -> bytes:
            key, version = int.from_bytes(frame[:2], "big"), int.from_bytes(frame[2:4], "big")
            form = self.proxy.form(key, version, "Request")
            return frame[:-1] if form is not None and form.flexible else frame


class AnswerHeadersWithoutTags(ProxyMutant):
    """Writes answers of flexible versions with response header 0."""

    breaks = "proxy-messages.answers-well-formed"

    def translate(self, form: Form, frame: bytes) -> bytes:
        found = super().translate(form, frame)
        flexible = form.flexible and form.api_key != API_VERSIONS
        return found[:4] + found[5:] if flexible else found


class _Rewriting(ProxyMutant):
    """Reads and writes all that goes through, changed or not."""

    class Links(Link):
        """A connection that writes requests anew."""

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
        """What is written of what was read."""
        if isinstance(value, list):
            return [self.changed(each) for each in value]
        if isinstance(value, dict):
            return {name: self.changed(each) for name, each in value.items()}
        return value


class UnknownTagsDropped(_Rewriting):
    """Drops tags that it does not know."""

    breaks = "proxy-messages.requests-keep-meaning"
    implies = ("proxy-messages.answers-keep-meaning",)

    def changed(self, value: Any) -> Any:
        found = super().changed(value)
        if isinstance(found, dict):
            found.pop(UNKNOWN_TAGS, None)
        return found


class LongTextCut(_Rewriting):
    """Cuts text at a hundred letters."""

    breaks = "proxy-messages.requests-keep-meaning"
    implies = ("proxy-messages.answers-keep-meaning",)

    def changed(self, value: Any) -> Any:
        return value[:100] if isinstance(value, str) else super().changed(value)


class NegativeThrottleTimesZero(ProxyMutant):
    """Writes each throttle time below zero as zero."""

    breaks = "proxy-messages.answers-keep-meaning"

    def translate(self, form: Form, frame: bytes) -> bytes:
        found = super().translate(form, frame)
        header, value, _, read_as = self.codec.decode_response(form.message, form.version, found)
        if value.get("throttleTimeMs", 0) >= 0:
            return found
        changed = {**value, "throttleTimeMs": 0}
        return self.codec.encode_response(form.message, read_as, header, changed)


class DefaultsLeftOut(_Rewriting):
    """Says that no byte changes, and writes every message anew in its canonical form."""

    breaks = "proxy-messages.requests-keep-bytes"
    implies = ("proxy-messages.answers-keep-bytes",)
    rewrites = ("none",)


class AnswersWrittenAnew(_Rewriting):
    """Says that no byte changes, and writes every answer anew in its canonical form."""

    breaks = "proxy-messages.answers-keep-bytes"
    rewrites = ("none",)

    class Links(Link):
        """A connection that leaves requests as they are."""
