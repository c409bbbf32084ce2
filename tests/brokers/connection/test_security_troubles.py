"""Whatever keeps a connection from being secured, or a principal from logging in, is one line."""

from __future__ import annotations

import base64
import socket
import ssl
import struct
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import trustme

from conformance.brokers.connection.endpoint import (
    Address,
    Endpoint,
    LoginFailed,
    NoBroker,
    TlsFailed,
)
from conformance.errors import UNREACHABLE
from conformance.reference.broker.broker import Broker, play
from conformance.reference.broker.connections.server import serving
from conformance.reference.broker.connections.session import Session
from conformance.targets.errors import TargetError
from tests.brokers.connection.secured import (
    MECHANISMS,
    PASSWORD,
    PATIENCE_S,
    USER,
    Authority,
    broker,
    listening,
    login,
    reached,
    security,
    trusting,
)
from tests.reference.broker.asking import CODEC

WRONG = "an-other-secret"


@pytest.fixture(scope="module")
def authority() -> Authority:
    return Authority()


@contextmanager
def told(kind: type[TargetError], says: str) -> Iterator[None]:
    """Within, this is raised, in one line that tells no secret."""
    with pytest.raises(kind) as error:
        yield
    assert error.value.exit_code == UNREACHABLE
    assert error.value.hint
    text = str(error.value)
    assert says in text
    assert "\n" not in text
    assert len(text) < 400
    for secret in (PASSWORD, WRONG, base64.b64encode(WRONG.encode()).decode()):
        assert secret not in text
        assert secret not in repr(error.value.__context__)


def test_a_self_signed_certificate(authority: Authority, tmp_path: Path) -> None:
    alone = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    trustme.CA().issue_cert("127.0.0.1").configure_cert(alone)
    chain = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    other = trustme.CA()
    (tmp_path / "ca.pem").write_bytes(other.private_key_pem.bytes() + other.cert_pem.bytes())
    chain.load_cert_chain(tmp_path / "ca.pem")
    with (
        serving(Broker(), tls=chain) as port,
        told(TlsFailed, "is self-signed, or its authority is not known here"),
    ):
        reached(port, security(tmp_path, **trusting(authority.pem)))
    with serving(Broker(), tls=alone) as port, told(TlsFailed, "is not trusted"):
        reached(port, security(tmp_path, **trusting(authority.pem)))


def test_an_authority_that_the_system_does_not_know(authority: Authority, tmp_path: Path) -> None:
    with serving(Broker(), tls=authority.server()) as port, told(TlsFailed, "set ssl.truststore"):
        reached(port, security(tmp_path, security_protocol="SSL"))


def test_a_certificate_for_another_host(authority: Authority, tmp_path: Path) -> None:
    trusted = trusting(authority.pem)
    with serving(Broker(), tls=authority.server("other.test")) as port:
        with told(TlsFailed, "is for another host"):
            reached(port, security(tmp_path, **trusted))
        with told(TlsFailed, "is for another host"):
            Endpoint(Address("localhost", port), PATIENCE_S, security(tmp_path, **trusted))
        unnamed = security(tmp_path, **trusted, ssl_endpoint_identification_algorithm="")
        assert reached(port, unnamed).advertised


def test_a_certificate_that_has_expired(authority: Authority, tmp_path: Path) -> None:
    past = authority.server(
        begin=datetime(2020, 1, 1, tzinfo=UTC), end=datetime(2021, 1, 1, tzinfo=UTC)
    )
    with serving(Broker(), tls=past) as port:
        with told(TlsFailed, "has expired"):
            reached(port, security(tmp_path, **trusting(authority.pem)))
        whatever = {**trusting(authority.pem), "enable_ssl_certificate_verification": "false"}
        assert reached(port, security(tmp_path, **whatever)).advertised


def test_a_plaintext_port_that_is_spoken_to_through_tls(
    authority: Authority, tmp_path: Path
) -> None:
    with serving(Broker()) as port, told(TlsFailed, "speaks Kafka in plaintext, and TLS was"):
        reached(port, security(tmp_path, **trusting(authority.pem)))


def test_a_port_of_tls_that_is_spoken_to_in_plaintext(authority: Authority, tmp_path: Path) -> None:
    with serving(broker(), tls=authority.server()) as port:
        for plaintext in (None, login(tmp_path, "PLAIN")):
            with told(NoBroker, "looks like TLS"):
                reached(port, plaintext)


def test_an_alert_of_tls_is_known_for_one(authority: Authority) -> None:
    def alert(peer: socket.socket) -> None:
        peer.recv(100)
        peer.sendall(bytes.fromhex("15030300020246"))

    with listening(None, alert) as port, told(NoBroker, "looks like TLS"):
        reached(port)


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_a_certificate_that_is_missing(
    authority: Authority, version: ssl.TLSVersion, tmp_path: Path
) -> None:
    demanding = authority.server(demands_certificate=True)
    demanding.maximum_version = version
    trusted = trusting(authority.pem)
    with serving(Broker(), tls=demanding) as port:
        says = "demands a certificate" if version == ssl.TLSVersion.TLSv1_3 else "no certificate"
        with told(TlsFailed, says):
            reached(port, security(tmp_path, **trusted))
        foreign = Authority().client(tmp_path)
        with told(TlsFailed, "refuses the client's certificate: TLS: "):
            reached(port, security(tmp_path, **trusted, ssl_keystore_location=foreign))


