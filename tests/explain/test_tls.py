"""A TLS record is named as far as it is not encrypted."""

from __future__ import annotations

import ssl

import pytest

from conformance.explain.tls import described


def client_hello(name: str = "broker-1.example") -> bytes:
    """The first bytes that a client of this Python's TLS sends."""
    sent = ssl.MemoryBIO()
    context = ssl.create_default_context()
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    client = context.wrap_bio(ssl.MemoryBIO(), sent, server_hostname=name)
    with pytest.raises(ssl.SSLWantReadError):
        client.do_handshake()
    return sent.read()


def test_a_client_hello_says_its_versions_and_its_server() -> None:
    said = described(client_hello())
    assert "ClientHello" in said
    assert "offers TLS 1.3 and TLS 1.2" in said
    assert said.endswith("server name broker-1.example")


def test_a_hello_that_is_cut_anywhere_is_named_as_far_as_it_is_there() -> None:
    hello = client_hello()
    assert all("ClientHello" in described(hello[:end]) for end in range(6, len(hello)))
    assert {described(hello[:end]) for end in range(5)} == {""}


SERVER = "160303002a 020000 26 0303" + "11" * 32 + "00 1301 00"


def test_a_server_hello_says_its_version() -> None:
    assert described(bytes.fromhex(SERVER)).endswith("ServerHello, chooses TLS 1.2")
    chosen = bytes.fromhex(SERVER + "0006 002b 0002 0304")
    assert described(chosen[:3] + b"\0\x32" + chosen[5:]).endswith("chooses TLS 1.3")


@pytest.mark.parametrize("data", [b"", b"\x16", b"\0\0\0\x16\0\x12\0\x03", b"\x17\x03\x03\xff\xff"])
def test_other_bytes_are_no_record(data: bytes) -> None:
    assert described(data) == ""
