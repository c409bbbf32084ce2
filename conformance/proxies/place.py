"""Where a proxy is, and what it says of itself."""

from __future__ import annotations

import msgspec

from conformance.results.command_lines import given

ADDRESSES = "addresses"
NOTHING = "none"
REWRITES = (ADDRESSES, NOTHING)
"""What a proxy may say that it changes: the addresses of brokers in answers, or no byte."""


class ProxyPlace(msgspec.Struct, frozen=True, kw_only=True):
    """A proxy at an `address` that has its broker at our `upstream_port`, or one to be started.

    It is started by a `command` with {listen} and {upstream} in it, or `start` names one that is
    bundled or our own. `rewrites` is what it says that it changes.
    """

    address: str = ""
    upstream_port: int = 0
    command: tuple[str, ...] = ()
    start: str = ""
    rewrites: tuple[str, ...] = (ADDRESSES,)

    def words(self) -> list[str]:
        """What names it in a command line."""
        rewrites = {} if self.rewrites == (ADDRESSES,) else {"--rewrites": ",".join(self.rewrites)}
        if self.command:
            return [*given(rewrites), "--", *self.command]
        if self.start:
            return given({"--start": self.start, **rewrites})
        return [self.address, *given({"--upstream-listens": self.upstream_port, **rewrites})]