def test_a_certificate_that_is_missed_without_a_word(authority: Authority, tmp_path: Path) -> None:
    with listening(authority.server(), lambda peer: peer.recv(100)) as port:
        notes = reached(port, security(tmp_path, **trusting(authority.pem))).notes
    assert "Does it demand a certificate" in notes[-1]


@pytest.mark.parametrize("secured", [False, True])
def test_a_port_that_answers_http(secured: bool, authority: Authority, tmp_path: Path) -> None:
    def answer(peer: socket.socket) -> None:
        peer.recv(100)
        peer.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")

    client = security(tmp_path, **trusting(authority.pem)) if secured else None
    with (
        listening(authority.server() if secured else None, answer) as port,
        told(NoBroker, "answers HTTP"),
    ):
        reached(port, client)


def test_a_port_that_waits_for_a_line_of_http() -> None:
    def answer(peer: socket.socket) -> None:
        asked = b""
        while b"\n" not in asked and (chunk := peer.recv(100)):
            asked += chunk
        peer.sendall(b"HTTP/1.1 200 OK\r\n\r\n")

    with listening(None, answer) as port, told(NoBroker, "answers HTTP"):
        Endpoint(Address("127.0.0.1", port), 0.3)


def test_a_port_that_does_not_finish_the_handshake(authority: Authority, tmp_path: Path) -> None:
    def drip(peer: socket.socket) -> None:
        peer.settimeout(0.05)
        for byte in b"\x16\x03\x03\x40\x00" + bytes(30):
            peer.sendall(bytes([byte]))
            time.sleep(0.05)

    begun = time.monotonic()
    with listening(None, drip) as port, told(TlsFailed, "does not finish the handshake of TLS"):
        Endpoint(Address("127.0.0.1", port), 0.5, security(tmp_path, **trusting(authority.pem)))
    assert time.monotonic() - begun < 5


def test_a_login_where_there_is_none(tmp_path: Path) -> None:
    with serving(Broker()) as port, told(LoginFailed, "its listener has no SASL"):
        reached(port, login(tmp_path, "PLAIN"))


def test_no_login_where_one_is_demanded() -> None:
    says = "demands a login: it offers SASL PLAIN, SCRAM-SHA-256, SCRAM-SHA-512, OAUTHBEARER"
    with serving(broker()) as port, told(LoginFailed, says):
        reached(port)


@pytest.mark.parametrize("secured", [False, True])
@pytest.mark.parametrize("mechanism", [each for each in MECHANISMS if each != "OAUTHBEARER"])
def test_a_wrong_password(
    mechanism: str, secured: bool, authority: Authority, tmp_path: Path
) -> None:
    pem, tls = (authority.pem, authority.server()) if secured else ("", None)
    with serving(broker(), tls=tls) as port:
        with told(LoginFailed, f"refuses user 'alice' by {mechanism}: The credentials are wrong"):
            reached(port, login(tmp_path, mechanism, pem, sasl_password=WRONG))
        with told(LoginFailed, f"refuses user 'eve' by {mechanism}: The credentials are wrong"):
            reached(port, login(tmp_path, mechanism, pem, sasl_username="eve"))


@pytest.mark.parametrize("token", [WRONG, "a.b.c", "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhbGljZSJ9."])
def test_a_wrong_token(token: str, tmp_path: Path) -> None:
    with serving(broker()) as port, told(LoginFailed, '{"status":"invalid_token"}'):
        reached(port, login(tmp_path, "OAUTHBEARER", sasl_oauthbearer_token=token))


def test_the_other_principal_is_checked_as_well(tmp_path: Path) -> None:
    wrong = login(tmp_path, "PLAIN", sasl_username="bob", sasl_password=WRONG)
    with serving(broker()) as port, told(LoginFailed, "refuses user 'bob'"):
        reached(port, login(tmp_path, "PLAIN"), wrong)


@pytest.mark.parametrize("mechanism", ["PLAIN", "SCRAM-SHA-256"])
def test_an_old_broker_refuses_without_a_word(mechanism: str, tmp_path: Path) -> None:
    with (
        serving(play("0.10", users={USER: PASSWORD})) as port,
        told(LoginFailed, f"hangs up at the token of user 'alice' by {mechanism}"),
    ):
        reached(port, login(tmp_path, mechanism, sasl_password=WRONG))


class Odd(Session):
    """A broker's end of a connection that goes wrong from the first token on."""

    def mechanisms(self) -> list[str]:
        return ["SCRAM-SHA-256"]

    def sasl_authenticate(self, request):
        return type(self).misdeed(self, request)

    misdeed: Callable[..., Any]


def odd(misdeed: Callable[..., Any]) -> Broker:
    class Oddly(Odd):
        pass

    Oddly.misdeed = staticmethod(misdeed)

    class Here(Broker):
        sessions = Oddly

    return Here(users={USER: PASSWORD})


