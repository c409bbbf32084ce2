"""The same over TCP: splits, many connections, peers that misbehave, and an end without remains."""

import gc
import os
import socket
import struct
import threading
import time

import pytest

from conformance.reference.broker.broker import Broker
from conformance.reference.broker.connections.server import serving
from tests.reference.broker.asking import (
    bare,
    connect,
    frame,
    metadata,
    read,
    receive,
    sized,
    with_topics,
)

ASK = frame("Metadata", 1, metadata([], 1))


@pytest.fixture
def port():
    with serving(Broker()) as port:
        yield port


def test_a_request_is_answered_with_the_port_that_was_bound(port):
    with connect(port) as connection:
        connection.sendall(ASK)
        _, value = read("Metadata", 1, receive(connection))
    assert value["brokers"] == [{"nodeId": 1, "host": "127.0.0.1", "port": port, "rack": None}]


def test_an_advertised_port_is_kept():
    with serving(Broker(host="broker.test", port=1234)) as port, connect(port) as connection:
        connection.sendall(ASK)
        _, value = read("Metadata", 1, receive(connection))
    assert (value["brokers"][0]["host"], value["brokers"][0]["port"]) == ("broker.test", 1234)


def test_bytes_one_at_a_time_are_a_request(port):
    with connect(port) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for byte in ASK:
            connection.sendall(bytes([byte]))
        assert receive(connection)


def test_pipelined_requests_are_answered_in_order(port):
    ids = list(range(300))
    with connect(port) as connection:
        connection.sendall(b"".join(frame("ApiVersions", 0, {}, each) for each in ids))
        found = [read("ApiVersions", 0, receive(connection))[0] for _ in ids]
    assert found == ids


def test_a_peer_that_stops_sending_still_gets_its_answers(port):
    with connect(port) as connection:
        connection.sendall(ASK * 3)
        connection.shutdown(socket.SHUT_WR)
        assert all(receive(connection) for _ in range(3))
        assert receive(connection) == b""


@pytest.mark.parametrize(
    "data",
    [struct.pack(">i", -1), struct.pack(">i", 2**31 - 1), sized(b""), bare(999, 0), bare(3, 1)],
)
def test_a_connection_is_closed_and_not_reset_behind_the_last_answer(port, data):
    with connect(port) as connection:
        connection.sendall(ASK + data + ASK * 100)
        assert receive(connection)
        assert receive(connection) == b""


def test_one_bad_connection_is_no_matter_to_others(port):
    with connect(port) as good, connect(port) as bad, connect(port) as torn:
        bad.sendall(b"\xff" * 100)
        torn.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        torn.sendall(ASK[:5])
        torn.close()
        assert receive(bad) == b""
        good.sendall(ASK)
        assert receive(good)


def test_a_peer_that_does_not_read_costs_little_and_holds_up_nobody():
    names = [f"{'x' * 200}{number}" for number in range(500)]
    with serving(with_topics(*names)) as port, connect(port) as deaf:
        deaf.setblocking(False)
        request = frame("Metadata", 1, metadata(None, 1))
        end = time.monotonic() + 1
        before = memory()
        while time.monotonic() < end:
            try:
                deaf.send(request * 1000)
            except BlockingIOError:
                time.sleep(0.01)
        assert memory() - before < 32 * 1024 * 1024
        with connect(port) as other:
            other.sendall(ASK)
            assert receive(other)


def memory():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_a_thousand_connections_at_once_are_served(port):
    connections = []
    try:
        for _ in range(1000):
            connections.append(connect(port))
        for each in connections:
            each.sendall(ASK)
        assert all(receive(each) for each in connections)
    finally:
        for each in connections:
            each.close()


def test_nothing_is_left_behind_not_even_with_connections_open():
    gc.collect()
    threads, handles = threading.active_count(), len(os.listdir("/proc/self/fd"))
    for _ in range(5):
        with serving(Broker()) as port:
            connections = [connect(port) for _ in range(20)]
            connections[0].sendall(ASK)
            connections[1].sendall(ASK[:5])
            assert receive(connections[0])
        for each in connections:
            assert each.recv(1) == b"" or each is None
            each.close()
        with pytest.raises(ConnectionRefusedError):
            connect(port)
    gc.collect()
    assert threading.active_count() == threads
    assert len(os.listdir("/proc/self/fd")) == handles


def test_a_mistake_of_our_own_is_not_passed_over():
    class Mistaken(Broker):
        def metadata(self, request):
            raise KeyError("ours")

    def converse():
        with serving(Mistaken()) as port, connect(port) as connection:
            connection.sendall(ASK)
            assert receive(connection) == b""

    with pytest.raises(KeyError, match="ours"):
        converse()
