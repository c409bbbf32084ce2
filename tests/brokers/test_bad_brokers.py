"""Brokers that introduce themselves well and misbehave then: verdicts, in bounded time."""

from __future__ import annotations

import socketserver
import struct
import time
from pathlib import Path

import pytest

from conformance.results.files import read_lines
from conformance.results.lines import Verdict
from tests.brokers.test_broker_command import judged, listening

API_VERSIONS = 18
SERVED = "api-versions.advertised-is-served"
RULES = ("--rule", "metadata.null-asks-for-all", "--rule", "framing.split-anywhere")
BASIC = (
    *("--rule", SERVED, "--rule", "framing.correlation-id-echoed"),
    *("--message", "MetadataRequest", "--message", "ApiVersionsRequest"),
)


class Introduces(socketserver.BaseRequestHandler):
    """Answers the first ApiVersions, listing that and Metadata, and goes on as it likes."""

    greeted = False

    def handle(self) -> None:
        data = self.request.recv(4096)
        if type(self).greeted or struct.unpack(">h", data[4:6]) != (API_VERSIONS,):
            self.misbehave()
            return
        type(self).greeted = True
        versions = struct.pack(">hhh", 18, 0, 4) + struct.pack(">hhh", 3, 0, 13)
        body = data[8:12] + struct.pack(">hi", 0, 2) + versions
        self.request.sendall(struct.pack(">i", len(body)) + body)

    def misbehave(self) -> None:
        raise NotImplementedError


class Garbage(Introduces):
    def misbehave(self) -> None:
        self.request.sendall(struct.pack(">i", 400) + bytes(range(200)) * 2)


class Gigabytes(Introduces):
    def misbehave(self) -> None:
        self.request.sendall(struct.pack(">i", 2**31 - 1))
        for _ in range(4096):
            self.request.sendall(bytes(1024 * 1024))


class Drips(Introduces):
    """A byte now and then, of a frame that never ends."""

    def misbehave(self) -> None:
        for _ in range(600):
            self.request.sendall(b"\0")
            time.sleep(0.1)


class CutsOff(Introduces):
    def misbehave(self) -> None:
        self.request.sendall(struct.pack(">i", 100) + bytes(50))


@pytest.mark.parametrize("server", [Garbage, Gigabytes, Drips, CutsOff])
def test_it_passes_nothing_and_holds_nobody_up(server: type[Introduces], tmp_path: Path) -> None:
    server.greeted = False
    results = tmp_path / "results.ndjson"
    with listening(server) as address:
        ended = judged(address, *RULES, *BASIC, "--api-version", "1", "--results", str(results))
    assert ended.code == 1, ended.out + ended.err
    found = {line.verdict for line in read_lines(results) if isinstance(line, Verdict)}
    assert "pass" not in found
    assert found & {"fail", "not-proven"}
