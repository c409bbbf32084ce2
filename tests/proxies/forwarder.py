"""Forwards bytes, and looks at none: `forwarder.py LISTEN UPSTREAM`, each HOST:PORT."""

import contextlib
import socket
import sys
import threading


def forward(one: socket.socket, other: socket.socket) -> None:
    try:
        while data := one.recv(65536):
            other.sendall(data)
        other.shutdown(socket.SHUT_WR)
    except OSError:
        for each in (one, other):
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)


def main(listen: str, upstream: str) -> None:
    (here, port), (there, to) = (each.rsplit(":", 1) for each in (listen, upstream))
    with socket.create_server((here, int(port))) as line:
        while True:
            client, _ = line.accept()
            broker = socket.create_connection((there, int(to)))
            for each in (client, broker):
                each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for pair in ((client, broker), (broker, client)):
                threading.Thread(target=forward, args=pair, daemon=True).start()


main(*sys.argv[1:])
