"""Which brokers a broker lists: it may be started long before it knows of the others.

The few requests this takes are of versions that every Apache Kafka since 1.0 serves, Metadata 0
and, to be let in, SaslHandshake 1 with SaslAuthenticate 0. They are put together here: what judges
a broker should not be what starts it.
"""

from __future__ import annotations

import socket
import struct
from typing import Final

_METADATA: Final = 3
_SASL_HANDSHAKE: Final = 17
_SASL_AUTHENTICATE: Final = 36
_TIMEOUT_S: Final = 10.0


def listed_brokers(host: str, port: int, password: tuple[str, str] | None = None) -> set[int]:
    """The ids of the brokers in its Metadata, asked without TLS, as this user (by SASL PLAIN).

    Raises OSError where it can not be asked, ValueError and struct.error where it answers
    something else.
    """
    with socket.create_connection((host, port), _TIMEOUT_S) as connection:
        if password is not None:
            _ask(connection, _SASL_HANDSHAKE, 1, _string(b"PLAIN"))
            token = "\0".join(["", *password]).encode()
            answer = _ask(connection, _SASL_AUTHENTICATE, 0, struct.pack(">i", len(token)) + token)
            if answer[:2] != b"\0\0":
                raise ValueError(f"SaslAuthenticate was answered {answer[:64]!r}")
        return _brokers(_ask(connection, _METADATA, 0, struct.pack(">i", 0)))


def _brokers(answer: bytes) -> set[int]:
    brokers = set()
    (number,) = struct.unpack_from(">i", answer)
    offset = 4
    for _ in range(number):
        node, length = struct.unpack_from(">ih", answer, offset)
        offset += 4 + 2 + length + 4
        brokers.add(node)
    return brokers


def _ask(connection: socket.socket, api_key: int, version: int, body: bytes) -> bytes:
    """The body of the response."""
    frame = struct.pack(">hhi", api_key, version, 0) + _string(b"kafka-conformance") + body
    connection.sendall(struct.pack(">i", len(frame)) + frame)
    (length,) = struct.unpack(">i", _receive(connection, 4))
    return _receive(connection, length)[4:]


def _receive(connection: socket.socket, length: int) -> bytes:
    received = bytearray()
    while len(received) < length:
        more = connection.recv(length - len(received))
        if not more:
            raise ConnectionError("the broker hung up")
        received += more
    return bytes(received)


def _string(text: bytes) -> bytes:
    return struct.pack(">h", len(text)) + text
