"""The brokers behind a proxy, as the proxy sees them."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest

from conformance.brokers.dialogues.talk import framed
from conformance.proxies.sorting import Sorting
from conformance.proxies.upstream import UpstreamServer

PREFIX = "kafka-conformance-test-"


@pytest.fixture
def asked() -> Iterator[tuple[UpstreamServer, socket.socket]]:
    """Brokers, and a proxy's connection to one of them."""
    with (
        UpstreamServer(PREFIX, 5.0) as upstream,
        socket.create_connection(upstream.brokers[1], timeout=10) as proxy,
    ):
        yield upstream, proxy


def request(client_id: str, key: int = 3) -> bytes:
    name = client_id.encode()
    return key.to_bytes(2, "big") + bytes(6) + len(name).to_bytes(2, "big") + name + bytes(4)


def test_who_has_closed_its_half_still_gets_the_answer(
    asked: tuple[UpstreamServer, socket.socket],
) -> None:
    upstream, proxy = asked
    proxy.sendall(framed(request(f"{PREFIX}1")))
    assert upstream.arrive().kind == "reply"
    proxy.shutdown(socket.SHUT_WR)
    assert upstream.arrive().kind == "closed"
    answer = framed(bytes(4) + b"the answer")
    upstream.answer(answer)
    assert proxy.recv(64) == answer
    upstream.begin()
    assert proxy.recv(64) == b""


def test_what_no_dialogue_answers_is_answered_before_the_next_one(
    asked: tuple[UpstreamServer, socket.socket],
) -> None:
    upstream, proxy = asked
    proxy.sendall(framed(request(f"{PREFIX}1")))
    assert upstream.arrive().kind == "reply"
    upstream.begin()
    answer = proxy.recv(512)
    assert answer[4:12] == bytes(7) + b"\x03"  # its number, and three brokers
    assert all(port.to_bytes(4, "big") in answer for _, port in upstream.brokers.values())
    proxy.sendall(framed(request(f"{PREFIX}1")[:-1]))
    assert upstream.arrive().kind == "reply"
    upstream.begin()
    assert proxy.recv(64) == b""


def test_a_long_answer_is_written_while_the_dialogue_goes_on(
    asked: tuple[UpstreamServer, socket.socket],
) -> None:
    upstream, proxy = asked
    proxy.sendall(framed(request(f"{PREFIX}1")))
    assert upstream.arrive().kind == "reply"
    answer = framed(bytes(32 * 1024 * 1024))
    upstream.answer(answer)  # nobody reads yet, and it returns
    upstream.hang_up(reset=False)
    received = 0
    while data := proxy.recv(1024 * 1024):
        received += len(data)
    assert received == len(answer)


def test_a_late_request_of_an_earlier_dialogue_is_answered_and_does_not_arrive(
    asked: tuple[UpstreamServer, socket.socket],
) -> None:
    upstream, proxy = asked
    late, own = framed(request(f"{PREFIX}1-client")), framed(request(f"{PREFIX}2-client"))
    upstream.sorting.sends(late)
    upstream.begin()
    upstream.sorting.sends(own)
    proxy.sendall(late)
    with socket.create_connection(upstream.brokers[1], timeout=10) as other:
        assert upstream.arrive(0.2).kind == "silent"
        assert proxy.recv(512)[4:8] == bytes(4)
        proxy.close()  # the end of that connection is not the dialogue's either
        other.sendall(own)
        arrived = upstream.arrive()
        assert (arrived.kind, arrived.frame) == ("reply", own[4:])


def test_a_request_under_another_name_is_a_dialogues_until_one_comes_under_its_own() -> None:
    sorting = Sorting(PREFIX)
    sorting.sends(framed(request(f"{PREFIX}1")) * 2)
    assert not sorting.is_ours(request("a-proxy", key=18), begun=False)
    assert sorting.is_ours(request("a-proxy"), begun=False)
    assert sorting.is_ours(request(f"{PREFIX}1"), begun=False)
    sorting.sends(framed(request(f"{PREFIX}2")))
    assert not sorting.is_ours(request("a-proxy"), begun=False)


def test_where_a_proxy_says_that_it_renames_every_name_may_be_a_dialogues() -> None:
    sorting = Sorting(PREFIX, renames=True)
    assert sorting.is_ours(request(f"{PREFIX}1"), begun=False)
    sorting.sends(framed(request(f"{PREFIX}2")))
    assert sorting.is_ours(request("a-proxy"), begun=False)
    assert not sorting.is_ours(request("a-proxy"), begun=False)


def test_a_request_without_its_name_is_known_by_what_it_says() -> None:
    sorting = Sorting(PREFIX)
    sorting.sends(framed(request(f"{PREFIX}1")))
    assert sorting.is_ours(request(f"{PREFIX}1"), begun=False)
    assert not sorting.is_ours(request("", key=0), begun=False)
    sorting.sends(framed(request(f"{PREFIX}1", key=0)) + framed(request(f"{PREFIX}1", key=18)))
    assert sorting.is_ours(request("", key=0), begun=False)
    assert not sorting.is_ours(request("", key=18) + b"another", begun=False)
    assert sorting.is_ours(request("", key=18), begun=False)
    assert not sorting.is_ours(request("", key=18), begun=False)


def test_a_late_request_without_its_name_is_no_other_dialogues() -> None:
    sorting = Sorting(PREFIX)
    late, own = (request(f"{PREFIX}{number}", key=0) for number in (1, 2))
    sorting.sends(framed(late + b"late"))
    sorting.begin()
    sorting.sends(framed(own))
    assert not sorting.is_ours(request("", key=0) + b"late", begun=False)
    assert sorting.is_ours(request("", key=0), begun=False)
