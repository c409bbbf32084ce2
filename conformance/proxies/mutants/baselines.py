"""Proxies without a change of their own: the positive control, and three that prove nothing."""

from __future__ import annotations

from conformance.api_keys import METADATA
from conformance.reference.proxy.link import Link, Pending, api_of
from conformance.reference.proxy.proxy import Proxy


class Wire(Link):
    """Bytes go through as they come, whole frames or not."""

    def client_sent(self, data: bytes) -> None:
        self.to_upstream += data

    def upstream_sent(self, data: bytes) -> None:
        self.to_client += data

    def end_client(self) -> None:
        self.finished = True


class Forwarder(Proxy):
    """Nothing in between. It passes whatever is not about a change."""

    links = Wire


class OneAtATime(Proxy):
    """Forwards a request when the one before it is answered, as it may. It passes."""

    class links(Link):  # noqa: N801
        """A connection that holds requests back."""

        def client_sent(self, data: bytes) -> None:
            self._requests += data
            self.go_on()

        def upstream_sent(self, data: bytes) -> None:
            super().upstream_sent(data)
            self.go_on()

        def go_on(self) -> None:
            """Forward the next request once none is pending."""
            while not (self.closed or self._pending):
                if (frame := self.cut(self._requests)) is None:
                    return
                self.request(frame)


class ClosesAtOnce(Proxy):
    """Ends each connection at its first bytes."""

    class links(Link):  # noqa: N801
        """A closed door."""

        def client_sent(self, data: bytes) -> None:
            del data
            self.close()


class Swallows(Proxy):
    """Takes what comes, and forwards nothing."""

    class links(Link):  # noqa: N801
        """A sink."""

        def client_sent(self, data: bytes) -> None:
            del data


class EchoesBack(Proxy):
    """Sends clients what they sent."""

    class links(Link):  # noqa: N801
        """A mirror."""

        def client_sent(self, data: bytes) -> None:
            self.to_client += data


BASELINES = (ClosesAtOnce, Swallows, EchoesBack)


class AnswersMetadata(Proxy):
    """Answers Metadata by itself, as proxies with a cache do. It is no worse for that."""

    class links(Link):  # noqa: N801
        """A connection with a cache."""

        def request(self, frame: bytes) -> None:
            key, version = api_of(frame)
            form = self.proxy.form(key, version, "Response")
            if key != METADATA or form is None:
                super().request(frame)
                return
            codec, number = self.proxy.codec, int.from_bytes(frame[4:8], "big", signed=True)
            header, value = {"correlationId": number}, form.layout.default_value()
            own = codec.encode_response(form.message, version, header, value)
            self._pending.append(Pending(key, version, own))
            self.send_answers()
