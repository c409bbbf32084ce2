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


def free_ports(number: int, host: str) -> range:
    """Return this many ports of `host` in a row on which no process listens. Raises OSError."""
    for first in random.SystemRandom().sample(_FROM[:-number], 100):
        ports = range(first, first + number)
        with ExitStack() as held, suppress(OSError):
            for port in ports:
                held.enter_context(socket.create_server((host, port)))
            return ports
    raise OSError(f"no {number} ports of {host} in a row are free")
