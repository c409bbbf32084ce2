"""Passwords, tokens and keys that pass are in no file, unless they are asked for."""

from __future__ import annotations

import base64
import socket
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conformance.captures.audit.masking import Masker
from conformance.captures.packets.files import packets
from conformance.captures.packets.network import segment
from conformance.captures.streams.events import Captured
from conformance.captures.streams.request_head import RequestHead
from conformance.results.lines import Summary
from conformance.schema.layout import Layout
from conformance.schema.releases import message_names
from tests.captures.speaking import CODEC, audited, request, response, sized
from tests.captures.tap.lines import exchange, judged, listening, running

SECRET = b"hunter2!"
SECRET_64 = base64.b64encode(SECRET).decode()
NAMES = ("a", "sasl.jaas.config")
CONFIGS = [{"name": name, "value": SECRET.decode()} for name in NAMES]
RESOURCE = {"resourceType": 4, "resourceName": "0"}
INCREMENTAL = [each | {"configOperation": 0} for each in CONFIGS]
DESCRIBED = {
    "readOnly": False,
    "configSource": 4,
    "isSensitive": True,
    "synonyms": [],
    "configType": 1,
    "documentation": None,
}
ERROR = {"errorCode": 0, "errorMessage": None}
TOKEN = {
    "principalType": "User",
    "principalName": "a",
    "tokenRequesterPrincipalType": "User",
    "tokenRequesterPrincipalName": "a",
    "issueTimestamp": 1,
    "expiryTimestamp": 2,
    "maxTimestamp": 3,
    "tokenId": "t",
    "hmac": SECRET_64,
    "renewers": [],
}
SCRAM = {
    "name": "a",
    "mechanism": 1,
    "iterations": 4096,
    "salt": SECRET_64,
    "saltedPassword": SECRET_64,
}
FRAMES: dict[tuple[str, int], dict[str, Any]] = {
    ("SaslAuthenticateRequest", 2): {"authBytes": SECRET_64},
    ("SaslAuthenticateResponse", 2): {"authBytes": SECRET_64},
    ("AlterUserScramCredentialsRequest", 0): {"upsertions": [SCRAM]},
    ("AlterConfigsRequest", 2): {"resources": [RESOURCE | {"configs": CONFIGS}]},
    ("IncrementalAlterConfigsRequest", 1): {"resources": [RESOURCE | {"configs": INCREMENTAL}]},
    ("CreateDelegationTokenResponse", 3): {"hmac": SECRET_64},
    ("DescribeDelegationTokenResponse", 3): {"tokens": [TOKEN]},
    ("RenewDelegationTokenRequest", 2): {"hmac": SECRET_64},
    ("ExpireDelegationTokenRequest", 2): {"hmac": SECRET_64},
    ("EnvelopeRequest", 0): {"requestData": SECRET_64},
    ("EnvelopeResponse", 0): {"responseData": SECRET_64},
    ("DescribeConfigsResponse", 4): {
        "results": [ERROR | RESOURCE | {"configs": [CONFIGS[1] | DESCRIBED]}]
    },
}


def frame(message: str, version: int) -> bytes:
    api, value = message[:-8], FRAMES[message, version]
    if message.endswith("Request"):
        return request(message[:-7], version, value, 1)
    return response(api, version, value, 1)


def captured(message: str, version: int, data: bytes) -> Captured:
    is_request = message.endswith("Request")
    api = message.removesuffix("Request").removesuffix("Response")
    form = CODEC.form(f"{api}Request", version)
    asked = RequestHead(form.api_key or 0, version, 1, f"{api}Request")
    return Captured("c", 1, 0, "request" if is_request else "response", data, asked)


@pytest.fixture
def broker() -> Iterator[socket.socket]:
    with listening() as there:
        yield there


def written(path: Path) -> bytes:
    """What a capture has of the streams, one after the other."""
    found = [segment(packet) for packet in packets(path)]
    return b"".join(each.payload for each in found if each)


@pytest.mark.parametrize(("message", "version"), FRAMES)
def test_a_frame_is_as_long_and_read_alike_without_its_secrets(message: str, version: int) -> None:
    data = frame(message, version)
    assert SECRET in data
    masked = Masker().frame(captured(message, version, data))
    assert SECRET not in masked
    assert masked == data.replace(SECRET, bytes(len(SECRET)))


@pytest.mark.parametrize(("message", "version"), FRAMES)
def test_what_could_not_be_read_is_taken_for_secret(message: str, version: int) -> None:
    data = frame(message, version)
    at = data.index(SECRET)
    for cut in (data[: at + 4], data + SECRET):
        masked = Masker().frame(captured(message, version, cut))
        assert len(masked) == len(cut)
        assert SECRET[:3] not in masked
        assert masked[:4] == cut[:4]


def test_a_value_that_a_broker_describes_is_masked_by_its_name() -> None:
    plain = {"results": [ERROR | RESOURCE | {"configs": [CONFIGS[0] | DESCRIBED]}]}
    data = response("DescribeConfigs", 4, plain, 1)
    assert Masker().frame(captured("DescribeConfigsResponse", 4, data)) == data


