"""The base class of a proxy's mutants: the reference proxy with one method overridden.

A defect of a connection is in a nested class `Links`, all others in the proxy itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from conformance.mutants import Breaks
from conformance.reference.proxy.link import Link
from conformance.reference.proxy.proxy import Proxy
from conformance.reference.proxy.translation import USUAL, Address

USERS = {"alice": "s3cret"}
"""The users of our own proxies that demand a login, with passwords."""


class ProxyMutant(Breaks, Proxy):
    """The reference proxy with one defect.

    `rewrites` is what it declares that it changes, `does` what it changes where that is something
    else. `users_of` may log in to it, where it demands a login.
    """

    rewrites: ClassVar[tuple[str, ...]] = USUAL
    does: ClassVar[tuple[str, ...]] = ()
    users_of: ClassVar[Mapping[str, str] | None] = None

    def __init__(
        self, addresses: Mapping[int, Address], release: str = "", said: Iterable[str] = ()
    ) -> None:
        does = self.does or said or self.rewrites
        super().__init__(addresses, release, rewrites=does, users=self.users_of)

    @classmethod
    def can_say(cls, rewrites: tuple[str, ...]) -> bool:
        """True if the mutant still breaks its rule when it declares that it makes these changes."""
        return cls.rewrites == rewrites or (cls.rewrites == USUAL and not cls.does)

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        links = vars(cls).get("Links", cls.links)
        assert issubclass(links, Link)
        cls.links = links

    def alive(self) -> bool:
        """True unless it has ended."""
        return True

    def ended(self, patience_s: float) -> bool:
        """True if it has ended: it does so at once."""
        del patience_s
        return not self.alive()

    def restart(self) -> None:
        """Begin anew."""

    def last_words(self) -> str:
        """Return nothing: it writes none."""
        return ""
