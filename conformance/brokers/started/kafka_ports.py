"""Ports that are free, and likely to stay so until a broker listens there.

What the system hands out for port 0 it may hand out again for anybody's next connection, before
the broker binds it or while the broker is stopped. So these are from below that range.
"""

from __future__ import annotations

import random
import socket
from contextlib import ExitStack
from typing import Final

_FROM: Final = range(20_000, 32_768)


def free_ports(number: int, host: str) -> list[int]:
    """So many different ports of `host` on which nothing listens. Raises OSError."""
    with ExitStack() as held:
        return [_free_port(host, held) for _ in range(number)]


def _free_port(host: str, held: ExitStack) -> int:
    for port in random.SystemRandom().sample(_FROM, 100):
        try:
            held.enter_context(socket.create_server((host, port)))
        except OSError:
            continue
        return port
    raise OSError(f"no port of {host} is free")
