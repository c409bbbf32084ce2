"""A proxy that writes down what a real client and a broker say, as the connections of a capture."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock, Thread

from .writing import Line, Tcp


class Recording:
    """The connections that went through, each as a line."""

    def __init__(self) -> None:
        self.port = 0
        self.lines: list[Line] = []
        self._lock = Lock()
        self._threads: list[Thread] = []
        self._sockets: list[socket.socket] = []

    @property
    def packets(self) -> list[Tcp]:
        return [packet for line in self.lines for packet in line.packets]

    def accept(self, listening: socket.socket, broker_port: int) -> None:
        while True:
            try:
                client, address = listening.accept()
            except OSError:
                return
            line = Line(client=address, broker=("127.0.0.1", 9092)).opens()
            self.lines.append(line)
            broker = socket.create_connection(("127.0.0.1", broker_port))
            self._sockets += [client, broker]
            for from_, to, side in ((client, broker, 0), (broker, client, 1)):
                self._start(from_, to, line, side)

    def join(self) -> None:
        for thread in self._threads:
            thread.join(10)
        for each in self._sockets:
            each.close()

    def _start(self, from_: socket.socket, to: socket.socket, line: Line, side: int) -> None:
        thread = Thread(target=self._pass_on, args=(from_, to, line, side))
        self._threads.append(thread)
        thread.start()

    def _pass_on(self, from_: socket.socket, to: socket.socket, line: Line, side: int) -> None:
        try:
            while data := from_.recv(65536):
                with self._lock:
                    (line.answers if side else line.asks)(data)
                to.sendall(data)
            to.shutdown(socket.SHUT_WR)
        except OSError:
            pass


@contextmanager
def recorded(broker_port: int, listening: socket.socket) -> Iterator[Recording]:
    """Record all connections to this socket; they have ended behind the `with`."""
    recording = Recording()
    accepting = Thread(target=recording.accept, args=(listening, broker_port))
    accepting.start()
    try:
        yield recording
    finally:
        listening.shutdown(socket.SHUT_RDWR)
        listening.close()
        accepting.join(10)
        recording.join()
        for line in recording.lines:
            line.closes()
