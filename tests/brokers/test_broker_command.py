"""`kafka-conformance broker` on a real broker, and on what is none."""

from __future__ import annotations

import socket
import socketserver
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from conformance.brokers.started.kafka import running_kafka
from conformance.data import data_root
from conformance.results.files import read_lines
from conformance.results.lines import Summary, Verdict
from tests.cli.conftest import Ended, run


@contextmanager
def listening(answer: type[socketserver.BaseRequestHandler]) -> Iterator[str]:
    """The address of a server that does nothing but this."""

    class Server(socketserver.ThreadingTCPServer):
        daemon_threads = True
        allow_reuse_address = True

    with Server(("127.0.0.1", 0), answer) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield f"127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()


class HangsUp(socketserver.BaseRequestHandler):
    def handle(self) -> None:
        self.request.recv(4096)
        self.request.close()


class Silent(socketserver.BaseRequestHandler):
    def handle(self) -> None:
        while self.request.recv(4096):
            pass


class Echoes(socketserver.BaseRequestHandler):
    def handle(self) -> None:
        while data := self.request.recv(4096):
            self.request.sendall(data)


class Http(socketserver.BaseRequestHandler):
    def handle(self) -> None:
        self.request.recv(4096)
        self.request.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")


class Promises(socketserver.BaseRequestHandler):
    """Introduces itself as a broker of ApiVersions and Metadata, and then hangs up at once."""

    introductions = 0

    def handle(self) -> None:
        data = self.request.recv(4096)
        if type(self).introductions == 0:
            type(self).introductions = 1
            versions = struct.pack(">hhh", 18, 0, 4) + struct.pack(">hhh", 3, 0, 13)
            body = data[8:12] + struct.pack(">hi", 0, 2) + versions
            self.request.sendall(struct.pack(">i", len(body)) + body)
        self.request.close()


def judged(address: str, *options: str) -> Ended:
    return run("broker", address, "--timeout", "0.5", *options)


@pytest.mark.parametrize(
    ("server", "says"),
    [
        (Http, "answers HTTP, and not Kafka's protocol"),
    ],
)
def test_what_is_no_broker_is_told_in_one_line(
    server: type[socketserver.BaseRequestHandler], says: str
) -> None:
    with listening(server) as address:
        ended = judged(address)
    assert (ended.code, ended.out) == (3, "")
    assert says in ended.error


@pytest.mark.parametrize(
    ("server", "says"),
    [
        (HangsUp, "no answer to ApiVersions v0: the connection was closed"),
        (Silent, "no answer to ApiVersions v0: nothing came"),
        (Echoes, "the answer to ApiVersions v0 has another correlation id: 1179648"),
    ],
)
def test_what_answers_as_no_broker_does_is_judged(
    server: type[socketserver.BaseRequestHandler], says: str, tmp_path: Path
) -> None:
    results = tmp_path / "results.ndjson"
    with listening(server) as address:
        ended = judged(address, "--message", "ApiVersionsRequest", "--results", str(results))
    assert ended.code == 1, ended.out + ended.err
    failed = [each for each in read_lines(results) if isinstance(each, Verdict)]
    failed = [each for each in failed if each.verdict == "fail"]
    assert any(says in each.detail for each in failed), failed
    assert all(each.class_ == "must" for each in failed), failed


def test_nobody_at_the_address_is_told_in_one_line() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    ended = judged(f"127.0.0.1:{port}")
    assert (ended.code, ended.out) == (3, "")
    assert "Connection refused" in ended.error


@pytest.mark.parametrize("address", ["localhost", "localhost:", ":9092", "localhost:99999", "a:b"])
def test_what_is_no_address_is_wrong_usage(address: str) -> None:
    ended = judged(address)
    assert ended.code == 2
    assert "is no address" in ended.error


def test_a_broker_that_hangs_up_passes_nothing(tmp_path: Path) -> None:
    Promises.introductions = 0
    results = tmp_path / "results.ndjson"
    with listening(Promises) as address:
        ended = judged(address, "--results", str(results))
    assert ended.code == 1
    found = {line.verdict for line in read_lines(results) if isinstance(line, Verdict)}
    assert "fail" in found
    assert "pass" not in found


@pytest.mark.java
def test_apache_kafka_passes_with_writes(tmp_path: Path) -> None:
    results = tmp_path / "results.ndjson"
    known = data_root() / "adapters" / "brokers" / "kafka" / "known-until-4.3.1.toml"
    with running_kafka(tmp_path) as kafka:
        options = ("--allow-writes", "--profile", "kafka", "--known", known, "--results", results)
        ended = run("broker", kafka.address, *options)
    assert ended.code == 0, ended.out
    *lines, summary = read_lines(results)
    assert isinstance(summary, Summary)
    verdicts = [line for line in lines if isinstance(line, Verdict)]
    others = {each.rule for each in verdicts if each.verdict not in ("pass", "unsupported")}
    assert others == {"tags.count-above-int32"}
    assert summary.verdicts["pass"] > 1300


@pytest.mark.java
def test_secured_apache_kafka_passes_what_needs_two_principals(tmp_path: Path) -> None:
    results = tmp_path / "results.ndjson"
    start = ("--start", "secured-kafka:4.3.1", "--allow-writes", "--profile", "kafka")
    ended = run("broker", *start, "--rule", "acls.*", "--rule", "sasl.*", "--results", results)
    assert ended.code == 0, ended.out
    found = [line for line in read_lines(results) if isinstance(line, Verdict)]
    passed = {each.rule for each in found if each.verdict == "pass"}
    assert "acls.deletion-tells-of-no-topic" in passed
    assert "sasl.wrong-token-refused" in passed
