"""The reference client as a program, on sockets: `ACTION HOST:PORT [MUTANT]`.

Its last line is `ok`, or `error` and the reason, as a driver's is; an error that its mutants do not
expect ends it as a panic does.
"""

from __future__ import annotations

import contextlib
import os
import socket
import sys
import time
from collections.abc import Callable

from conformance.dialogue import Receive, Received, Send
from conformance.reference.client import Client, Failed, Hold, Open, Wait

CHUNK_BYTES = 64 * 1024
FULL_S = 0.3
"""Seconds of sending after which the connection counts as full."""
FILLED = b"\x5a" * 1024 * 1024
"""A MiB of bytes that are not zero, as untouched memory does not count."""


def main(client_of: Callable[[str], Client] = lambda _: Client()) -> int:
    """Do the action of the command line; `client_of` makes the client of that name."""
    action, bootstrap, *named = sys.argv[1:]
    host, _, port = bootstrap.rpartition(":")
    client = client_of(named[0] if named else "")
    client.named = os.environ.get("KAFKA_TOPIC", client.named)
    client.user = os.environ.get("KAFKA_USER", client.user)
    client.password = os.environ.get("KAFKA_PASSWORD", client.password)
    try:
        run(client, action, (host, int(port)))
    except Failed as failed:
        print(f"error {failed}")  # noqa: T201
        return 1
    except Exception as error:
        sys.exit(f"panic: {error!r}")
    print("ok", *client.told)  # noqa: T201
    return 0


def run(client: Client, action: str, bootstrap: tuple[str, int]) -> None:
    """Hold the client's connections. Raises Failed."""
    line: socket.socket | None = None
    received: Received | None = None
    held = b""
    course = client.run(action)
    try:
        while True:
            step = course.send(received)
            received = None
            match step:
                case Open(address):
                    if line is not None:
                        line.close()
                    client.unread.clear()
                    line = _connected(address or bootstrap)
                case Wait(seconds):
                    time.sleep(seconds)
                case Hold(mib):
                    held = b""
                    held = FILLED * mib
                case Send(data):
                    began = time.monotonic()
                    _send(line, data)
                    client.was_full = time.monotonic() - began > FULL_S
                case Receive(patience_s):
                    received = _heard(client, line, patience_s or 1.0)
    except StopIteration:
        pass
    finally:
        del held
        if line is not None:
            line.close()


def _connected(address: tuple[str, int]) -> socket.socket:
    try:
        return socket.create_connection(address, timeout=3)
    except OSError as error:
        raise Failed(f"{address[0]}:{address[1]}: {error.strerror or error}") from None


def _send(line: socket.socket | None, data: bytes) -> None:
    assert line is not None
    with contextlib.suppress(OSError):  # the wait for the answer will show it
        line.sendall(data)


def _heard(client: Client, line: socket.socket | None, patience_s: float) -> Received:
    """Return the next answer, within its time."""
    assert line is not None
    deadline = time.monotonic() + patience_s
    try:
        while (answer := client.next_answer()) is None:
            line.settimeout(max(deadline - time.monotonic(), 0.001))
            piece = line.recv(CHUNK_BYTES)
            if not piece:
                return client.end_of_line()
            client.take(piece)
    except TimeoutError:
        return Received("silent")
    except OSError:
        return Received("reset")
    return answer


if __name__ == "__main__":
    sys.exit(main())
