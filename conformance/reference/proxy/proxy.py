"""The reference proxy: keeps every rule that a proxy has to, and does no I/O.

It stands between clients and a cluster: forwards requests and answers as they are, lists the
versions that both it and the broker behind it have, and puts its own addresses in place of the
brokers'. To misbehave, a proxy or one of its links overrides one method.
"""

from __future__ import annotations

from typing import ClassVar

from conformance.reference.proxy.link import Link
from conformance.reference.proxy.translation import Translation


class Proxy(Translation):
    """A proxy, whose connections are links."""

    links: ClassVar[type[Link]] = Link

    def link(self) -> Link:
        """Return the link of a new client's connection and of its own one to the broker."""
        return self.links(self)
