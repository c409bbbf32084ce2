"""Ports that are free, and likely to stay so until a broker or a proxy listens there.

What the system hands out for port 0 it may hand out again for anybody's next connection, before
who is started binds it or while it is stopped. So these are from below that range.
"""

from __future__ import annotations

import random
import socket
from contextlib import ExitStack, suppress
from typing import Final

_FROM: Final = range(20_000, 32_768)


def free_ports(number: int, host: str) -> list[int]:
    """So many different ports of `host` on which nothing listens. Raises OSError."""
    with ExitStack() as held:
        return [_free_port(host, held) for _ in range(number)]


def free_row(number: int, host: str) -> int:
    """The first of so many ports in a row on which nothing listens. Raises OSError."""
    for port in random.SystemRandom().sample(_FROM[:-number], 100):
        with ExitStack() as held, suppress(OSError):
            for each in range(port, port + number):
                held.enter_context(socket.create_server((host, each)))
            return port
    raise OSError(f"no {number} ports of {host} in a row are free")


def _free_port(host: str, held: ExitStack) -> int:
    for port in random.SystemRandom().sample(_FROM, 100):
        try:
            held.enter_context(socket.create_server((host, port)))
        except OSError:
            continue
        return port
    raise OSError(f"no port of {host} is free")
