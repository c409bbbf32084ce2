"""Keeps its connections to the broker for whoever comes next: `pooling.py LISTEN UPSTREAM`."""

import queue
import socket
import struct
import sys
import threading

pool: queue.SimpleQueue[socket.socket] = queue.SimpleQueue()


def exactly(line: socket.socket, size: int) -> bytes:
    data = line.recv(size, socket.MSG_WAITALL) if size else b""
    if len(data) < size:
        raise EOFError
    return data


def frame(line: socket.socket) -> bytes:
    size = exactly(line, 4)
    return size + exactly(line, *struct.unpack(">i", size))


def ask(request: bytes, upstream: tuple[str, int]) -> bytes:
    """The answer on any connection that is there, or on another one where it is dead."""
    while True:
        try:
            line = pool.get_nowait()
        except queue.Empty:
            line = socket.create_connection(upstream)
        try:
            line.sendall(request)
            answer = frame(line)
        except (EOFError, OSError):
            line.close()
            continue
        pool.put(line)
        return answer


def serve(client: socket.socket, upstream: tuple[str, int]) -> None:
    with client:
        try:
            while True:
                client.sendall(ask(frame(client), upstream))
        except (EOFError, OSError):
            pass


def main(listen: str, upstream: str) -> None:
    (here, port), (there, to) = (each.rsplit(":", 1) for each in (listen, upstream))
    with socket.create_server((here, int(port))) as server:
        while True:
            client, _ = server.accept()
            threading.Thread(target=serve, args=(client, (there, int(to))), daemon=True).start()


main(*sys.argv[1:])