def test_every_field_of_bytes_that_may_be_secret_is_known() -> None:
    """A new definition with such a field has to be looked at."""
    secret = {"authBytes", "hmac", "salt", "saltedPassword", "requestData", "responseData"}
    others = {
        "protocolMetadata", "memberAssignment", "metadata", "assignment",  # of groups
        "metrics", "requestPrincipal", "clientHostAddress", "memberMetadata",
    }  # fmt: skip
    found = set()
    for name in message_names():
        if name.endswith(("Request", "Response")):
            for version in CODEC.versions(name):
                found |= _bytes_fields(CODEC.form(name, version).layout)
    assert secret <= found <= secret | others


def _bytes_fields(layout: Layout) -> set[str]:
    found: set[str] = set()
    for item in (*layout.fields, *layout.tagged):
        type_ = item.type
        while type_.element is not None:
            type_ = type_.element
        if type_.kind == "bytes":
            found.add(item.name)
        if type_.struct is not None:
            found |= _bytes_fields(type_.struct)
    return found


def said_by_sasl() -> list[tuple[bytes, bytes]]:
    """A login, after which a token comes that has a byte too many."""
    ok = response("SaslHandshake", 1, {"mechanisms": ["PLAIN"]}, 1)
    token = request("SaslAuthenticate", 2, {"authBytes": SECRET_64}, 2)
    answer = response("SaslAuthenticate", 2, {"authBytes": SECRET_64}, 2)
    again = request("SaslAuthenticate", 2, {"authBytes": SECRET_64}, 3)
    answer_again = response("SaslAuthenticate", 2, {"authBytes": SECRET_64}, 3)
    return [
        (request("SaslHandshake", 1, {"mechanism": "PLAIN"}, 1), ok),
        (token, answer),
        (again + b"\0", answer_again),
    ]


def said_in_tokens() -> list[tuple[bytes, bytes]]:
    """A login with tokens that have no header, then a request; one of them looks like another."""
    shake = request("SaslHandshake", 0, {"mechanism": "SCRAM-SHA-256"}, 1)
    return [
        (shake, response("SaslHandshake", 0, {"mechanisms": ["SCRAM-SHA-256"]}, 1)),
        (b"\0" + SECRET + b"\0" + SECRET + b"xx", SECRET),
        (b"n,,n=a,r=" + SECRET, b"r=" + SECRET),
        (request("Metadata", 1, {"topics": None}, 2), response("Metadata", 1, {}, 2)),
    ]


def run_through(
    folder: Path, broker: socket.socket, pairs: list[tuple[bytes, bytes]], *options: str
) -> tuple[Path, Path, str]:
    capture, results = folder / "t.pcapng", folder / "t.ndjson"
    files = ("--pcapng", capture, "--results", results)
    port = broker.getsockname()[1]
    with running(port, "--connections", 1, *files, *options) as run:
        exchange(run, broker, *((sized(asked), sized(answered)) for asked, answered in pairs))
        run.ended()
    return capture, results, run.out


@pytest.mark.parametrize("said", [said_by_sasl, said_in_tokens])
def test_logins_are_masked_and_the_capture_says_the_same(
    tmp_path: Path, broker: socket.socket, said
) -> None:
    pairs = said()
    capture, results, out = run_through(tmp_path, broker, pairs)
    stream, lines = written(capture), results.read_text()
    for hidden in (SECRET, SECRET_64.encode(), SECRET.hex().encode()):
        assert hidden not in stream
        assert hidden not in capture.read_bytes()
        assert hidden.decode() not in lines
        assert hidden.decode() not in out
    assert len(stream) == sum(8 + len(asked) + len(answered) for asked, answered in pairs)
    tables, _ = audited(capture, ports=None)
    (summary,) = [line for line in judged(results) if isinstance(line, Summary)]
    assert tables.frames == summary.cases
    assert dict(tables.verdicts) == summary.verdicts
    assert [f"{count} {why}" for why, count in tables.passed.items()] == summary.notes


@pytest.mark.parametrize("said", [said_by_sasl, said_in_tokens])
def test_secrets_are_there_where_they_are_asked_for(
    tmp_path: Path, broker: socket.socket, said
) -> None:
    pairs = said()
    capture, results, _ = run_through(tmp_path, broker, pairs, "--secrets")
    stream = written(capture)
    for asked, answered in pairs:
        assert struct.pack(">i", len(asked)) + asked in stream
        assert struct.pack(">i", len(answered)) + answered in stream
    assert (SECRET.hex() in results.read_text()) == (said is said_by_sasl)


def test_a_token_that_comes_before_the_answer_is_masked(
    tmp_path: Path, broker: socket.socket
) -> None:
    (shake, shaken), (token, answer), *_ = said_in_tokens()
    capture = tmp_path / "t.pcapng"
    port = broker.getsockname()[1]
    with running(port, "--connections", 1, "--pcapng", capture) as run:
        exchange(run, broker, (sized(shake) + sized(token), sized(shaken) + sized(answer)))
        run.ended()
    assert SECRET[:4] not in capture.read_bytes()
    assert len(written(capture)) == sum(4 + len(each) for each in (shake, token, shaken, answer))


def test_what_is_no_frame_is_left_out(tmp_path: Path, broker: socket.socket) -> None:
    hello = b"\x16\x03\x01\x02\x00\x01\x00" + SECRET
    capture = tmp_path / "t.pcapng"
    port = broker.getsockname()[1]
    with running(port, "--connections", 1, "--pcapng", capture) as run:
        exchange(run, broker, (hello, hello))
        assert run.ended() == 3
    found = [segment(packet) for packet in packets(capture)]
    assert sum(each.lost for each in found if each) == 2 * len(hello)
    assert SECRET not in capture.read_bytes()
