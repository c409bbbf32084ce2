"""Frames captured from a running Apache Kafka are named to their last byte.

Of each version that the broker says it has, one request is sent over a plain socket; both frames
are kept as they were on the wire, with their lengths.
"""

from __future__ import annotations

import json
import socket
import struct
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest
from click.testing import CliRunner

from conformance.brokers.started.kafka import running_kafka
from conformance.cli import main
from conformance.reference.codec import ReferenceCodec

CODEC = ReferenceCodec("4.3.1")
CLIENT = {"clientId": "captured"}
API_KEYS = {"ApiVersions": 18, "CreateTopics": 19, "FindCoordinator": 10, "Metadata": 3}
REQUESTS: dict[str, dict[str, Any]] = {
    "ApiVersions": {"clientSoftwareName": "captured", "clientSoftwareVersion": "1.0"},
    "CreateTopics": {"timeoutMs": 10_000},
    "FindCoordinator": {"key": "g1", "coordinatorKeys": ["g1", "g2"]},
    "Metadata": {
        "topics": None,
        "includeClusterAuthorizedOperations": True,
        "includeTopicAuthorizedOperations": True,
    },
}
"""What is asked of each, by fields that not all versions have."""


class Captured(NamedTuple):
    """A request and its response, each with its length."""

    request: bytes
    response: bytes


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[socket.socket]:
    with (
        running_kafka(tmp_path_factory.mktemp("kafka")) as kafka,
        socket.create_connection(("127.0.0.1", kafka.ports["PLAINTEXT"]), timeout=30) as connection,
    ):
        yield connection


def exchange(broker: socket.socket, frame: bytes) -> Captured:
    request = struct.pack(">i", len(frame)) + frame
    broker.sendall(request)
    length = received(broker, 4)
    return Captured(request, length + received(broker, *struct.unpack(">i", length)))


def received(broker: socket.socket, number: int) -> bytes:
    data = b""
    while len(data) < number:
        more = broker.recv(number - len(data))
        assert more, f"the broker hung up, {number - len(data)} bytes before the end"
        data += more
    return data


def asked(api: str, version: int) -> dict[str, Any]:
    """The request's value: what is asked, of what this version has."""
    value = CODEC.form(f"{api}Request", version).layout.default_value()
    value |= {name: given for name, given in REQUESTS[api].items() if name in value}
    if api == "CreateTopics":
        value["topics"] = [topic(f"version-{version}"), topic("no name for a topic")]
    if api == "Metadata" and version == 0:
        value["topics"] = []  # all of them, which null means from version 1 on
    return value


def topic(name: str) -> dict[str, Any]:
    configs = [{"name": "cleanup.policy", "value": "compact"}]
    return {
        "name": name,
        "numPartitions": 2,
        "replicationFactor": 1,
        "assignments": [],
        "configs": configs,
    }


def advertised(broker: socket.socket) -> dict[int, range]:
    """The versions of each api key that the broker has."""
    header = {"correlationId": 0, **CLIENT}
    frame = CODEC.encode_request("ApiVersionsRequest", 0, header, {})
    _, value, *_ = CODEC.decode_response(
        "ApiVersionsResponse", 0, exchange(broker, frame).response[4:]
    )
    return {
        each["apiKey"]: range(each["minVersion"], each["maxVersion"] + 1)
        for each in value["apiKeys"]
    }


def explained(frame: bytes, *options: object, code: int = 0) -> list[dict[str, Any]]:
    """The rows that `kafka-conformance explain` names the frame's bytes by: each byte, once."""
    ended = CliRunner().invoke(main, ["explain", frame.hex(), "--json", *map(str, options)])
    assert ended.exit_code == code, ended.output
    rows: list[dict[str, Any]] = json.loads(ended.output)
    end = 0
    for row in rows:
        assert row["offset"] == end, row
        assert row["path"] or row["state"] == "not read", row
        end += len(row["bytes"]) // 2
    assert end == len(frame)
    assert "".join(row["bytes"] for row in rows) == frame.hex()
    return rows


def assert_all_is_read(rows: list[dict[str, Any]]) -> None:
    assert [row for row in rows if row["state"] != "read" or row["says"]] == []
    assert rows[0]["path"] == "frame(length)"


def found(rows: list[dict[str, Any]], path: str) -> Any:
    [value] = [row["value"] for row in rows if row["path"] == path]
    return value


@pytest.mark.java
def test_what_apache_kafka_says_is_named_to_the_last_byte(
    broker: socket.socket, subtests: pytest.Subtests
) -> None:
    offered = advertised(broker)
    for api in REQUESTS:
        versions = offered[API_KEYS[api]]
        assert len(versions) > 4
        for version in versions:
            with subtests.test(f"{api} v{version}"):
                an_exchange_is_named(broker, api, version)
    with subtests.test("ApiVersions v100"):
        a_version_from_the_future_is_named(broker)


def an_exchange_is_named(broker: socket.socket, api: str, version: int) -> None:
    header = {"correlationId": 1000 + version, **CLIENT}
    value = asked(api, version)
    captured = exchange(broker, CODEC.encode_request(f"{api}Request", version, header, value))

    rows = explained(captured.request)
    assert_all_is_read(rows)
    assert found(rows, "header.clientId") == "captured"

    rows = explained(captured.response, "--response", "--message", api, "--api-version", version)
    assert_all_is_read(rows)
    assert found(rows, "header.correlationId") == 1000 + version
    answer, body, left, _ = CODEC.decode_response(f"{api}Response", version, captured.response[4:])
    assert left == 0
    assert CODEC.encode_response(f"{api}Response", version, answer, body) == captured.response[4:]


def a_version_from_the_future_is_named(broker: socket.socket) -> None:
    header = {"correlationId": 100, **CLIENT}
    frame = bytearray(
        CODEC.encode_request("ApiVersionsRequest", 4, header, asked("ApiVersions", 4))
    )
    frame[2:4] = struct.pack(">h", 100)
    captured = exchange(broker, bytes(frame))

    rows = explained(captured.request, code=3)
    assert {row["state"] for row in rows} == {"read", "not read"}
    assert found(rows, "header.requestApiVersion") == 100
    assert found(rows, "header.clientId") == "captured"

    for asked_for in (4, 100):
        rows = explained(
            captured.response, "--response", "--message", "ApiVersions", "--api-version", asked_for
        )
        assert {row["state"] for row in rows} == {"read"}
        assert [(row["path"], row["value"]) for row in rows if row["says"]] == [("errorCode", 35)]
        assert found(rows, "header.correlationId") == 100
