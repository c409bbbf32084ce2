"""TLS records, named as far as they are not encrypted (RFC 8446, RFC 6066).

A ClientHello states the versions that it offers and the name of its server; after the handshake,
Kafka's frames are in records of application data, which only keys make readable.
"""

from __future__ import annotations

from collections.abc import Iterator

from conformance.wire.byte_reader import ByteReader
from conformance.wire.errors import Truncated

_RECORDS = {
    20: "a change of cipher",
    21: "an alert",
    22: "a handshake record",
    23: "a record of application data",
}
_HANDSHAKE = 22
_MESSAGES = {1: "ClientHello", 2: "ServerHello", 11: "Certificate"}
_CLIENT, _SERVER = 1, 2
_VERSIONS = {0x0300: "SSL 3.0", 0x0301: "TLS 1.0", 0x0302: "TLS 1.1", 0x0303: "TLS 1.2"}
_VERSIONS |= {0x0304: "TLS 1.3"}
_SERVER_NAME, _SUPPORTED_VERSIONS = 0, 43
_RECORD_HEAD = 5
_MOST_RECORD = (1 << 14) + 2048
_RANDOM = 32
INSIDE = (
    "Kafka may be inside, encrypted: a key log of one of the ends lets Wireshark decrypt it (its"
    " followed stream can be pasted here), and a listener without TLS needs none"
)


def described(data: bytes) -> str:
    """Return what the first TLS record of bytes is, "" if they do not begin with one."""
    if len(data) < _RECORD_HEAD or data[0] not in _RECORDS:
        return ""
    version, size = int.from_bytes(data[1:3]), int.from_bytes(data[3:_RECORD_HEAD])
    if version not in _VERSIONS or not 0 < size <= _MOST_RECORD:
        return ""
    words = [f"{_RECORDS[data[0]]} in the form of {_VERSIONS[version]}, {size} bytes"]
    if data[0] == _HANDSHAKE:
        words += _handshake(ByteReader(data[_RECORD_HEAD : _RECORD_HEAD + size]))
    return ": ".join([words[0], ", ".join(words[1:])]) if words[1:] else words[0]


def _handshake(reader: ByteReader) -> Iterator[str]:
    """Yield the name of a handshake message and what its hello says, as far as it is there."""
    try:
        kind = _number(reader, 1)
        yield _MESSAGES.get(kind, f"message {kind}")
        reader.take(3, "")
        if kind in (_CLIENT, _SERVER):
            yield from _hello(reader, kind)
    except Truncated:
        return


def _hello(reader: ByteReader, kind: int) -> Iterator[str]:
    legacy = _number(reader, 2)
    reader.take(_RANDOM, "")
    _sized(reader, 1)  # the session
    if kind == _CLIENT:
        _sized(reader, 2)  # the ciphers
        _sized(reader, 1)  # the compressions
    else:
        reader.take(3, "")
    found = dict(_extensions(ByteReader(_sized(reader, 2)))) if reader.remaining else {}
    versions = found.get(_SUPPORTED_VERSIONS, b"\x02" + legacy.to_bytes(2))
    yield from _said_versions(versions, kind)
    if name := found.get(_SERVER_NAME, b"")[5:]:
        yield f"server name {name.decode('ascii', 'backslashreplace')}"


def _said_versions(raw: bytes, kind: int) -> Iterator[str]:
    """Yield the versions that a hello offers or chooses; others are there to be ignored."""
    listed = raw[len(raw) % 2 :]
    numbers = [int.from_bytes(listed[at : at + 2]) for at in range(0, len(listed), 2)]
    names = [_VERSIONS[number] for number in numbers if number in _VERSIONS]
    if names:
        yield f"{'offers' if kind == _CLIENT else 'chooses'} {' and '.join(names)}"


def _extensions(reader: ByteReader) -> Iterator[tuple[int, bytes]]:
    while reader.remaining:
        number = _number(reader, 2)
        yield number, _sized(reader, 2)


def _number(reader: ByteReader, width: int) -> int:
    return int.from_bytes(reader.take(width, ""))


def _sized(reader: ByteReader, width: int) -> bytes:
    """Return bytes after their length, as many as there are."""
    length = _number(reader, width)
    return reader.take(min(length, reader.remaining), "")
