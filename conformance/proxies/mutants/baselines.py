"""Proxies that do nothing of their own: the positive control, and three that prove nothing."""

from __future__ import annotations

from conformance.reference.proxy.link import Link
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