def answered(said: bytes) -> dict[str, object]:
    token = base64.b64encode(said).decode()
    return {"errorCode": 0, "errorMessage": None, "authBytes": token, "sessionLifetimeMs": 0}


def test_a_mechanism_that_is_not_offered(tmp_path: Path) -> None:
    says = "has no SASL mechanism PLAIN: it offers SCRAM-SHA-256"
    with serving(odd(lambda *_: None)) as port, told(LoginFailed, says):
        reached(port, login(tmp_path, "PLAIN"))


def test_a_broker_that_hangs_up(tmp_path: Path) -> None:
    def hang_up(session, request):
        from conformance.reference.broker.errors import Hangup

        raise Hangup

    says = "hangs up at SaslAuthenticate of user 'alice' by SCRAM-SHA-256"
    with serving(odd(hang_up)) as port, told(LoginFailed, says):
        reached(port, login(tmp_path, "SCRAM-SHA-256"))


def test_a_broker_that_repeats_the_secret(tmp_path: Path) -> None:
    def repeat(session, request):
        return {**answered(b""), "errorCode": 58, "errorMessage": f"{WRONG} is wrong"}

    with serving(odd(repeat)) as port, told(LoginFailed, "it repeats the secret"):
        reached(port, login(tmp_path, "SCRAM-SHA-256", sasl_password=WRONG))


@pytest.mark.parametrize(
    ("said", "says"),
    [
        (b"", "its part of SCRAM is wrong"),
        (b"\xff", "it is no SCRAM"),
        (b"e=other-error", "The server returned an error"),
        (b"r=other,s=QUJDREVGR0hJSktMTU5P,i=4096", "Client nonce doesn't match"),
    ],
)
def test_a_broker_that_speaks_no_scram(said: bytes, says: str, tmp_path: Path) -> None:
    with serving(odd(lambda *_: answered(said))) as port, told(LoginFailed, says):
        reached(port, login(tmp_path, "SCRAM-SHA-256"))


def first_of_scram(request, iterations: int) -> bytes:
    """The server's first message to a client's."""
    nonce = base64.b64decode(request.value["authBytes"]).partition(b",r=")[2]
    return b"r=" + nonce + b"x,s=QUJDREVGR0hJSktMTU5P,i=%d" % iterations


def test_a_broker_that_asks_for_hours_of_work(tmp_path: Path) -> None:
    def ask(session, request):
        return answered(first_of_scram(request, 9_999_999))

    begun = time.monotonic()
    with serving(odd(ask)) as port, told(LoginFailed, "asks for 9999999 iterations"):
        reached(port, login(tmp_path, "SCRAM-SHA-256"))
    assert time.monotonic() - begun < 2


def test_a_broker_that_does_not_know_the_password_itself(tmp_path: Path) -> None:
    def pretend(session, request):
        token = base64.b64decode(request.value["authBytes"])
        if token.startswith(b"n,,"):
            return answered(first_of_scram(request, 4096))
        return answered(b"v=" + base64.b64encode(bytes(32)))

    with serving(odd(pretend)) as port, told(LoginFailed, "signature doesn't match"):
        reached(port, login(tmp_path, "SCRAM-SHA-256"))


def greeted(peer: socket.socket) -> None:
    """Answer ApiVersions as a broker that has SASL."""
    asked = peer.recv(100)
    listed = b"".join(struct.pack(">hhh", *each) for each in [(17, 0, 1), (18, 0, 0), (36, 0, 2)])
    body = asked[8:12] + struct.pack(">hi", 0, 3) + listed
    peer.sendall(struct.pack(">i", len(body)) + body)


def shaken(peer: socket.socket) -> None:
    """Answer SaslHandshake."""
    (number,) = struct.unpack_from(">i", peer.recv(200), 8)
    value = {"errorCode": 0, "mechanisms": ["PLAIN"]}
    body = CODEC.encode_response("SaslHandshakeResponse", 1, {"correlationId": number}, value)
    peer.sendall(struct.pack(">i", len(body)) + body)


@pytest.mark.parametrize(
    ("last", "says"),
    [
        (lambda peer: None, "hangs up at SaslAuthenticate"),
        (lambda peer: peer.sendall(b"\x7f\xff\xff\xff"), "announces more than any answer has"),
        (lambda peer: peer.sendall(b"\0\x20\0\0"), "announces more than any answer has"),
        (lambda peer: peer.sendall(b"\0\0\0\4abcd"), "with what is no answer to it"),
        (lambda peer: time.sleep(1), "stays silent at SaslAuthenticate"),
    ],
)
def test_what_is_no_answer_to_a_token(
    last: Callable[[socket.socket], None], says: str, tmp_path: Path
) -> None:
    def answer(peer: socket.socket) -> None:
        if peer.recv(6, socket.MSG_PEEK)[4:] == b"\0\x12":
            greeted(peer)
            return
        shaken(peer)
        peer.recv(200)
        last(peer)

    with listening(None, answer) as port, told(LoginFailed, says):
        Endpoint(Address("127.0.0.1", port), 0.5, login(tmp_path, "PLAIN", sasl_password=WRONG))
