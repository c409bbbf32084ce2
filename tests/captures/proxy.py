"""A forwarder that writes down what real clients and a broker say, as the packets of a capture."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from threading import Lock, Thread

from tests.captures.writing import Line, Tcp

PATIENCE_S = 30.0
LAST_WORDS_S = 2.0
_SEGMENT = 32_768


@dataclass(frozen=True)
class _Carried:
    """One connection: the two sockets it is made of, and what is written down of it."""

    line: Line
    ends: tuple[socket.socket, socket.socket]
    lock: Lock

    def carry(self) -> None:
        """Pass on both directions until both have ended."""
        back = Thread(target=self._pass_on, args=(1,))
        back.start()
        self._pass_on(0)
        back.join()
        for end in self.ends:
            end.close()

    def _pass_on(self, side: int) -> None:
        from_, to = self.ends[side], self.ends[1 - side]
        try:
            while data := from_.recv(65536):
                with self.lock:
                    self.line.says(side, data)
                to.sendall(data)
            with self.lock:
                self.line.ends_side(side)
            to.shutdown(socket.SHUT_WR)
        except OSError:
            self.reset()

    def reset(self) -> None:
        """One end is gone: so is the other, and whoever waits for either is woken."""
        with self.lock:
            self.line.resets()
        for end in self.ends:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)


class Recording:
    """The packets of all connections that went through, in their order."""

    def __init__(self) -> None:
        self.packets: list[Tcp] = []
        self._lock = Lock()
        self._open: list[tuple[Thread, _Carried]] = []

    def accept(self, listening: socket.socket, broker_port: int) -> None:
        """Carry each connection to the broker until nothing is listened for any more."""
        while True:
            try:
                client, address = listening.accept()
            except OSError:
                return
            carried = self._carried(client, address, broker_port)
            if carried:
                thread = Thread(target=carried.carry)
                self._open = [each for each in self._open if each[0].is_alive()]
                self._open.append((thread, carried))
                thread.start()

    def join(self) -> None:
        """Wait until all connections have ended, and end those that the broker keeps open."""
        until = time.monotonic() + LAST_WORDS_S
        for thread, carried in self._open:
            thread.join(max(until - time.monotonic(), 0))
            if thread.is_alive():
                carried.reset()
            thread.join(PATIENCE_S)

    def _carried(
        self, client: socket.socket, address: tuple[str, int], broker_port: int
    ) -> _Carried | None:
        """A connection on to the broker, None where that takes none: the client's ends as well."""
        try:
            broker = socket.create_connection(("127.0.0.1", broker_port))
        except OSError:
            client.close()
            return None
        line = Line(client=address, broker=("127.0.0.1", 9092), mss=_SEGMENT, packets=self.packets)
        with self._lock:
            line.opens()
        return _Carried(line, (client, broker), self._lock)


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
        accepting.join(PATIENCE_S)
        recording.join()
