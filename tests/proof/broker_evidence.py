"""Faults of a bundled broker, shown by plain frames beside Apache Kafka's answer to them.

An adapter's `evidence.toml` has an entry for each rule of class `must` that the broker breaks: the
frames to send, written by hand, and the broker's answer to the last of them. No codec and no
dialogue of the suite is in between: a frame is hex, with 'text' for parts that are text.

    python -m tests.proof.broker_evidence [NAME...]
"""

from __future__ import annotations

import re
import socket
import struct
import sys
import tempfile
import tomllib
from collections.abc import Sequence
from pathlib import Path

import msgspec

from conformance.brokers.connection.address import Address
from conformance.brokers.started.kafka import running_kafka
from conformance.brokers.started.kafka_members import listed_brokers
from conformance.brokers.started.kafka_properties import ADMIN, PLAIN, SASL_PLAINTEXT
from conformance.brokers.started.starting import started
from conformance.targets import registry
from tests.proof.evidence import section

EVIDENCE = "evidence.toml"
ORACLE = "kafka:4.3.1"
GUARDED_ORACLE = "secured-kafka:4.3.1"
"""The oracle with an authorizer, without which Apache Kafka has no ACLs."""
TIMEOUT_S = 4.0
CLOSED = "closed"
NOTHING = "nothing"
_PART = re.compile(r"'([^']*)'|([0-9a-f]{2})|(\s+)")


class Shown(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One broken rule: `send` are frames without lengths, `got` is the answer to the last one.

    `got` is "closed", "nothing", or the answer without its length, where `..` is any byte and `*`
    any number of them. `{node}` is the broker's id as a STRING. With `authorizer` the oracle is an
    Apache Kafka that has one.
    """

    rule: str
    what: str
    send: list[str]
    got: str
    authorizer: bool = False


def shown_of(adapter: registry.Adapter) -> list[Shown]:
    """Return the entries of a broker's evidence, none if it has no file."""
    file = Path(str(adapter.folder / EVIDENCE))
    if not file.is_file():
        return []
    return msgspec.convert(tomllib.loads(file.read_text("utf-8"))["shown"], list[Shown])


def frame(text: str) -> bytes:
    """Return a frame that was written by hand, without its length."""
    found, end = bytearray(), 0
    for part in _PART.finditer(text):
        if part.start() != end:
            break
        found += part[1].encode() if part[1] is not None else bytes.fromhex(part[2] or "")
        end = part.end()
    if end != len(text):
        raise ValueError(f"neither hex nor 'text': {text[end:]!r}")
    return bytes(found)


def answer(address: str, frames: Sequence[str], password: tuple[str, str] | None = None) -> str:
    """Return the answer to the last of these frames on one connection: hex, "closed" or "nothing".

    It logs in by PLAIN first, if there is a user and a `password`.
    """
    at = Address.parse(address)
    node = min(listed_brokers(at.host, at.port, password))
    frames = [*_login(password), *(each.replace("{node}", _text(str(node))) for each in frames)]
    with socket.create_connection((at.host, at.port), TIMEOUT_S) as connection:
        connection.settimeout(TIMEOUT_S)
        heard = NOTHING
        for each in map(frame, frames):
            connection.sendall(struct.pack(">i", len(each)) + each)
            heard = _heard(connection)
        return heard


def _text(text: str) -> str:
    return f"{len(text):04x} '{text}'"


def _login(password: tuple[str, str] | None) -> list[str]:
    if password is None:
        return []
    token = "\0".join(["", *password]).encode()
    return [
        "0011 0001 00000000 0001 'x' 0005 'PLAIN'",
        f"0024 0000 00000000 0001 'x' {len(token):08x} {token.hex()}",
    ]


def _heard(connection: socket.socket) -> str:
    try:
        size = _exactly(connection, 4)
        return _exactly(connection, struct.unpack(">i", size)[0]).hex()
    except TimeoutError:
        return NOTHING
    except (ConnectionError, EOFError):
        return CLOSED


def _exactly(connection: socket.socket, size: int) -> bytes:
    found = bytearray()
    while len(found) < size:
        more = connection.recv(size - len(found))
        if not more:
            raise EOFError
        found += more
    return bytes(found)


def is_as_told(got: str, heard: str) -> bool:
    """True if an answer matches its description."""
    if got in (CLOSED, NOTHING):
        return got == heard
    parts = re.findall(r"'[^']*'|[0-9a-f]{2}|\.\.|\*", got)
    bytes_ = (frame(part).hex() if part[0] == "'" else part for part in parts)
    pattern = "".join({"..": "(..)", "*": "(..)*"}.get(each, each) for each in bytes_)
    return re.fullmatch(pattern, heard) is not None


def answers(what: str, shown: Sequence[Shown]) -> list[str]:
    """Start a broker, and return its answer to each entry. Raises TargetError."""
    with started(what) as broker:
        return [answer(broker.address, each.send) for each in shown]


def kafkas_answers(shown: Sequence[Shown]) -> list[str]:
    """Return Apache Kafka's answer to each entry. Raises TargetError."""
    plain = iter(answers(ORACLE, [each for each in shown if not each.authorizer]))
    guarded = iter(_guarded([each for each in shown if each.authorizer]))
    return [next(guarded if each.authorizer else plain) for each in shown]


def _guarded(shown: Sequence[Shown]) -> list[str]:
    """Return the answers of an Apache Kafka with an authorizer, to a user who may do everything."""
    if not shown:
        return []
    with tempfile.TemporaryDirectory() as folder:
        home, version = Path(folder), GUARDED_ORACLE.partition(":")[2]
        with running_kafka(home, version, secured=True) as kafka:
            properties = kafka.client_properties(SASL_PLAINTEXT, PLAIN, ADMIN).read_text("utf-8")
            found = re.search(r'password="([^"]+)"', properties)
            assert found is not None
            address = kafka.address_of(SASL_PLAINTEXT)
            return [answer(address, each.send, (ADMIN, found[1])) for each in shown]


def main(names: Sequence[str]) -> None:
    """Print the evidence of these brokers, or of all, as Markdown."""
    for adapter in registry.adapters(registry.BROKERS):
        shown = shown_of(adapter)
        if shown and (not names or adapter.name in names):
            sys.stdout.write(_section(adapter, shown))
            sys.stdout.flush()


def _section(adapter: registry.Adapter, shown: Sequence[Shown]) -> str:
    found = zip(shown, answers(adapter.name, shown), kafkas_answers(shown), strict=True)
    rows = [(each.rule, each.what, "; ".join(each.send), *two) for each, *two in found]
    return section(adapter, ("rule", "what", "sent", adapter.name, "Apache Kafka"), rows)


if __name__ == "__main__":
    main(sys.argv[1:])
