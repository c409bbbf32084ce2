"""A started Apache Kafka, asked by another's client, and looked for when it should be gone."""

from __future__ import annotations

import base64
import json
import os
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TypeVar

from kafka.admin import KafkaAdminClient
from kafka.net.sasl.oauth import AbstractTokenProvider

from conformance.brokers.connection.endpoint import Address, Endpoint
from conformance.brokers.started.kafka import RunningKafka, running_kafka

PATIENCE_S = 30.0

T = TypeVar("T")


@contextmanager
def gone_in_the_end(folder: Path, version: str = "", **options) -> Iterator[RunningKafka]:
    """A running cluster, of which nothing may be left."""
    threads = set(threading.enumerate())
    with running_kafka(folder, version, **options) as kafka:
        yield kafka
    assert processes(folder) == {}
    assert list(folder.iterdir()) == []
    assert set(threading.enumerate()) <= threads


def processes(folder: Path) -> dict[int, str]:
    """The command lines of what runs there, by process id."""
    lines = {}
    for process in Path("/proc").glob("[0-9]*"):
        try:
            line = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode()
        except OSError:
            continue
        if str(folder) in line:
            lines[int(process.name)] = line
    return lines


def java_of(folder: Path, node: int) -> int:
    """The process id of a node's Java."""
    (found,) = (
        pid
        for pid, line in processes(folder).items()
        if line.startswith("java") and f"node-{node}/" in line
    )
    return found


def advertised(address: str) -> dict[int, tuple[int, int]]:
    with Endpoint(Address.parse(address), PATIENCE_S) as endpoint:
        return endpoint.advertised


def wait_for(found: Callable[[], T], wanted: T) -> None:
    """A cluster tells its brokers what is new one after another: wait until it is known."""
    deadline = time.monotonic() + PATIENCE_S
    while (last := found()) != wanted and time.monotonic() < deadline:
        time.sleep(0.05)
    assert last == wanted


@contextmanager
def admin(address: str, properties: Path | None = None) -> Iterator[KafkaAdminClient]:
    """kafka-python's client, by what Kafka's own tools take."""
    known = read(properties) if properties else {}
    login = dict(re.findall(r'(\w+)="([^"]*)"', known.get("sasl.jaas.config", "")))
    subject = login.get("unsecuredLoginStringClaim_sub")
    with closing(
        KafkaAdminClient(
            bootstrap_servers=address,
            security_protocol=known.get("security.protocol", "PLAINTEXT"),
            sasl_mechanism=known.get("sasl.mechanism"),
            sasl_plain_username=login.get("username"),
            sasl_plain_password=login.get("password"),
            sasl_oauth_token_provider=Unsigned(subject) if subject else None,
            ssl_cafile=known.get("ssl.truststore.location"),
            ssl_certfile=known.get("ssl.keystore.location"),
            ssl_keyfile=known.get("ssl.keystore.location"),
        )
    ) as client:
        yield client


def read(properties: Path) -> dict[str, str]:
    return dict(line.split("=", 1) for line in properties.read_text().splitlines())


class Unsigned(AbstractTokenProvider):  # type: ignore[misc]
    """A token that says who one is, and which nobody signed (RFC 7515, appendix A.5)."""

    def __init__(self, subject: str) -> None:
        now = int(time.time())
        claims = {"sub": subject, "iat": now, "exp": now + 600}
        self._token = f"{encoded({'alg': 'none'})}.{encoded(claims)}."

    def token(self) -> str:
        return self._token


def encoded(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


def mode(path: Path) -> int:
    return os.stat(path).st_mode & 0o777
