"""The address of a proxy or the way to start it, and its declared changes."""

from __future__ import annotations

import msgspec

from conformance.reference.proxy.translation import NODE_IDS, NOTHING, REWRITES, USUAL, VERSIONS
from conformance.results.command_lines import given

EVERY = (USUAL, (NOTHING,), (NODE_IDS, VERSIONS), REWRITES)
"""Combinations of declared changes, chosen so that each rule is checked with one of them."""


class ProxyPlace(msgspec.Struct, frozen=True, kw_only=True):
    """A proxy at an `address` that has its broker at our `upstream_port`, or one to be started.

    It is started by a `command` with {listen} and {upstream} in it, or `start` names one that is
    bundled or our own. `rewrites` are its declared changes. `config` is a file with the properties
    of its clients, `upstream_config` one with those of the brokers behind it.
    """

    address: str = ""
    upstream_port: int = 0
    command: tuple[str, ...] = ()
    start: str = ""
    rewrites: tuple[str, ...] = USUAL
    config: str = ""
    upstream_config: str = ""

    def words(self) -> list[str]:
        """Return the words that name it in a command line."""
        options = given(
            {
                "--start": self.start or None,
                "--upstream-listens": self.upstream_port or None,
                "--rewrites": None if self.rewrites == USUAL else ",".join(self.rewrites),
                "--config": self.config or None,
                "--upstream-config": self.upstream_config or None,
            }
        )
        command = ["--", *self.command] if self.command else []
        return [*filter(None, [self.address]), *options, *command]
