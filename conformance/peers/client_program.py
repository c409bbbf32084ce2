"""The reference client as a program, on sockets: `ACTION HOST:PORT [MUTANT]`.

Its last line is `ok`, or `error` and why, as a driver's is.
"""

from __future__ import annotations

import contextlib
import socket
import struct
import sys
import time
from collections.abc import Callable

from conformance.dialogue import Hear, Heard, Send
from conformance.peers.client import Client, Failed, Open, Wait

MOST_BYTES = 64 * 1024 * 1024


def main(client_of: Callable[[str], Client] = lambda _: Client()) -> int:
    """Do what the command line says; `client_of` makes the client of that name."""
    action, bootstrap, *named = sys.argv[1:]
    host, _, port = bootstrap.rpartition(":")
    try:
        run(client_of(named[0] if named else ""), action, (host, int(port)))
    except Failed as failed:
        print(f"error {failed}")  # noqa: T201
        return 1
    print("ok")  # noqa: T201
    return 0


def run(client: Client, action: str, bootstrap: tuple[str, int]) -> None:
    """Hold the client's connections. Raises Failed."""
    line: socket.socket | None = None
    heard: Heard | None = None
    course = client.run(action)
    try:
        while True:
            step = course.send(heard)
            heard = None
            match step:
                case Open(address):
                    if line is not None:
                        line.close()
                    line = _connected(address or bootstrap)
                case Wait(seconds):
                    time.sleep(seconds)
                case Send(data):
                    _send(line, data)
                case Hear(patience_s):
                    heard = _heard(line, patience_s or 1.0)
    except StopIteration:
        pass
    finally:
        if line is not None:
            line.close()


def _connected(address: tuple[str, int]) -> socket.socket:
    try:
        return socket.create_connection(address, timeout=3)
    except OSError as error:
        raise Failed(f"{address[0]}:{address[1]}: {error.strerror or error}") from None


def _send(line: socket.socket | None, data: bytes) -> None:
    assert line is not None
    with contextlib.suppress(OSError):  # it shows where an answer is waited for
        line.sendall(data)


def _heard(line: socket.socket | None, patience_s: float) -> Heard:
    """The next frame, within bounds of size and time."""
    assert line is not None
    deadline = time.monotonic() + patience_s
    received = bytearray()
    size = 4
    try:
        while len(received) < size:
            line.settimeout(max(deadline - time.monotonic(), 0.001))
            chunk = line.recv(min(size - len(received), 65536))
            if not chunk:
                return Heard("reset" if received else "closed")
            received += chunk
            if size == 4 and len(received) == 4:
                size += struct.unpack(">i", received)[0]
                if not 4 <= size <= MOST_BYTES:
                    return Heard("flood")
    except TimeoutError:
        return Heard("silent")
    except OSError:
        return Heard("reset")
    return Heard("reply", bytes(received[4:]))


if __name__ == "__main__":
    sys.exit(main())
