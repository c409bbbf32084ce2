"""Malformed frames that cost more than one connection."""

from __future__ import annotations

from conformance.proxies.mutants.mutant import ProxyMutant
from conformance.reference.proxy.link import Link, api_of
from conformance.wire.errors import WireError


class _Ending(ProxyMutant):
    """Can end."""

    ended = False

    def alive(self) -> bool:
        return not self.ended

    def restart(self) -> None:
        self.ended = False

    def end(self) -> None:
        """End, with all connections."""
        self.ended = True

    def link(self) -> Link:
        found = super().link()
        found.closed = self.ended
        return found


class NegativeSizeEndsAll(_Ending, breaks="proxy-hardening.malformed-requests-survived"):
    """Ends at a request of negative size."""

    class Links(Link):
        def client_sent(self, data: bytes) -> None:
            super().client_sent(data)
            if self._requests[:1] >= b"\x80":
                assert isinstance(self.proxy, _Ending)
                self.proxy.end()


class UnreadableRequestEndsAll(_Ending, breaks="proxy-hardening.malformed-requests-survived"):
    """Ends at a request whose body can not be read."""

    class Links(Link):
        def forwarded(self, frame: bytes) -> bytes:
            key, version = api_of(frame)
            if self.proxy.form(key, version, "Request") is not None:
                try:
                    self.proxy.codec.decode_request(frame)
                except WireError:
                    assert isinstance(self.proxy, _Ending)
                    self.proxy.end()
            return frame


class UnreadableAnswerEndsAll(_Ending, breaks="proxy-hardening.malformed-answers-survived"):
    """Ends at an answer whose body can not be read."""

    class Links(Link):
        def answer(self, frame: bytes) -> None:
            asked = self._pending[0] if self._pending else None
            form = asked and self.proxy.form(asked.api_key, asked.version, "Response")
            if form:
                try:
                    self.proxy.codec.decode_response(form.message, form.version, frame)
                except WireError:
                    assert isinstance(self.proxy, _Ending)
                    self.proxy.end()
            super().answer(frame)


class UnaskedAnswerEndsAll(_Ending, breaks="proxy-hardening.malformed-answers-survived"):
    """Ends at an answer of another correlation id than any request has."""

    implies = ("proxy-security.tokens-pass",)

    class Links(Link):
        def request(self, frame: bytes) -> None:
            self.__dict__.setdefault("numbers", set()).add(frame[4:8])
            super().request(frame)

        def answer(self, frame: bytes) -> None:
            if frame[:4] not in self.__dict__.get("numbers", ()):
                assert isinstance(self.proxy, _Ending)
                self.proxy.end()
            super().answer(frame)
