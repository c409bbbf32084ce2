"""Logged in and served: every mechanism, in plaintext and through TLS, on our own broker."""

from __future__ import annotations

import gc
import os
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from conformance.brokers.connection.endpoint import (
    Address,
    BadSecurity,
    Connection,
    Endpoint,
    Unreachable,
)
from conformance.dialogue import Received
from conformance.reference.broker.broker import Broker, play
from conformance.reference.broker.connections.server import serving
from conformance.reference.broker.connections.session import Session
from tests.brokers.connection.secured import (
    MECHANISMS,
    PASSWORD,
    USER,
    Authority,
    broker,
    listening,
    login,
    reached,
    security,
    trusting,
)
from tests.reference.broker.asking import frame, metadata, read, sized

ASK = frame("Metadata", 1, metadata([], 1))
FIELDS = {"resourceTypeFilter": 2, "resourceNameFilter": None, "patternTypeFilter": 1}
ASK_ACLS = frame(
    "DescribeAcls",
    1,
    {**FIELDS, "principalFilter": None, "hostFilter": None, "operation": 1, "permissionType": 1},
)

both_ways = pytest.mark.parametrize("secured", [False, True], ids=["plaintext", "tls"])


@pytest.fixture(scope="module")
def authority() -> Authority:
    return Authority()


@pytest.fixture
def served(secured: bool, authority: Authority) -> Iterator[int]:
    tls = authority.server() if secured else None
    with serving(broker(super_users=frozenset({f"User:{USER}"})), tls=tls) as port:
        yield port


def authority_of(secured: bool, authority: Authority) -> str:
    return authority.pem if secured else ""


def asked(line: Connection, request: bytes = ASK) -> Received:
    with line:
        line.send(request)
        return line.hear()


@both_ways
@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_who_logs_in_is_answered(
    served: int, mechanism: str, secured: bool, authority: Authority, tmp_path: Path
) -> None:
    endpoint = reached(served, login(tmp_path, mechanism, authority_of(secured, authority)))
    assert endpoint.authenticates
    assert asked(endpoint.connect()).kind == "reply"


@both_ways
def test_nobody_is_not_answered(
    served: int, secured: bool, authority: Authority, tmp_path: Path
) -> None:
    endpoint = reached(served, login(tmp_path, "PLAIN", authority_of(secured, authority)))
    assert asked(endpoint.connect("nobody")).kind == "closed"


@both_ways
def test_each_is_who_they_are(
    served: int, secured: bool, authority: Authority, tmp_path: Path
) -> None:
    pem = authority_of(secured, authority)
    other = login(tmp_path, "PLAIN", pem, sasl_username="bob", sasl_password="hers-is-another")
    endpoint = reached(served, login(tmp_path, "SCRAM-SHA-256", pem), other)
    assert endpoint.other_principal == "User:bob"
    codes = []
    for who in ("self", "other"):
        answer = asked(endpoint.connect(who), ASK_ACLS).frame
        codes.append(read("DescribeAcls", 1, sized(answer))[1]["errorCode"])
    assert codes == [0, 31]


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("release", ["0.10", "2.3", "2.4", "3.9"])
def test_older_brokers_are_logged_in_to(release: str, mechanism: str, tmp_path: Path) -> None:
    with serving(play(release, users={USER: PASSWORD})) as port:
        endpoint = reached(port, login(tmp_path, mechanism))
        assert asked(endpoint.connect()).kind == "reply"


def test_a_certificate_is_shown_to_a_broker_that_demands_one(
    authority: Authority, tmp_path: Path
) -> None:
    with serving(Broker(), tls=authority.server(demands_certificate=True)) as port:
        mine = authority.client(tmp_path)
        shown = security(tmp_path, **trusting(authority.pem), ssl_keystore_location=mine)
        endpoint = reached(port, shown)
        assert not endpoint.authenticates
        assert asked(endpoint.connect()).kind == "reply"


def test_a_broker_is_checked_by_the_name_that_is_connected_to(
    authority: Authority, tmp_path: Path
) -> None:
    with serving(Broker(), tls=authority.server("localhost")) as port:
        here = Address("localhost", port)
        assert Endpoint(here, 5.0, security(tmp_path, **trusting(authority.pem))).advertised


