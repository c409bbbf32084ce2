"""An endpoint that speaks Kafka's protocol, reached over TCP: raw bytes out, whole frames in.

No client library stands between. Every read is bounded in time and size, so that an endpoint that
stalls, floods or lies about a length costs a verdict and nothing else.
"""

from __future__ import annotations

import contextlib
import secrets
import socket
import struct
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Self

from conformance.dialogue import Heard
from conformance.errors import UNREACHABLE, USAGE
from conformance.protocol import Hello, Outcome, Request
from conformance.targets.errors import TargetError

MAX_FRAME_BYTES = 64 * 1024 * 1024
"""A longer answer than this is none: everything that is asked for here fits many times over."""
CHUNK_BYTES = 64 * 1024
_NUMBER = 0x6B636F6E
_CLIENT_ID = b"kafka-conformance"
_API_VERSIONS = (
    struct.pack(">ihhih", 10 + len(_CLIENT_ID), 18, 0, _NUMBER, len(_CLIENT_ID)) + _CLIENT_ID
)
"""ApiVersions version 0 in request header version 1, and its length."""
_IN_WORDS = {
    "closed": "it closes the connection",
    "reset": "it tears the connection down",
    "silent": "it stays silent",
    "flood": "it announces more than any answer has",
}


class BadAddress(TargetError):
    """What was given is no address."""

    exit_code = USAGE


class Unreachable(TargetError):
    """Nobody answers at this address."""

    exit_code = UNREACHABLE


class NoBroker(TargetError):
    """Something answers, and it is no Kafka broker."""

    exit_code = UNREACHABLE


@dataclass(frozen=True, slots=True)
class Address:
    """Where an endpoint listens."""

    host: str
    port: int

    @classmethod
    def parse(cls, text: str) -> Self:
        """`host:port` or `[v6]:port`. Raises BadAddress."""
        host, colon, port = text.rpartition(":")
        if not colon or not host or not port.isdigit() or not 0 < int(port) < 2**16:
            raise BadAddress(f"{text!r} is no address", "write HOST:PORT, as in localhost:9092")
        return cls(host.removeprefix("[").removesuffix("]"), int(port))

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"


class Endpoint:
    """A broker at an address. Raises Unreachable, and NoBroker where something else answers.

    `advertised` are the versions of each api key that it says it has. `prefix` begins the names
    that this run makes up.
    """

    def __init__(self, address: Address, timeout_s: float) -> None:
        self.address = address
        self.timeout_s = timeout_s
        self.notes: list[str] = []
        self.prefix = f"kafka-conformance-{secrets.token_hex(4)}-"
        self.advertised = self._introduced()
        self.hello = Hello(name=str(address), version="", ops=frozenset(), messages={}, language="")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def connect(self) -> Connection:
        """A fresh connection."""
        return Connection(self.address, self.timeout_s)

    def ask(self, requests: Iterable[Request]) -> Iterator[Outcome]:
        """A broker is no codec: nothing can be asked of it so."""
        raise NotImplementedError

    def close(self) -> None:
        """Nothing is kept open between dialogues."""

    def _introduced(self) -> dict[int, tuple[int, int]]:
        """What it answers to the one request that every broker since 0.10 understands."""
        with self.connect() as line:
            line.send(_API_VERSIONS)
            heard = line.hear()
        if heard.kind != "reply":
            raise NoBroker(
                f"{self.address} does not answer ApiVersions: {_IN_WORDS[heard.kind]}"
                + (f" ({heard.text})" if heard.text else ""),
                "is it a Kafka listener, and one without TLS and SASL?",
            )
        try:
            number, error, count = struct.unpack_from(">ihi", heard.frame)
            entries = [struct.unpack_from(">hhh", heard.frame, 10 + 6 * i) for i in range(count)]
        except (struct.error, OverflowError):
            number, error, entries = -1, 0, []
        if number != _NUMBER or error or not entries:
            raise NoBroker(
                f"{self.address} answers ApiVersions v0 with {heard.frame[:32].hex() or 'nothing'}",
                "correlation id, error 0 and a list of versions are due",
            )
        return {key: (low, high) for key, low, high in entries}


class Connection:
    """One connection. Raises Unreachable where there can be none; later trouble is an answer."""

    def __init__(self, address: Address, timeout_s: float) -> None:
        self._timeout_s = timeout_s
        self._received = bytearray()
        self._broken: Heard | None = None
        try:
            self._socket = socket.create_connection((address.host, address.port), timeout_s)
        except OSError as error:
            why = error.strerror or str(error) or type(error).__name__
            raise Unreachable(
                f"{address}: {why}", "is the broker up, and is this its own address?"
            ) from None
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def send(self, data: bytes, pieces: int = 0, gap_s: float = 0.0) -> None:
        """Write, all at once or in pieces. That nobody reads any more shows when we listen."""
        step = pieces or max(len(data), 1)
        for start in range(0, len(data), step):
            if start and gap_s:
                time.sleep(gap_s)
            try:
                self._socket.settimeout(self._timeout_s)
                self._socket.sendall(data[start : start + step])
            except TimeoutError:
                self._broken = Heard("silent", text="it does not read what is sent")
                return
            except OSError as error:
                self._broken = self._broken or self._torn(error)
                return

    def hear(self, patience_s: float | None = None) -> Heard:
        """The next frame, or what came instead of one."""
        deadline = time.monotonic() + (self._timeout_s if patience_s is None else patience_s)
        try:
            while True:
                if len(self._received) >= 4:
                    (size,) = struct.unpack_from(">i", self._received)
                    if not 0 <= size <= MAX_FRAME_BYTES:
                        return Heard(
                            "flood", bytes(self._received[:64]), f"a frame of {size} bytes"
                        )
                    if len(self._received) >= 4 + size:
                        frame = bytes(self._received[4 : 4 + size])
                        del self._received[: 4 + size]
                        return Heard("reply", frame)
                left = deadline - time.monotonic()
                if left <= 0:
                    return self._silent()
                self._socket.settimeout(left)
                chunk = self._socket.recv(CHUNK_BYTES)
                if not chunk:
                    return self._ended()
                self._received += chunk
        except TimeoutError:
            return self._silent()
        except OSError as error:
            return self._torn(error)

    def close(self) -> None:
        """Leave."""
        with contextlib.suppress(OSError):
            self._socket.close()

    def _silent(self) -> Heard:
        if self._broken is not None and self._broken.kind != "silent":
            return self._broken
        begun = f"{len(self._received)} bytes of a frame came" if self._received else ""
        return Heard("silent", bytes(self._received[:64]), begun)

    def _ended(self) -> Heard:
        if self._received:
            text = f"it ended after {len(self._received)} bytes of a frame"
            return Heard("reset", bytes(self._received[:64]), text)
        return Heard("closed")

    @staticmethod
    def _torn(error: OSError) -> Heard:
        return Heard("reset", text=error.strerror or str(error))
