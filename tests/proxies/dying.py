"""Forwards bytes, and ends by a huge length, slowly: `dying.py LISTEN UPSTREAM`, each HOST:PORT.

The other connections are served until it has ended, as by a program that prints a trace first.
"""

import os
import socket
import sys
import threading
import time

HUGE = b"\x7f\xff\xff\xff" * 4
DYING_S = 0.5


def forward(one: socket.socket, other: socket.socket) -> None:
    try:
        while data := one.recv(65536):
            if HUGE in data:
                print("memory allocation of 206158430016 bytes failed", file=sys.stderr, flush=True)
                time.sleep(DYING_S)
                os._exit(1)
            other.sendall(data)
        other.shutdown(socket.SHUT_WR)
    except OSError:
        one.close()


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