def test_another_broker_of_the_cluster_is_connected_to_by_its_id(tmp_path: Path) -> None:
    with serving(broker()) as first, serving(broker(node_id=2)) as second:
        endpoint = reached(first, login(tmp_path, "PLAIN"))
        endpoint.nodes = {2: Address("127.0.0.1", second)}
        answer = asked(endpoint.connect(node=2)).frame
        assert read("Metadata", 1, sized(answer))[1]["brokers"][0]["nodeId"] == 2
        with pytest.raises(Unreachable, match="no address of broker 3 is known"):
            endpoint.connect(node=3)


def test_one_that_offers_a_login_and_demands_none_is_open() -> None:
    class Offers(Session):
        def sasl_handshake(self, request):
            return {"errorCode": 33, "mechanisms": ["PLAIN"]}

    class Open(Broker):
        sessions = Offers

    with serving(Open()) as port:
        assert asked(reached(port).connect()).kind == "reply"


def test_there_is_no_other_where_none_was_named() -> None:
    with serving(Broker()) as port:
        endpoint = reached(port)
        assert (endpoint.authenticates, endpoint.other_principal) == (False, "")
        with pytest.raises(BadSecurity, match="there is no second principal"):
            endpoint.connect("other")


@both_ways
def test_a_reset_leaves_nothing_to_hear(
    served: int, secured: bool, authority: Authority, tmp_path: Path
) -> None:
    endpoint = reached(served, login(tmp_path, "PLAIN", authority_of(secured, authority)))
    with endpoint.connect() as line:
        line.send(ASK[:5])
        line.reset()
        assert line.hear().kind == "reset"
    assert asked(endpoint.connect()).kind == "reply"


@both_ways
def test_who_has_finished_is_still_answered(
    served: int, secured: bool, authority: Authority, tmp_path: Path
) -> None:
    endpoint = reached(served, login(tmp_path, "PLAIN", authority_of(secured, authority)))
    with endpoint.connect() as line:
        line.send(ASK * 3)
        line.finish()
        assert [line.hear().kind for _ in range(4)] == ["reply"] * 3 + ["closed"]


def test_the_end_of_tls_is_said_and_what_comes_is_heard(
    authority: Authority, tmp_path: Path
) -> None:
    received: list[bytes] = []

    def answer(raw: socket.socket) -> None:
        with raw:
            received.append(raw.recv(100))
            raw.sendall(sized(b"early"))
            received.append(raw.recv(100))
            raw.sendall(sized(b"late"))

    with listening(authority.server(), answer) as port:
        line = Connection(
            Address("127.0.0.1", port), 5.0, security(tmp_path, **trusting(authority.pem))
        )
        with line:
            line.send(b"first")
            assert line.hear().frame == b"early"
            line.finish()
            assert line.hear() == Received("reply", b"late")
            assert line.hear().kind == "closed"
    assert received == [b"first", b""]


@both_ways
def test_a_thousand_connections_of_nobody_leave_no_handle(
    served: int, secured: bool, authority: Authority, tmp_path: Path
) -> None:
    endpoint = reached(served, login(tmp_path, "PLAIN", authority_of(secured, authority)))
    number = 100 if secured else 1000
    gc.collect()
    handles = len(os.listdir("/proc/self/fd"))
    lines = [endpoint.connect("nobody") for _ in range(number)]
    for line in lines:
        line.close()
    assert asked(endpoint.connect()).kind == "reply"
    lines.clear()
    gc.collect()
    assert len(os.listdir("/proc/self/fd")) <= handles + number  # our broker's own ends


@both_ways
def test_nothing_is_left_of_a_broker_that_stops(
    secured: bool, authority: Authority, tmp_path: Path
) -> None:
    gc.collect()
    threads, handles = threading.active_count(), len(os.listdir("/proc/self/fd"))
    with serving(broker(), tls=authority.server() if secured else None) as port:
        endpoint = reached(port, login(tmp_path, "PLAIN", authority_of(secured, authority)))
        lines = [endpoint.connect() for _ in range(3)]
        raw = Connection(Address("127.0.0.1", port), 5.0)  # through TLS, it never begins
    for line in [*lines, raw]:
        assert line.hear().kind in ("closed", "reset")
        line.close()
    gc.collect()
    assert threading.active_count() == threads
    assert len(os.listdir("/proc/self/fd")) == handles
