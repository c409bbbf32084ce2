"""The address of an endpoint, and the error if no broker answers there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from conformance.errors import UNREACHABLE, USAGE
from conformance.targets.errors import TargetError


class BadAddress(TargetError):
    """The given text is no address."""

    exit_code = USAGE


class Unreachable(TargetError):
    """No peer answers at this address."""

    exit_code = UNREACHABLE


@dataclass(frozen=True, slots=True)
class Address:
    """The host and port on which an endpoint listens."""

    host: str
    port: int

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the address in `host:port` or `[v6]:port`. Raises BadAddress."""
        host, colon, port = text.rpartition(":")
        if not colon or not host or not port.isdigit() or not 0 < int(port) < 2**16:
            raise BadAddress(f"{text!r} is no address", "write HOST:PORT, as in localhost:9092")
        return cls(host.removeprefix("[").removesuffix("]"), int(port))

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"
