"""Malformed frames that cost more than one connection."""

from __future__ import annotations

from conformance.proxies.mutants.frames import SharedMutant
from conformance.proxies.mutants.mutant import ProxyMutant
from conformance.reference.proxy.link import Link, api_of
from conformance.wire.errors import WireError

_LATER = 4
"""The number of connections that a proxy serves before it ends: those of one case, and one more."""


class _Ending(ProxyMutant):
    """Can end."""

    is_over = False

    def alive(self) -> bool:
        return not self.is_over

    def restart(self) -> None:
        self.is_over = False

    def end(self) -> None:
        """End, with all connections."""
        self.is_over = True

    def link(self) -> Link:
        found = super().link()
        found.closed = self.is_over
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


class UnreadableRequestEndsLate(_Ending, breaks="proxy-hardening.malformed-requests-survived"):
    """Ends by a request whose body can not be read, and serves some connections until it does."""

    left: int | None = None
    links = UnreadableRequestEndsAll.links

    def end(self) -> None:
        if self.left is None:
            self.left = _LATER

    def restart(self) -> None:
        super().restart()
        self.left = None

    def ended(self, patience_s: float) -> bool:
        self.is_over |= self.left is not None
        return super().ended(patience_s)

    def link(self) -> Link:
        if self.left is not None:
            self.left -= 1
            self.is_over |= self.left <= 0
        return super().link()


class _AllSuffer(SharedMutant):
    """Does something to all connections on a request whose body can not be read."""

    class Links(Link):
        def forwarded(self, frame: bytes) -> bytes:
            key, version = api_of(frame)
            if self.proxy.form(key, version, "Request") is not None:
                try:
                    self.proxy.codec.decode_request(frame)
                except WireError:
                    assert isinstance(self.proxy, _AllSuffer)
                    self.proxy.fail(self)
            return frame

    def fail(self, one: Link) -> None:
        """Do the harm."""


class UnreadableRequestCutsOthers(_AllSuffer, breaks="proxy-hardening.malformed-requests-survived"):
    """Ends all connections at a request whose body can not be read, and serves later ones."""

    def fail(self, one: Link) -> None:
        for each in self.others(one):
            each.close()


class UnreadableRequestIsTheLast(_AllSuffer, breaks="proxy-hardening.malformed-requests-survived"):
    """Closes every connection at once after a request whose body can not be read, and runs on."""

    is_stopped = False

    def fail(self, one: Link) -> None:
        self.is_stopped = True
        for each in self.others(one):
            each.close()

    def restart(self) -> None:
        self.is_stopped = False

    def link(self) -> Link:
        found = super().link()
        found.closed = self.is_stopped
        return found
